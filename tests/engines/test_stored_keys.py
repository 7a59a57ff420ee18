"""How a text's keys stand in an index: 42 bits of each, for ever the same."""

import numpy as np
import orjson
import pytest

from leitong.indexer.documents import Document
from leitong.indexer.engines.base import KEY_BITS, stored_keys
from leitong.indexer.engines.embedded.schema import MARKED, duplicate_key
from leitong.indexer.engines.server.stored import encode, key_texts
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.prepare import Preparer

DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
TEXT = "港珠澳大桥今天正式通车，全长55公里，是世界上最长的跨海大桥。"


def spelled(key: int) -> str:
    return "".join(DIGITS[key >> shift & 63] for shift in range(0, 42, 6))


def test_stored_keys_never_change() -> None:
    assert key_texts([0, 1, 64, 0x0123_4567_89AB_CDEF, 2**64 - 1]) == [
        "-------",
        "0------",
        "-0-----",
        "jrwe8TL",
        "zzzzzzz",
    ]
    assert key_texts([]) == []


def test_on_servers_they_are_seven_digits_of_base_64() -> None:
    keys = np.random.default_rng(1).integers(0, 2**64, 2_000, dtype=np.uint64)
    assert key_texts(keys) == [spelled(key) for key in keys.tolist()]


def test_every_bit_that_is_stored_counts_and_no_other() -> None:
    key = 0x0123_4567_89AB_CDEF
    others = {key_texts([key ^ 1 << bit])[0] for bit in range(KEY_BITS)}
    assert len(others) == KEY_BITS
    assert key_texts([key])[0] not in others
    assert stored_keys([key ^ 1 << bit for bit in range(KEY_BITS, 64)]).tolist() == [key % 2**KEY_BITS] * (
        64 - KEY_BITS
    )


def test_the_document_of_a_server_holds_them() -> None:
    (entry,) = Preparer(load("standard")).entries([Document("1", TEXT)])
    assert len(entry.keys) > 10
    source = orjson.loads(encode(entry, bits=64, recipe_id="r"))
    assert source["leitong"]["sketch"] == key_texts(entry.keys)


@pytest.mark.parametrize("original", ["", "1", "文章", "\ud800"])
def test_in_a_folder_no_text_has_a_key_that_means_something_else(original: str) -> None:
    largest = int(stored_keys([2**64 - 1])[0])
    assert largest < MARKED < duplicate_key(original) < 2**63
