"""What went wrong on a server, as one sentence with what to do next. No secret gets into any of them."""

import re
from typing import Final

from leitong.indexer.errors import (
    EngineError,
    ForbiddenError,
    FullDiskError,
    LeitongError,
    MissingIndexError,
    PassingError,
    StorageError,
    UsageError,
)

CLOSED: Final = "index_closed_exception"
"""What a server says of an index that is closed; its reason is the name of it."""
_SHOWN: Final = 300
_BLOCKS: Final = {5: "index.blocks.read_only", 7: "index.blocks.read", 8: "index.blocks.write"}
"""Settings that block an index, by the number that the server's answer has."""


class TooMuchError(EngineError):
    """The server could not hold the answer or the request in its memory; ask for less at once."""


class BusyError(PassingError):
    """The server stayed too busy, or this is too large for it."""


class AwayError(PassingError):
    """A part of the server went away; the same asked again may be answered by what took its place."""


class NobodyError(AwayError):
    """Nobody answers for now, or nobody of those who answer may decide: whoever takes over may after a while."""


def refusal(where: str, status: int, kind: str, reason: str, *, product: str) -> LeitongError:
    """The error for an answer of this HTTP status; `kind` and `reason` are the server's own words."""
    said = f"{kind}: {reason}"[:_SHOWN].rstrip(". ")
    stem = product.upper()
    match status:
        case 401:
            return EngineError(
                f"{where} does not let us in: the credentials are missing, wrong or expired. Set {stem}_API_KEY, or "
                f"{stem}_USERNAME and {stem}_PASSWORD."
            )
        case 403 | 429 if kind == "cluster_block_exception" and ("/12/" in reason or "flood" in reason):
            return FullDiskError(
                f"The index {where} is read-only ({said}). A disk of the server is nearly full (flood stage): "
                "free some space, then run again; what was committed is safe."
            )
        case 403 | 429 if kind == "cluster_block_exception":
            block = next((name for number, name in _BLOCKS.items() if f"/{number}/" in reason), None)
            return StorageError(
                f"The index {where} is blocked ({said}). Whoever set the block has to take it away"
                + (f', with {{"{block}": null}} to its _settings; then run again.' if block else "; then run again.")
            )
        case 403:
            return ForbiddenError(
                f"{where}: this user may not do that ({said}). docs/servers.md lists the privileges each command needs."
            )
        case 404 if kind == "index_not_found_exception":
            return missing(where)
        case 404 if "search_context" in kind or "search_phase" in kind:
            return AwayError(
                f"{where} has forgotten the state we were reading: it was left alone for too long, or a node went away "
                "meanwhile. Run again."
            )
        case 413:
            return TooMuchError(
                f"{where} refuses a request for its size. Raise http.max_content_length on the server, or split the "
                "document."
            )
        case 429 if "circuit_breaking" in kind:
            return TooMuchError(
                f"{where} has too little memory for the request ({said}). Give the server a larger heap, or wait."
            )
        case 429:
            return BusyError(f"{where} stayed too busy ({said}). Run again later; what was committed is safe.")
        case 400 if CLOSED in kind:
            return EngineError(
                f"{where} cannot be used while the index {reason} is closed. Open it with POST /{reason}/_open, "
                "then run again."
            )
        case 400 if "too_many" in kind or "too_many" in reason or "maxClauseCount" in reason:
            return UsageError("The question has too many parts for the server. Leave some out.")
        case 400 if kind == "media_type_header_exception":
            return EngineError(
                f"{where} is older than the installed Python client. Install the client of its version: "
                f"pip install '{product}<9'"
            )
        case 502 | 503 | 504 | 500 if _unavailable(kind, reason):
            return AwayError(
                f"{where} is not available: parts of the index cannot be read or written now ({said}). Look at "
                "GET /_cluster/health, and run again when it is yellow or green."
            )
        case 502 | 503 | 504:
            return NobodyError(f"{where} is not available now ({said}). Run again later.")
        case _:
            return EngineError(f"{where} answers with an error {status} ({said}). The server's log may say more.")


def _unavailable(kind: str, reason: str) -> bool:
    signs = ("no_shard_available", "unavailable_shards", "search_phase_execution", "all shards failed", "no_such_shard")
    return any(sign in kind or sign in reason for sign in signs)


def missing(where: str) -> MissingIndexError:
    """There is no such index."""
    return MissingIndexError(f"There is no index {where}. Make one with: leitong index SOURCE --index {where}")


def unreachable(where: str, reason: str, *, new: bool = False) -> EngineError:
    """The server gave no answer. Of a `new` one the scheme may be wrong; one that has answered before went away."""
    advice = "Check that the server runs and the address is right."
    if new and where.startswith("http://") and ("without response" in reason or "reset by peer" in reason):
        advice = "The server runs and says nothing: it may be one for https://, as a new Elasticsearch is."
    elif new and where.startswith("https://") and re.search("wrong.version.number|record.layer", reason, re.IGNORECASE):
        advice = "The server does not encrypt: it may be one for http://."
    return NobodyError(f"Cannot reach {where} ({reason[:_SHOWN].rstrip('. ')}). {advice}")


def timed_out(where: str) -> EngineError:
    """The server took too long."""
    return PassingError(
        f"{where} did not answer in time. It may be busy, or something on the way swallows what is sent: run again "
        "later."
    )


def untrusted(where: str, reason: str, *, product: str) -> EngineError:
    """The server's certificate was not accepted."""
    stem = product.upper()
    return EngineError(
        f"The certificate of {where} is not trusted ({reason[:_SHOWN].rstrip('. ')}). Name the authority that signed "
        f"it with {stem}_CA_FILE, or the certificate's own SHA-256 with {stem}_FINGERPRINT."
    )
