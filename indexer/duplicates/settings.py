"""What decides a report, and how far is one, or an evaluation, or a calibration?"""

from dataclasses import dataclass

from leitong.indexer.duplicates.clusters import Keep, Shape
from leitong.indexer.duplicates.combined import Combined


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What decides a report.

    Args:
        radius: the largest distance at which fingerprints alone make a candidate.
        min_similarity: the least similarity of a match.
        shape: how matches make clusters.
        keep: which document of a cluster is its representative.
        date_field: metadata field with the date, for `keep` oldest.
        source_field: metadata field that says where a document comes from.
        combined: a score of distance and metadata for each pair, and the least of them.
        part, parts: check one of so many shares of the pairs; the report has no clusters then.
    """

    radius: int
    min_similarity: float
    shape: Shape = "connected"
    keep: Keep = "first"
    date_field: str | None = None
    source_field: str = "source"
    combined: Combined | None = None
    part: int = 0
    parts: int = 1


@dataclass(frozen=True)
class Step:
    """How far a report is: the name of the step, and `done` of `total`."""

    name: str
    done: int
    total: int
