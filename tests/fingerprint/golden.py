"""What every named recipe gives, for ever. `python -m tests.fingerprint.golden` adds what golden.json lacks.

It changes nothing that is there: a recipe that gives another id or another fingerprint is another recipe, and all
indexes made with the old one would be refused or, worse, silently mixed. Give the change a new name.
"""

import json
from pathlib import Path
from typing import Any, Final

from leitong.indexer.fingerprint.hamming import to_hex
from leitong.indexer.fingerprint.recipe import named
from leitong.indexer.fingerprint.shingles import sketch
from leitong.indexer.passages import read
from tests.fingerprint.texts import TEXTS, fingerprinter

FILE: Final = Path(__file__).with_name("golden.json")


def recipe(name: str) -> dict[str, Any]:
    """A recipe's id and fingerprints."""
    maker = fingerprinter(name)
    bits = maker.recipe.bits
    return {"id": maker.id, "fingerprints": {key: to_hex(maker.one(text), bits) for key, text in TEXTS.items()}}


def stored() -> dict[str, Any]:
    """What is stored with a document whatever the recipe: digest and sketch."""
    return {key: {"digest": read(text).digest, "sketch": _sketch(text)} for key, text in TEXTS.items()}


def _sketch(text: str) -> list[str]:
    return [f"{value:016x}" for value in sketch(read(text).shingles)[:4].tolist()]


def main() -> None:
    """Add what is missing."""
    golden = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"recipes": {}, "stored": {}}
    for name in named():
        fresh = recipe(name)
        there = golden["recipes"].setdefault(name, fresh)
        there["fingerprints"] = fresh["fingerprints"] | there["fingerprints"]
    golden["stored"] = stored() | golden["stored"]
    FILE.write_text(json.dumps(golden, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
