"""What is told of the documents that say the same as one? Those that are marked can be folded, as in a search."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leitong.indexer.documents import Match, StoredDocument
from leitong.indexer.duplicates.find import Found
from leitong.indexer.engines.base import Hit


@dataclass(frozen=True)
class SimilarResult:
    """Documents that match one.

    `candidates` were compared with it, `total` match, `matches` are the best of them. Where duplicates were folded,
    `folded` counts matches that neither is counted nor shown, since another document of their cluster is; None where
    nobody asked to fold. `absent` are metadata fields that the score was to be made of and that none of
    the documents has.
    """

    id: str | None
    radius: int
    candidates: int
    total: int
    matches: tuple[Match, ...]
    folded: int | None = None
    absent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Surroundings:
    """A document with what is around it: its matches, and documents about the same that are no matches."""

    stored: StoredDocument
    similar: SimilarResult
    related: tuple[Hit, ...]


def result(
    found: Found, *, id: str | None, radius: int, limit: int | None, fold: bool, cluster: str | None
) -> SimilarResult:
    """What is told of matches. `cluster` is the document's own: its other members are folded behind the document."""
    shown = tuple(_folded(found.matches, cluster)) if fold else found.matches
    return SimilarResult(
        id=id,
        radius=radius,
        candidates=found.candidates,
        total=len(shown),
        matches=shown[:limit],
        folded=len(found.matches) - len(shown) if fold else None,
        absent=found.absent,
    )


def _folded(matches: Sequence[Match], cluster: str | None) -> Iterator[Match]:
    """The best match of each cluster but its own."""
    seen = {cluster}
    for match in matches:
        if match.cluster not in seen:
            seen.add(match.cluster)
            yield match
