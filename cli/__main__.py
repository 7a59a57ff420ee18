"""The console script: `leitong`, or `python -m leitong.cli`."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Run a command. Ctrl-C ends it quietly, also while it is still being loaded."""
    try:
        from leitong.cli.main import app

        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
