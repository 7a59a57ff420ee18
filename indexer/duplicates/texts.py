"""The distinct texts of a snapshot, read once: what each is compared by, and which documents are equal to it."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import xxhash
from numpy.typing import NDArray

from leitong.indexer.documents import StoredDocument
from leitong.indexer.duplicates.asking import Asking
from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate
from leitong.indexer.duplicates.comparing.check import Likeness, TextCheck
from leitong.indexer.duplicates.comparing.families import Families
from leitong.indexer.duplicates.comparing.profile import Profile
from leitong.indexer.duplicates.shelf import Shelf, Shelved
from leitong.indexer.duplicates.work import Work
from leitong.indexer.engines.base import Rows, Snapshot
from leitong.indexer.fingerprint.hamming import Fingerprints, distances
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.passages import Passage, read_all
from leitong.indexer.processes import as_given, mapped
from leitong.indexer.workers import cores

_IDS_AT_ONCE: Final = 100_000
_FEW: Final = 3_000
"""So many texts are read in this process: others take longer to start."""


@dataclass(frozen=True)
class Equal:
    """Documents with the text of another one: `first` is the number of that text, `ids` theirs, in order."""

    first: int
    ids: tuple[str, ...]
    distances: NDArray[np.uint8]


class Documents:
    """The documents of a snapshot, those with equal texts side by side; no text has been read."""

    def __init__(self, snapshot: Snapshot, boilerplate: Boilerplate, *, recipe: Recipe) -> None:
        self._snapshot = snapshot
        self._script = recipe.script
        self._boilerplate = boilerplate
        rows = Rows.join(list(snapshot.rows()), bits=recipe.bits)
        self._rows = rows.take(np.lexsort((*rows.fingerprints.T, rows.digests[:, 1], rows.digests[:, 0])))
        self._check = TextCheck(boilerplate)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def of_sample(self) -> bool:
        """Whether what is boilerplate was learned from some of the texts only."""
        return self._boilerplate.of_sample

    @cached_property
    def state(self) -> list[int | str]:
        """What tells this state of the collection from others: which id has which text, and what is boilerplate."""
        told = hashlib.blake2b(digest_size=16)
        learned = (self._boilerplate.shingles, self._boilerplate.groups, self._boilerplate.common)
        for part in (self._rows.digests, self._rows.fingerprints, *learned):
            told.update(np.ascontiguousarray(part).tobytes())
        told.update(self._owners().to_bytes(16, "big"))
        return [len(self._rows), told.hexdigest()]

    def _owners(self) -> int:
        """A number for the ids with their texts, whatever the order of rows with equal texts."""
        owners = 0
        for start in range(0, len(self._rows), _IDS_AT_ONCE):
            some = self._rows.take(np.arange(start, min(start + _IDS_AT_ONCE, len(self._rows))))
            digests = np.ascontiguousarray(some.digests).tobytes()
            for place, doc_id in enumerate(self._snapshot.ids(some.refs)):
                owner = doc_id.encode() + digests[16 * place : 16 * place + 16]
                owners += xxhash.xxh3_128_intdigest(owner)
        return owners % (1 << 128)

    def read(self, work: Work, *, watch: Callable[[int, int], None]) -> "Texts":
        """Read each text once onto a shelf, those that lie there already left out, and number them."""
        chosen, equal = self._firsts()
        shelf = Shelf(work)
        firsts = self._rows.take(chosen)
        workers = cores() if len(firsts) - len(shelf) > _FEW else 1
        reader = _Reader(Asking.among(self._boilerplate, len(self)), self._script)
        unread = self._unread(firsts.refs[len(shelf) :])
        for _, shelved in mapped(unread, _Reader.read, make=as_given, given=reader, workers=workers):
            shelf.add(shelved)
            watch(len(shelf), len(firsts))
        shelf.open()
        order = np.array(sorted(range(len(shelf)), key=shelf.ids.__getitem__), dtype=np.int64)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return Texts(
            ids=[shelf.ids[place] for place in order.tolist()],
            fingerprints=firsts.fingerprints[order],
            features=firsts.features[order],
            equal=sorted((replace(one, first=int(rank[one.first])) for one in equal), key=lambda one: one.first),
            _shelf=shelf,
            _order=order,
            _rank=rank,
            _check=self._check,
        )

    def _unread(self, refs: NDArray[np.int64]) -> Iterator[tuple[None, list[tuple[str, Passage]]]]:
        for documents in self._snapshot.portions(refs):
            yield None, [_named(stored) for stored in documents]

    def _firsts(self) -> tuple[NDArray[np.int64], list[Equal]]:
        """The row that stands for each text, and the other documents that have it."""
        fresh = np.ones(len(self), dtype=np.bool_)
        fresh[1:] = (self._rows.digests[1:] != self._rows.digests[:-1]).any(axis=1)
        chosen = np.flatnonzero(fresh)
        sizes = np.diff(chosen, append=len(self))
        equal: list[Equal] = []
        for place in np.flatnonzero(sizes > 1).tolist():
            group = np.arange(chosen[place], chosen[place] + sizes[place])
            ids = self._snapshot.ids(self._rows.refs[group])
            first, *others = sorted(range(len(ids)), key=ids.__getitem__)
            prints = self._rows.fingerprints[group]
            away = distances(prints[others], prints[first : first + 1])
            equal.append(Equal(place, tuple(ids[other] for other in others), away))
            chosen[place] += first
        return chosen, equal

    def likeness(self, one: Sequence[StoredDocument], other: Sequence[StoredDocument]) -> Likeness:
        """The likeness of each pair of documents, read anew: they need not be on the shelf."""
        some = {stored.document.id: Passage.of(stored.document) for stored in (*one, *other)}
        texts = read_all(list(some.values()), script=self._script)
        profiles = dict(zip(some, map(self._check.profile, texts), strict=True))
        left, right = ([profiles[stored.document.id] for stored in side] for side in (one, other))
        return self._check.compare(left, right)


@dataclass(frozen=True, eq=False)
class Texts:
    """The distinct texts of a snapshot by number, in the order of their ids.

    The id of a text is the first of those of the documents that have it. Equal texts need not have equal fingerprints:
    punctuation can change how words are cut.
    """

    ids: Sequence[str]
    fingerprints: Fingerprints
    features: NDArray[np.int64]
    equal: Sequence[Equal]
    _shelf: Shelf
    _order: NDArray[np.int64]
    _rank: NDArray[np.int64]
    _check: TextCheck

    def __len__(self) -> int:
        return len(self.ids)

    def keys(self, part: int, parts: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Keys of sketches and the texts that have them; one of so many parts, told apart by the keys."""
        keys, sizes = self._shelf.keys()
        owners = np.repeat(self._rank, sizes)
        if parts == 1:
            return np.asarray(keys), owners
        mine = (keys >> np.uint64(40)) % np.uint64(parts) == np.uint64(part)
        return keys[mine], owners[mine]

    @property
    def key_count(self) -> int:
        """Keys of all texts together."""
        return int(self._shelf.keys()[1].sum())

    def profiles(self, numbers: NDArray[np.int64]) -> list[Profile]:
        """What texts are compared by, in order."""
        return self._shelf.take(self._order[numbers].tolist())

    def compare(
        self,
        left: NDArray[np.int64],
        right: NDArray[np.int64],
        *,
        families: Families | None = None,
        least: float = 0.0,
    ) -> Likeness:
        """The likeness of each pair of texts; what `families` share weighs little. For `least` see `TextCheck`."""
        numbers, places = np.unique(np.concatenate([left, right]), return_inverse=True)
        profiles = self.profiles(numbers)
        if families is not None:
            profiles = list(map(families.weigh, profiles))
        one, other = ([profiles[place] for place in side.tolist()] for side in np.split(places, 2))
        return self._check.compare(one, other, least=least)

    def distances(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Distance in bits of each pair."""
        return distances(self.fingerprints[left], self.fingerprints[right])


@dataclass(frozen=True)
class _Reader:
    """Makes what a text is compared by; it travels to other processes."""

    asking: Asking
    script: str

    def read(self, documents: Sequence[tuple[str, Passage]]) -> list[Shelved]:
        """Of ids and passages."""
        check = TextCheck(self.asking.boilerplate)
        out: list[Shelved] = []
        texts = read_all([passage for _, passage in documents], script=self.script)
        for (doc_id, _), text in zip(documents, texts, strict=True):
            out.append(Shelved(doc_id, check.profile(text), self.asking.keys(text.keys)))
        return out


def _named(stored: StoredDocument) -> tuple[str, Passage]:
    return stored.document.id, Passage.of(stored.document)
