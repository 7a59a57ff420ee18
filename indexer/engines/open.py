"""Which engine is behind a locator?"""

from pathlib import Path

from leitong.indexer.engines.base import Engine
from leitong.indexer.engines.embedded import EmbeddedEngine, folder
from leitong.indexer.engines.server import ServerEngine
from leitong.indexer.engines.server.locator import is_server
from leitong.indexer.errors import RecipeError, UsageError
from leitong.indexer.fingerprint.recipe import DEFAULT, Recipe, load
from leitong.indexer.fingerprint.simhash import Fingerprinter


def open_engine(locator: str) -> Engine:
    """Open an index that is there. Raises EngineError (MissingIndexError, …) or UsageError."""
    return ServerEngine.open(locator) if is_server(locator) else EmbeddedEngine.open(_folder(locator))


def open_or_create(locator: str, *, recipe: Recipe | None = None) -> Engine:
    """Open an index for writing, or make it with the recipe (by default the standard one).

    Raises RecipeError when the index is there and has another recipe, or when its recipe no longer gives the
    fingerprints it gave when the index was made.
    """
    there = ServerEngine.exists(locator) if is_server(locator) else folder.exists(_folder(locator))
    if there:
        engine = open_engine(locator)
        try:
            check_recipe(engine, recipe)
        except BaseException:
            engine.close()
            raise
        return engine
    chosen = recipe or load(DEFAULT)
    recipe_id = Fingerprinter(chosen).id
    if is_server(locator):
        return ServerEngine.create(locator, recipe=chosen, recipe_id=recipe_id)
    return EmbeddedEngine.create(_folder(locator), recipe=chosen, recipe_id=recipe_id)


def check_recipe(engine: Engine, wanted: Recipe | None = None) -> None:
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


def _folder(locator: str) -> Path:
    if not locator:
        raise UsageError("The name of the index is empty. Give a folder with --index, or set LEITONG_INDEX.")
    return Path(locator)
