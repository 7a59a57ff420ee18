"""What is loaded for a fingerprint: no more than it needs, and what others load is left as it is."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from leitong.indexer.fingerprint.compiled import compiled, told_of_compiling
from tests.full_disk import files_up_to

FINGERPRINT = """
from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.fingerprint.simhash import Fingerprinter
print(Fingerprinter(load("standard")).one("他来到了网易杭研大厦"))
"""
OTHERS = {
    "linear algebra": "import scipy.linalg\n",
    "rjieba with words of its own": "import rjieba\nrjieba.Jieba().add_word('来到了', 1_000_000, 'n')\n",
    "the shared rjieba with words of its own": (
        "import rjieba\nrjieba._DEFAULT_JIEBA.add_word('来到了网易', 1_000_000, 'n')\nassert '来到了网易' in "
        "rjieba.cut('他来到了网易')\n"
    ),
}


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def alone() -> list[str]:
    """The fingerprint, and the modules that are loaded for it."""
    return run(FINGERPRINT + "import sys\nprint(*sys.modules)").splitlines()


def test_a_fingerprint_needs_no_linear_algebra(alone: list[str]) -> None:
    assert "scipy" not in alone[1].split()


def test_nor_does_it_load_the_shared_cutter(alone: list[str]) -> None:
    modules = alone[1].split()
    assert "rjieba" not in modules and "rjieba.rjieba" in modules


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
def test_what_others_load_changes_no_fingerprint(other: str, alone: list[str]) -> None:
    assert run(OTHERS[other] + FINGERPRINT).splitlines() == alone[:1]


@pytest.mark.slow
def test_linear_algebra_is_there_for_others_afterwards() -> None:
    program = "import numba, numpy\nprint(numba.njit(lambda a: numpy.cov(a) + a @ a)(numpy.eye(2)).tolist())"
    assert run(FINGERPRINT + program).splitlines()[-1] == run(program).strip()


@pytest.mark.slow
def test_and_so_is_rjieba() -> None:
    cut = "import rjieba\nprint(rjieba.cut('他来到了网易'), rjieba.Jieba().cut('他来到了网易'))"
    assert run(FINGERPRINT + cut).splitlines()[-1] == run(cut).strip()


def test_what_has_to_be_compiled_is_told_once() -> None:
    told: list[None] = []
    twice, half = numba.njit(lambda number: number * 2), numba.njit(lambda number: number // 2)
    with told_of_compiling(lambda: told.append(None)):
        assert not told
        assert twice(2) == 4 and half(2) == 1
        assert len(told) == 1
    with told_of_compiling(lambda: told.append(None)):
        assert twice(3) == 6, "it is there already"
    assert twice(2.5) == 5.0, "nobody listens"
    assert len(told) == 1


def test_a_full_disk_keeps_no_machine_code_and_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "loops.py").write_text("def twice(number):\n    return number * 2\n")
    spec = importlib.util.spec_from_file_location("loops", tmp_path / "loops.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with files_up_to(99):
        assert compiled(module.twice)(2) == 4
    assert not list(tmp_path.rglob("*.nbc"))
    assert compiled(module.twice)(3) == 6
    assert list(tmp_path.rglob("*.nbc"))


def test_what_computes_nothing_loads_no_compiler() -> None:
    """`leitong get` and `info` open an index, and a second's worth of numba would be the longest part of them."""
    assert "numba" not in run("import leitong.indexer.library\nimport sys\nprint(*sys.modules)").split()
