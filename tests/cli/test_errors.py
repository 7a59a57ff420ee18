"""Every mistake gets one sentence that says what, where and what to do, and exit code 2."""

import gzip
import shutil
import subprocess
from pathlib import Path

import pytest

from leitong.indexer.engines.embedded.folder import FORMAT
from tests.cli.running import SCRIPT, Made, environment, here, run_all
from tests.full_disk import files_up_to

NOBODY = "http://127.0.0.1:1/x"
CASES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("search", "weather", "-i", "mine", "--sise", "3"): ("--sise", "leitong search --help"),
    ("report", "-i", "mine", "-o", "foreign"): ("foreign", "photo.jpg", "new folder"),
    ("search", "x", "-i", "nowhere"): ("no index at nowhere", "leitong index"),
    ("info", "-i", "hollow"): ("hollow is empty", "leitong index"),
    ("report", "-i", "foreign"): ("foreign is no Leitong index",),
    ("index", "good.jsonl", "-i", "foreign"): ("foreign holds other files", "--index"),
    ("search", "x", "-i", "good.jsonl"): ("is a file, not the folder",),
    ("index", "good.jsonl", "-i", "good.jsonl"): ("good.jsonl is a file",),
    ("search", "x", "-i", "newer"): ("format 99", "pip install -U leitong"),
    ("search", "x", "-i", "damaged"): ("damaged", "backup"),
    ("search", "x", "-i", "http://127.0.0.1:1/x"): ("127.0.0.1:1",),
    ("search", "x", "-i", ""): ("empty",),
    ("index", "missing.jsonl", "-i", "new"): ("no file or folder 'missing.jsonl'",),
    ("index", "unknown.xyz", "-i", "new"): ("unknown.xyz has no ending", ".jsonl"),
    ("index", "hollow", "-i", "new"): ("hollow is empty",),
    ("index", "-", "-", "-i", "new"): ("named twice",),
    ("index", "-i", "new"): ("Missing argument",),
    ("index", "good.jsonl", "-i", "mine", "--recipe", "chars"): ("recipe standard (", "not chars ("),
    ("index", "good.jsonl", "-i", "new", "--recipe", "nonsense"): ("Unknown recipe 'nonsense'", "standard"),
    ("index", "good.jsonl", "-i", "new", "--recipe", "none.toml"): ("none.toml", "Cannot read"),
    ("index", "good.jsonl", "-i", "new", "--on-duplicate", "burn"): ("--on-duplicate", "skip"),
    ("index", "good.jsonl", "-i", "new", "--rejects", "hollow/no/r.jsonl"): ("hollow/no/r.jsonl", "Make the folder"),
    ("index", "good.jsonl", "-i", "new", "--rejects", "good.jsonl/r"): ("good.jsonl/r", "A part of the path is a file"),
    ("index", "good.jsonl", "-i", "new", "--rejects", "hollow"): ("hollow", "Is a directory"),
    ("index", "good.jsonl", "-i", "new", "--rejects", "/proc/sys/r.jsonl"): ("--rejects", "choose another place"),
    ("index", "good.jsonl", "-i", "new", "--rejects", "./good.jsonl"): ("good.jsonl is a source", "--rejects"),
    ("index", "good.jsonl", "-i", "new", "--rejects", "mine/leitong.json"): (
        "mine/leitong.json is there and is no file of rejects",
        "Name another file",
    ),
    ("attach", NOBODY, "--text-field", "body", "--rejects", "pairs.tsv"): (
        "pairs.tsv is there and is no file of rejects",
    ),
    ("detach", NOBODY, "--rejects", "pairs.tsv"): ("pairs.tsv is there and is no file of rejects",),
    ("index", "good.jsonl", "-i", "mine", "--text-field", "body"): (
        "Nothing was indexed. good.jsonl, line 1: there is no field 'body'",
    ),
    ("get", "nobody", "-i", "mine"): ("No document with the id 'nobody' in mine",),
    ("similar", "nobody", "-i", "mine"): ("No document with the id 'nobody' in mine",),
    ("similar", "-i", "mine"): ("similar ID", "--text FILE"),
    ("similar", "weather", "--text", "good.jsonl", "-i", "mine"): ("one of the two",),
    ("similar", "--text", "good.jsonl", "-i", "mine"): ("not a text", ".txt"),
    ("similar", "--text", "missing.txt", "-i", "mine"): ("no file missing.txt",),
    ("similar", "--text", "/dev/null", "-i", "mine"): ("/dev/null is a folder or a device", "- for stdin"),
    ("compare", "-", "-", "--files"): ("stdin (-) holds one text",),
    ("compare", ".", "missing.txt", "--files"): (". is a folder or a device",),
    ("fingerprint", "/dev/null", "--format", "weighted"): ("'/dev/null' is a folder or a device", "- for stdin"),
    ("similar", "--text", "-", "-i", "mine"): ("stdin", "no text"),
    ("similar", "weather", "-i", "mine", "--radius", "16"): ("--radius", "15"),
    ("similar", "weather", "-i", "mine", "--radius", "-1"): ("--radius", "0"),
    ("similar", "weather", "-i", "mine", "--min-similarity", "1.5"): ("--min-similarity", "1"),
    ("similar", "weather", "-i", "mine", "--min-similarity", "nan"): ("--min-similarity",),
    ("similar", "weather", "-i", "mine", "--limit", "0"): ("--limit", "1"),
    ("search", "x", "-i", "mine", "--filter", "nonsense"): ("field=value", "'nonsense'"),
    ("search", "x", "-i", "mine", "--size", "-1"): ("--size",),
    ("compare", "weather", "-i", "mine"): ("two or more",),
    ("compare", "weather", "nobody", "-i", "mine"): ("'nobody'",),
    ("compare", "weather", "wide", "page", "-i", "mine", "--bits"): ("--bits", "two"),
    ("report", "-i", "mine", "--format", "docx"): ("--format", "html"),
    ("report", "-i", "mine", "-o", "good.jsonl"): ("good.jsonl",),
    ("evaluate", "missing.tsv", "-i", "mine"): ("no file missing.tsv",),
    ("evaluate", "empty.tsv", "-i", "mine"): ("empty.tsv is empty",),
    ("evaluate", "strange.tsv", "-i", "mine"): ("copy or derived", "same (1)", "--duplicates same"),
    ("evaluate", "gone.tsv", "-i", "mine"): ("'gone'", "no pair of the file"),
    ("evaluate", "pairs.tsv", "-i", "nowhere"): ("no index at nowhere",),
    ("evaluate", "pairs.tsv", "-i", "mine", "-o", "page.pdf"): (".html", ".svg", "page.pdf"),
    ("evaluate", "pairs.tsv", "-i", "mine", "--filter", "sure=yes"): ("no column 'sure'",),
    ("calibrate", "-i", "nowhere"): ("no index at nowhere",),
    ("calibrate", "-i", "mine", "--sample", "9"): ("--sample", "10"),
    ("calibrate", "-i", "mine", "-o", "page.pdf"): (".html", ".svg", "page.pdf"),
    ("evaluate", "pairs.tsv", "-i", "mine", "-o", "nowhere/page.html"): ("Make the folder nowhere first",),
    ("calibrate", "-i", "mine", "-o", "nowhere/page.svg"): ("Make the folder nowhere first",),
    ("evaluate", "pairs.html", "-i", "mine", "-o", "pairs.html"): (
        "pairs.html is there and is no page of `leitong evaluate`",
    ),
    ("calibrate", "-i", "mine", "-o", "pairs.svg"): ("pairs.svg is there and is no picture",),
    ("recipe", "train", "good.jsonl", "-o", "nowhere/mine.toml"): ("Make the folder nowhere first",),
    ("recipe", "train", "good.jsonl", "-o", "bad.toml"): ("bad.toml is there and is no trained recipe",),
    ("recipe", "train", "good.jsonl", "-o", "words.toml"): ("words.idf.gz is there and is no idf table",),
    ("fingerprint", "missing.jsonl"): ("'missing.jsonl'",),
    ("fingerprint", "good.jsonl", "--recipe", "bad.toml"): ("bits", "32, 50, 64, 128"),
    ("recipe", "show", "nonsense"): ("Unknown recipe 'nonsense'",),
    ("nonsense",): ("No such command 'nonsense'",),
}


@pytest.fixture(scope="module")
def place(articles: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that can be mistaken for an index or a source."""
    cwd = tmp_path_factory.mktemp("errors")
    shutil.copytree(articles.cwd / articles.index, cwd / "mine")
    shutil.copytree(cwd / "mine", cwd / "newer")
    header = cwd / "newer" / "leitong.json"
    header.write_text(header.read_text().replace(f'"format": {FORMAT}', '"format": 99'))
    shutil.copytree(cwd / "mine", cwd / "damaged")
    (cwd / "damaged" / "leitong.json").write_text("{")
    (cwd / "hollow").mkdir()
    (cwd / "foreign").mkdir()
    (cwd / "foreign" / "photo.jpg").write_bytes(b"\xff")
    (cwd / "unknown.xyz").write_text("x")
    for ending in ("tsv", "html", "svg"):
        (cwd / f"pairs.{ending}").write_text("news/1\tnews/2\tcopy\n")
    (cwd / "words.idf.gz").write_bytes(gzip.compress(b"mine"))
    (cwd / "empty.tsv").write_text("\n")
    (cwd / "strange.tsv").write_text("news/1\tnews/2\tsame\n")
    (cwd / "gone.tsv").write_text("gone\tnews/2\tcopy\n")
    (cwd / "bad.toml").write_text("bits = 65\n")
    (cwd / "good.jsonl").write_text('{"id": "one", "text": "雷同"}\n')
    return cwd


@pytest.mark.parametrize(
    ("command", "goes_on"),
    [
        (("index", "good.jsonl", "-i", NOBODY), True),
        (("report", "-o", "re", "-i", NOBODY), True),
        (("search", "x", "-i", NOBODY), False),
        (("attach", NOBODY, "--text-field", "body"), False),
    ],
    ids=str,
)
def test_an_interrupted_run_is_spoken_of_where_there_may_be_one(
    place: Path, command: tuple[str, ...], goes_on: bool
) -> None:
    sentence = here(*command, cwd=place).sentence
    assert f"Cannot reach {NOBODY}" in sentence
    assert ("--resume" in sentence) == goes_on
    assert "leitong index" not in sentence


@pytest.mark.parametrize(
    ("command", "goes_on"),
    [
        (("index", "good.jsonl", "-i", "full"), True),
        (("report", "-i", "mine", "-o", "full-report"), True),
        (("evaluate", "pairs.tsv", "-i", "mine", "-o", "full.html"), False),
    ],
    ids=str,
)
def test_a_full_disk_speaks_of_resuming_where_the_command_can(
    place: Path, command: tuple[str, ...], goes_on: bool
) -> None:
    """It named --resume for every command."""
    with files_up_to(99):
        ran = here(*command, cwd=place)
    assert ran.code == 2
    assert "The disk is full: free some space" in ran.err
    assert ("--resume" in ran.err) == goes_on


@pytest.mark.parametrize(
    ("command", "how"),
    [
        (("index", "good.jsonl", "--index", "{}"), " An interrupted run goes on with --resume."),
        (("attach", "{}", "--text-field", "body"), " An interrupted run goes on when the same is run again."),
        (("dedupe", "report", "--yes", "--index", "{}"), " An interrupted run goes on when the same is run again."),
        (("search", "x", "--index", "{}"), ""),
    ],
    ids=str,
)
def test_where_nobody_answers_it_is_said_how_to_go_on(place: Path, command: tuple[str, ...], how: str) -> None:
    """Whoever had attached half of an index, or marked half of the duplicates, read only that the server is away."""
    assert here("report", "-i", "mine", "-o", "report", "--format", "jsonl", cwd=place).code == 0
    sentence = here(*(part.format("http://127.0.0.1:1/x") for part in command), cwd=place).sentence
    assert sentence.endswith(f"Check that the server runs and the address is right.{how}")


def test_what_a_fingerprint_is_wanted_of_may_be_on_stdin(place: Path) -> None:
    sentence = here("fingerprint", "unknown.xyz", cwd=place).sentence
    assert "name - and add < unknown.xyz" in sentence and "leitong" not in sentence
    ran = here("fingerprint", "--workers", "1", cwd=place, input="")
    assert (ran.code, ran.err) == (2, "stdin: it is empty\n1 record without a fingerprint.\n")


def test_fingerprint_and_train_say_what_of_a_source_they_do_not_read(tmp_path: Path) -> None:
    """A title field that no record has was no title in silence, and `recipe train` left records out without a word."""
    good = '{"id": "1", "headline": "通车", "text": "大桥通车"}\n{"id": "2", "text": "大桥通车了"}\n'
    (tmp_path / "some.jsonl").write_text(good + "{not json}\n")
    (tmp_path / "corpus").mkdir()
    for name in ("one.txt", "two.txt", "three.pdf"):
        (tmp_path / "corpus" / name).write_text("大桥今天通车。")
    ran = here("fingerprint", "some.jsonl", "--title-field", "titel", cwd=tmp_path)
    assert (ran.code, ran.out.count("\n")) == (0, 2)
    assert "has a field 'titel' (--title-field)" in ran.err
    ran = here("recipe", "train", "some.jsonl", "corpus", "-o", "mine.toml", cwd=tmp_path)
    assert ran.code == 0
    assert "words of 4 documents counted" in ran.err
    assert "some.jsonl, line 3: the line is not JSON" in ran.err
    assert "1 record left out." in ran.err
    assert "1 file in corpus left out" in ran.err


@pytest.mark.parametrize("command", CASES, ids=" ".join)
def test_one_sentence(place: Path, command: tuple[str, ...]) -> None:
    sentence = here(*command, cwd=place).sentence
    for part in CASES[command]:
        assert part in sentence
    assert "\n" not in sentence
    assert (place / "foreign" / "photo.jpg").read_bytes() == b"\xff"
    assert not (place / "new").exists()  # what cannot be done leaves nothing behind


def test_the_same_from_the_console_script(place: Path) -> None:
    commands = (("similar", "weather", "-i", "mine", "--radius", "16"), ("nonsense",))
    for command, ran in zip(commands, run_all(commands, cwd=place), strict=True):
        assert all(part in ran.sentence for part in CASES.get(command, ()))


def test_bytes_that_are_no_text_as_arguments(articles: Made) -> None:
    assert "nobody" not in articles("get", b"caf\xe9").sentence
    assert "UTF-8" in articles("search", b"caf\xe9 \xff", "--json").sentence


def test_a_read_only_folder(articles: Made, tmp_path: Path) -> None:
    """Root may write anywhere, so the place that cannot be written is /proc."""
    (tmp_path / "good.jsonl").write_text('{"id": "one", "text": "雷同"}\n')
    sentence = here("index", "good.jsonl", "-i", "/proc/leitong", cwd=tmp_path).sentence
    assert "/proc/leitong" in sentence


@pytest.mark.slow
def test_a_full_disk_under_the_answer(articles: Made) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [SCRIPT, "get", "weather", "-i", "ix"],
            cwd=articles.cwd,
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
        )
    said = done.stderr.decode()
    assert done.returncode == 2
    assert "No space left" in said
    assert "should not happen" not in said
    assert "Traceback" not in said
