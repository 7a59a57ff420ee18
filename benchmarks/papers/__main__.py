"""`make papers`: the five experiments in turn, each in a process of its own, then the page."""

import subprocess
import sys

from benchmarks.measure import SKIPPED, options
from benchmarks.papers import page


def main() -> int:
    chosen = options(__doc__)
    for name in page.PAPERS:
        print(f"{name} …", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", f"benchmarks.papers.{name}", "--scale", str(chosen.scale)]
        code = subprocess.run([*command, "--results", str(chosen.results)], check=False).returncode
        if code:
            return 0 if code == SKIPPED else code
    page.main(chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
