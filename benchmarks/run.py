"""`make bench`: every benchmark in turn, each in a process of its own, one table of all figures, and docs/speed.md."""

import json
import subprocess
import sys

from benchmarks import speed_page
from benchmarks.measure import RESULTS, SKIPPED, Figure, options, table


def main() -> int:
    """Run them all; returns 1 when one of them failed, not when a target was missed."""
    chosen = options(__doc__)
    figures: list[Figure] = []
    skipped: list[str] = []
    failed: list[str] = []
    for name in speed_page.BENCHMARKS:
        print(f"{name} …", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}"]
        command += ["--scale", str(chosen.scale), "--results", str(chosen.results)]
        code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if code:
            (skipped if code == SKIPPED else failed).append(name)
            continue
        result = json.loads((chosen.results / f"{name}.json").read_text(encoding="utf-8"))
        for figure in result["figures"]:
            figures.append(Figure(**{key: value for key, value in figure.items() if key != "met"}))
    print(table(figures))
    if chosen.results == RESULTS:
        print(speed_page.write(), file=sys.stderr)
    if skipped:
        print(f"skipped, because data or packages are absent: {', '.join(skipped)}")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
