"""Which documents of a copy are not in its original any more?

No search shows what was deleted. Documents are counted in parts, by the first digits of their fingerprint; where a part
of the copy has another number than that of the original it is counted in smaller ones, and only the smallest are read.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from leitong.indexer.engines.server.living import EVERYTHING, Reader
from leitong.indexer.engines.server.queries import FINGERPRINTED
from leitong.indexer.engines.server.reading import Hits

_FEW: Final = 2_000
"""Documents of a part that is read."""
_DEPTH: Final = 4
_DIGITS: Final = "0123456789abcdef"


def gone(*, copy: Reader, original: Reader, fingerprint: str = "") -> Iterator[Hits]:
    """Documents of the copy that the original has not, both as at their last refresh, without their source.

    `fingerprint` is how the fingerprint of those begins that are looked at.
    """
    parts = {digit: _part(fingerprint + digit) for digit in _DIGITS}
    if not fingerprint:
        parts["none"] = {"bool": {"must_not": [FINGERPRINTED]}}
    within = _part(fingerprint) if fingerprint else EVERYTHING
    copied, there = copy.counts(within, parts), original.counts(within, parts)
    for name, part in parts.items():
        if copied[name] == there[name]:
            continue
        if copied[name] <= _FEW or name == "none" or len(fingerprint) + 1 == _DEPTH:
            yield from _read(part, copy, original)
        else:
            yield from gone(copy=copy, original=original, fingerprint=fingerprint + name)


def _name(hit: Mapping[str, Any]) -> tuple[str, str | None]:
    """What makes a document one of its own: documents of equal ids may have been sent to different shards."""
    return hit["_id"], hit.get("_routing")


def _read(part: Mapping[str, Any], copy: Reader, original: Reader) -> Iterator[Hits]:
    for hits in copy.pages(part, bare=True, most=original.ids_at_once):
        query = {"terms": {"_id": [hit["_id"] for hit in hits]}}
        there = {_name(hit) for page in original.pages(query, bare=True) for hit in page}
        yield [hit for hit in hits if _name(hit) not in there]


def _part(fingerprint: str) -> dict[str, Any]:
    return {"prefix": {"leitong.fp": fingerprint}}
