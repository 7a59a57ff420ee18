"""Which settings of a call are refused?"""

from collections.abc import Sequence

from leitong.indexer.duplicates.clusters import Keep
from leitong.indexer.errors import UsageError
from leitong.indexer.fingerprint.blocks import MAX_RADIUS


def check_keep(keep: Keep, date_field: str | None) -> None:
    """Raise UsageError where the oldest is to be kept and nothing tells the date."""
    if keep == "oldest" and not date_field:
        raise UsageError("The oldest is told by a date: name the metadata field that holds it with --date-field.")


def check_ids(ids: Sequence[str]) -> None:
    """Raise UsageError for one text where a list of ids is wanted: its letters would be taken for ids."""
    if isinstance(ids, str):
        raise UsageError(f"{ids[:60]!r} is one text and no list of ids: put it into a list.")


def check_settings(radius: int | None, min_similarity: float | None, limit: int | None) -> None:
    """Raise UsageError for a number outside its limits; None is always fine."""
    if radius is not None and not 0 <= radius <= MAX_RADIUS:
        raise UsageError(f"--radius must be 0 to {MAX_RADIUS}, not {radius}.")
    if min_similarity is not None and not 0.0 <= min_similarity <= 1.0:
        raise UsageError(f"--min-similarity must be 0 to 1, not {min_similarity}.")
    if limit is not None and limit < 1:
        raise UsageError(f"--limit must be 1 or more, not {limit}.")
