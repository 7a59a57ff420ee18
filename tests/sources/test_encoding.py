"""In which encoding is a text written?"""

import pytest
from benchmarks import letters
from hypothesis import given
from hypothesis import strategies as st

from leitong.indexer.errors import DocumentError
from leitong.indexer.sources.encoding import decode, guess, labelled, unmarked

SIMPLIFIED = "新京报讯（记者 刘玮）10月30日，据香港媒体报道，武侠小说泰斗金庸逝世，享年94岁。"
TRADITIONAL = "自動檢測近似重複的文件，對於全文檢索系統來說相當重要。臺灣的新聞網站經常轉載同一篇報導。"
RUSSIAN = "Привет, как дела? Это обычный русский текст о поиске похожих документов."
FRENCH = "L'été à Besançon est très agréable, même près de la forêt où l'on s'arrête."
JAPANESE = "これは日本語のテキストです。重複した文書を見つけるために使います。"
KOREAN = "안녕하세요 이것은 한국어 문서입니다. 중복 문서를 찾습니다."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((text, "utf-8") for text in (SIMPLIFIED, TRADITIONAL, RUSSIAN, FRENCH, JAPANESE, KOREAN, "ascii", "é")),
        *((SIMPLIFIED, encoding) for encoding in ("gb18030", "gbk", "gb2312", "utf-8-sig", "utf-16", "utf-32")),
        (TRADITIONAL, "big5"),
        (TRADITIONAL, "gbk"),
        (RUSSIAN, "cp1251"),
        (FRENCH, "latin-1"),
        (FRENCH, "cp1252"),
        (JAPANESE, "shift_jis"),
        (KOREAN, "euc_kr"),
    ],
)
def test_real_texts(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


SHORT = {
    "gb18030": (
        "今天天气很好。",
        "中国",
        "作者简介",
        "他说：“你好。”",
        "新浪娱乐讯",
        "python 教程：如何安装",
        "臺灣的圖書館",
    ),
    "big5": ("今天天氣很好。", "中華民國", "第一章 總則", "他說：「你好。」"),
    "shift_jis": ("今日は天気がいいです。", "東京都", "カタカナのテスト"),
    "euc_jp": ("今日は天気がいいです。", "東京都", "重複した文書を見つけるために使います。"),
    "euc_kr": ("오늘은 날씨가 좋습니다.", "대한민국", "중복 문서를 찾습니다."),
    "cp874": ("สวัสดีครับ วันนี้อากาศดีมาก", "ประเทศไทย", "กรุงเทพมหานคร"),
    "cp1251": ("Сегодня хорошая погода.", "Москва", "Привет, как дела?"),
    "koi8_r": ("Сегодня хорошая погода.", "Москва"),
    "cp1252": ("déjà vu", "Größe und Übergröße", "¿Dónde está la biblioteca?", "Ångström"),
    "cp1250": ("Zażółć gęślą jaźń", "Příliš žluťoučký kůň"),
    "cp1253": ("Καλημέρα, τι κάνεις;",),
    "cp1254": ("Günaydın, nasılsın? Işık şöyle.",),
    "cp1255": ("שלום, מה שלומך?",),
    "cp1256": ("السلام عليكم ورحمة الله",),
}


@pytest.mark.parametrize(("encoding", "text"), [(name, text) for name, some in SHORT.items() for text in some])
def test_a_few_words_are_enough(encoding: str, text: str) -> None:
    """A sentence in GB18030 was taken for Thai, a word for Korean."""
    assert decode(text.encode(encoding)) == text


@given(st.integers(0, 100), st.integers(1, 40), st.sampled_from(["gb18030", "big5", "utf-8"]))
def test_a_piece_of_a_text_reads_like_the_whole(start: int, size: int, encoding: str) -> None:
    text = TRADITIONAL * 4
    piece = text[start : start + size + 6].encode(encoding)
    assert decode(piece) == text[start : start + size + 6]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_both_orders_of_utf_16_with_a_mark(encoding: str) -> None:
    assert decode(f"\ufeff{SIMPLIFIED}".encode(encoding)) == SIMPLIFIED


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    [
        *(f"{text}\n" for text in (SIMPLIFIED, TRADITIONAL, RUSSIAN, FRENCH, JAPANESE, KOREAN)),
        "一二三一一一\n　　一个人。\n",  # half of a character is a NUL in some that are no ASCII
        "hello",
        "😀😀 hi there",
        (TRADITIONAL * 300 + "\n") * 3,
    ],
)
def test_utf_16_without_a_mark(text: str, encoding: str) -> None:
    """What Windows calls Unicode was binary data where the mark was lost."""
    assert decode(text.encode(encoding)) == text


@given(st.binary(max_size=200))
def test_bytes_at_random_are_not_utf_16(data: bytes) -> None:
    assert unmarked(data) is None


@pytest.mark.parametrize("encoding", ["gb18030", "big5"])
def test_a_long_file_is_told_by_a_part_of_it(encoding: str) -> None:
    text = "plain English\n" * 20_000 + (TRADITIONAL + "\n") * 5_000
    assert decode(text.encode(encoding)) == text


def test_ends_of_lines_become_newlines() -> None:
    assert decode(b"a\r\nb\rc\nd\r\n") == "a\nb\nc\nd\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it holds NUL bytes, so it is binary data"),
        ("a".encode("utf-16-le"), "it holds NUL bytes"),
        ("hello\x01".encode("utf-16-le") * 9, "it holds NUL bytes"),
        ("hello".encode("utf-32-le"), "it holds NUL bytes"),
        (b"abc\0" * 100, "it holds NUL bytes"),
        (b"/usr/bin\0/etc/passwd\0" * 100, "it holds NUL bytes"),
        ("hello".encode("utf-16-le") + b"!", "it is not valid UTF-16LE: byte 11 is 0x21"),
        (SIMPLIFIED.encode() * 3 + b"\xff", "it is not valid UTF-8: byte 346 is 0xff"),
        (b"\xef\xbb\xbfcaf\xe9", "it is not valid UTF-8: byte 7 is 0xe9"),
        (b"\xff\xfea", "it is not valid UTF-16: byte 3"),
        (b"\xff\xfe\x00\xd8a\0", "it is not valid UTF-16: byte 3"),
    ],
)
def test_what_is_no_text_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(DocumentError) as caught:
        decode(data)
    assert str(caught.value).startswith(reason)


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("GB2312", "gb18030"),
        ("gbk", "gb18030"),
        ("x-gbk", "gb18030"),
        ("Big5", "big5hkscs"),
        ("ISO-8859-1", "cp1252"),
        ("Shift_JIS", "cp932"),
        ("utf8", "utf-8"),
        ("utf-16", "utf-8"),
        ("klingon", None),
        ("hex", None),
        ("rot13", None),
        ("", None),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, encoding: str | None) -> None:
    assert labelled(label) == encoding


def test_a_wrong_label_gives_way() -> None:
    assert decode(FRENCH.encode(), label="big5") == FRENCH
    assert decode(SIMPLIFIED.encode("gbk"), label="utf-8") == SIMPLIFIED


def test_one_bad_place_in_much_utf_8_is_still_utf_8() -> None:
    assert guess(SIMPLIFIED.encode() + b"\xff\n") == "utf-8"
    assert guess(b"caf\xe9") != "utf-8"


def test_one_bad_line_in_gb18030_is_still_gb18030() -> None:
    assert guess(f"{SIMPLIFIED}\n".encode("gb18030") * 5 + b"\xff\xff\n") == "gb18030"


@given(st.text())
def test_utf_8_always_comes_back(text: str) -> None:
    text = text.replace("\r", "").replace("\0", "")
    assert decode(text.encode("utf-8-sig")) == text


@given(st.binary(max_size=300))
def test_any_bytes_give_a_text_or_a_reason(data: bytes) -> None:
    try:
        decode(data).encode()
    except DocumentError as error:
        assert str(error)


def test_the_table_of_characters_can_be_made_again() -> None:
    table = letters.TABLE.read_text(encoding="utf-8")
    assert letters.written(table) == table
