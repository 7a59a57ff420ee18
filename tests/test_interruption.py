"""Ctrl-C is known for what it is, wherever it comes."""

import pytest

from leitong.indexer.errors import is_interruption


def wrapped(error: BaseException, times: int) -> BaseException:
    """As a compiled loop raises it, and the loop that unpacks its arguments."""
    for _ in range(times):
        try:
            raise SystemError("returned a result with an exception set") from error
        except SystemError as outer:
            error = outer
    return error


@pytest.mark.parametrize("times", range(4))
def test_an_interruption_is_one_however_it_is_wrapped(times: int) -> None:
    assert is_interruption(wrapped(KeyboardInterrupt(), times))


@pytest.mark.parametrize("error", [SystemError("x"), ValueError("x"), wrapped(ValueError("x"), 2)])
def test_what_is_no_interruption(error: BaseException) -> None:
    assert not is_interruption(error)
