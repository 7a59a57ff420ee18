"""Documents made for the tests."""

import json
from dataclasses import dataclass
from typing import Any, Final

WIRE: Final = (
    "本报讯 昨日上午，市图书馆新馆正式向读者开放。新馆总面积三万平方米，藏书二百万册，设有少儿阅览区、视障读者服务区和"
    "二十四小时自助借还机。馆长介绍说，新馆采用全文检索系统，读者在家中就能查到每一本书所在的书架。开馆首日共有八千多名读者"
    "到馆，办理借书证一千二百余张。图书馆提醒读者，周一为闭馆整理日，法定节假日照常开放。"
)
_MORE: Final = "另据了解，图书馆下月还将举办地方文献展览，展出明清以来的县志、家谱和老照片四百余件，市民可以免费参观。"
_ENGLISH: Final = (
    "Elasticsearch keeps an inverted index of every word. The Near-Duplicate report lists documents that say the same "
    "thing in slightly different words, together with the distance between their fingerprints."
)
HOSTILE: Final = "\x1b]0;owned\x07\x1b[2J\u202eevil"
"""What would set a window's title, clear the screen and turn the writing round."""

_QUOTED: Final = "不同的软件对这个问题的处理不同，所以导出表格的时候要在这样的单元格前面加上一个引号，让它只当作文字。"
ARTICLES: Final[list[dict[str, Any]]] = [
    {"id": "news/1", "title": "市图书馆新馆开放", "text": WIRE, "category": "local", "tags": ["图书馆", "culture"]},
    {"id": "news/2", "title": "市图书馆新馆开放", "text": WIRE.replace("，", ","), "category": "copy"},
    {"id": "news/3", "title": "新馆开放 读者八千", "text": f"{WIRE}{_MORE}", "category": "long"},
    {
        "id": "wide",
        "title": "ＳｉｍＨａｓｈ 与全文检索",
        "text": "用ＳＱＬ数据库保存ＳｉｍＨａｓｈ指纹，再用全文检索系统查找。",
    },
    {"id": "english", "title": "Finding copies", "text": _ENGLISH, "category": "tech", "source": {"lang": "en"}},
    {
        "id": "weather",
        "title": "天气",
        "text": "气象台预计明天夜里到后天白天有小到中雨，气温下降六摄氏度，请注意添衣。",
    },
    {
        "id": "=1+1",
        "title": "=cmd|' /C calc'!A0",
        "text": "表格软件会把以等号开头的单元格当作公式来计算，这是危险的做法，应当避免。" + _QUOTED,
    },
    {
        "id": "@SUM(A1)",
        "title": "+1",
        "text": "表格软件会把以等号开头的单元格当作公式来计算,这是危险的做法,应当避免!" + _QUOTED,
    },
    {
        "id": "-2+3",
        "title": "-1",
        "text": "表格软件会把以等号开头的单元格当作公式来计算：这是危险的做法：应当避免。" + _QUOTED,
    },
    {"id": "page", "title": "<script>alert(1)</script>", "text": f"<img src=x onerror=alert(1)> {_ENGLISH[:100]} 网页"},
    {
        "id": "page 2",
        "title": "<script>alert(1)</script>",
        "text": f"<img src=x onerror=alert(1)> {_ENGLISH[:100]}，网页",
    },
    {"id": "hostile", "title": f"终端{HOSTILE}", "text": f"终端机{HOSTILE}会执行控制字符，所以输出之前要把它们换掉。"},
]


@dataclass(frozen=True)
class Messy:
    """A line of a source; `reason` is part of what is said about it, None when it is indexed."""

    name: str
    line: object
    reason: str | None = None
    id: str | None = None


LONG_ID: Final = "号" * 170 + "id"
ODD_IDS: Final = ("new\nline", "a/b/../c", "😀 表情 ‍👩‍👧", "-dash", "with\ttab", '{"json":1}', LONG_ID)
RECORDS: Final = (
    Messy("good", {"id": "good", "title": "好", "text": "雷同的意思是说的话一样，写的文章也一样。"}),
    Messy("not JSON", b"this is not json", "not JSON"),
    Messy("no text", {"id": "no-text", "title": "x"}, "no field 'text'", "no-text"),
    Messy(
        "id again", {"id": "good", "text": "另外一篇文章用了同一个编号。"}, "'good' stands in an earlier record", "good"
    ),
    Messy("invalid UTF-8", b'{"id": "latin", "text": "caf\xe9 au lait \xff\xfe"}', "not valid UTF-8"),
    Messy("lone surrogate", b'{"id": "half", "text": "half \\ud83d a character"}', "lone surrogate"),
    Messy("NUL", {"id": "nul", "text": "a\0b"}, "NUL", "nul"),
    Messy("too long", {"id": "long", "text": "长" * 3_333_334}, "10,000,002 bytes, more than 10,000,000", "long"),
    Messy("id too long", {"id": "i" * 513, "text": "编号太长"}, "513 bytes, more than 512"),
    Messy("id of 2,000 characters", {"id": "号" * 2_000, "text": "编号太长"}, "6,000 bytes, more than 512"),
    Messy("blank text", {"id": "blank", "text": " \n\t "}, "no text", "blank"),
    Messy("null text", {"id": "null", "text": None}, "null", "null"),
    Messy("a list", [1, 2], "a list, not a JSON object"),
    Messy("half a record", b'{"id": "cut", "text": "the line ends too so', "not JSON"),
    Messy("empty id", {"id": "", "text": "没有编号"}, "the id is empty", ""),
    Messy("million characters", {"id": "word", "text": "w" * 1_000_000}),
    Messy("million letters", {"id": "letters", "text": "é" * 1_000_000}),
    Messy("stop words", {"id": "stop", "text": "的 了 和 是 the of and"}),
    Messy("punctuation", {"id": "punctuation", "text": "。，！？——…… !!! ... 、、、"}),
    Messy("punctuation again", {"id": "punctuation 2", "text": "。，！？——…… !!! ... 、、、"}),
    *(
        Messy(f"id {id[:9]!r}", {"id": id, "text": f"编号很奇怪的文章，第{place}篇。"})
        for place, id in enumerate(ODD_IDS)
    ),
    Messy(
        "escape in the reason", json.dumps({"id": "no-text 2", "\x1b[2J": 1}).encode(), "no field 'text'", "no-text 2"
    ),
)
