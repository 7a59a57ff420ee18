"""How much does a word count? Factors that are multiplied.

A factor is one small class with a name. Most look at the word alone (`of_word`, asked once for each distinct word);
one that needs the document (`in_document`) sees a whole batch as flat arrays, one entry for each distinct word of each
document, and names what else it wants to know of them (`needs`): what no factor of a recipe needs is not found out.
The product is rounded to a multiple of 2^-16 before it is summed: sums of such numbers are exact, so a fingerprint does
not depend on the order of its words, the batch it came in or the machine.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from leitong.indexer.errors import RecipeError
from leitong.indexer.fingerprint.idf import IdfTable

SCALE: Final = 2.0**16
Numbers = NDArray[np.float64]


class Need(Enum):
    """What a factor may want to know of each feature of a document."""

    LENGTHS = "characters of the word"
    TITLE = "1 where the word stands in the title, else 0"
    SIGNPOSTS = "1 where the word stands in a signpost or in a sentence that opens with one, else 0"
    FIELDS = "1 where the feature is the value of a short field, 0 for words of the text"


@dataclass(frozen=True)
class FeatureBatch:
    """The distinct words of a batch of documents, document after document.

    `starts` has one more entry than there are documents: document i owns entries starts[i] to starts[i + 1].
    `counts` says how often the word stands in the document, `facts` what the recipe's factors need. All arrays but
    `starts` have one entry a feature.
    """

    starts: NDArray[np.int64]
    counts: Numbers
    facts: Mapping[Need, Numbers] = field(default_factory=dict[Need, Numbers])


@dataclass(frozen=True, kw_only=True)
class Constants:
    """The numbers in the factors' formulas, finite and not negative; sources are named at the factors."""

    length_mean: float = 4.51
    length_deviation: float = 2.207
    noun: float = 2.0
    verb: float = 2.0
    particle: float = 1.0
    other: float = 1.0
    longest: float = 1.0
    signpost: float = 5.0
    title: float = 5.0
    field: float = 2.0

    def __post_init__(self) -> None:
        """Raise RecipeError for the first number that cannot be."""
        for one in fields(self):
            value: object = getattr(self, one.name)
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise RecipeError(f"Recipe constant {one.name} must be a number, not {value!r}.")
            if not 0 <= value <= _MOST:
                raise RecipeError(f"Recipe constant {one.name} must be 0 to {_MOST:,}, not {value!r}.")
        if not self.length_deviation:
            raise RecipeError("Recipe constant length_deviation must be more than 0, not 0.")

    def changed(self) -> dict[str, float]:
        """Those that are not the usual ones."""
        return {one.name: float(value) for one in fields(self) if (value := getattr(self, one.name)) != one.default}


_MOST: Final = 1_000_000


class Factor(Protocol):
    """One factor of a word's weight."""

    @property
    def needs(self) -> tuple[Need, ...]:
        """Which facts `in_document` reads."""
        ...

    @property
    def of_word(self) -> Callable[[str], float] | None:
        """The part that depends on the word alone; None where there is none."""
        ...

    def in_document(self, batch: FeatureBatch) -> Numbers | None:
        """The part that depends on the document, one number a feature; None where there is none."""
        ...


class TermFrequency:
    """How often the word stands in the document."""

    needs: Final = ()
    of_word: Final = None

    def in_document(self, batch: FeatureBatch) -> Numbers | None:
        return batch.counts


class InverseDocumentFrequency:
    """How rare the word is in the frozen table."""

    needs: Final = ()

    def __init__(self, table: IdfTable) -> None:
        self._table = table

    def of_word(self, word: str) -> float:
        return self._table.idf(word)

    def in_document(self, batch: FeatureBatch) -> Numbers | None:
        return None


class TermLength:
    """1 + density of the word's length, normal with mean 4.51 and deviation 2.207, its peak scaled to 1.

    Source: docs/papers.md P3 (Wang Cheng, Wang Yucheng 2019); the printed normalisation is lost, this reading is ours.
    """

    needs: Final = ()

    def __init__(self, constants: Constants = Constants()) -> None:
        self._mean, self._deviation = constants.length_mean, constants.length_deviation

    def of_word(self, word: str) -> float:
        return 1.0 + math.exp(-((len(word) - self._mean) ** 2) / (2 * self._deviation**2))

    def in_document(self, batch: FeatureBatch) -> Numbers | None:
        return None


class RelativeLength:
    """1 + (length - shortest) / (longest - shortest) over the words of the document; 1 where all are equal.

    Source: docs/papers.md P5. The constant `longest` is what the longest word has beyond 1.
    """

    needs: Final = (Need.LENGTHS,)
    of_word: Final = None

    def __init__(self, constants: Constants) -> None:
        self._gain = constants.longest

    def in_document(self, batch: FeatureBatch) -> Numbers | None:
        lengths = batch.facts[Need.LENGTHS]
        sizes = np.diff(batch.starts)
        starts = batch.starts[:-1][sizes > 0]
        if not len(starts):
            return np.ones(len(lengths))
        shortest = np.repeat(np.minimum.reduceat(lengths, starts), sizes[sizes > 0])
        longest = np.repeat(np.maximum.reduceat(lengths, starts), sizes[sizes > 0])
        part: Numbers = 1.0 + self._gain * (lengths - shortest) / np.maximum(longest - shortest, 1.0)
        return part


class PartOfSpeech:
    """Nouns and verbs count more than other words; particles may count nothing.

    Source: docs/papers.md P5, two against one. A word that the dictionary does not know is a name or a term: a noun.
    """

    needs: Final = ()

    def __init__(self, constants: Constants, tag: Callable[[str], str]) -> None:
        self._constants = constants
        self._tag = tag

    def of_word(self, word: str) -> float:
        tag = self._tag(word)
        if tag in ("", "x") or tag.startswith(("n", "eng")):
            return self._constants.noun
        if tag.startswith("v"):
            return self._constants.verb
        # prepositions, conjunctions, auxiliaries, modal particles, interjections, onomatopoeia
        return self._constants.particle if tag[0] in "pcuyeo" else self._constants.other

    def in_document(self, batch: FeatureBatch) -> Numbers | None:
        return None


class Marked:
    """A word that stands in a place that counts has a number of its own, the others have 1.

    Sources: docs/papers.md P5 for titles and signposts, five against one; P4 for fields, two.
    """

    of_word: Final = None

    def __init__(self, place: Need, number: float) -> None:
        self.needs: Final = (place,)
        self._number = number

    def in_document(self, batch: FeatureBatch) -> Numbers | None:
        (place,) = self.needs
        return np.where(batch.facts[place] > 0, self._number, 1.0)


@dataclass(frozen=True)
class Ingredients:
    """What factors are built from; `tagger` loads a dictionary, so it is called by the factor that needs it."""

    table: IdfTable | None
    constants: Constants
    tagger: Callable[[], Callable[[str], str]]


def _idf(given: Ingredients) -> Factor:
    if given.table is None:
        raise RecipeError("The weight 'idf' needs an idf table: name one in the recipe (idf = \"jieba\" or a file).")
    return InverseDocumentFrequency(given.table)


FACTORS: Final[dict[str, Callable[[Ingredients], Factor]]] = {
    "tf": lambda given: TermFrequency(),
    "idf": _idf,
    "length": lambda given: TermLength(given.constants),
    "relative_length": lambda given: RelativeLength(given.constants),
    "part_of_speech": lambda given: PartOfSpeech(given.constants, given.tagger()),
    "signpost": lambda given: Marked(Need.SIGNPOSTS, given.constants.signpost),
    "title": lambda given: Marked(Need.TITLE, given.constants.title),
    "field": lambda given: Marked(Need.FIELDS, given.constants.field),
}


def build_factors(names: tuple[str, ...], given: Ingredients) -> tuple[Factor, ...]:
    """The factors of a recipe. Raises RecipeError for an unknown name."""
    for name in names:
        if name not in FACTORS:
            raise RecipeError(f"Unknown weight {name!r}. Known: {', '.join(FACTORS)}.")
    return tuple(FACTORS[name](given) for name in names)
