"""How long a person waits for `leitong --help`, and for the smallest answers."""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.measure import Figure, Options, finish, options, seconds

_SCRIPT = Path(sys.executable).parent / "leitong"
_COMMANDS = {"--help": ["--help"], "recipe list": ["recipe", "list"], "info (no index)": ["info", "-i", "nothing-here"]}


def measure(chosen: Options) -> None:
    """Measure and write the result."""
    with tempfile.TemporaryDirectory() as folder:

        def start(arguments: list[str]) -> float:
            return seconds(lambda: subprocess.run([_SCRIPT, *arguments], cwd=folder, capture_output=True, check=False))

        start(["--help"])
        rounds = max(3, int(21 * chosen.scale))
        taken = {name: [start(arguments) for _ in range(rounds)] for name, arguments in _COMMANDS.items()}
    finish(
        "startup",
        [Figure("leitong --help, median", median(taken["--help"]), 0.3, False, "s")],
        {"median_seconds": {name: round(median(times), 3) for name, times in taken.items()}, "seconds": taken},
        chosen,
    )


if __name__ == "__main__":
    measure(options(__doc__))
