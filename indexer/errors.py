"""Every error Leitong raises on purpose. Engines tell each other more exactly, by subclasses of these.

    LeitongError
    ├── UsageError             a setting or an argument is wrong
    │   ├── ArgumentError      an argument of a call is refused
    │   └── MissingExtraError  an optional package is not installed
    ├── RecipeError            a recipe cannot be built, or is not the index's recipe
    ├── SourceError            a source of documents cannot be read at all
    ├── DocumentError          a document breaks a limit (rejected, the rest goes on)
    ├── UnknownDocumentError   no document has this id
    └── EngineError            the place where documents live does not answer as it should
        ├── PassingError           it does not answer for now; what was committed is safe
        ├── MissingIndexError      there is no index here
        ├── ForeignIndexError      something is here, and it is not ours
        ├── NewerIndexError        written by a newer Leitong
        ├── LockedIndexError       another run is writing
        └── StorageError           the disk cannot be written
            ├── FullDiskError          nor can it be until space is freed; what was committed is safe
            └── ForbiddenError         a server does not let us do this

A message says what is wrong, where, and what to do next.
"""


class LeitongError(Exception):
    """Root of all errors raised on purpose."""


class UsageError(LeitongError):
    """A setting or an argument is wrong."""


class ArgumentError(UsageError):
    """An argument of a call is refused: which, and why. A command tells it by the name of its option."""

    def __init__(self, argument: str, why: str) -> None:
        super().__init__(argument, why)
        self.argument = argument
        self.why = why

    def __str__(self) -> str:
        return f"{self.argument} {self.why}"


class MissingExtraError(UsageError):
    """An optional package is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package. Install it with: pip install 'leitong[{extra}]'")


class RecipeError(LeitongError):
    """A recipe cannot be built, or is not the one the index was made with."""


class SourceError(LeitongError):
    """A source of documents cannot be read at all."""


class DocumentError(LeitongError):
    """A document breaks a limit; it is rejected and the rest goes on."""


class UnknownDocumentError(LeitongError):
    """No document of the index has this id."""

    def __init__(self, doc_id: str, where: str) -> None:
        super().__init__(
            f"No document with the id {doc_id!r} in {where}. "
            "Ids are case-sensitive; `leitong search` lists the ids of its hits."
        )
        self.doc_id = doc_id


class EngineError(LeitongError):
    """The place where documents live does not answer as it should."""


class PassingError(EngineError):
    """The place does not answer for now: the same may work later, and what was committed is safe."""


class MissingIndexError(EngineError):
    """There is no index at this locator."""


class ForeignIndexError(EngineError):
    """There is something at this locator, and it is not a Leitong index."""


class NewerIndexError(EngineError):
    """The index was written by a newer version of Leitong."""


class LockedIndexError(EngineError):
    """Another run is writing to the index."""


class StorageError(EngineError):
    """The disk cannot be written."""


class FullDiskError(StorageError):
    """The disk is full: the same works when space is freed, and what was committed is safe."""


class ForbiddenError(StorageError):
    """A server does not let us do this; where something may not be written, reading goes on."""


def is_interruption(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error: one that comes during a compiled loop arrives wrapped, once or twice."""
    behind: BaseException | None = error
    while isinstance(behind, SystemError):
        behind = behind.__cause__
    return isinstance(behind, KeyboardInterrupt)
