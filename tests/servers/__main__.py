"""``python -m tests.servers``: the servers of the test-suite for people and scripts.

python -m tests.servers start elasticsearch     keep one running until Ctrl-C, print its URL
python -m tests.servers fetch                   fetch every build into the cache, for CI
python -m tests.servers build opensearch        print where the unpacked build is
python -m tests.servers java opensearch2        print the Java home that runs it
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from types import FrameType

from tests.servers.builds import distribution, fetch_everything
from tests.servers.clusters import cluster
from tests.servers.java import java_for
from tests.servers.model import SPECS, ServerSpec, ServerUnavailableError
from tests.servers.security import secured
from tests.servers.start import start


def _until_told() -> None:
    """Sleep until Ctrl-C or a TERM signal."""
    told = threading.Event()

    def tell(number: int, frame: FrameType | None) -> None:
        told.set()

    signal.signal(signal.SIGINT, tell)
    signal.signal(signal.SIGTERM, tell)
    while not told.wait(1.0):
        pass


def _start(spec: ServerSpec, *, heap: str) -> None:
    """Keep one plain server running; its URL is the only line on stdout."""
    with start(spec, heap=heap) as server:
        print(server.url, flush=True)
        print(f"{spec.title} runs ({server.how}); Ctrl-C stops it", file=sys.stderr)
        _until_told()


def _start_secured(spec: ServerSpec, *, heap: str) -> None:
    """Keep a secured server running and print what a client needs."""
    with secured(spec, heap=heap) as server:
        print(server.url, flush=True)
        print(f"user {server.username}, password {server.password}", file=sys.stderr)
        print(f"CA file {server.ca_file}, fingerprint {server.fingerprint}", file=sys.stderr)
        _until_told()


def _start_cluster(spec: ServerSpec, *, heap: str, nodes: int) -> None:
    """Keep a cluster running and print the URL of each node."""
    with cluster(spec, nodes=nodes, heap=heap) as running:
        print("\n".join(running.urls), flush=True)
        print(f"{nodes} nodes of {spec.title} run; Ctrl-C stops them", file=sys.stderr)
        _until_told()


def _fetch() -> None:
    """Fetch and unpack everything."""
    for home in fetch_everything():
        print(home, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.servers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    starting = commands.add_parser("start", help="keep a server running in the foreground")
    starting.add_argument("server", choices=sorted(SPECS))
    starting.add_argument("--nodes", type=int, default=1, help="more than one: a cluster")
    starting.add_argument("--secured", action="store_true", help="with TLS and a password")
    starting.add_argument("--heap", default="512m")
    commands.add_parser("fetch", help="fetch every build into the cache")
    for name, text in (("build", "where the unpacked build is"), ("java", "its Java home")):
        commands.add_parser(name, help=text).add_argument("server", choices=sorted(SPECS))
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 2 where a server cannot be had."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "fetch":
            _fetch()
            return 0
        spec = SPECS[options.server]
        if options.command == "build":
            print(distribution(spec))
        elif options.command == "java":
            print(java_for(spec).home)
        elif options.secured:
            _start_secured(spec, heap=options.heap)
        elif options.nodes > 1:
            _start_cluster(spec, heap=options.heap, nodes=options.nodes)
        else:
            _start(spec, heap=options.heap)
    except ServerUnavailableError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
