"""The rebuilt experiments: copies by the fixed procedure, how finds are counted, a page that is what was measured."""

import re
from pathlib import Path
from random import Random

import numpy as np
import pytest
from benchmarks.papers import hot, page
from benchmarks.papers.baselines import i_match, sampled_shingles, single_pass
from benchmarks.papers.copies import HARD, USUAL, Copier, sentences
from benchmarks.papers.corpora import Distinct
from benchmarks.papers.trial import of_pairs

from leitong.indexer.documents import Document
from leitong.indexer.fingerprint.idf import jieba_table
from leitong.indexer.fingerprint.recipe import load

ROOT = Path(__file__).parent.parent
TEXT = "".join(
    f"第{number}条：县级以上地方人民政府应当加强对{place}的保护，并将所需经费列入本级预算。"
    for number, place in enumerate(
        ["湿地", "森林", "草原", "河流", "湖泊", "海洋", "文物", "古树", "耕地", "水源"] * 10
    )
)
SEED = Document("s", TEXT, "保护条例")


def test_the_page_says_what_was_measured() -> None:
    for name in page.PAGES:
        assert (ROOT / "docs" / name).read_text("utf-8") == page.page(page.load(), name)
    for name, picture in page.pictures(page.load()).items():
        assert (ROOT / "docs" / "images" / f"papers-{name}.svg").read_text("utf-8") == picture + "\n"


def test_sentences_are_the_text() -> None:
    assert "".join(sentences(TEXT)) == TEXT
    assert len(sentences(TEXT)) == 100


def test_copies_keep_about_as_much_as_the_setting_says() -> None:
    for setting in (USUAL, HARD):
        seed, *copies = Copier([SEED], setting, Random(1)).copies(SEED)
        assert seed == SEED and len(copies) == 4
        kept = [len(re.findall(r"第\d+条|列入本级预算", copy.text)) for copy in copies]
        assert all(len(copy.text.split("\n")) == 3 for copy in copies), "boilerplate before and behind"
        assert max(kept) < 200 and min(kept) > 200 * (1 - setting.drop - 2 * setting.replace) - 40
    again = Copier([SEED], HARD, Random(1)).copies(SEED)
    assert again == Copier([SEED], HARD, Random(1)).copies(SEED), "the same every time"


def test_documents_that_share_sentences_or_runs_of_letters_are_not_taken() -> None:
    seen = Distinct()
    assert seen.take(SEED)
    assert not seen.take(SEED)
    assert not seen.take(Document("short", "一句话。"))
    no_sentence_is_the_same = TEXT.replace("。", "，此处有改。")
    assert not seen.take(Document("edited", no_sentence_is_the_same))
    assert seen.take(
        Document("other", "".join(f"第{place}天，图书馆来了{place * 37}位读者，借出{place}册。" for place in range(30)))
    )


def test_finds_are_counted_by_documents() -> None:
    groups = np.array([0, 0, 1, 1, -1, -1])
    found = of_pairs(groups, [0, 2, 4], [1, 4, 5])
    assert (found.similar, found.found, found.reported, found.pairs, found.pairs_right) == (4, 2, 5, 3, 1)
    assert (found.precision, found.recall) == (0.4, 0.5)


def test_the_baselines_find_what_they_are_made_for() -> None:
    other = Document("other", "市图书馆从下月起延长开放时间，周末不休息。" * 5)
    documents = [SEED, Document("same", TEXT, SEED.title), other]
    assert i_match(documents, load("standard"), jieba_table(), keep=(0.25, 0.75)).tolist() == [[0, 1]]
    assert sampled_shingles(documents, (0.5,))[0.5].tolist() == [[0, 1]]
    values = np.array([0, 1, 7, 0xFF00, 0xFF01], dtype=np.uint64)
    assert single_pass(values, 3) == 2
    assert single_pass(values, 0) == 5


@pytest.mark.slow
def test_ways_to_ask_a_hot_bucket_miss_nothing_and_are_counted() -> None:
    """`measured` fails where a way misses what is within 3 bits."""
    random = Random(3)
    template = [0xABCD << 48 | random.getrandbits(48) for _ in range(2_000)]
    near = [one ^ 1 << random.randrange(48) ^ 1 << random.randrange(48) for one in template[:500]]
    values = np.unique(np.array([*template, *near, *(random.getrandbits(64) for _ in range(2_000))], dtype=np.uint64))
    found = hot.measured(values)
    assert found.hottest_bucket >= 2_400
    assert found.of_the_hottest["blocks"] == found.hottest_bucket
    for way in ("another", "folder"):
        assert found.of_the_hottest["within"] <= found.of_the_hottest[way]
    assert found.cut["paper"] > 10 and found.cut["folder"] > 10, "its other bits are random"
    hottest = found.hottest_bucket * (found.hottest_bucket - 1) // 2
    assert hottest <= found.batch["blocks"] < 1.1 * hottest
    assert found.batch["paper"] * 10 < found.batch["blocks"]
