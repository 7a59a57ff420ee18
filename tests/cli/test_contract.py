"""The shapes that people's scripts rely on: the contract of docs/cli.md."""

import json
import os
import re
from pathlib import Path
from threading import Thread

import pytest

from tests.cli.corpus import WIRE
from tests.cli.running import Made, here

DOCUMENT = ["id", "title", "text", "metadata", "fingerprint", "digest", "cluster", "duplicate_of"]
INFO = [
    "index",
    "engine",
    "engine_version",
    "documents",
    "size_bytes",
    "format",
    "recipe",
    "recipe_id",
    "bits",
    "created",
    "attached",
]


def test_every_answer_has_the_same_name_for_an_index(articles: Made, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("news/1\tnews/2\tcopy\n")
    source = str(articles.cwd / "articles.jsonl")
    said = [
        here(*words, "--index", "./ix", "--json", cwd=tmp_path).json["index"]
        for words in (("index", source), ("info",), ("report",), ("evaluate", "pairs.tsv"))
    ]
    assert said == ["ix"] * 4


def test_index_says_what_became_of_the_records(articles: Made) -> None:
    answer = articles.ran.json
    assert list(answer) == ["index", "indexed", "unchanged", "duplicates", "rejected", "rejects", "seconds"]
    assert (answer["index"], answer["indexed"], answer["rejected"], answer["rejects"]) == ("ix", 12, 0, None)
    assert "12 documents indexed into ix" in articles.ran.err


def test_a_search_answers_with_hits_and_their_duplicates(articles: Made) -> None:
    ran = articles("search", "图书馆", "--json")
    assert list(ran.json) == ["total", "took_ms", "hits"]
    assert ran.json["total"] == len(ran.json["hits"]) == 3
    for hit in ran.json["hits"]:
        assert list(hit) == ["id", "score", "title", "snippet", "duplicates"]
        assert isinstance(hit["score"], float)
        assert hit["duplicates"] == 2
        assert "<em>图书馆</em>" in hit["snippet"]
    assert "3 documents match" not in ran.out


def test_similar_by_id_file_and_stdin(articles: Made) -> None:
    (articles.cwd / "wire.txt").write_text(WIRE, encoding="utf-8")
    by_id = articles("similar", "news/1", "--json").json
    by_file = articles("similar", "--text", "wire.txt", "--json").json
    by_stdin = here("similar", "--text", "-", "-i", "ix", "--json", cwd=articles.cwd, input=WIRE).json
    for answer in (by_id, by_file, by_stdin):
        assert list(answer) == ["id", "radius", "candidates", "total", "matches"]
        assert answer["radius"] == 3
        assert answer["total"] <= answer["candidates"]
        for match in answer["matches"]:
            assert [name for name in match if name != "duplicate_of"] == [
                "id",
                "title",
                "distance",
                "similarity",
                "kind",
            ]
            assert match["kind"] in ("exact", "near", "partial")
            assert 0 <= match["similarity"] <= 1
    assert by_id["id"] == "news/1"
    assert by_file["id"] is None
    best = by_id["matches"][0]
    assert (best["id"], best["kind"]) == ("news/2", "exact")
    assert {match["id"] for match in by_id["matches"]} == {"news/2", "news/3"}
    assert {match["id"] for match in by_file["matches"]} == {"news/1", "news/2", "news/3"}
    assert [match["id"] for match in by_stdin["matches"]] == [match["id"] for match in by_file["matches"]]


def test_similar_shows_marks_and_folds_them(articles: Made) -> None:
    plain, folded = (articles("similar", "wide", *options, "--json").json for options in ((), ("--fold",)))
    assert all("duplicate_of" not in match for match in plain["matches"])
    assert list(folded) == ["id", "radius", "candidates", "total", "folded", "matches"]
    own = articles("similar", "news/1", "--json").json
    assert {match["id"]: match.get("duplicate_of") for match in own["matches"]}["news/2"] == "news/1"
    told = articles("similar", "news/1", "--fold", "--json").json
    assert "news/2" not in {match["id"] for match in told["matches"]}
    assert told["total"] + told["folded"] == own["total"]
    assert "(duplicate of news/1)" in articles("similar", "news/1").out
    assert "Folded away: " in articles("similar", "news/1", "--fold").err


def test_folding_without_marks_says_that_nothing_is_marked(tmp_path: Path) -> None:
    (tmp_path / "two.jsonl").write_text('{"id":"a","text":"市图书馆延长开放"}\n{"id":"b","text":"今天多云"}\n')
    here("index", "two.jsonl", cwd=tmp_path)
    for command in (("search", "图书馆"), ("similar", "a")):
        assert "no document is marked" in here(*command, "--fold", cwd=tmp_path).err
        assert "marked" not in here(*command, cwd=tmp_path).err


def test_similar_limit_radius_and_least_similarity(articles: Made) -> None:
    ran = articles("similar", "news/1", "--limit", "1", "--radius", "15", "--min-similarity", "0", "--json")
    assert len(ran.json["matches"]) == 1 < ran.json["total"]
    assert ran.json["total"] == ran.json["candidates"]  # at 0 every candidate matches
    assert ran.json["radius"] == 15
    assert "--limit shows more" in ran.err


def test_a_document_is_shown_with_its_fingerprint_and_its_mark(articles: Made) -> None:
    first, second = (articles("get", name, "--json").json for name in ("news/1", "news/2"))
    assert list(first) == list(second) == DOCUMENT
    assert first["text"] == WIRE
    assert first["metadata"] == {"category": "local", "tags": ["图书馆", "culture"]}
    assert re.fullmatch("[0-9a-f]{16}", first["fingerprint"])
    assert first["digest"] == second["digest"]
    assert (first["cluster"], first["duplicate_of"]) == ("news/1", None)
    assert (second["cluster"], second["duplicate_of"]) == ("news/1", "news/1")
    assert 'tags: ["图书馆", "culture"]' in articles("get", "news/1").out.splitlines()


def test_info_says_the_recipe(articles: Made) -> None:
    answer = articles("info", "--json").json
    assert list(answer) == INFO
    assert (answer["engine"], answer["documents"], answer["bits"]) == ("embedded", 12, 64)
    assert answer["recipe_id"] == here("recipe", "show", "--json", cwd=articles.cwd).json["id"]


def test_compare_two_several_and_files(articles: Made) -> None:
    (articles.cwd / "a.txt").write_text("第一句话。第二句话一样。", encoding="utf-8")
    (articles.cwd / "b.txt").write_text("另外一句话。第二句话一样。", encoding="utf-8")
    two = articles("compare", "news/1", "news/3", "--json")
    several = articles("compare", "news/1", "news/2", "weather", "--json")
    files = here("compare", "--files", "a.txt", "b.txt", "--json", cwd=articles.cwd)
    keys = "a b distance bits similarity share_a share_b kind series heaviest_a heaviest_b shared only_a only_b diff"
    assert list(two.json) == list(files.json) == keys.split()
    assert (two.json["a"], two.json["b"], two.json["kind"]) == ("news/1", "news/3", "near")
    assert two.json["share_a"] > two.json["share_b"]
    changes = files.json["diff"]
    assert {change["where"] for change in changes} == {"a", "b", "both"}
    assert "".join(one["text"] for one in changes if one["where"] != "b") == "第一句话。第二句话一样。"
    assert (
        "".join(one.get("text_b", one["text"]) for one in changes if one["where"] != "a")
        == "另外一句话。第二句话一样。"
    )
    assert list(several.json) == ["ids", "measures"]
    assert {"distance", "similarity", "cosine", "jaccard"} <= set(several.json["measures"])
    for rows in several.json["measures"].values():
        assert len(rows) == 3
        for i in range(3):
            assert [round(rows[i][j] - rows[j][i], 9) for j in range(3)] == [0, 0, 0]
    assert several.json["measures"]["distance"][0][0] == 0


def test_compare_says_why_so_much_in_common_is_no_match(tmp_path: Path) -> None:
    for name, number in (("a.txt", 1200), ("b.txt", 1300)):
        (tmp_path / name).write_text(f"第一季度的销售额是 {number} 万元，比去年同期增长了百分之五。", encoding="utf-8")
    told = here("compare", "--files", "a.txt", "b.txt", cwd=tmp_path).out.splitlines()
    assert "(no match)" in told[0]
    assert told[2].endswith("taken for two of a series, no match")
    assert here("compare", "--files", "a.txt", "b.txt", "--json", cwd=tmp_path).json["series"] is True


def test_compare_explains(articles: Made) -> None:
    first, second = "第一段话说的是通车。", "后面一段话讲的是车程。"
    (articles.cwd / "c.txt").write_text(first + second, encoding="utf-8")
    (articles.cwd / "d.txt").write_text(second + first.replace("。", "！"), encoding="utf-8")
    answer, shown = (
        here("compare", "--files", "c.txt", "d.txt", "--bits", *json, cwd=articles.cwd) for json in (("--json",), ())
    )
    assert [list(change) for change in answer.json["diff"]] == [
        ["where", "text", "moved"],
        ["where", "text"],
        ["where", "text", "moved"],
    ]
    assert len(answer.json["each_bit"]) == answer.json["bits"]
    assert sum(bit["a"] != bit["b"] for bit in answer.json["each_bit"]) == answer.json["distance"]
    assert sum(set(line) <= set("b0123 AB") for line in shown.out.splitlines()) == 8, "four blocks of two fingerprints"
    assert "\n<1 " in shown.out and "\n>1 " in shown.out
    assert "the same number is the same passage" in shown.err


def test_fingerprint_needs_no_index(articles: Made) -> None:
    records = '{"id": "tab\\tnew\\nline", "text": "雷同"}\n{"id": "二", "text": "一样的话"}\n'
    lines, bits, values = (
        here("fingerprint", "-", "--workers", "1", *options, cwd=articles.cwd, input=records)
        for options in ((), ("--binary", "--recipe", "standard-32"), ("--json",))
    )
    names, digits = zip(*(line.split("\t") for line in lines.out.splitlines()), strict=True)
    assert names == ("tab\\tnew\\nline", "二")
    assert all(re.fullmatch("[0-9a-f]{16}", value) for value in digits)
    assert all(re.fullmatch("[01]{32}", line.split("\t")[1]) for line in bits.out.splitlines())
    parsed = [json.loads(line) for line in values.out.splitlines()]
    assert [list(value) for value in parsed] == [["id", "fingerprint"]] * 2
    assert [value["fingerprint"] for value in parsed] == list(digits)


def test_words_with_weights(articles: Made) -> None:
    lines = "中国^2 知乎^1 读者^2\n\n中国^2 世界 读者^2\n中国^2 世界^1 读者^2\n"
    options = ("--format", "weighted", "--recipe", "murmur2-32")
    printed = here("fingerprint", *options, "--binary", cwd=articles.cwd, input=lines)
    assert printed.out.splitlines() == ["1\t11100001001111110100001000101101", "4\t11111111001011010110111101100000"]
    assert "line 3: the weight of '世界' is missing; write word^weight" in printed.err
    (articles.cwd / "words.any").write_text(lines.splitlines()[0], encoding="utf-8")
    assert here("fingerprint", "words.any", *options, cwd=articles.cwd).out == "1\te13f422d\n"
    assert here("fingerprint", *options, cwd=articles.cwd, input="a^b\n").code == 2
    assert "no --format 'xml'" in here("fingerprint", "--format", "xml", cwd=articles.cwd, input="").sentence
    assert "no file 'absent'" in here("fingerprint", "absent", *options, cwd=articles.cwd).sentence
    assert "no fields" in here("fingerprint", *options, "--id-field", "id", cwd=articles.cwd, input="").sentence


def test_two_texts_as_a_matrix(articles: Made) -> None:
    for name in ("a", "b"):
        (articles.cwd / f"{name}.txt").write_text(f"{name} 降准有利于企业", encoding="utf-8")
    found = here("compare", "a.txt", "b.txt", "--files", "--matrix", "--json", cwd=articles.cwd).json
    assert [len(rows) for rows in found["measures"].values()] == [2] * 6
    fifty = here("compare", "a.txt", "b.txt", "--files", "--recipe", "wang2016-50", "--json", cwd=articles.cwd).json
    assert fifty["bits"] == 50


def test_no_blanks_at_the_end_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("降准 有利于 企业\n", encoding="utf-8")
    lines = here("compare", "a.txt", "a.txt", "--files", cwd=tmp_path).out.splitlines()
    assert "only A" in lines and "only B" in lines


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_a_pipe_is_compared_like_a_file(tmp_path: Path, encoding: str) -> None:
    text = "新京报讯（记者 刘玮）10月30日，据香港媒体报道，武侠小说泰斗金庸逝世，享年94岁。"
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    writer = Thread(target=(tmp_path / "pipe").write_bytes, args=(text.encode(encoding),))
    writer.start()
    assert here("compare", "--files", "pipe", "a.txt", "--json", cwd=tmp_path).json["kind"] == "exact"
    writer.join()
    by_stdin = here("compare", "--files", "-", "a.txt", "--json", cwd=tmp_path, input=text.encode(encoding))
    assert by_stdin.json["kind"] == "exact"


def test_recipe_list_and_show(articles: Made) -> None:
    listed = here("recipe", "list", "--json", cwd=articles.cwd)
    shown = here("recipe", "show", "chars", "--json", cwd=articles.cwd)
    assert [list(one) for one in listed.json] == [["name", "purpose", "default"]] * len(listed.json)
    assert [one["name"] for one in listed.json if one["default"]] == ["standard"]
    assert list(shown.json)[:3] == ["id", "name", "segmenter"]
    assert re.fullmatch("[0-9a-f]{16}", shown.json["id"])


def test_duplicates_may_fail_a_pipeline(articles: Made) -> None:
    failed = articles("report", "-o", "failing", "--fail-on-duplicates", "--json")
    assert failed.code == 1
    assert failed.json["pairs"] > 0
    assert articles("report", "-o", "passing", "--fail-on-duplicates", "--min-similarity", "1").code == 1  # exact ones


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("report", "--cluster", "ring"), "--cluster takes connected, star; 'ring' is none of them"),
        (("report", "--keep", "oldest"), "--date-field must name the metadata field with the date"),
        (("report", "--partition", "5/4"), "--partition 5/4 is none: it takes I/N, I from 1 to N"),
        (("report", "--partition", "0/4"), "--partition 0/4 is none"),
        (("search", "大桥", "--size", "1000000"), "--size must be 0 to"),
        (("similar", "news/1", "--metadata-field", "tags", "--min-score", "2"), "--min-score must be 0 to 1"),
    ],
)
def test_an_argument_that_is_refused_is_named_as_an_option(articles: Made, words: tuple[str, ...], said: str) -> None:
    assert here(*words, "-i", articles.index, cwd=articles.cwd).sentence.startswith(said)
