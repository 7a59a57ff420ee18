"""`leitong demo`."""

import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from leitong.cli import progress
from leitong.cli.documents import index_flag
from leitong.cli.indexing import default_rejects, run
from leitong.cli.reporting import show_clusters
from leitong.cli.talk import say


def demo(
    locator: Annotated[
        str, typer.Option("--index", "-i", metavar="FOLDER", help="Where the sample is indexed.")
    ] = "./leitong-demo",
) -> None:
    """Index the sample that comes with Leitong, show its duplicates, and write a report."""
    from leitong.indexer.library import open_index
    from leitong.indexer.pipeline import IndexOptions
    from leitong.indexer.sources.open import open_sources
    from leitong.reports.write import FORMATS, write_report

    say(
        "The sample: 1,278 texts (documentation, abstracts, poems, statutes), most of them Chinese, some of them alike."
    )
    with as_file(files("leitong.cli") / "sample" / "docs.jsonl.gz") as sample:
        sources = open_sources([str(sample)])
        with open_index(locator, create=True):
            pass
        run(locator, sources, IndexOptions(rejects=default_rejects(locator), resume=True))
    directory = Path("leitong-demo" if "://" in locator else locator) / "report"
    with open_index(locator) as opened:
        with progress.reporting() as watch:
            found = opened.report(watch=watch)
        write_report(directory, found, info=opened.info(), formats=FORMATS)
        show_clusters(found)
    say(f"Read the report: {directory / 'index.html'}")
    say(f"Search next:     {_program()} search 登记{index_flag(locator)}")


def _program() -> str:
    """What to type to run this program again: its name, or its place where the shell does not know the name."""
    return "leitong" if shutil.which("leitong") else sys.argv[0]
