"""The options of the combined score, as one value."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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


def stated(values: Sequence[str] | None) -> dict[str, Any]:
    """Metadata from FIELD=VALUE; a field that is named several times is a list. Raises UsageError."""
    from leitong.indexer.errors import UsageError

    found: defaultdict[str, list[str]] = defaultdict(list)
    for text in values or ():
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            raise UsageError(f"--metadata is FIELD=VALUE, for example --metadata keywords=桥梁; {text!r} is not.")
        found[name].append(value)
    return {name: some if len(some) > 1 else some[0] for name, some in found.items()}
