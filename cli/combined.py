"""The options of the combined score, as one value."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leitong.cli.talk import say

if TYPE_CHECKING:
    from leitong.indexer.duplicates.combined import Combined


def combined_score(
    fields: Sequence[str] | None, family: str | None, content: float | None, least: float | None
) -> "Combined | None":
    """What --metadata-field and its companions ask for; None without them. Raises UsageError."""
    from leitong.indexer.duplicates.combined import Combined
    from leitong.indexer.errors import UsageError

    given = {"family": family, "content": content, "least": least}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if fields:
        return Combined(fields=tuple(fields), **chosen)
    if chosen:
        raise UsageError(
            "--metadata-hash, --content-weight and --min-score are about metadata: name a field with --metadata-field."
        )
    return None


def say_absent(fields: Sequence[str]) -> None:
    """Speak of fields that the score was to be made of and that no document has."""
    for name in fields:
        say(f"None of the documents compared has a metadata field {name!r} (--metadata-field): it adds to no score.")


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
