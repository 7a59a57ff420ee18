"""Compares every document with every other in a process of its own, and tells how far it is on stdout."""

import sys

import orjson

from leitong.indexer.duplicates.settings import Step
from leitong.indexer.errors import LeitongError
from leitong.indexer.library import open_index


def main(locator: str) -> int:
    """Make a report of the index and keep it there. One JSON object a line: `step`, or at the end `error` or `kept`."""

    def tell(**values: object) -> None:
        sys.stdout.buffer.write(orjson.dumps(values) + b"\n")
        sys.stdout.buffer.flush()

    def watch(step: Step) -> None:
        tell(step=step.name, done=step.done, total=step.total)

    try:
        with open_index(locator) as index:
            tell(kept=index.keep_report(index.report(watch=watch)))
    except LeitongError as error:
        tell(error=str(error))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
