"""Files that are one document each: text, Markdown, HTML."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.documents import Document
from leitong.indexer.sources.html import read_page
from leitong.indexer.sources.open import open_sources
from tests.sources.reading import Outcome, read

Content = Callable[..., Outcome]


def test_a_text_file_is_named_by_its_file(content: Content) -> None:
    document = content("央行 降准.txt", "中国人民银行\r\n决定\r\n").only
    assert document == Document("央行 降准.txt", "中国人民银行\n决定\n")


@pytest.mark.parametrize("name", ["a.b.txt", "A.TXT", "x.md", "x.html", "x.HTM"])
def test_the_name_of_a_file_is_no_title(content: Content, name: str) -> None:
    """Two copies of a text under two names are the same text."""
    assert content(name, "text").only.title == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "gb18030", "gbk"])
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
def test_encodings(content: Content, name: str, encoding: str) -> None:
    text = "新京报讯（记者 刘玮）10月30日，据香港媒体报道，武侠小说泰斗金庸逝世，享年94岁。"
    assert content(name, text.encode(encoding)).only.text == text


@pytest.mark.parametrize(
    ("markdown", "title"),
    [
        ("# Title\n\ntext", "Title"),
        ("\n\ntext first\n\n## 标题 ##\n", "标题"),
        ("---\ntitle: x\n# comment\n---\n# Title", "Title"),
        ("```sh\n# comment\n```\n# Title", "Title"),
        ("   # C# and F#", "C# and F#"),
        ("#hashtag\n    # code", ""),
        ("####### seven", ""),
        ("#\n# Title", "Title"),
        ("text\n" * 41 + "# late", ""),
        ("---\n# Title after a rule", "Title after a rule"),
        ("---\ntitle: 大桥：通车 #1\ndate: 2018-10-24\n---\n大桥今天通车。", "大桥：通车 #1"),
        ('---\nlayout: post\ntitle:  "A: b"  \n---\ntext', "A: b"),
        ("+++\ntitle = 'A b'\n+++\ntext", "A b"),
        ("---\ntitle: x\n---\ntext\n## Part", "Part"),
        ("---\ntitle: >-\n  folded\n---\ntext", ""),
        ('---\ntitle: ""\n---\ntext', ""),
        ("---\nsubtitle: x\n  title: y\n---\ntext", ""),
        ("---\ntitle: x\n+++\ntext", ""),
        ("# slash [![Build](https://ci.example/a.svg?branch=main)](https://ci.example/a) [![][npm]][1]", "slash"),
        ("# entries <sup>[![Version Badge][badge]][package]</sup>", "entries"),
        ("# [1.2.0](https://a.example/b_(c)) and [core][core]-`List<T>`", "1.2.0 and core-`List<T>`"),
        ("# a\\[0](1) 与 [x] of y[1]", "a\\[0](1) 与 [x] of y[1]"),
        ("# ![](a.png)\n# <img src='b.png' alt='Logo B' width=9>\n# C", "Logo B"),
        ("# ![Logo](a.png)\n\n## Use", "Logo"),
        ("# <img src=a.png>", ""),
        ("intro\n\nname  \n====\n\n# Use", "name"),
        ("name\n\n===\n# Use", "Use"),
        ("```\nname\n===\n```\n> quoted\n===\n# Use", "Use"),
    ],
)
def test_the_title_of_markdown_is_a_heading_or_of_front_matter(content: Content, markdown: str, title: str) -> None:
    for name in ("a.md", "a.markdown"):
        document = content(name, markdown).only
        assert (document.title, document.text) == (title, markdown)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("<p>im<b>por</b><i>tant</i> word</p>", "important word"),
        ("<p>线<span>性</span>代数</p>", "线性代数"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<div>a<div>b</div>c</div>", "a\nb\nc"),
        ("<p>  many\n\n  blanks\t&nbsp; </p>", "many blanks"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>", "a b\nc"),
        ("<h1>Head</h1>text", "Head\ntext"),
        ("&lt;p&gt; &amp; &#20013;&eacute;", "<p> & 中é"),
        ("a<script>var x = '<p>no</p>'</script>b", "ab"),
        ("a<style>p {}</style><noscript>no</noscript><template><p>no</p></template><!-- no -->b", "ab"),
        ("<svg><title>no</title><text>no</text></svg>yes", "yes"),
        ("<pre>def f():\n    return 1\n</pre>after  all", "def f():\n    return 1\nafter all"),
        ("<ruby>漢<rp>(</rp><rt>hàn</rt><rp>)</rp></ruby>字", "漢字"),
        ("no markup at all", "no markup at all"),
        ("<p>never closed<div><b>bold", "never closed\nbold"),
        ("<b>a</b> <i>b</i>", "a b"),
        ("<a href=x>one</a><a href=y>two</a>", "onetwo"),
        ("", ""),
        ("<frameset><frame src=x></frameset>", ""),
    ],
)
def test_html_reads_as_a_browser_shows_it(html: str, text: str) -> None:
    assert read_page(html).text == text
    page = read_page(f"<!doctype html><html><head><title> The\n title </title></head><body>{html}</body></html>")
    if "<frameset" not in html:
        assert (page.title, page.text) == ("The title", text)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<nav><ul><li><a>Home</a><li><a>All pages</a></ul></nav><p>text", "text"),
        ("<div role=navigation>Next: <a>Chapter two</a></div>text", "text"),
        ("text<nav><div role=navigation><a>one</a></div><a>two</a></nav>", "text"),
        ("<nav><a>a list of contents</a></nav>", "a list of contents"),
        ("<nav><a>Home</a><p>Nobody closed it before the text.", "Home\nNobody closed it before the text."),
        ("<nav>about <a>us</a></nav> and text", "about us\nand text"),
        ("<nav></nav>text", "text"),
    ],
)
def test_links_that_lead_through_a_site_are_no_text_of_its_pages(html: str, text: str) -> None:
    """Pages of a site of which there are few have them in common and little else."""
    assert read_page(html).text == text


def test_the_title_of_a_drawing_is_not_the_title_of_the_page() -> None:
    assert read_page("<body><svg><title>no</title></svg>text").title == ""


def test_very_deep_html_is_read() -> None:
    assert read_page("<div>" * 20_000 + "deep" + "</div>" * 20_000).text == "deep"
    assert read_page("<span>" * 20_000 + "deep").text == "deep"
    assert read_page("<nav>" * 20_000 + "deep").text == "deep"


def test_very_many_tags_that_nobody_closes_are_read_at_once() -> None:
    """A parser looks at all elements above each of them: this took minutes, and ten megabytes hours."""
    for tags, text in (("<div>", "字\n字"), ("<a><b><div>", "字\n字"), ("<span>", "字字"), ("<b></i>", "字字")):
        assert read_page(f"{tags * 300_000}字{tags}字").text == text


def test_a_page_with_many_tags_keeps_its_text() -> None:
    rows = "<div><b>一</b><ul><li>二<li>三</ul></div><pre>四\n 五</pre>"
    assert read_page(rows * 4_000).text == "\n".join([read_page(rows).text] * 4_000)
    lettered = "".join(f"<p><b id={number}>{number}" for number in range(20_000))  # took all memory there was
    assert read_page(lettered).text == "\n".join(map(str, range(20_000)))
    deep = "".join(f"<div>{number}" for number in range(30_000)) + "".join(f"</div>{n}" for n in range(30_000))
    assert read_page(deep).text == "\n".join(map(str, [*range(30_000), *range(30_000)]))


def test_attributes_of_a_page_with_many_tags_are_no_text() -> None:
    row = """<p><a title="a > b">one</a> <i class='"' id=x>two</i><input value='<b>'>"""
    assert read_page(row * 3_000).text == "\n".join(["one two"] * 3_000)
    assert read_page(row * 3_000 + "<b>" * 9_000).text == "\n".join(["one two"] * 3_000)
    assert read_page("<p>" * 6_000 + "字<" + "a" * 1_000_000).text == "字"


@given(st.text(alphabet="<>/&;!-=\"' abpdivscripttitlebr\n字", max_size=80))
def test_any_html_gives_a_page(html: str) -> None:
    page = read_page(html)
    assert "\n\n" not in page.text


@pytest.mark.parametrize(
    "meta",
    [
        '<meta charset="{}">',
        "<META CHARSET={} >",
        '<meta http-equiv="Content-Type" content="text/html; charset={}">',
        "<meta name=x charset = '{}'/>",
    ],
)
@pytest.mark.parametrize(("label", "encoding"), [("gb2312", "gbk"), ("BIG5", "big5"), ("windows-1252", "cp1252")])
def test_html_says_its_encoding_itself(content: Content, meta: str, label: str, encoding: str) -> None:
    text = "café" if encoding == "cp1252" else "中文"
    page = f"<html><head>{meta.format(label)}<title>{text}</title></head><p>{text}"
    document = content("a.html", page.encode(encoding)).only
    assert (document.title, document.text) == (text, text)


def test_a_byte_order_mark_goes_before_what_the_page_says(content: Content) -> None:
    assert content("a.html", "<meta charset=gbk><p>中文é".encode("utf-8-sig")).only.text == "中文é"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "it is empty"),
        ("a.txt", b" \n\t", "there is no text in the file"),
        ("a.html", b"<html><head><title>t</title></head><script>x</script></html>", "there is no text in the file"),
        ("a.txt", b"a\0b", "it holds NUL bytes"),
        ("a.html", b"a\0b", "it holds NUL bytes"),
        ("a.txt", "a\0b".encode("utf-16"), "the text holds a NUL"),
        ("a.txt", b"x" * 10_000_001, "the text has 10,000,001 bytes"),
        ("a.txt", b"x" * 64_000_001, "the file has 64,000,001 bytes, more than 64,000,000"),
    ],
)
def test_files_that_are_no_documents(content: Content, name: str, data: bytes, reason: str, tmp_path: Path) -> None:
    reject = content(name, data).reject
    assert reject.reason.startswith(reason)
    assert (reject.line, reject.record, reject.id) == (0, str(tmp_path / name), name)


def test_a_page_whose_markup_is_long_and_whose_text_is_not(content: Content) -> None:
    assert content("a.html", b"<!--" + b"x" * 11_000_000 + b"--><p>short").only.text == "short"


def test_a_file_that_vanishes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("text")
    (source,) = open_sources([str(path)])
    path.unlink()
    assert [getattr(record, "reason", "") for record in source] == [
        "the file cannot be read (No such file or directory)"
    ]


def test_fields_do_not_concern_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    assert read(tmp_path / "a.txt", text="abstract", id="key").only.id == "a.txt"
