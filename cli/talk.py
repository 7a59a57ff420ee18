"""How commands talk: data on stdout, everything else on stderr, errors as one sentence, exit codes.

0 is fine, 1 a condition that was asked for (`--fail-on-duplicates`), 2 an error, 130 an interruption.
"""

import functools
import inspect
import io
import os
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, Final, ParamSpec, cast

import typer

from leitong.cli.__main__ import INTERRUPTED
from leitong.indexer.plain import by_numbers, plain

_OPTIONS: Final = {
    "content": "content-weight",
    "family": "metadata-hash",
    "fields": "metadata-field",
    "least": "min-score",
    "shape": "cluster",
    "start": "from",
}
"""Arguments of the library whose options have another name."""

P = ParamSpec("P")

NOTHING_TO_FOLD = "Nothing is folded: no document is marked. `leitong dedupe` marks, and `index --on-duplicate mark`."

NOTHING = "–"
"""Stands in a table for a value that is not there."""
FOUND = 1
ERROR = 2


def one_line(text: str) -> str:
    """Text on one line that a terminal shows and never obeys."""
    return plain(" ".join(text.split()))


def show(text: str = "") -> None:
    """Data, for people. In colours on a terminal that has some, unless the person wants none (no-color.org)."""
    plainly = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    typer.echo(text, color=False if plainly else None)


def show_json(value: Any) -> None:
    """Data, for programs: one JSON value on a line of its own. What steers a screen stands in it by its number, which
    is the same value."""
    from leitong.indexer.exactjson import dumps_any

    content = dumps_any(value)
    if sys.stdout is None:  # closed by the caller
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(by_numbers(content.decode()).encode() + b"\n")
    sys.stdout.buffer.flush()


def say(text: str) -> None:
    """Talk: on stderr, so that it is never taken for data."""
    typer.echo(plain(text), err=True)


def stdin() -> BinaryIO | None:
    """Standard input in bytes; None where it is closed. Without a buffer, whose lock a thread that still reads would
    hold when the program ends."""
    try:
        return cast(BinaryIO, io.FileIO(0, closefd=False))
    except OSError:
        return None


def _drop_output() -> None:
    """What could not be written to stdout is not tried again when the interpreter ends."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_disk(error: OSError) -> None:
    """Why nothing can be written, in a sentence."""
    name = f" ({one_line(str(error.filename))})" if error.filename else ""
    say(f"Error: {error.strerror or error}{name}. Check the disk and the permissions, then run again.")
    _drop_output()


def _option(argument: str) -> str:
    """The option that gives a call this argument."""
    return "--" + _OPTIONS.get(argument, argument).replace("_", "-")


def guarded(command: Callable[P, None], *, repeats: bool = False) -> Callable[P, None]:
    """A command whose errors become one sentence and an exit code. No stack trace reaches a user.

    `repeats` says that after an interruption the same command goes on, as one with `--resume` does with that.
    """

    resumes = "resume" in inspect.signature(command).parameters

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        from leitong.indexer.errors import ArgumentError, FullDiskError, LeitongError, PassingError, is_interruption

        try:
            command(*args, **kwargs)
        except LeitongError as error:
            how = "with --resume" if resumes else "when the same is run again" if repeats else ""
            passing = isinstance(error, PassingError | FullDiskError)
            said = f"{_option(error.argument)} {error.why}" if isinstance(error, ArgumentError) else str(error)
            say(f"Error: {said}" + (f" An interrupted run goes on {how}." if how and passing else ""))
            raise typer.Exit(ERROR) from None
        except BrokenPipeError:  # the reader has seen enough
            _drop_output()
            raise typer.Exit(0) from None
        except (typer.Exit, typer.Abort):
            raise
        except OSError as error:
            say_disk(error)
            raise typer.Exit(ERROR) from None
        except (KeyboardInterrupt, Exception) as error:
            if is_interruption(error):
                how = "the same with --resume goes on" if resumes else "the same again goes on" if repeats else ""
                say("Interrupted." + (f" What was done is safe: {how}." if how else ""))
                raise typer.Exit(INTERRUPTED) from None
            if os.environ.get("LEITONG_DEBUG"):
                raise
            say(
                f"Error: {type(error).__name__}: {error}. This should not happen: please report it, "
                "with the trace that LEITONG_DEBUG=1 shows."
            )
            raise typer.Exit(ERROR) from None

    return run
