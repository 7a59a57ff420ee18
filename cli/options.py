"""Options that several commands share. A flag comes first, then LEITONG_*, then leitong.toml, then the default."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

SETTINGS: Final = Path("leitong.toml")
DEFAULT_INDEX: Final = "./leitong-index"

IndexOption = Annotated[
    str,
    typer.Option(
        "--index", "-i", envvar="LEITONG_INDEX", metavar="LOCATOR", help="A folder, or http(s)://host:port/index."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
RecipeOption = Annotated[
    str | None,
    typer.Option(
        envvar="LEITONG_RECIPE", help="How fingerprints are made: a name (`leitong recipe list`) or a .toml file."
    ),
]
RadiusOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=15,
        envvar="LEITONG_RADIUS",
        help="Largest distance in bits at which fingerprints alone make a candidate. Default: the recipe's.",
    ),
]
SimilarityOption = Annotated[
    float | None,
    typer.Option(
        min=0.0, max=1.0, envvar="LEITONG_MIN_SIMILARITY", help="Least similarity of the texts, 0 to 1. Default: 0.39."
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metadata-field",
        metavar="NAME",
        help="Metadata field with a set (keywords, tags): matches get a score of distance and metadata. Repeatable.",
    ),
]
FamilyOption = Annotated[
    str | None,
    typer.Option(
        "--metadata-hash", metavar="mixed|shifts", help="Hash functions of MinHash for the sets. Default: mixed."
    ),
]
ContentOption = Annotated[
    float | None,
    typer.Option("--content-weight", help="How much the distance counts beside the metadata, 0 to 1. Default: 0.9."),
]
ScoreOption = Annotated[
    float | None, typer.Option("--min-score", help="Least score of distance and metadata, 0 to 1. Default: 0.")
]
KeepOption = Annotated[
    str,
    typer.Option(
        "--keep", metavar="first|oldest|longest|central", help="Which document of a cluster stands for the others."
    ),
]
DateOption = Annotated[
    str | None,
    typer.Option(
        "--date-field", metavar="NAME", help="Metadata field with the date, for oldest; a report shows it too."
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        envvar="LEITONG_WORKERS",
        help="Processes that compute fingerprints. Default: one for each core, 1 for small sources.",
    ),
]


def settings_file(commands: Mapping[tuple[str, ...], Mapping[str, Any]], *, context: typer.Context) -> dict[str, Any]:
    """Defaults from ./leitong.toml: its top level is for every command, a table [COMMAND] for that one and those below.

    `commands` gives for each command, by its words (`("mapping", "show")`), its options, without the dashes, and their
    parameters. One value stands for a list of one. Raises UsageError when the file cannot be read, names what is not
    there, or gives an option a wrong value.
    """
    if not SETTINGS.is_file():
        return {}
    from leitong.indexer.errors import UsageError

    try:
        values = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"Cannot read {SETTINGS.resolve()}: {error}. Mend it, or move it away.") from error
    tables = {name: value for name, value in values.items() if isinstance(value, dict)}
    known: dict[str, set[str]] = {}
    for (command, *_), options in commands.items():
        known.setdefault(command, set()).update(options)
    if unknown := sorted(set(tables) - set(known)):
        raise UsageError(f"{SETTINGS}: there is no command {unknown[0]!r}. Tables are named after commands.")
    common = {_option(name): value for name, value in values.items() if name not in tables}
    if unknown := sorted(set(common) - {option for options in known.values() for option in options}):
        raise UsageError(f"{SETTINGS}: no command has an option --{unknown[0]}. Settings are named after options.")
    for command, table in tables.items():
        if unknown := sorted(set(map(_option, table)) - known[command]):
            raise UsageError(f"{SETTINGS}: `leitong {command}` has no option --{unknown[0]}. See leitong {command} -h.")
    defaults: dict[str, Any] = {}
    for words, options in commands.items():
        command = words[0]
        own = {_option(name): value for name, value in tables.get(command, {}).items()}
        place = defaults
        for word in words:
            place = place.setdefault(word, {})
        for name, given in {**common, **own}.items():
            if name in options:
                value = [given] if options[name].multiple and not isinstance(given, list) else given
                try:
                    options[name].process_value(context, value)
                except typer.BadParameter as error:
                    where = f"[{command}] {name}" if name in own else name
                    wrong = error.message.rstrip(".")
                    raise UsageError(f"{SETTINGS}: {where} = {given!r}: {wrong}. See leitong {command} -h.") from None
                place[options[name].name] = value
    return defaults


def typed(context: typer.Context, *names: str) -> list[str]:
    """Those of the options that stand on the command line itself: a default for all commands may not fit each."""
    sources = {name: context.get_parameter_source(name) for name in names}
    return [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]


def _option(name: str) -> str:
    return name.replace("_", "-")
