"""Where does a server's document have its text, and how is it asked for words?

An index that Leitong made has fields of our choice (`OwnLayout`). An index that was attached has its owner's
(`theirs.TheirLayout`). What reads documents or asks for them goes by the layout and by nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from leitong.indexer import exactjson
from leitong.indexer.documents import Document
from leitong.indexer.engines.base import AttachedFields
from leitong.indexer.query import FieldIs, Words

_TITLE_BOOST: Final = 2.0
_INSIDE: Final = 0.1
"""Score of a word that stands only inside longer ones: less than that of any word that stands by itself."""


class Layout(ABC):
    """Documents and questions in terms of an index's fields."""

    attached: AttachedFields | None = None
    """The fields with the text where the documents belong to somebody else's program."""

    several = False
    """Whether the name stands for several indexes."""

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
    def word(self, word: str, *, parts: frozenset[str], boosted: bool) -> dict[str, Any]:
        """The query for one word anywhere; `boosted` ranks it higher in a title. For `parts` see `Query`."""

    @abstractmethod
    def words(self, words: Words, *, parts: frozenset[str], excluded: bool = False) -> dict[str, Any]:
        """The query for words that must be there, or must not."""

    @abstractmethod
    def field(self, part: FieldIs) -> dict[str, Any]:
        """The query for a value of a field that is neither id nor text."""

    @abstractmethod
    def counted(self, field: str) -> str | None:
        """Where the values of a metadata field are counted; None where they are not."""


class OwnLayout(Layout):
    """The fields of an index that Leitong made."""

    def document(self, hit: Mapping[str, Any]) -> Document:
        source = hit["_source"]
        ours = source["leitong"]
        metadata = exactjson.loads(ours["metadata"]) if "metadata" in ours else source.get("metadata", {})
        return Document(
            id=self.name(hit), text=source.get("text", ""), title=source.get("title", ""), metadata=metadata
        )

    def word(self, word: str, *, parts: frozenset[str], boosted: bool) -> dict[str, Any]:
        anywhere = _holds("leitong.tokens", word, parts)
        if not boosted:
            return anywhere
        return {"dis_max": {"queries": [anywhere, _holds("leitong.title_tokens", word, parts, boost=_TITLE_BOOST)]}}

    def words(self, words: Words, *, parts: frozenset[str], excluded: bool = False) -> dict[str, Any]:
        field = "leitong.title_tokens" if words.title else "leitong.tokens"
        if words.phrase and len(words.words) > 1:
            return {"match_phrase": {field: " ".join(words.words)}}
        return {"bool": {"must": [_holds(field, word, parts) for word in words.words]}}

    def field(self, part: FieldIs) -> dict[str, Any]:
        return _term(f"metadata.{part.field}", part.value)

    def counted(self, field: str) -> str:
        return f"metadata.{field}"


def _holds(field: str, word: str, parts: frozenset[str], *, boost: float = 1.0) -> dict[str, Any]:
    term = {"term": {field: {"value": word, "boost": boost}}}
    if word not in parts:
        return term
    inside = {"wildcard": {field: {"value": f"*{word}*", "boost": boost * _INSIDE, "rewrite": "constant_score"}}}
    return {"dis_max": {"queries": [term, inside]}}


def _term(field: str, value: str) -> dict[str, Any]:
    return {"term": {field: {"value": value}}}
