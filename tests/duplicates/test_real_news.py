"""Two thousand web pages as scraped, adverts and footers included: report and similar say the same."""

import gzip
from itertools import islice
from pathlib import Path

import orjson
import pytest

from leitong.indexer.documents import Document
from leitong.indexer.library import Index
from tests.duplicates.agreement import assert_agree
from tests.duplicates.collection import make


@pytest.mark.slow
def test_report_and_similar_agree_on_real_news(data: Path, tmp_path: Path) -> None:
    with gzip.open(data / "zh-webnews-2018" / "docs.jsonl.gz") as lines:
        records = [orjson.loads(line) for line in islice(lines, 2000)]
    documents = [Document(record["id"], record["text"], record.get("title") or "") for record in records]
    with Index(make(tmp_path / "index", documents, parts=2)) as index:
        report = assert_agree(index)
        assert report.documents == 2000
        assert len(report.pairs) > 20
