"""In which language is a page, and what does it say in it?"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, get_args

Language = Literal["en", "zh"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
TAGS: Final[Mapping[Language, str]] = {"en": "en", "zh": "zh-Hans"}
NAMES: Final[Mapping[Language, str]] = {"en": "English", "zh": "中文"}


def chosen(wanted: str | None, accepted: str) -> Language:
    """The language of the address, else the best of an `Accept-Language` header, else English."""
    for language in LANGUAGES:
        if wanted == language:
            return language
    best: Language = "en"
    weight = 0.0
    for part in accepted.split(","):
        tag, _, rest = part.strip().partition(";")
        primary = tag.strip().lower().partition("-")[0]
        quality = _quality(rest)
        for language in LANGUAGES:
            if primary == language and quality > weight:
                best, weight = language, quality
    return best


def _quality(text: str) -> float:
    name, _, value = text.strip().partition("=")
    if not text.strip():
        return 1.0
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0


@cache
def catalogue(language: Language) -> Mapping[str, Any]:
    """The sentences of a language by their names."""
    text = (files("leitong.web") / "languages" / f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def say(language: Language, name: str, **values: object) -> str:
    """A sentence with its values. One that counts has the forms `one` and `other`, chosen by `n`."""
    sentence = catalogue(language)[name]
    if isinstance(sentence, Mapping):
        sentence = sentence["one" if values.get("n") == 1 else "other"]
    shown = {key: f"{value:,}" if isinstance(value, int) else value for key, value in values.items()}
    return str(sentence).format(**shown)
