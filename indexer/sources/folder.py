"""Documents from a folder: every text, Markdown and HTML file in it and below."""

import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from leitong.indexer.documents import Reject
from leitong.indexer.errors import SourceError
from leitong.indexer.plain import counted
from leitong.indexer.sources.base import Record, explain, printable
from leitong.indexer.sources.files import TEXT_ENDINGS, is_text_file, read_file


@dataclass(frozen=True, slots=True)
class _Found:
    """A file; with a problem something that could not be looked at; or a folder that Leitong wrote."""

    path: Path
    size: int = 0
    problem: str | None = None
    ours: bool = False


class Folder:
    """The files of a folder, folders below included, sorted by name; hidden files and folders are left out.

    The id of a document is the folder's name, a slash, and the path below it. Links are followed, and each folder is
    read once, however many links lead to it. Files with other endings are no documents and are left out: record files
    (.jsonl, .csv, .parquet) hold many documents each and are sources of their own, to be named one by one. Folders that
    Leitong wrote, an index or a report, are left out too: they repeat what they were made from.

    The folder is walked twice, once for its size and once to read it, so that no list of its files is kept.
    """

    def __init__(self, path: Path) -> None:
        """Walk the folder. Raises SourceError when there is nothing in it to read."""
        self.name = printable(str(path))
        self.position = 0
        self._path = path
        self._prefix = f"{path.resolve().name}/".lstrip("/")
        self._others: Counter[str] = Counter()
        self._ours = 0
        size = files = 0
        problem: str | None = None
        for found in self._walk(path, set()):
            if found.ours:
                self._ours += 1
            elif found.problem is None and is_text_file(found.path):
                files += 1
                size += found.size
            elif found.problem is not None:
                problem = problem or f"{printable(str(found.path))}: {found.problem}"
            else:
                self._others[found.path.suffix.lower()] += 1
        self.size: int | None = size
        if not files:
            raise SourceError(self._nothing(problem))

    @property
    def skipped(self) -> int:
        """Files that were left out because of their ending."""
        return self._others.total()

    @property
    def line(self) -> int:
        """A file has no line of its own."""
        return 0

    @property
    def remarks(self) -> Sequence[str]:
        """A sentence about files that were left out, if any were, and one about folders."""
        ours = f"{counted(self._ours, 'folder')} in {self.name} left out, an index or a report of Leitong's."
        told = (ours,) if self._ours else ()
        if not self._others:
            return told
        return (
            *told,
            f"{counted(self.skipped, 'file')} in {self.name} left out, not {', '.join(TEXT_ENDINGS)}: "
            f"{self._endings()}. Files of records (.jsonl, .csv, .tsv, .parquet) are read when you name them.",
        )

    def __iter__(self) -> Iterator[Record]:
        """Each file, in order."""
        for found in self._walk(self._path, set()):
            id = self._prefix + found.path.relative_to(self._path).as_posix()
            if found.problem is not None:
                yield Reject(self.name, 0, found.problem, printable(str(found.path)), printable(id))
            elif not found.ours and is_text_file(found.path):
                yield read_file(found.path, id=id, source=self.name)
                self.position += found.size

    def _walk(self, folder: Path, read: set[tuple[int, int]]) -> Iterator[_Found]:
        # Depth first with a stack of our own: folders may nest deeper than Python recurses.
        waiting = [folder]
        while waiting:
            path = waiting.pop()
            try:
                status = path.stat()
                if stat.S_ISDIR(status.st_mode):
                    if path != folder and _is_ours(path):
                        yield _Found(path, ours=True)
                    elif (status.st_dev, status.st_ino) not in read:
                        read.add((status.st_dev, status.st_ino))
                        inside = [each for each in path.iterdir() if not each.name.startswith(".")]
                        waiting += sorted(inside, key=lambda each: each.name, reverse=True)
                else:
                    yield _Found(path, status.st_size)
            except OSError as error:
                if path.suffix.lower() in TEXT_ENDINGS or path.is_dir():
                    yield _Found(path, problem=f"it cannot be read ({explain(error)})")
                else:
                    yield _Found(path)

    def _endings(self) -> str:
        known = [f"{printable(ending) or 'no ending'} {number:,}" for ending, number in self._others.most_common(6)]
        return ", ".join(known) + (", …" if len(self._others) > 6 else "")

    def _nothing(self, problem: str | None) -> str:
        wanted = ", ".join(TEXT_ENDINGS)
        if problem is not None:
            return f"Nothing in the folder {self.name} can be read. {problem}."
        if self._others:
            return (
                f"The folder {self.name} holds no {wanted} file, but {counted(self.skipped, 'other file')} "
                f"({self._endings()}). Name files of records one by one, as in {self.name.rstrip('/')}/*.jsonl."
            )
        return f"The folder {self.name} is empty (hidden files do not count). Name a folder that holds {wanted} files."


def _is_ours(folder: Path) -> bool:
    """Whether it is the folder of an index or of a report."""
    if (folder / "leitong.json").is_file():
        return True
    try:
        return b'"leitong_version"' in (folder / "summary.json").read_bytes()
    except OSError:
        return False
