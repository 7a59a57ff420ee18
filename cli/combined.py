"""The options of the combined score, as one value."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leitong.indexer.duplicates.combined import Combined

FAMILY = "mixed"
CONTENT = 0.9


def combined_score(fields: Sequence[str] | None, family: str, content: float, least: float) -> "Combined | None":
    """What --metadata-field and its companions ask for; None without them. Raises UsageError."""
    from leitong.indexer.duplicates.combined import Combined
    from leitong.indexer.errors import UsageError

    if fields:
        return Combined(fields=tuple(fields), family=family, content=content, least=least)
    if (family, content, least) != (FAMILY, CONTENT, 0.0):
        raise UsageError(
            "--metadata-hash, --content-weight and --min-score are about metadata: name a field with --metadata-field."
        )
    return None
