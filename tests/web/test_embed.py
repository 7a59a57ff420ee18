"""The example of docs/embed.md, in a real browser, on a page of another origin."""

import functools
import http.server
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from leitong.indexer import open_index
from leitong.indexer.sources.open import open_sources
from tests.web.conftest import served
from tests.web.test_browser import browser  # noqa: F401 - the fixture

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
def test_the_example_shows_links_to_similar_documents(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    (example,) = re.findall(r"^```html\n(.*?)^```$", (ROOT / "docs/embed.md").read_text("utf-8"), re.M | re.S)
    assert len(example.splitlines()) <= 24
    (news,) = re.findall(r"^```json\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)
    (tmp_path / "news.jsonl").write_text(news, "utf-8")
    with open_index(tmp_path / "index", create=True) as index:
        index.add(document for source in open_sources([str(tmp_path / "news.jsonl")]) for document in source)  # type: ignore[misc]

    (tmp_path / "site").mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{site.server_address[1]}"
        with served(tmp_path / "index", "--allow-origin", origin) as address:
            page_text = example.replace("http://127.0.0.1:8765", address)
            (tmp_path / "site" / "index.html").write_text(page_text, "utf-8")
            page = browser.new_page()
            page.goto(f"{origin}/index.html")
            page.wait_for_selector("[data-similar='1'] a")
            assert page.inner_text("[data-similar='1']") == "Similar documents (2)"
            assert page.inner_text("[data-similar='4']") == ""
            page.click("[data-similar='1'] a")
            page.wait_for_selector("#similar .matches li")
            page.close()
        site.shutdown()
