"""Iterators and threads: what is found comes in order, none runs far ahead, and errors arrive."""

import threading
from collections.abc import Iterator
from itertools import count, islice

import pytest

from leitong.indexer.threads import Held, in_order, with_pauses

WAIT = 60.0


def test_items_taken_out_early_come_in_their_order() -> None:
    held = Held(iter(range(10)), most=3)
    assert next(held) == 0
    assert held.during(lambda: "done") == "done"
    assert list(held) == list(range(1, 10))
    assert held.during(lambda: "done again") == "done again"


def test_no_more_are_held_than_allowed() -> None:
    taken: list[int] = []
    full, seen = threading.Event(), threading.Event()

    def items() -> Iterator[int]:
        for number in count():
            taken.append(number)
            if len(taken) == 4:
                full.set()
            yield number

    def task() -> None:
        assert full.wait(WAIT)
        seen.wait(0.2)  # time in which more could be taken

    held = Held(items(), most=4)
    held.during(task)
    assert taken == [0, 1, 2, 3]
    assert list(islice(held, 6)) == list(range(6))


def test_an_error_of_the_task_arrives_and_nothing_is_lost() -> None:
    held = Held(iter(range(5)), most=2)
    with pytest.raises(ZeroDivisionError):
        held.during(lambda: 1 // 0)
    assert list(held) == list(range(5))


def test_an_error_of_the_items_arrives_after_the_task_is_done() -> None:
    begun, done = threading.Event(), threading.Event()

    def items() -> Iterator[int]:
        yield 1
        assert begun.wait(WAIT)
        raise KeyError("source")

    def task() -> None:
        begun.set()
        done.wait(0.2)
        done.set()

    with pytest.raises(KeyError, match="source"):
        Held(items(), most=9).during(task)
    assert done.is_set()


class TestInOrder:
    def test_what_is_computed_later_first_waits_for_its_turn(self) -> None:
        last = threading.Event()

        def compute(number: int) -> int:
            if number == 0:
                assert last.wait(WAIT)
            elif number == 3:
                last.set()
            return number * number

        assert list(in_order(range(20), compute, threads=4)) == [number * number for number in range(20)]

    def test_few_are_taken_ahead_of_what_is_asked_for(self) -> None:
        taken: list[int] = []
        found = in_order((taken.append(number) or number for number in count()), str, threads=2)
        assert [next(found) for _ in range(3)] == ["0", "1", "2"]
        found.close()
        assert len(taken) <= 3 + 4 * 2

    def test_an_error_comes_in_its_turn_and_what_has_not_begun_is_left(self) -> None:
        begun: list[int] = []

        def compute(number: int) -> int:
            begun.append(number)
            return 6 // (2 - number)

        found = in_order(range(100), compute, threads=1)
        assert [next(found), next(found)] == [3, 6]
        with pytest.raises(ZeroDivisionError):
            next(found)
        assert len(begun) < 10


class TestPauses:
    def test_everything_comes_in_order_and_pauses_are_told(self) -> None:
        told = threading.Event()

        def items() -> Iterator[int]:
            yield from range(100)
            assert told.wait(WAIT)
            yield 100

        found: list[int] = []
        for one in with_pauses(items, seconds=0.05):
            if one is None and len(found) == 100:
                told.set()
            elif one is not None:
                found.append(one)
        assert found == list(range(101))
        assert told.is_set()

    def test_an_error_arrives_behind_what_came_before_it(self) -> None:
        def items() -> Iterator[int]:
            yield 1
            raise KeyError("source")

        paused = with_pauses(items, seconds=WAIT)
        assert next(paused) == 1
        with pytest.raises(KeyError, match="source"):
            next(paused)

    def test_few_are_taken_ahead_and_none_after_the_end(self) -> None:
        taken: list[int] = []

        def items() -> Iterator[int]:
            for number in count():
                taken.append(number)
                yield number

        paused = with_pauses(items, seconds=WAIT)
        assert list(islice(paused, 3)) == [0, 1, 2]
        paused.close()
        (reader,) = [thread for thread in threading.enumerate() if thread.name == "leitong-read"]
        reader.join(WAIT)
        assert not reader.is_alive()
        assert len(taken) < 20
