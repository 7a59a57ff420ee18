"""How is an index read where nothing may be written?

tantivy locks to read, and a lock is a file it writes. So the lock goes into a folder of our own, which holds links to
the index's files and a copy of the list of them. No data are copied, and what somebody else writes is still followed.
"""

import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Final

from leitong.indexer.files import replace_file

_LIST: Final = "meta.json"
_TRIES: Final = 20


class Links:
    """A folder in the temporary place that looks like the original. It goes when it is closed or forgotten."""

    def __init__(self, original: Path) -> None:
        """Raises OSError or StorageError where the original cannot be read, or nothing can be written anywhere."""
        self._original = original.resolve()
        self.path = Path(tempfile.mkdtemp(prefix="leitong-"))
        self.close = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        self._copy()

    def follow(self, reload: Callable[[], object]) -> None:
        """Bring the folder up to date and have it read, again when the writer removed files of the state meanwhile."""
        for tries in range(1, _TRIES + 1):
            content = self._copy()
            try:
                reload()
            except ValueError:
                if tries == _TRIES or content == (self._original / _LIST).read_bytes():
                    raise
            else:
                return

    def _copy(self) -> bytes:
        content = (self._original / _LIST).read_bytes()
        there = {file.name for file in self._original.iterdir() if not file.name.startswith(".") and file.name != _LIST}
        linked = {file.name for file in self.path.iterdir() if file.is_symlink()}
        for name in linked - there:
            (self.path / name).unlink()
        for name in there - linked:
            (self.path / name).symlink_to(self._original / name)
        replace_file(self.path / _LIST, content)
        return content
