"""Giving the documents of somebody else's index their fingerprints, keeping up with it, or taking them out again."""

import contextlib
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import Final

from leitong.indexer.asked import checked_fields
from leitong.indexer.attachruns import (
    Attaching,
    AttachOptions,
    AttachProgress,
    Detaching,
    Run,
    Watch,
    ignored,
)
from leitong.indexer.closing import closed_on_error
from leitong.indexer.duplicates.commonness.learn import Learning, learn_written
from leitong.indexer.engines.open import check_recipe, open_engine
from leitong.indexer.engines.server.attachment import Attachment
from leitong.indexer.engines.server.credentials import Signer
from leitong.indexer.engines.server.living import Checkpoints
from leitong.indexer.engines.server.locator import is_server
from leitong.indexer.engines.server.theirs import TextFields
from leitong.indexer.errors import ArgumentError, MissingIndexError, PassingError, UsageError
from leitong.indexer.fingerprint.recipe import DEFAULT, Recipe, load
from leitong.indexer.fingerprint.simhash import Fingerprinter
from leitong.indexer.rejects import check_rejects

_PAUSE: Final = 1.0


def attach(
    locator: str,
    *,
    text_fields: Sequence[str] = (),
    title_field: str | None = None,
    recipe: Recipe | None = None,
    options: AttachOptions,
    watch: Watch = ignored,
    follow: bool = False,
    stopped: Callable[[], bool] = lambda: False,
    signer: Signer | None = None,
) -> AttachProgress:
    """Give the documents of somebody else's index on a server their fingerprints, in place.

    The fields say where the text is; an index that is attached already knows, and keeps its recipe. What can be called
    on an index of ours can then be called on it, but for adding and deleting. With `follow` what is written afterwards
    is dealt with as it comes, until Ctrl-C or until `stopped` says so; a server that is away then is waited for. Raises
    EngineError, RecipeError or UsageError; for `options.rejects` see `check_rejects`.
    """
    if title_field and not text_fields:
        raise ArgumentError("title_field", "goes with the fields that hold the text: name those too.")
    fields = checked_fields(text_fields, title_field) if text_fields else None
    _check_server(locator)
    check_rejects(options.rejects)
    with closing(_opened(locator, fields, recipe, signer)) as attachment:
        attachment.begin()
        with closing(open_engine(locator, signer=signer)) as engine, Learning(engine) as learning:
            run = Attaching(attachment, options, watch, attachment.count(), learning.collected)
            since = attachment.checkpoints() if follow else {}
            attachment.refresh()  # pages show what was written up to the last refresh
            run.go(lambda: attachment.pages(most=run.most()))
            run.finish()
            learning.begin()
            attachment.refresh()
            learn_written(engine, learning, written=run.progress.written)
            run.count()
        if follow:
            with contextlib.suppress(KeyboardInterrupt):
                _follow(run, since, stopped)
    return run.progress


def detach(
    locator: str, *, options: AttachOptions, watch: Watch = ignored, signer: Signer | None = None
) -> AttachProgress:
    """Take our fields out of every document, then out of what the index says of itself.

    Where a document could not be changed the index stays attached, so that running again goes on. Raises EngineError or
    UsageError; for `options.rejects` see `check_rejects`.
    """
    _check_server(locator)
    check_rejects(options.rejects)
    with closing(Attachment.open_attached(locator, signer=signer)) as attachment:
        run = Detaching(attachment, options, watch, attachment.count())
        attachment.refresh()
        run.go(lambda: attachment.pages(most=run.most()))
        run.finish()
        attachment.refresh()
        run.count()
        if not run.progress.rejected and not run.progress.changing:
            attachment.end()
    return run.progress


def _follow(run: Run, since: Checkpoints, stopped: Callable[[], bool]) -> None:
    """Deal with what is written, by sequence number: what is there up to a checkpoint is all there.

    What we write comes by once more and is found to be as it should. A server that is away is waited for.
    """
    while not stopped():
        before = run.progress
        try:
            since = _caught_up(run, since)
        except PassingError as error:
            run.wait(str(error), before)
            time.sleep(_PAUSE)
        else:
            run.goes_on()
    run.attachment.refresh()


def _caught_up(run: Run, since: Checkpoints) -> Checkpoints:
    """Deal with what was written since; up to where that was."""
    until = run.attachment.checkpoints()
    if all(since.get(shard) == last for shard, last in until.items()):
        time.sleep(_PAUSE)
        return since
    try:
        run.go(partial(run.attachment.changed, since, until))
    except MissingIndexError:  # one of several that are behind the name
        return since
    return {**since, **until}  # a shard without a primary goes on later where it was


def _opened(locator: str, fields: TextFields | None, recipe: Recipe | None, signer: Signer | None) -> Attachment:
    chosen = recipe or load(DEFAULT)
    recipe_id = Fingerprinter(chosen).id
    opened = Attachment.open(locator, fields=fields, recipe=chosen, recipe_id=recipe_id, signer=signer)
    with closed_on_error(opened) as attachment:
        check_recipe(attachment, recipe)
    return attachment


def _check_server(locator: str) -> None:
    if not is_server(locator):
        raise UsageError(
            f"{locator} is no index on a server. Attaching is for indexes of Elasticsearch and OpenSearch that other "
            "programs fill: leitong attach http://host:9200/index --text-field body"
        )
