"""Where do the frequent Chinese characters of `indexer/sources/data/letters.tsv` come from?

`python -m benchmarks.letters` writes its two long lines anew: the characters of the words in the dictionary of jieba,
each counted as often as its words are. Simplified are those that GB2312 has. Traditional are those that Big5 has: a
character that is written otherwise there counts for its forms, in the order of `simplified.txt`, most for the first.
jieba 0.42.1 gives what stands there. All other lines are kept: they, and all shares, were written by hand, after the
usual orders of letters, kana and syllables.
"""

from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Final

TABLE: Final = Path(str(files("leitong.indexer.sources"))) / "data" / "letters.tsv"
_FREQUENT: Final = 3_000
_ONLY_FORM, _BESIDE_ITSELF, _FURTHER, _ITSELF = 0.8, 0.4, 0.2, 0.7
"""How much of a character's count its first Traditional form gets, alone or where it is written as itself too; each
further one; and itself."""


def counted() -> Counter[str]:
    """How often each Chinese character stands in the words of jieba's dictionary."""
    found: Counter[str] = Counter()
    for line in (files("jieba") / "dict.txt").read_text(encoding="utf-8").splitlines():
        word, count, _ = line.split(" ")
        for character in word:
            if "\u4e00" <= character <= "\u9fff":
                found[character] += int(count)
    return found


def simplified(counts: Counter[str]) -> str:
    """The frequent Simplified characters, from the most frequent to the least."""
    return _frequent({one: count for one, count in counts.items() if _has("gb2312", one)})


def traditional(counts: Counter[str]) -> str:
    """The frequent Traditional characters, from the most frequent to the least."""
    forms: dict[str, list[str]] = {}
    table = files("leitong.indexer.fingerprint").joinpath("data/simplified.txt").read_text(encoding="utf-8")
    for form, character in zip(*table.split("\n")[:2], strict=True):
        forms.setdefault(character, []).append(form)
    found: dict[str, float] = {}
    for character, count in counts.items():
        itself = _has("big5", character)
        others = [form for form in forms.get(character, []) if _has("big5", form)]
        shares = dict.fromkeys(others, _FURTHER)
        if others:
            shares[others[0]] = _BESIDE_ITSELF if itself else _ONLY_FORM
        if itself:
            shares[character] = _ITSELF if others else 1.0
        for form, share in shares.items():
            found[form] = found.get(form, 0.0) + count * share
    return _frequent(found)


def _frequent(counts: dict[str, float] | dict[str, int]) -> str:
    return "".join(sorted(counts, key=lambda one: -counts[one])[:_FREQUENT])


def _has(encoding: str, character: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def written(table: str) -> str:
    """The table with its two long lines as they are counted now."""
    counts = counted()
    long = {"zh-hans": simplified(counts), "zh-hant": traditional(counts)}
    lines: list[str] = []
    for line in table.splitlines():
        language, _, rest = line.partition("\t")
        characters = rest.rpartition("\t")[2]
        if language in long and len(characters) == _FREQUENT:
            line = line.removesuffix(characters) + long[language]
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TABLE.write_text(written(TABLE.read_text(encoding="utf-8")), encoding="utf-8")
