"""The console script: `leitong`, or `python -m leitong.cli`."""

import signal
import sys

INTERRUPTED = 130


def main() -> None:
    """Run a command. Ctrl-C ends it quietly, also while it is still being loaded; so does who stops a service."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        from leitong.cli.main import app

        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SystemExit as end:  # of help, whose reader has seen enough: click takes that for an error
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(0)
        raise
    except OSError as error:  # of help or the version, which no command says
        from leitong.cli.talk import ERROR, say_disk

        say_disk(error)
        sys.exit(ERROR)


if __name__ == "__main__":
    main()
