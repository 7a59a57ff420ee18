"""What do the pages show?"""

import html
import re
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from leitong.indexer import Document, open_index
from tests.web.conftest import LONG, ODD, Path, Serve
from tests.web.schema import valid

CHINESE = {"accept-language": "zh-CN,zh;q=0.9,en;q=0.8"}


def page(site: TestClient, address: str, *, status: int = 200, language: str = "en") -> LexborHTMLParser:
    reply = site.get(address, headers={"accept-language": language})
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    return LexborHTMLParser(reply.text)


def texts(tree: LexborHTMLParser, selector: str) -> list[str]:
    return [" ".join(node.text().split()) for node in tree.css(selector)]


def shown_ids(tree: LexborHTMLParser, selector: str) -> list[str]:
    return [parse_qs(urlsplit(str(node.attributes["href"])).query)["id"][0] for node in tree.css(selector)]


def test_the_first_page_is_a_box_to_search_in(site: TestClient, library: Path) -> None:
    tree = page(site, "/")
    assert tree.css_first("form[action='/search'] input[name=q]") is not None
    with open_index(library) as index:
        assert f"{index.info().documents} documents" in tree.body.text()  # type: ignore[union-attr]


def test_hits_have_marked_snippets_scores_and_a_link_to_similar_documents(site: TestClient) -> None:
    tree = page(site, "/search?q=图书馆 新馆")
    assert {"news/1", "news/2", "news/3"} <= set(shown_ids(tree, ".hits h2 a"))
    assert "图书馆新馆" in texts(tree, ".snippet mark")
    assert all(re.fullmatch(r"score \d+\.\d", text) for text in texts(tree, ".score"))
    links = [str(node.attributes["href"]) for node in tree.css("a.similar")]
    assert all(link.startswith("/document?id=") and link.endswith("#similar") for link in links)


def test_what_is_searched_for_stands_in_the_box_again(site: TestClient) -> None:
    for asked in ('"新馆', "<b>&quot;</b>", "a'b\"c", "-", "title:新馆 -天气"):
        box = page(site, f"/search?q={quote(asked)}").css_first("#q")
        assert box is not None
        assert box.attributes["value"] == asked


def test_metadata_narrow_down_and_each_choice_can_be_taken_back(site: TestClient) -> None:
    tree = page(site, "/search?q=&size=50")
    assert tree.css_first(".chip.on") is None
    narrowed = page(site, "/search?q=&filter=category%3Dlocal")
    assert shown_ids(narrowed, ".hits h2 a") == ["news/1"]
    back = narrowed.css_first(".chip.on")
    assert back is not None
    assert len(page(site, str(back.attributes["href"])).css(".hits li")) == 10


def test_choices_say_how_many_of_all_hits_they_leave(serve: Serve, tmp_path: Path) -> None:
    with open_index(tmp_path / "index", create=True) as index:
        index.add(
            Document(str(n), f"图书馆的第{n}份简报", "", {"source": "日报" if n % 3 else "<晚报>", "n": n})
            for n in range(1, 40)
        )
    with serve(tmp_path / "index") as client:
        tree = page(client, "/search?q=图书馆&size=2")
        assert texts(tree, ".narrow .chip") == ["日报 26", "<晚报> 13"]
        for chip, count in zip(tree.css(".narrow .chip"), (26, 13), strict=True):
            narrowed = page(client, str(chip.attributes["href"]))
            assert texts(narrowed, ".count")[0].startswith(f"{count} documents found")
        assert texts(page(client, "/search?q=图书馆&fold=1"), ".narrow .small") == [
            "Numbers count folded documents as well."
        ]
        value = client.get("/api/search?q=图书馆&size=2&facets=1").json()
        valid(value, "/api/search")
        assert [(one["value"], one["count"]) for one in value["facets"][0]["values"]] == [("日报", 26), ("<晚报>", 13)]


def test_a_date_in_the_metadata_is_shown(site: TestClient) -> None:
    assert texts(page(site, "/search?q=地方志"), ".date") == ["2024-05-06"]


def test_pages_follow_each_other_and_lose_no_hit(site: TestClient, library: Path) -> None:
    address, seen = "/search?q=&size=4", []
    while address:
        tree = page(site, address)
        seen += shown_ids(tree, ".hits h2 a")
        after = tree.css_first("a[rel=next]")
        address = str(after.attributes["href"]) if after else ""
    with open_index(library) as index:
        assert len(seen) == len(set(seen)) == index.info().documents


@pytest.mark.parametrize(
    "query",
    [
        "start=-5",
        "start=99999999999999999999",
        "start=x",
        "size=0",
        "size=1000000",
        "filter=x",
        "filter==",
        "fold=maybe",
    ],
)
def test_nothing_in_the_address_breaks_the_page(site: TestClient, query: str) -> None:
    page(site, f"/search?q=新馆&{query}")


@pytest.mark.parametrize(
    ("wrong", "right"), [("start=-5", "start=0"), ("start=x", "start=0"), ("size=0", "size=1"), ("size=x", "")]
)
def test_a_wrong_number_in_the_address_is_the_nearest_right_one(site: TestClient, wrong: str, right: str) -> None:
    asked, meant = (shown_ids(page(site, f"/search?q=&{one}"), ".hits h2 a") for one in (wrong, right))
    assert asked == meant and asked


@pytest.mark.parametrize(
    "asked",
    [
        *("", " ", '"', "-", "--", ":", "a:", "title:", "\x00", "(", "*" * 999, "啊" * 4000),
        *("AND OR NOT [a TO b] /x/ ~ ^2 \\", "\ud83d".encode("utf-8", "surrogatepass")),
    ],
)
def test_nothing_a_person_types_breaks_the_page(site: TestClient, asked: str | bytes) -> None:
    page(site, f"/search?q={quote(asked)}")


def test_a_document_is_shown_with_its_metadata_and_what_is_similar(site: TestClient) -> None:
    tree = page(site, f"/document?id={quote('news/1', safe='')}")
    assert texts(tree, "h1") == ["市图书馆新馆开放"]
    assert "categorylocal" in texts(tree, ".fields div")
    assert "culture" in " ".join(texts(tree, ".fields"))
    assert texts(tree, "h3")[:1] == ["The same 1"]
    assert {"news/2", "news/3", "moved"} <= set(shown_ids(tree, ".matches > li > a"))
    assert "100 %" in texts(tree, ".matches b")
    assert "equal fingerprints" in " ".join(texts(tree, ".matches p"))


def test_related_documents_are_no_duplicates(site: TestClient) -> None:
    tree = page(site, f"/document?id={quote('wide')}")
    similar, related = shown_ids(tree, "section:not([aria-labelledby=kind-related]) .matches > li > a"), []
    related = shown_ids(tree, "[aria-labelledby=kind-related] .matches > li > a")
    assert "wide" not in related
    assert not set(similar) & set(related)


def test_the_radius_is_a_slider_and_stands_in_the_address(site: TestClient) -> None:
    for radius, shown in (("", "3"), ("&radius=15", "15"), ("&radius=99", "15"), ("&radius=x", "3")):
        slider = page(site, f"/document?id=news/1{radius}").css_first("#radius")
        assert slider is not None
        assert (slider.attributes["value"], slider.attributes["max"]) == (shown, "15")


def test_an_id_may_hold_anything(site: TestClient) -> None:
    tree = page(site, "/search?q=地方志")
    (link,) = [str(node.attributes["href"]) for node in tree.css(".hits h2 a")]
    shown = page(site, link)
    assert texts(shown, "h1") == ["奇怪的编号"]
    assert site.get("/api/document", params={"id": ODD}).json()["id"] == ODD


def test_a_long_text_is_shown_in_parts_that_make_the_whole(site: TestClient) -> None:
    address, seen, number = f"/document?id={quote(LONG)}", "", 0
    while address:
        reply = site.get(address)
        assert len(reply.content) < 150_000
        tree = LexborHTMLParser(reply.text)
        seen += "".join(node.text() + "\n" for node in tree.css(".text p"))
        after = tree.css_first("nav.pages a[rel=next]")
        address, number = (str(after.attributes["href"]) if after else ""), number + 1
    assert number > 5
    assert seen == site.get("/api/document", params={"id": LONG}).json()["text"]


def test_two_texts_stand_side_by_side_with_what_differs_marked(site: TestClient) -> None:
    tree = page(site, "/compare?a=news/1&b=news/3")
    assert "另据了解" in "".join(texts(tree, ".pair ins"))
    assert texts(tree, ".pair del") == []
    left, right = ("".join(texts(tree, f".row:not(.head) [role=cell]:nth-child({side})")) for side in (1, 2))
    assert "市图书馆新馆正式向读者开放" in left
    assert "市图书馆新馆正式向读者开放" in right


def test_texts_of_a_series_say_why_they_are_no_match(serve: Serve, tmp_path: Path) -> None:
    with open_index(tmp_path / "index", create=True) as index:
        index.add(Document(year, f"{year}年第一季度的销售额比去年同期增长了百分之五。") for year in ("2023", "2024"))
    with serve(tmp_path / "index") as client:
        told = page(client, "/compare?a=2023&b=2024").css_first(".why").text()
    assert "two of a series" in told


def test_moved_passages_lead_to_each_other(site: TestClient) -> None:
    tree = page(site, "/compare?a=news/1&b=moved")
    moved = tree.css(".pair a.moved")
    assert moved
    ids = {node.attributes["id"] for node in moved}
    assert {str(node.attributes["href"])[1:] for node in moved} == ids


def test_without_ids_the_compare_page_asks_for_them(site: TestClient) -> None:
    assert page(site, "/compare").css_first("form[action='/compare'] #a") is not None
    box = page(site, "/compare?a=news/1").css_first("#a")
    assert box is not None and box.attributes["value"] == "news/1"


def test_a_text_is_checked_against_the_library(site: TestClient) -> None:
    text = site.get("/api/document?id=news/1").json()["text"]
    for form in ({"data": {"text": text}}, {"files": {"file": ("稿 件.txt", text.encode("gb18030"), "text/plain")}}):
        reply = site.post("/check", **form)  # type: ignore[arg-type]
        assert {"news/1", "news/2", "news/3"} <= set(shown_ids(LexborHTMLParser(reply.text), ".matches > li > a"))
    assert (
        "No document says the same"
        in site.post("/check", data={"text": "完全没有出现过的另一段话，谈的是别的事。"}).text
    )


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"data": {"text": "  "}}, 422, "There is no text"),
        ({"files": {"file": ("x.pdf", b"%PDF", "application/pdf")}}, 422, "The file must be one of .txt"),
        ({"files": {"file": ("x.txt", b"\x00\x01\x02", "text/plain")}}, 422, "x.txt"),
        ({"data": {"text": "a\0b"}}, 422, "NUL"),
        ({"content": b"nonsense", "headers": {"content-type": "multipart/form-data"}}, 400, "did not arrive whole"),
    ],
)
def test_what_cannot_be_checked_is_said(site: TestClient, form: dict[str, object], status: int, said: str) -> None:
    reply = site.post("/check", **form)  # type: ignore[arg-type]
    assert reply.status_code == status
    assert said in html.unescape(reply.text)


def test_pages_come_in_the_language_of_the_browser_and_the_address_decides(site: TestClient) -> None:
    address = "/search?q=新馆"
    assert page(site, address).html.startswith('<!DOCTYPE html><html lang="en">')  # type: ignore[union-attr]
    chinese = page(site, address, language="zh-CN,zh;q=0.9,en;q=0.8")
    assert "相似文档" in chinese.html  # type: ignore[operator]
    switched = page(site, address + "&lang=zh", language="en")
    links = [str(node.attributes["href"]) for node in switched.css(".hits h2 a")]
    assert links and all("lang=zh" in link for link in links)
    back = switched.css_first("footer a[hreflang=en]")
    assert back is not None and "lang=en" in str(back.attributes["href"])
    assert page(site, address + "&lang=tlh", language="fr, zh;q=0.1").css_first("html[lang=zh-Hans]") is not None
