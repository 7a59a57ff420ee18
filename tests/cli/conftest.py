"""Indexes that several tests read. Nobody writes to them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.corpus import ARTICLES, RECORDS
from tests.cli.running import Made, here, run, write_jsonl

Shared = Callable[[str], Path]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The sample, indexed by `leitong demo`."""
    cwd = tmp_path_factory.mktemp("demo")
    return Made(cwd, "leitong-demo", run("demo", cwd=cwd))


@pytest.fixture(scope="session")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A few articles made for questions, duplicates marked."""
    cwd = tmp_path_factory.mktemp("articles")
    write_jsonl(cwd / "articles.jsonl", ARTICLES)
    return Made(cwd, "ix", here("index", "articles.jsonl", "-i", "ix", "--on-duplicate", "mark", "--json", cwd=cwd))


@pytest.fixture(scope="session")
def messy(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Records of every wrong and every odd kind in one file."""
    cwd = tmp_path_factory.mktemp("messy")
    write_jsonl(cwd / "messy.jsonl", [record.line for record in RECORDS])
    return Made(cwd, "ix", here("index", "messy.jsonl", "-i", "ix", "--json", cwd=cwd))
