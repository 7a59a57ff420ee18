"""Every page in a real browser: in both languages, light and dark, on a phone, without JavaScript, with axe looking."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from leitong.indexer import Document, open_index
from leitong.indexer.documents import LabelledPair
from leitong.indexer.sources.pairs import LabelFile
from leitong.reports import calibration, evaluation
from leitong.reports.write import write_report
from tests.web.conftest import LONG, ODD, TOKEN, articles, served

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

pytestmark = pytest.mark.slow

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}
PAGES = {
    "first": "/",
    "search": "/search?q=新馆",
    "narrowed": "/search?q=&filter=category%3Dlocal&fold=1",
    "nothing": "/search?q=没有这样的词",
    "document": "/document?id=news/1",
    "long": f"/document?id={quote(LONG)}&part=2",
    "odd id": f"/document?id={quote(ODD, safe='')}",
    "hostile": "/document?id=page",
    "compare": "/compare?a=news/1&b=moved",
    "compare form": "/compare",
    "check": "/check",
    "duplicates": "/duplicates",
    "access": "/access",
    "programs": "/api",
    "missing": "/document?id=nobody",
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page whose index may be written, with a report."""
    path = tmp_path_factory.mktemp("browser") / "index"
    with open_index(path, create=True) as index:
        index.add(articles())
        assert index.keep_report(index.report())
    with served(path, "--write", env={"LEITONG_TOKEN": TOKEN}) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The system's chromium."""
    if CHROMIUM is None:
        reason = "there is no chromium: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@contextmanager
def visiting(browser: Any, address: str, **options: Any) -> Iterator[Any]:
    """A page of a browser of its own; any error on it, and any request to elsewhere, fails the test."""
    context = browser.new_context(base_url=address, **options)
    wrong: list[str] = []
    page = context.new_page()
    page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(address) else wrong.append(asked.url))
    try:
        yield page
        assert [said for said in wrong if "404 (Not Found)" not in said] == []
    finally:
        context.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_each_page_can_be_read_by_everybody(browser: Any, address: str, name: str, language: str) -> None:
    for scheme in ("light", "dark"):
        with visiting(browser, address, locale=LANGUAGES[language], color_scheme=scheme) as page:
            page.goto(PAGES[name])
            page.wait_for_load_state("networkidle")
            assert page.locator("html").get_attribute("lang") == {"en": "en", "zh": "zh-Hans"}[language]
            found = axe.Axe().run(page)
            assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", PAGES)
def test_each_page_fits_a_phone(browser: Any, address: str, name: str) -> None:
    with visiting(browser, address, viewport={"width": 360, "height": 740}, locale="zh-CN", has_touch=True) as page:
        page.goto(PAGES[name])
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360


def test_each_page_fits_a_window_at_four_times_its_size(browser: Any, address: str) -> None:
    """1280 pixels wide, magnified to 400 %: what people with weak eyes do."""
    for name, page_address in PAGES.items():
        for locale in LANGUAGES.values():
            with visiting(browser, address, viewport={"width": 320, "height": 256}, locale=locale) as page:
                page.goto(page_address)
                assert page.evaluate("document.documentElement.scrollWidth") <= 320, name


def test_on_paper_stands_what_is_read_and_what_differs(browser: Any, address: str) -> None:
    with visiting(browser, address, locale="en-GB") as page:
        page.emulate_media(media="print")
        page.goto("/compare?a=news/1&b=moved")
        for name in ("nav", "form.ask", "footer"):
            playwright.expect(page.locator(name).first).to_be_hidden()
        kept = page.locator(".pair .moved").first.evaluate("one => getComputedStyle(one).printColorAdjust")
        assert kept == "exact"  # browsers print no backgrounds otherwise
    with visiting(browser, address, color_scheme="dark") as page:
        page.emulate_media(media="print")
        page.goto("/compare?a=news/1&b=moved")
        assert_dark_letters(page)


def test_a_large_number_stands_on_one_line(browser: Any, address: str) -> None:
    with visiting(browser, address, viewport={"width": 320, "height": 640}) as page:
        page.goto("/duplicates")
        high = "one => one.getBoundingClientRect().height"
        number = page.locator(".bars .number").first
        before = number.evaluate(high)
        number.evaluate("one => { one.textContent = '1,234,567'; }")
        assert number.evaluate(high) == before > 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


def assert_dark_letters(page: Any) -> None:
    """Paper is white, whatever the screen is: pale letters cannot be read on it."""
    for name in page.evaluate("['body', 'text'].filter(one => document.querySelector(one))"):
        colour = page.locator(name).first.evaluate("one => [getComputedStyle(one).color, getComputedStyle(one).fill]")
        shown = colour[name == "text"]
        assert max(int(part) for part in re.findall(r"\d+", shown)[:3]) < 80, (name, shown)


def test_the_letters_of_the_report_can_be_read(browser: Any, tmp_path: Path) -> None:
    with open_index(tmp_path / "index", create=True) as index:
        index.add(articles())
        write_report(tmp_path / "report", index.report(), info=index.info(), formats=("html",))
    address = (tmp_path / "report" / "index.html").as_uri()
    for width, least in ((1280, 11), (360, 9)):
        with visiting(browser, address, viewport={"width": width, "height": 800}) as page:
            page.goto(address)
            high = page.locator(".pictures svg").evaluate_all(
                "all => all.map(one => one.getBoundingClientRect().width / one.viewBox.baseVal.width * 12)"
            )
            assert min(high) >= least


def test_each_file_to_look_at_fits_a_phone_and_everybody(browser: Any, tmp_path: Path) -> None:
    long = [f"api-reference/v1.0/resources/{'configuration' * 4}-{number}.md" for number in range(12)]
    texts = [f"第{number}篇说的是{number * number}号事，" * 4 + "别的都一样。" * (number % 3) for number in range(12)]
    with open_index(tmp_path / "index", create=True) as index:
        index.add([Document(name, text, name) for name, text in zip(long, texts, strict=True)])
        index.add([Document("again/" * 20, texts[0] + "又及。", long[0])])
        measured = index.calibrate(min_similarity=0.01)
        judged = index.evaluate([LabelledPair(long[0], "again/" * 20, False), LabelledPair(long[1], long[2], True)])
        (tmp_path / "calibrate.html").write_text(calibration.page(measured, index="index" * 20).html())
        labels = LabelFile("labels" * 20, tuple(one.pair for one in judged.judged), {}, (), ())
        (tmp_path / "evaluate.html").write_text(evaluation.page(judged, labels, index="index" * 20).html())
        write_report(tmp_path / "report", index.report(), info=index.info(), formats=("html",))
    pages = ("report/pages/clusters-00001.html", "report/pages/search.html")
    for name in ("calibrate.html", "evaluate.html", "report/index.html", *pages):
        address = (tmp_path / name).as_uri()
        with visiting(browser, address, viewport={"width": 360, "height": 740}) as page:
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
            found = axe.Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
        with visiting(browser, address, color_scheme="dark") as page:
            page.emulate_media(media="print")
            page.goto(address)
            assert_dark_letters(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_works_without_javascript(browser: Any, address: str, language: str) -> None:
    with visiting(browser, address, java_script_enabled=False, locale=LANGUAGES[language]) as page:
        page.goto("/")
        page.fill("#q", "新馆")
        page.press("#q", "Enter")
        page.locator(".hits a.similar").first.click()
        page.wait_for_url("**/document?**")
        before = page.locator("output").inner_text()
        page.locator("#radius").press("ArrowRight")
        page.locator(".radius button").click()
        playwright.expect(page.locator("output")).to_have_text(f"{int(before) + 1}")
        page.locator(".matches a[href*='/compare']").first.click()
        playwright.expect(page.locator(".pair .row").nth(1)).to_be_visible()
        page.goto("/check")
        page.fill("#text", "本报讯 昨日上午，市图书馆新馆正式向读者开放。新馆总面积三万平方米，藏书二百万册。")
        page.locator("form.stack button").last.click()
        playwright.expect(page.locator(".result .matches li").nth(2)).to_be_visible()
        page.goto("/duplicates")
        page.select_option("select[name=kind]", "exact")
        page.locator(".filters button").click()
        page.wait_for_url("**kind=exact**")
        playwright.expect(page.locator(".clusters > li").first).to_be_visible()
        page.locator("footer a[hreflang]").click()
        playwright.expect(page.locator("html")).to_have_attribute("lang", {"en": "zh-Hans", "zh": "en"}[language])


def test_the_numbers_of_similar_documents_come_after_the_page(browser: Any, address: str) -> None:
    with visiting(browser, address, locale="en-GB") as page:
        page.goto("/search?q=新馆")
        link = page.locator("a.similar[data-id='news/1']")
        playwright.expect(link).to_have_text("Similar documents (3)")
        assert "some" in (link.get_attribute("class") or "")


def test_the_keyboard_is_enough(browser: Any, address: str) -> None:
    with visiting(browser, address) as page:
        page.goto("/search?q=新馆")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("k")
        title = page.evaluate("document.activeElement.textContent")
        assert title == page.locator(".hits h2 a").first.inner_text()
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "q"
        page.keyboard.type("/j")
        assert page.input_value("#q") == "/j"
        page.goto("/search?q=新馆")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url("**/document?**")


def test_the_shortcuts_can_be_turned_off(browser: Any, address: str) -> None:
    """WCAG 2.1.4: who speaks to the browser presses keys without meaning to."""
    focused = "document.activeElement.id"
    with visiting(browser, address, locale="en-GB") as page:
        page.goto("/search?q=新馆")
        page.get_by_role("button", name="turn off").click()
        page.keyboard.press("/")
        assert page.evaluate(focused) != "q"
        page.goto("/check")
        page.keyboard.press("/")
        assert page.evaluate(focused) != "q", "the browser remembers it"
        page.get_by_role("button", name="turn on").click()
        page.keyboard.press("/")
        assert page.evaluate(focused) == "q"


def test_the_slider_looks_again_when_it_is_let_go(browser: Any, address: str) -> None:
    with visiting(browser, address) as page:
        page.goto("/document?id=news/1")
        page.locator("#radius").press("ArrowRight")
        page.wait_for_url("**radius=4**")
        playwright.expect(page.locator("output")).to_have_text("4")
        page.go_back()
        playwright.expect(page.locator("output")).to_have_text("3")
        playwright.expect(page.locator("#radius")).to_have_value("3")


def test_a_file_is_dropped_on_the_check_page(browser: Any, address: str) -> None:
    with visiting(browser, address) as page:
        page.goto("/check")
        page.evaluate(
            """() => {
                const data = new DataTransfer();
                const text = "本报讯 昨日上午，市图书馆新馆正式向读者开放。新馆总面积三万平方米，藏书二百万册。";
                data.items.add(new File([text], "稿.txt", {type: "text/plain"}));
                document.querySelector("form.stack").dispatchEvent(
                    new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
            }"""
        )
        page.wait_for_selector(".result .matches li")


def test_a_person_shows_the_token_and_decides(browser: Any, address: str) -> None:
    with visiting(browser, address, locale="en-GB") as page:
        page.goto("/access")
        page.fill("#token", TOKEN)
        with page.expect_navigation():
            page.locator("main button").click()
        page.goto("/duplicates?q=新馆")
        axe_found = axe.Axe().run(page)
        assert axe_found.violations_count == 0, axe_found.generate_report()
        page.get_by_role("button", name="Keep this one").nth(1).click()
        kept = page.locator(".members .kept")
        playwright.expect(kept).to_have_count(1)
        kept.get_by_role("button", name="Undo").click()
        playwright.expect(kept).to_have_count(0)
        page.goto("/check")
        page.fill("#text", "新近写成的一篇短文，谈的是竹刻的刀法与题材。")
        page.get_by_role("button", name="Check", exact=True).click()
        page.fill("#id", "written in the browser")
        page.get_by_role("button", name="Add", exact=True).click()
        playwright.expect(page.locator(".text")).to_contain_text("竹刻")


def test_a_hostile_document_runs_nothing(browser: Any, address: str) -> None:
    with visiting(browser, address) as page:
        page.on("dialog", lambda dialog: pytest.fail("a script ran"))
        for place in ("/document?id=page", "/compare?a=page&b=page%202", "/search?q=<script>alert(1)</script>"):
            page.goto(place)
            assert page.evaluate("document.scripts.length") == 1
