"""Does an index keep its documents whole, as they were sent?"""

from collections.abc import Collection, Mapping
from typing import Any, Final, Literal

from leitong.indexer.engines.server.product import Server
from leitong.indexer.errors import EngineError

Loss = Literal["off", "synthetic", "partly"]
"""It keeps none; it puts them together again from their fields; it leaves fields out."""
_UNSEEN: Final = (403, 404)
_WORDS: Mapping[Loss, str] = {
    "off": "does not keep documents (_source is off)",
    "synthetic": "keeps no documents as they were sent (its _source is synthetic)",
    "partly": "leaves fields out of its _source",
}


def settings_of(server: Server, names: str, *, allow: Collection[int] = ()) -> Mapping[str, Mapping[str, str]]:
    """Each index's settings with the defaults, by flat names; none where the status of an error is allowed."""
    params = {"flat_settings": "true", "include_defaults": "true"}
    answer = server.request("GET", f"/{names}/_settings", params=params, allow=allow)
    if "error" in answer:
        return {}
    return {name: {**one.get("defaults", {}), **one.get("settings", {})} for name, one in answer.items()}


def loss(mapping: Mapping[str, Any], settings: Mapping[str, str]) -> Loss | None:
    """What becomes of documents in an index of this mapping and these settings; None where they stay as they are."""
    source = mapping.get("_source", {})
    if source.get("enabled", True) is False:
        return "off"
    modes = (str(source.get("mode")).lower(), settings.get("index.mapping.source.mode", "").lower())
    if "synthetic" in modes or settings.get("index.derived_source.enabled") == "true":
        return "synthetic"
    return "partly" if source.get("includes") or source.get("excludes") else None


def check_made(server: Server, *names: str) -> None:
    """Raise EngineError where indexes that were just made keep no whole documents, and delete them again.

    We never ask for that: a template of somebody else's catches their names. Nothing is said where that may not be
    seen, or where others make them anew at the same time.
    """
    mappings = server.request("GET", f"/{','.join(names)}/_mapping", allow=_UNSEEN)
    if "error" in mappings:
        return
    settings = settings_of(server, ",".join(names), allow=_UNSEEN)
    for name in names:
        if lost := loss(mappings[name].get("mappings", {}), settings.get(name, {})):
            for made in names:
                server.request("DELETE", f"/{made}", allow=_UNSEEN)
            raise EngineError(
                f"An index named {name} {_WORDS[lost]}: a template of the server says so, and what is indexed could "
                "not be read again. Change the template (GET /_index_template lists them), or choose another name."
            )
