"""The console script: `leitong`, or `python -m leitong.cli`."""

import io
import os
import signal
import sys
from threading import Timer

INTERRUPTED = 130
_AGAIN_AFTER = 0.02


def main() -> None:
    """Run a command. Ctrl-C ends it with a line, also while it is still being loaded; so does who stops a service."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.unraisablehook = _unraisable
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # as on stderr: not every terminal has Chinese
    try:
        from leitong.cli.main import app

        app()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except SystemExit as end:  # of help, whose reader has seen enough: click takes that for an error
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(0)
        raise
    except OSError as error:  # of help or the version, which no command says
        from leitong.cli.talk import ERROR, say_disk

        say_disk(error)
        sys.exit(ERROR)


def _unraisable(lost: "sys.UnraisableHookArgs") -> None:
    """An interruption that came where nothing can be raised, as while compiled loops are loaded, comes again."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    stopping = (number for number in (signal.SIGINT, signal.SIGTERM) if callable(signal.getsignal(number)))
    again = Timer(_AGAIN_AFTER, os.kill, (os.getpid(), next(stopping)))
    again.daemon = True
    again.start()


if __name__ == "__main__":
    main()
