"""Which stored documents say the same as this one?

Three ways lead to a candidate, and a candidate found by any is compared:

* fingerprints: every document within the radius;
* sketches: every document that shares a rare shingle of the two sketches. That finds what fingerprints cannot:
  abridged, extended and merged versions. What is rare is told by `asking`; the text's digest is a key too, and finds
  its equals whatever everybody holds;
* titles: every document under the same title, where few groups of texts have it. That finds versions of a page which is
  nearly all form: its sketch holds nothing rare.

The text check decides.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.documents import Document, Entry, Match, StoredDocument
from leitong.indexer.duplicates.asking import Asking
from leitong.indexer.duplicates.candidates import TRUSTED, within
from leitong.indexer.duplicates.combined import Combined, absent
from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.comparing.check import Likeness, TextCheck
from leitong.indexer.duplicates.comparing.families import Families
from leitong.indexer.duplicates.comparing.profile import Profile
from leitong.indexer.engines.base import Rows, Snapshot
from leitong.indexer.fingerprint.hamming import distance
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.passages import Passage, read_all, together

_KEPT_CHARACTERS: Final = 20_000_000
"""Of texts that may be compared again; what is made of them takes ten bytes for each …"""
_LEAST_CHARACTERS: Final = 200
"""… and as much as for so many in any case."""
_READ_CHARACTERS: Final = 200_000
"""Characters of documents that are read together."""
_ASKED_AT_ONCE: Final = 100
"""Documents whose candidates are asked for together."""
_FEATURES_AT_ONCE: Final = 200_000
"""Distinct words of candidates that are in memory together: of several hundred articles, or of a few books."""


@dataclass(frozen=True)
class Found:
    """What was found for one document: how many candidates were compared, and the matches, the most similar first.

    `absent` are fields that the score was to be made of and that neither the document nor a candidate has.
    """

    candidates: int
    matches: tuple[Match, ...]
    absent: tuple[str, ...] = ()


class Finder:
    """Finds matches of documents in one snapshot."""

    def __init__(
        self,
        snapshot: Snapshot,
        boilerplate: Boilerplate,
        *,
        recipe: Recipe,
        radius: int,
        min_similarity: float,
        combined: Combined | None = None,
        asking: Asking | None = None,
    ) -> None:
        """With `combined` each match gets the score of distance and metadata, and may fall below its least one.

        `asking` tells which keys make candidates; by default what suits the size of the snapshot.
        """
        self._snapshot = snapshot
        self._boilerplate = boilerplate
        self._check = TextCheck(boilerplate)
        self._asking = asking or Asking.among(boilerplate, snapshot.count)
        self._profiles: dict[tuple[str, str], Profile] = {}
        self._kept = 0
        self._bits = recipe.bits
        self._script = recipe.script
        self._radius = radius
        self._min_similarity = min_similarity
        self._combined = combined

    def find(self, entries: Sequence[Entry]) -> list[Found]:
        """Matches of each entry among the stored documents, itself left out by its id."""
        found: list[Found] = []
        for start in range(0, len(entries), _ASKED_AT_ONCE):
            some = entries[start : start + _ASKED_AT_ONCE]
            rows = self._rows(some)
            parts = [
                [self.compare(entry, self._others(entry, one, there)) for entry, one in zip(some, rows, strict=True)]
                for there in self._read(rows)
            ]
            found += [_joined(of_one) for of_one in zip(*parts, strict=True)]
        return found

    def candidates(self, entries: Sequence[Entry], *, marked: bool | None = None) -> list[list[StoredDocument]]:
        """Every stored document that has to be compared with each entry; asked for together, each read once.

        With `marked` at least all of those that are marked as duplicates, or all of the others.
        """
        rows = self._rows(entries, marked=marked)
        there = {ref: stored for some in self._read(rows) for ref, stored in some.items()}
        return [self._others(entry, one, there) for entry, one in zip(entries, rows, strict=True)]

    def _rows(self, entries: Sequence[Entry], *, marked: bool | None = None) -> list[Rows]:
        """The rows of the candidates of each entry, each once."""
        with_fingerprint = [place for place, entry in enumerate(entries) if entry.stored.features >= TRUSTED]
        fingerprints = [entries[place].stored.fingerprint for place in with_fingerprint]
        neighbours = within(self._snapshot, fingerprints, bits=self._bits, radius=self._radius, marked=marked)
        near = dict(zip(with_fingerprint, (found.rows for found in neighbours), strict=True))
        sharing = self._snapshot.sharing([self.rare(entry.keys) for entry in entries], marked=marked)
        return [
            _distinct([near[place], rows] if place in near else [rows], bits=self._bits)
            for place, rows in enumerate(sharing)
        ]

    def _read(self, rows: Sequence[Rows]) -> Iterator[dict[Any, StoredDocument]]:
        """The documents of some rows by their handles: few enough at once to be in memory, none at once if need be."""
        every = _distinct(rows, bits=self._bits)
        for some in list(together(every.features.tolist(), _FEATURES_AT_ONCE)) or [slice(0)]:
            refs = every.refs[some]
            yield dict(zip(refs.tolist(), self._snapshot.documents(refs) if len(refs) else [], strict=True))

    def rare(self, keys: NDArray[np.uint64]) -> list[int]:
        """Those of a document's keys that make candidates."""
        rare: list[int] = self._asking.keys(keys).tolist()
        return rare

    def _others(self, entry: Entry, rows: Rows, there: Mapping[Any, StoredDocument]) -> list[StoredDocument]:
        """Those of an entry's candidates that are there, are not the entry itself, and would ask for it as well."""
        known = (there[ref] for ref in rows.refs.tolist() if ref in there)
        others = [stored for stored in known if stored.document.id != entry.stored.document.id]
        if not self._asking.is_in_versions(entry.keys):
            return others
        texts = read_all([Passage.of(stored.document) for stored in others], script=self._script)
        asked = set(self.rare(entry.keys))
        return [
            stored
            for stored, text in zip(others, texts, strict=True)
            if self._is_near(entry.stored, stored) or not asked.isdisjoint(self.rare(text.keys))
        ]

    def _is_near(self, one: StoredDocument, other: StoredDocument) -> bool:
        """Whether a fingerprint leads from one to the other."""
        trusted = min(one.features, other.features) >= TRUSTED
        return trusted and distance(one.fingerprint, other.fingerprint) <= self._radius

    def compare(self, entry: Entry, candidates: Sequence[StoredDocument]) -> Found:
        """Matches of an entry among some documents."""
        lacked = () if self._combined is None else absent(_documents(entry, candidates), self._combined.fields)
        if not candidates:
            return Found(0, (), lacked)
        likeness = self._likeness(*self.profiles([entry.stored, *candidates]))
        matches = [
            Match(
                id=other.document.id,
                title=other.document.title,
                distance=distance(entry.stored.fingerprint, other.fingerprint),
                similarity=float(likeness.similarity[place]),
                kind=likeness.kind(place),
                share=float(likeness.share[place]),
                share_other=float(likeness.share_other[place]),
                cluster=other.cluster,
                duplicate_of=other.duplicate_of,
            )
            for place, other in enumerate(candidates)
            if likeness.similarity[place] >= self._min_similarity
        ]
        if self._combined is not None:
            matches = self._scored(self._combined, entry, candidates, matches)
        return Found(len(candidates), tuple(sorted(matches, key=best_first)), lacked)

    @property
    def learns_from_candidates(self) -> bool:
        """Whether what a document shares with all its candidates decides how alike it is to one of them."""
        return self._boilerplate.of_sample

    def families(self, entries: Sequence[Entry]) -> Families:
        """What each entry shares with its candidates."""
        of_each = zip(entries, self.candidates(entries), strict=True)
        profiles = (self.profiles([entry.stored, *others]) for entry, others in of_each)
        return Families.join(Families.of(asking, others) for asking, *others in profiles)

    def _likeness(self, asking: Profile, *profiles: Profile) -> Likeness:
        """Of a text and each of its candidates; those that match may be pages of a family that the table does not know,
        and are compared again."""
        likeness = self._check.compare([asking] * len(profiles), profiles)
        matched = np.flatnonzero(likeness.similarity >= self._min_similarity)
        if self.learns_from_candidates and len(matched):
            families = Families.of(asking, profiles)
            others = [families.weigh(profiles[place]) for place in matched.tolist()]
            likeness = likeness.with_some(matched, self._check.compare([families.weigh(asking)] * len(others), others))
        return likeness

    def _scored(
        self, combined: Combined, entry: Entry, candidates: Sequence[StoredDocument], matches: Sequence[Match]
    ) -> list[Match]:
        asking = combined.signature(entry.stored.document)
        documents = {other.document.id: other.document for other in candidates}
        scored = (
            replace(match, score=combined.score(match.distance, asking, combined.signature(documents[match.id])))
            for match in matches
        )
        return [match for match in scored if match.score is not None and match.score >= combined.least]

    def profiles(self, documents: Sequence[StoredDocument]) -> list[Profile]:
        """What documents are compared by, in order; those not known yet are read together."""
        if self._kept >= _KEPT_CHARACTERS:
            self._profiles.clear()
            self._kept = 0
        names = [(stored.digest, stored.document.title) for stored in documents]
        fresh = {
            name: Passage.of(stored.document)
            for name, stored in zip(names, documents, strict=True)
            if name not in self._profiles
        }
        unread = list(fresh.items())
        for some in together([len(passage.whole) for _, passage in unread], _READ_CHARACTERS):
            texts = read_all([passage for _, passage in unread[some]], script=self._script)
            for (name, _), text in zip(unread[some], texts, strict=True):
                self._profiles[name] = self._check.profile(text)
        self._kept += sum(_LEAST_CHARACTERS + len(passage.whole) for _, passage in unread)
        return [self._profiles[name] for name in names]


def _documents(entry: Entry, candidates: Sequence[StoredDocument]) -> list[Document]:
    return [stored.document for stored in (entry.stored, *candidates)]


def _distinct(parts: Sequence[Rows], *, bits: int) -> Rows:
    """The rows of all parts, each once, in the order of their handles."""
    every = Rows.join(parts, bits=bits)
    return every.take(np.unique(every.refs, return_index=True)[1])


def _joined(parts: Sequence[Found]) -> Found:
    """What was found for one document among all its candidates, of which each part has seen some."""
    lacked = [name for name in parts[0].absent if all(name in part.absent for part in parts)]
    return Found(
        sum(part.candidates for part in parts),
        tuple(sorted((match for part in parts for match in part.matches), key=best_first)),
        tuple(lacked),
    )


def best_first(match: Match) -> tuple[float, str]:
    """The order of matches: the most similar first, equally similar ones by their ids."""
    return -match.similarity, match.id
