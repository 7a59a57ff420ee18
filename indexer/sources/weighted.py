"""Documents from lines of words with weights, `word^weight word^weight`: one a line, its id the line's number."""

import io
from collections.abc import Iterator

from leitong.indexer.documents import Document
from leitong.indexer.sources.base import Record
from leitong.indexer.sources.recordsource import ByteSource
from leitong.indexer.sources.textlines import TextLines


class WeightedLines(ByteSource):
    """The lines as they are; blank ones are counted and left out."""

    def _read(self, reader: io.BufferedReader) -> Iterator[Record]:
        lines = TextLines(reader)
        for line in lines:
            self._lines = line.number
            if reason := line.problem or lines.damage(line.text):
                yield self._reject(reason, line=line.number, raw=lines.bytes_shown(line.text))
            elif text := line.text.strip():
                yield Document(str(line.number), text)
