"""Where does a server's document have its text, and how is it asked for words?

An index that Leitong made has fields of our choice (`OwnLayout`). An index that was attached has its owner's
(`theirs.TheirLayout`). What reads documents or asks for them goes by the layout and by nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from leitong.indexer import exactjson
from leitong.indexer.documents import Document
from leitong.indexer.query import FieldIs, Words

_TITLE_BOOST: Final = 2.0


class Layout(ABC):
    """Documents and questions in terms of an index's fields."""

    attached = False
    """Whether the documents belong to somebody else's program."""

    several = False
    """Whether documents of several indexes are behind the name."""

    def name(self, hit: Mapping[str, Any]) -> str:
        """The id of the document behind a hit."""
        return self.full(hit, str(hit["_id"]))

    def full(self, hit: Mapping[str, Any], doc_id: str) -> str:
        """The id of a document of the same index as a hit."""
        return doc_id

    def named(self, ids: Sequence[str]) -> dict[str, Any]:
        """The query for documents by id."""
        return {"terms": {"_id": list(ids)}}

    @abstractmethod
    def document(self, hit: Mapping[str, Any]) -> Document:
        """The document behind a hit that has its source."""

    @abstractmethod
    def word(self, word: str, *, boosted: bool) -> dict[str, Any]:
        """The query for one word anywhere; `boosted` ranks it higher in a title."""

    @abstractmethod
    def words(self, words: Words, *, excluded: bool = False) -> dict[str, Any]:
        """The query for words that must be there, or must not."""

    @abstractmethod
    def field(self, part: FieldIs) -> dict[str, Any]:
        """The query for a value of a field that is neither id nor text."""


class OwnLayout(Layout):
    """The fields of an index that Leitong made."""

    def document(self, hit: Mapping[str, Any]) -> Document:
        source = hit["_source"]
        ours = source["leitong"]
        metadata = exactjson.loads(ours["metadata"]) if "metadata" in ours else source.get("metadata", {})
        return Document(
            id=self.name(hit), text=source.get("text", ""), title=source.get("title", ""), metadata=metadata
        )

    def word(self, word: str, *, boosted: bool) -> dict[str, Any]:
        anywhere = _term("leitong.tokens", word)
        if not boosted:
            return anywhere
        title = {"term": {"leitong.title_tokens": {"value": word, "boost": _TITLE_BOOST}}}
        return {"dis_max": {"queries": [anywhere, title]}}

    def words(self, words: Words, *, excluded: bool = False) -> dict[str, Any]:
        field = "leitong.title_tokens" if words.title else "leitong.tokens"
        if len(words.words) == 1:
            return _term(field, words.words[0])
        if words.phrase:
            return {"match_phrase": {field: " ".join(words.words)}}
        return {"bool": {"must": [_term(field, word) for word in words.words]}}

    def field(self, part: FieldIs) -> dict[str, Any]:
        return _term(f"metadata.{part.field}", part.value)


def _term(field: str, value: str) -> dict[str, Any]:
    return {"term": {field: {"value": value}}}
