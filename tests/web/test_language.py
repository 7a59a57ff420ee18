"""Do both languages say everything?"""

import re
from pathlib import Path

import pytest

from leitong.web.language import LANGUAGES, catalogue, chosen, say

WEB = Path(__file__).parent.parent.parent / "web"


def test_both_languages_have_the_same_sentences_with_the_same_values() -> None:
    def values(sentence: object) -> set[str]:
        return set(re.findall(r"{(\w+)}", str(sentence)))

    english, chinese = (catalogue(language) for language in LANGUAGES)
    assert list(english) == list(chinese)
    assert {name for name in english if values(english[name]) != values(chinese[name])} == set()


def test_every_sentence_is_used_and_every_one_used_is_there() -> None:
    sources = "\n".join(
        path.read_text("utf-8")
        for folder in ("templates", "pages")
        for path in sorted((WEB / folder).iterdir())
        if path.is_file()
    )
    starts = ("nav_", "kind_", "likeness_", "nearness_", "error_", "step_", "sort_", "state_")
    named = set(re.findall(r"""\bt\(["'](\w+)["'][,)]""", sources))
    assert named <= set(catalogue("en"))
    unused = {name for name in catalogue("en") if f'"{name}"' not in sources and f"'{name}'" not in sources}
    assert {name for name in unused if not name.startswith(starts)} == set()


@pytest.mark.parametrize(
    ("wanted", "accepted", "language"),
    [
        (None, "", "en"),
        (None, "zh", "zh"),
        (None, "zh-TW,en;q=0.5", "zh"),
        (None, "en;q=0.4, zh;q=0.6", "zh"),
        (None, "fr,de;q=0.5", "en"),
        (None, "zh;q=0", "en"),
        (None, "zh;q=x, ;;,=", "en"),
        ("zh", "en", "zh"),
        ("xx", "zh", "zh"),
    ],
)
def test_the_language_is_the_one_asked_for(wanted: str | None, accepted: str, language: str) -> None:
    assert chosen(wanted, accepted) == language


def test_numbers_have_their_forms() -> None:
    assert say("en", "search_found", n=1) == "1 document found."
    assert say("en", "search_found", n=1200) == "1,200 documents found."
    assert say("zh", "search_found", n=1) == "找到 1 篇文档。"
