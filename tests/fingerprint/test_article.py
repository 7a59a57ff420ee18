"""docs/papers.md P2: words with weights, MurmurHash2 and 64A, bit for bit what a C++ program of the article prints."""

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from leitong.indexer.errors import DocumentError
from leitong.indexer.fingerprint.hamming import distance
from leitong.indexer.fingerprint.idf import jieba_table
from leitong.indexer.fingerprint.recipe import Recipe, load
from leitong.indexer.fingerprint.weighted import WeightedWord, fingerprint, parse
from tests.fingerprint.texts import TEXTS, fingerprinter

ONE, OTHER, THIRD = "中国^2 知乎^1 读者^2", "中国^2 世界^1 读者^2", "中国^2 知乎^1 读者^1"
NARROW, WIDE = load("murmur2-32"), load("murmur2-64")


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C++ program, compiled."""
    compiler = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    program = tmp_path_factory.mktemp("article") / "article"
    source = Path(__file__).with_name("article.cpp")
    subprocess.run([compiler, "-O1", "-std=c++14", "-o", program, source], check=True)
    return program


def printed(program: Path, lines: list[str]) -> list[tuple[str, str]]:
    done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    pairs = [line.split("\t") for line in done.stdout.splitlines()]
    return [(narrow, wide) for narrow, wide in pairs]


def ours(line: str) -> tuple[str, str]:
    words = parse(line)
    return f"{fingerprint(words, NARROW):032b}", f"{fingerprint(words, WIDE):064b}"


def test_the_examples_of_the_article(article: Path) -> None:
    lines = [ONE, OTHER, THIRD]
    assert printed(article, lines) == list(map(ours, lines))


def test_the_similarities_of_the_examples() -> None:
    """(f - d) / f: 32 bits the first against the second, 64 bits the first against the third."""
    narrow = distance(*(fingerprint(parse(line), NARROW) for line in (ONE, OTHER)))
    wide = distance(*(fingerprint(parse(line), WIDE) for line in (ONE, THIRD)))
    assert (32 - narrow) / 32 == 18 / 32
    assert (64 - wide) / 64 == 54 / 64


def test_thousands_of_words_hash_alike(article: Path) -> None:
    """The fingerprint of one word is its hash."""
    words = sorted(word for word in jieba_table().frequencies if not any(map(str.isspace, word)) and "^" not in word)
    lines = [f"{word}^1" for word in [*words[::100], *(word * 9 for word in words[::5000])]]
    assert len(lines) > 2500
    assert printed(article, lines) == list(map(ours, lines))


def test_many_weighted_lines_alike(article: Path) -> None:
    rng = Random(2)
    words = sorted(jieba_table().frequencies)[1000:1400]
    lines = [
        " ".join(f"{word}^{rng.choice(['0', '1', '2', '7', '0.5', '123.25'])}" for word in rng.sample(words, size))
        for size in range(1, 41)
        for _ in range(10)
    ]
    assert printed(article, lines) == list(map(ours, lines))


@pytest.mark.parametrize("recipe", ["standard", "standard-128", "wang2016-50", "murmur2-32"])
@pytest.mark.parametrize("name", ["zh", "en", "news"])
def test_a_text_is_the_words_of_its_fingerprint_with_their_weights(recipe: str, name: str) -> None:
    maker = fingerprinter(recipe)
    words = tuple(WeightedWord(word, weight) for word, weight in maker.weights(TEXTS[name]).items())
    assert fingerprint(words, maker.recipe) == maker.one(TEXTS[name])


def test_lines_of_nothing() -> None:
    assert parse("  ") == ()
    assert fingerprint((), WIDE) == fingerprint((), Recipe(name="t", tie="one")) == 0
    assert parse("C^C^2\t a^.5") == (WeightedWord("C^C", 2.0), WeightedWord("a", 0.5))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("中国^2 知乎", "the weight of '知乎' is missing; write word^weight, as 知乎^1"),
        ("知乎^", "the weight of '知乎^' is missing; write word^weight, as 知乎^1"),
        ("^2", "the word before '^2' is missing"),
        ("知乎^-1", "the weight of '知乎' is -1; weights are 0 to 4294967296"),
        ("知乎^nan", "the weight of '知乎' is nan"),
        ("知乎^inf", "the weight of '知乎' is inf"),
        ("知乎^1e300", "the weight of '知乎' is 1e300"),
        ("知乎^two", "the weight of '知乎' is 'two', which is no number"),
    ],
)
def test_weights_that_cannot_be(line: str, message: str) -> None:
    with pytest.raises(DocumentError) as error:
        parse(line)
    assert message in str(error.value)
