"""Which engine is behind a locator?"""

from pathlib import Path
from typing import Protocol

from leitong.indexer.closing import closed_on_error
from leitong.indexer.engines.base import Engine
from leitong.indexer.engines.embedded import EmbeddedEngine, folder
from leitong.indexer.engines.server import ServerEngine
from leitong.indexer.engines.server.credentials import Signer
from leitong.indexer.engines.server.locator import is_server, refuse_misspelt
from leitong.indexer.errors import RecipeError, UsageError
from leitong.indexer.fingerprint.recipe import DEFAULT, Recipe, load
from leitong.indexer.fingerprint.simhash import Fingerprinter


def open_engine(locator: str, *, signer: Signer | None = None) -> Engine:
    """Open an index that is there. Raises EngineError (MissingIndexError, …) or UsageError."""
    if is_server(locator):
        return ServerEngine.open(locator, signer=signer)
    return EmbeddedEngine.open(_folder(locator, signer))


def open_or_create(locator: str, *, recipe: Recipe | None = None, signer: Signer | None = None) -> Engine:
    """Open an index for writing, or make it with the recipe (by default the standard one).

    Raises RecipeError when the index is there and has another recipe, or when its recipe no longer gives the
    fingerprints it gave when the index was made.
    """
    if is_server(locator):
        there = ServerEngine.exists(locator, signer=signer)
    else:
        there = folder.exists(_folder(locator, signer))
    if there:
        with closed_on_error(open_engine(locator, signer=signer)) as known:
            check_recipe(known, recipe)
        return known
    chosen = recipe or load(DEFAULT)
    recipe_id = Fingerprinter(chosen).id
    engine: Engine
    if is_server(locator):
        engine = ServerEngine.create(locator, recipe=chosen, recipe_id=recipe_id, signer=signer)
    else:
        engine = EmbeddedEngine.create(_folder(locator, signer), recipe=chosen, recipe_id=recipe_id)
    if engine.recipe_id != recipe_id:  # another process made it at the same time
        with closed_on_error(engine):
            check_recipe(engine, recipe)
    return engine


class Fingerprinted(Protocol):
    """An index that has a recipe."""

    @property
    def locator(self) -> str:
        """The name by which it was opened."""
        ...

    @property
    def recipe(self) -> Recipe:
        """How its fingerprints are made."""
        ...

    @property
    def recipe_id(self) -> str:
        """Id of the recipe at the time the index was made."""
        ...


def check_recipe(engine: Fingerprinted, wanted: Recipe | None = None) -> None:
    """Raise RecipeError unless writing with the wanted recipe (None: the index's own) gives the same fingerprints."""
    now = Fingerprinter(wanted or engine.recipe).id
    if now == engine.recipe_id:
        return
    theirs = f"{engine.recipe.name} ({engine.recipe_id})"
    if wanted is None:
        raise RecipeError(
            f"The index {engine.locator} was made with the recipe {theirs}; here it gives other fingerprints ({now}): "
            "a package it cuts words with has changed. Install the version it was made with, or index anew."
        )
    raise RecipeError(
        f"The index {engine.locator} has the recipe {theirs}, not {wanted.name} ({now}). "
        "Fingerprints of two recipes cannot be compared: leave --recipe out, or choose another index."
    )


def _folder(locator: str, signer: Signer | None) -> Path:
    if signer is not None:
        raise UsageError(f"A signer signs requests to a server, and {locator} is a folder. Leave the signer out.")
    if not locator:
        raise UsageError("The name of the index is empty. Give a folder with --index, or set LEITONG_INDEX.")
    try:
        locator.encode()
    except UnicodeEncodeError:
        if _is_utf8(locator):
            raise UsageError(
                "The name of the folder holds bytes that are no characters here. Set the terminal to UTF-8, for "
                "example LC_ALL=C.UTF-8."
            ) from None
        raise UsageError(
            f"The name of the folder {locator!r} is no UTF-8, and the search library opens no other. Rename it, "
            "or choose another with --index."
        ) from None
    if "\0" in locator:
        raise UsageError(f"{locator!r} cannot name a folder: it holds a NUL character. Choose another with --index.")
    refuse_misspelt(locator)
    return Path(locator)


def _is_utf8(name: str) -> bool:
    """Whether a name that Python did not understand is UTF-8 all the same, as with LC_ALL=C."""
    try:
        name.encode("utf-8", "surrogateescape").decode()
    except UnicodeError:
        return False
    return True
