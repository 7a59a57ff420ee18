"""The last report of an index, kept beside it for reading: its pairs, and a few words on each document in them."""

import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from leitong.indexer.documents import StoredDocument
from leitong.indexer.duplicates.found import Pair, Report
from leitong.indexer.duplicates.policy.decisions import DecidedCluster, Decisions, decided_clusters

NOTE: Final = "report.json.gz"
MAX_PAIRS: Final = 200_000
"""A report with more pairs is not kept: it would not be read by scrolling."""
_FORMAT: Final = 1
_TITLE_CHARACTERS: Final = 120
_SOURCES: Final = ("source", "site", "domain", "host", "publisher", "origin", "来源")


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is remembered of a document: the beginning of its title, where it is from, its characters, its digest.

    The digest is empty where an earlier version of Leitong kept the report.
    """

    title: str
    source: str
    characters: int
    digest: str = ""

    @classmethod
    def of(cls, stored: StoredDocument) -> "Remembered":
        """Of a stored document; without a title the beginning of its text."""
        document = stored.document
        begin = document.title or " ".join(document.text[: _TITLE_CHARACTERS * 2].split())
        return cls(begin[:_TITLE_CHARACTERS], _source(document.metadata), len(document.text), stored.digest)


@dataclass(frozen=True)
class KeptReport:
    """A report of an index of so many documents, and when it was made."""

    made: datetime
    documents: int
    radius: int
    min_similarity: float
    pairs: tuple[Pair, ...]
    members: Mapping[str, Remembered]

    @classmethod
    def of(cls, report: Report, stored: Iterable[StoredDocument]) -> "KeptReport":
        """Of a report and the documents in its pairs."""
        return cls(
            made=datetime.now(UTC).replace(microsecond=0),
            documents=report.documents,
            radius=report.settings.radius,
            min_similarity=report.settings.min_similarity,
            pairs=tuple(report.pairs),
            members={one.document.id: Remembered.of(one) for one in stored},
        )

    def to_bytes(self) -> bytes:
        """For `Engine.write_note`."""
        values = {
            "format": _FORMAT,
            "made": self.made.isoformat(),
            "documents": self.documents,
            "radius": self.radius,
            "min_similarity": self.min_similarity,
            "pairs": [[one.a, one.b, one.distance, round(one.similarity, 4), one.kind] for one in self.pairs],
            "members": {
                name: [one.title, one.source, one.characters, one.digest] for name, one in self.members.items()
            },
        }
        return gzip.compress(orjson.dumps(values), compresslevel=3, mtime=0)

    @classmethod
    def from_bytes(cls, content: bytes | None) -> "KeptReport | None":
        """What `to_bytes` wrote; None for anything else, since a report can be made again."""
        if content is None:
            return None
        try:
            values = orjson.loads(gzip.decompress(content))
            if values["format"] != _FORMAT:
                return None
            return cls(
                made=datetime.fromisoformat(values["made"]),
                documents=values["documents"],
                radius=values["radius"],
                min_similarity=values["min_similarity"],
                pairs=tuple(Pair(*one) for one in values["pairs"]),
                members={name: Remembered(*one) for name, one in values["members"].items()},
            )
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError):
            return None


@dataclass(frozen=True)
class Known:
    """The kept report, what was decided since, and the clusters after that. `notes` is what it was read from."""

    report: KeptReport
    decisions: Decisions
    clusters: tuple[DecidedCluster, ...]
    notes: tuple[bytes | None, bytes | None]

    @classmethod
    def of(cls, notes: tuple[bytes | None, bytes | None], before: "Known | None" = None) -> "Known | None":
        """Read both notes, or take what was read `before` from the same; None where there is no report.

        Raises EngineError for damaged decisions.
        """
        if before is not None and before.notes == notes:
            return before
        report = KeptReport.from_bytes(notes[0])
        if report is None:
            return None
        decisions = Decisions.from_bytes(notes[1])
        return cls(report, decisions, tuple(decided_clusters(report.pairs, decisions)), notes)

    def cluster_of(self, doc_id: str) -> tuple[str, ...]:
        """The documents of its cluster after all decisions; none where it is in no cluster."""
        return next((cluster.members for cluster in self.clusters if doc_id in cluster.members), ())

    def changed(self, digests: Mapping[str, str], ids: Iterable[str]) -> frozenset[str]:
        """Those of the documents that are gone by now, or say something else, by the digests of what is there."""
        remembered = ((name, self.report.members.get(name)) for name in ids)
        return frozenset(
            name for name, member in remembered if member and member.digest and digests.get(name) != member.digest
        )

    def sources(self) -> Counter[str]:
        """How many documents of all clusters come from where."""
        members = (self.report.members.get(name) for cluster in self.clusters for name in cluster.members)
        return Counter(member.source for member in members if member and member.source)


def _source(metadata: Mapping[str, Any]) -> str:
    for name in _SOURCES:
        value = metadata.get(name)
        if isinstance(value, str) and value:
            return value[:_TITLE_CHARACTERS]
    return ""
