"""Which fields does an index have on a server?

documents.json      for both products; elasticsearch.json and opensearch.json hold what only one of them knows
companion.json      the index beside it, `<index>-leitong`: learned tables and the recipe's idf table
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, Literal

Product = Literal["elasticsearch", "opensearch"]

VERSION: Final = 2
"""Version of the fields; an index with a higher one was written by a newer Leitong."""
_OF_OUR_TEXTS: Final = ("title_tokens", "tokens", "metadata")
_BLOCK: Final = re.compile(r"b(\d+)")


@dataclass(frozen=True)
class Template:
    """Settings and mappings of an index, as the servers take them."""

    version: int
    settings: Mapping[str, Any]
    mappings: Mapping[str, Any]

    def body(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """What creates the index; `meta` stands under `_meta.leitong`, beside the version of the fields."""
        ours = {"mapping_version": self.version, **meta}
        return {"settings": dict(self.settings), "mappings": {**self.mappings, "_meta": {"leitong": ours}}}


def documents(product: Product, *, blocks: int) -> Template:
    """The fields of an index of documents whose fingerprints have so many blocks of 16 bits."""
    template = _template(_merged(_read("documents"), _read(product)))
    fields = template.mappings["properties"]["leitong"]["properties"]
    for name in list(fields):
        if (block := _BLOCK.fullmatch(name)) and int(block[1]) >= blocks:
            del fields[name]
    return template


def attached(*, blocks: int) -> dict[str, Any]:
    """What is added to the properties of somebody else's index: no words, which its own analyzers make, no metadata."""
    template = _template(_read("documents"))
    ours = dict(template.mappings["properties"]["leitong"])
    ours["properties"] = {
        name: definition
        for name, definition in ours["properties"].items()
        if name not in _OF_OUR_TEXTS and not ((block := _BLOCK.fullmatch(name)) and int(block[1]) >= blocks)
    }
    return {"leitong": ours}


def companion() -> Template:
    """The fields of the index beside it."""
    return _template(_read("companion"))


def _template(values: Mapping[str, Any]) -> Template:
    return Template(int(values["version"]), values["template"]["settings"], values["template"]["mappings"])


def _read(name: str) -> dict[str, Any]:
    content = (files("leitong.mappings") / f"{name}.json").read_text(encoding="utf-8")
    values: dict[str, Any] = json.loads(content)
    return values


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Both, objects merged key by key; `other` wins."""
    out = dict(one)
    for key, value in other.items():
        inner = out.get(key)
        out[key] = _merged(inner, value) if isinstance(inner, Mapping) and isinstance(value, Mapping) else value
    return out
