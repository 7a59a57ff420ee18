"""Every choice that decides a fingerprint, in one frozen value with a name."""

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from leitong.indexer.errors import RecipeError
from leitong.indexer.fingerprint.blocks import MAX_RADIUS
from leitong.indexer.fingerprint.hashing import HASHES
from leitong.indexer.fingerprint.idf import IdfTable, jieba_table
from leitong.indexer.fingerprint.normalise import SCRIPTS, normalise
from leitong.indexer.fingerprint.segment import CharacterNgrams, Segmenter, UnicodeWords, jieba, rjieba, tagger
from leitong.indexer.fingerprint.weights import FACTORS, Constants

FORMAT: Final = 1
BEGINNING: Final = f"format = {FORMAT}\nname = "
"""What a recipe file begins with that was written by us; one that somebody wrote may begin with anything."""
SEGMENTERS: Final = ("rjieba", "jieba", "words", "chars")
STOP_LISTS: Final = ("zh", "en")
TIES: Final = ("zero", "one")
BITS: Final = (32, 50, 64, 128)
ARTICLE_SEED: Final = 999_999_937


@cache
def _stop_list(name: str, script: str) -> frozenset[str]:
    """The words of a shipped list, normalised."""
    resource = files("leitong.indexer.fingerprint") / "data" / f"stopwords-{name}.txt"
    return frozenset(normalise(word, script=script) for word in resource.read_text(encoding="utf-8").split("\n"))


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a text becomes a fingerprint.

    Args:
        name: what people call it; not part of the id.
        segmenter: `rjieba`, `jieba`, `words` (Unicode words) or `chars` (character n-grams).
        ngram: length of the character n-grams; used by `chars` only.
        user_words: words the Chinese segmenters should know.
        stop_words: names of shipped lists (`zh`, `en`) whose words are left out.
        more_stop_words: further words to leave out.
        weights: names of factors that are multiplied: those of `FACTORS`.
        idf: the table of document frequencies, where `idf` is among the weights.
        hash: a family of `HASHES`: `mmh3`, `blake2b`, `murmur2`, `cityhash64`, `bkdr64` or `xxh3`.
        seed: of the hash, 0 to 2^32 - 1.
        bits: 32, 64 or 128; 50 for fingerprints that no index holds. Not every hash gives all of them.
        tie: the bit where the weighted sum is exactly 0: `zero` (bit set when V > 0) or `one` (V >= 0).
        radius: default of the commands that look up; not part of the id, it changes no fingerprint.
        constants: the numbers in the factors' formulas.
        more_signposts: expressions that announce what matters, beside the shipped ones; for `signpost`.
        value_fields: metadata fields whose values, uncut, are features too, or `*` for all; for `field`.
        script: `simplified` reads Traditional Chinese characters as Simplified ones; else they are others.
    """

    name: str
    segmenter: str = "rjieba"
    ngram: int = 3
    user_words: tuple[str, ...] = ()
    stop_words: tuple[str, ...] = STOP_LISTS
    more_stop_words: tuple[str, ...] = ()
    weights: tuple[str, ...] = ("tf",)
    idf: IdfTable | None = None
    hash: str = "mmh3"
    seed: int = 0
    bits: int = 64
    tie: str = "zero"
    radius: int = 3
    constants: Constants = field(default_factory=Constants)
    more_signposts: tuple[str, ...] = ()
    value_fields: tuple[str, ...] = ()
    script: str = ""

    def __post_init__(self) -> None:
        """Raise RecipeError for the first value that cannot be."""
        sizes = HASHES[self.hash].sizes if self.hash in HASHES else BITS
        checks: tuple[tuple[str, bool, str], ...] = (
            ("segmenter", self.segmenter in SEGMENTERS, f"one of {', '.join(SEGMENTERS)}"),
            ("ngram", 1 <= self.ngram <= 20, "1 to 20"),
            ("stop_words", set(self.stop_words) <= set(STOP_LISTS), f"a list of {', '.join(STOP_LISTS)}"),
            ("weights", bool(self.weights) and set(self.weights) <= set(FACTORS), f"a list of {', '.join(FACTORS)}"),
            ("hash", self.hash in HASHES, f"one of {', '.join(sorted(HASHES))}"),
            ("seed", 0 <= self.seed < 2**32, "0 to 2^32 - 1"),
            ("bits", self.bits in BITS, f"one of {', '.join(map(str, BITS))}"),
            ("bits", self.bits in sizes, f"one of {', '.join(map(str, sizes))} with the hash {self.hash}"),
            ("tie", self.tie in TIES, f"one of {', '.join(TIES)}"),
            ("script", self.script in SCRIPTS, "simplified, or left out"),
            ("radius", 0 <= self.radius <= MAX_RADIUS, f"0 to {MAX_RADIUS}"),
            (
                "idf",
                "idf" not in self.weights or self.idf is not None,
                'named when "idf" is among the weights: idf = "jieba", or a table',
            ),
            ("idf", "idf" in self.weights or self.idf is None, 'left out when "idf" is not among the weights'),
            (
                "value_fields",
                "field" not in self.weights or bool(self.value_fields),
                'named when "field" is among the weights: value_fields = ["*"], or names of metadata fields',
            ),
            (
                "value_fields",
                "field" in self.weights or not self.value_fields,
                'left out when "field" is not among the weights',
            ),
            (
                "more_signposts",
                "signpost" in self.weights or not self.more_signposts,
                'left out when "signpost" is not among the weights',
            ),
            (
                "segmenter",
                self.segmenter != "chars" or "part_of_speech" not in self.weights,
                'one that cuts words when "part_of_speech" is among the weights',
            ),
            ("weights", len(set(self.weights)) == len(self.weights), "a list that names nothing twice"),
        )
        for name, good, wanted in checks:
            if not good:
                value = getattr(self, name)
                but = "" if value is None or isinstance(value, IdfTable) else f", not {_toml(value)}"
                raise RecipeError(f"Recipe {self.name!r}: {name} must be {wanted}{but}.")

    @cached_property
    def stop_set(self) -> frozenset[str]:
        """Every word that is left out, normalised."""
        listed = (_stop_list(name, self.script) for name in self.stop_words)
        return frozenset(map(self.normalise, self.more_stop_words)).union(*listed) - {""}

    def normalise(self, text: str) -> str:
        """The text as it is cut and compared."""
        return normalise(text, script=self.script)

    def build_segmenter(self) -> Segmenter:
        """A segmenter as the recipe says; loading a dictionary takes a moment."""
        words = tuple(map(self.normalise, self.user_words))
        match self.segmenter:
            case "rjieba":
                return rjieba(words)
            case "jieba":
                return jieba(words)
            case "words":
                return UnicodeWords()
            case _:
                return CharacterNgrams(self.ngram)

    def build_tagger(self) -> Callable[[str], str]:
        """Tells a word's part of speech; loading a dictionary takes a moment."""
        return tagger(tuple(map(self.normalise, self.user_words)))

    def settings(self) -> dict[str, Any]:
        """The recipe as JSON values; the idf table is named by its id.

        What came after the first recipes is left out where it is as usual: ids made without it stay what they are.
        """
        values: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        values["idf"] = self.idf.id if self.idf else None
        values["constants"] = self.constants.changed()
        for later in _LATER:
            if not values[later]:
                del values[later]
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

    def toml(self, *, table: str) -> str:
        """The content of a recipe file, beside which the idf table lies in a file of this name."""
        settings = self.settings() | {"idf": table}
        constants = settings.pop("constants", {})
        lines = [f"{key} = {_toml(value)}" for key, value in settings.items() if key != "name"]
        if constants:  # a table stands after everything that is in none
            lines += ["[constants]", *(f"{key} = {_toml(value)}" for key, value in constants.items())]
        return "\n".join([f"{BEGINNING}{_toml(self.name)}", *lines]) + "\n"


def from_settings(settings: Mapping[str, Any], *, table: IdfTable | None = None) -> Recipe:
    """The recipe that `Recipe.settings` wrote. Raises RecipeError for an unknown or wrong entry."""
    known = {one.name for one in fields(Recipe)}
    unknown = sorted(set(settings) - known)
    if unknown:
        raise RecipeError(f"Unknown recipe setting {unknown[0]!r}. Known: {', '.join(sorted(known))}.")
    if "name" not in settings:
        raise RecipeError('A recipe needs a name: name = "…".')
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if key == "idf":
            continue
        wanted = _KINDS[key]
        kind = tuple if isinstance(value, list) else type(value)
        if not issubclass(kind, wanted) or kind is bool:
            raise RecipeError(f"Recipe setting {key} must be {_KIND_NAMES[wanted]}, not {value!r}.")
        if kind is tuple and not all(isinstance(item, str) for item in value):
            raise RecipeError(f"Recipe setting {key} must be a list of texts, not {value!r}.")
        value = tuple(value) if kind is tuple else value
        values[key] = _constants(value) if isinstance(value, dict) else value
    return Recipe(**values, idf=table)


def _constants(values: Mapping[str, Any]) -> Constants:
    known = [one.name for one in fields(Constants)]
    if unknown := sorted(set(values) - set(known)):
        raise RecipeError(f"Unknown recipe constant {unknown[0]!r}. Known: {', '.join(known)}.")
    return Constants(**values)


_LATER: Final = ("constants", "more_signposts", "value_fields", "script")
_KINDS: Final[dict[str, type]] = {
    "name": str,
    "segmenter": str,
    "ngram": int,
    "user_words": tuple,
    "stop_words": tuple,
    "more_stop_words": tuple,
    "weights": tuple,
    "hash": str,
    "seed": int,
    "bits": int,
    "tie": str,
    "radius": int,
    "constants": dict,
    "more_signposts": tuple,
    "value_fields": tuple,
    "script": str,
}

_KIND_NAMES: Final = {str: "a text", int: "a whole number", tuple: "a list of texts", dict: "a table of numbers"}

_WITHOUT_PARTICLES: Final = Constants(noun=1.0, verb=1.0, particle=0.0)
_NAMED: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "standard": ("words of any language, Chinese first; counts as weights; 64 bits", {}),
    "standard-32": ("the same in 32 bits, for small collections", {"bits": 32}),
    "standard-128": ("the same in 128 bits, for wider radii", {"bits": 128}),
    "tfidf": ("rare words count more, by the frozen table of the package jieba", {"weights": ("tf", "idf")}),
    "terms": ("tf, idf and term length: technical Chinese", {"weights": ("tf", "idf", "length")}),
    "simplified": (
        "standard; Traditional Chinese characters count as the Simplified ones they became",
        {"script": "simplified"},
    ),
    "jieba": ("standard, cut by the Python package jieba", {"segmenter": "jieba"}),
    "words": ("Unicode words, no dictionary: languages with blanks between words", {"segmenter": "words"}),
    "chars": ("three neighbouring characters, no dictionary: any script", {"segmenter": "chars", "stop_words": ()}),
    "wang2016-50": (
        "Wang, Wu, Li 2016: every word by its count; 50 bits, for `fingerprint` and `compare` only",
        {"stop_words": (), "bits": 50},
    ),
    "wang2016-128": ("the same in 128 bits", {"stop_words": (), "bits": 128}),
    "murmur2-32": (
        "the C++ article's MurmurHash2 with its seed",
        {"hash": "murmur2", "seed": ARTICLE_SEED, "bits": 32},
    ),
    "murmur2-64": ("the C++ article's MurmurHash64A with its seed", {"hash": "murmur2", "seed": ARTICLE_SEED}),
    "wang2019": (
        "Wang, Wang 2019: tf, idf and term length, particles left out",
        {"weights": ("tf", "idf", "length", "part_of_speech"), "constants": _WITHOUT_PARTICLES},
    ),
    "li2015": (
        "Li, Han 2015, rows of tables: words by their count, the value of each metadata field by 2; CityHash64",
        {"weights": ("tf", "field"), "value_fields": ("*",), "hash": "cityhash64"},
    ),
    "multifactor": (
        "tf and idf, more for nouns and verbs, long words, words of the title and after signposts",
        {"weights": ("tf", "idf", "part_of_speech", "relative_length", "signpost", "title")},
    ),
}
DEFAULT: Final = "standard"


def named() -> dict[str, str]:
    """Names of the shipped recipes and what each is for."""
    return {name: purpose for name, (purpose, _) in _NAMED.items()}


def load(name_or_file: str) -> Recipe:
    """A shipped recipe by name, or a recipe file (TOML). Raises RecipeError."""
    if name_or_file in _NAMED:
        settings = _NAMED[name_or_file][1]
        table = jieba_table() if "idf" in settings.get("weights", ()) else None
        return Recipe(name=name_or_file, **settings, idf=table)
    path = Path(name_or_file)
    if path.suffix == ".toml":
        return _load_file(path)
    raise RecipeError(
        f"Unknown recipe {name_or_file!r}. Known: {', '.join(_NAMED)}; or give a recipe file that ends in .toml."
    )


def _load_file(path: Path) -> Recipe:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RecipeError(f"Cannot read the recipe file {path}: {error}.") from error
    if (version := values.pop("format", FORMAT)) != FORMAT or version is True:
        raise RecipeError(
            f"{path} has recipe format {version!r}; this version of Leitong reads format {FORMAT}. Upgrade Leitong, or "
            "write the recipe anew with the settings that `leitong recipe show` lists."
        )
    source = values.get("idf")
    if source is not None and not isinstance(source, str):
        raise RecipeError(f'{path}: idf must be "jieba" or the name of a table file, not {source!r}.')
    table = None if source is None else jieba_table() if source == "jieba" else IdfTable.load(path.parent / source)
    try:
        return from_settings({"name": path.stem, **values}, table=table)
    except RecipeError as error:
        raise RecipeError(f"{path}: {error}") from error


def _toml(value: object) -> str:
    """Lists, texts and numbers are written in TOML as in JSON, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
