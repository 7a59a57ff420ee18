"""`leitong serve`."""

import os
from typing import Annotated

import typer

from leitong.cli.options import DEFAULT_INDEX, IndexOption
from leitong.cli.talk import say


def serve(
    locator: IndexOption = DEFAULT_INDEX,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 is every one of this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8765,
    write: Annotated[
        bool,
        typer.Option("--write", help="Let whoever shows LEITONG_TOKEN (one is made if unset) add and decide."),
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A further name of this machine; may be repeated.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN", help="A site whose pages may read the JSON: https://search.example. Repeatable."
        ),
    ] = None,
) -> None:
    """Serve the search page."""
    from leitong.indexer.errors import MissingExtraError
    from leitong.indexer.library import open_index

    try:
        from leitong.web.serve import listen
        from leitong.web.serve import serve as run
        from leitong.web.settings import Settings, new_token
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("leitong"):
            raise
        raise MissingExtraError("The search page", "web") from None

    given = os.environ.get("LEITONG_TOKEN") or None
    settings = Settings(
        locator=locator,
        host=host,
        port=port,
        token=(given or new_token()) if write else None,
        hosts=tuple(name.lower() for name in allow_host or ()),
        origins=tuple(allow_origin or ()),
    )
    with open_index(locator) as opened:  # says at once what is wrong with the index
        documents = opened.info().documents
    with listen(settings) as server:
        port = server.getsockname()[1]
        name = f"[{host}]" if ":" in host else "127.0.0.1" if host in ("0.0.0.0", "::") else host
        say(f"{documents:,} documents at http://{name}:{port}/ (Ctrl-C stops)")
        if write and not given:
            say(f"Token for writing, until this stops: {settings.token}")
        run(settings, server)
