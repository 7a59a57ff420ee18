"""Which numbers say only where a heading or an item of a list stands? 2.13. Paths is 2.14. Paths in the next edition.

Numbering stands at the beginning of a line: 3. and a. and 一、, 2.13 with or without a dot behind it, 第三章, and
Chapter 3. and Appendix C. in several languages. A blank follows it, except behind 、. Its parts are 1 to 999.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.fingerprint.numbers import Numbers, numbers
from leitong.indexer.fingerprint.shingles import units

_NUMBER: Final = "[1-9][0-9]{0,2}"
_NUMERAL: Final = "[一二三四五六七八九十百]{1,4}"
_CHAPTER: Final = (
    "chapter|appendix|kapitel|anhang|chapitre|annexe|capítulo|apéndice|apêndice|capitolo|appendice|hoofdstuk|bijlage|"
    "rozdział|kapitola|глава|приложение|розділ|додаток|附录|附錄|付録|부록"
)
_BLANK: Final = r"[^\S\n]"
_FORMS: Final = (
    rf"(?:{_NUMBER}|[a-z])(?:[.．]{_NUMBER})*[.．、](?={_BLANK})",
    rf"(?:{_NUMBER}|[a-z])(?:[.．]{_NUMBER})+(?={_BLANK})",
    rf"(?:{_NUMBER}|{_NUMERAL})、",
    rf"第 ?(?:{_NUMBER}|{_NUMERAL}) ?[章节節][.．:：、]?(?={_BLANK})",
    rf"(?:{_CHAPTER}) ?(?:{_NUMBER}|[a-z]|[ivxlc]{{2,7}})[.．:：](?={_BLANK})",
)
_NUMBERING: Final = re.compile(rf"\n{_BLANK}*(?:{'|'.join(_FORMS)}){_BLANK}*(?=\S)")
_ANY: Final = "\n1 "


@dataclass(frozen=True, slots=True)
class Unnumbered:
    """A text's units and their spans without numbering, and its numbers, numbering being the same everywhere."""

    units: NDArray[np.uint64]
    spans: NDArray[np.uint8]
    numbers: Numbers


def without_numbering(
    texts: Sequence[str], cut: Sequence[tuple[NDArray[np.uint64], NDArray[np.uint8]]]
) -> Iterator[Unnumbered]:
    """Of each normalised text, given its units and their spans: few texts have numbering."""
    plain = list(map(unnumbered, texts))
    found = units([without for without, text in zip(plain, texts, strict=True) if without is not text])
    places = pairwise(found.bounds.tolist())
    for own, without, text in zip(cut, plain, texts, strict=True):
        if without is text:
            yield Unnumbered(*own, numbers(text))
        else:
            start, end = next(places)
            yield Unnumbered(found.hashes[start:end], found.spans[start:end], numbers(_replaced(text, _ANY)))


def unnumbered(text: str) -> str:
    """A normalised text without the numbering of its lines; itself where it has none."""
    return _replaced(text, "\n")


def _replaced(text: str, by: str) -> str:
    lines = f"\n{text}"  # a search for a character is many times as fast as one for the beginning of a line
    return _NUMBERING.sub(by, lines)[1:] if _NUMBERING.search(lines) else text
