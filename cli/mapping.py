"""`leitong mapping show` and `mapping apply`."""

from json import dumps
from typing import Annotated

import typer

from leitong.cli.options import DEFAULT_INDEX, IndexOption, JsonOption
from leitong.cli.talk import guarded, say, show, show_json

mapping = typer.Typer(help="The fields Leitong adds to an index on a server.", no_args_is_help=True)


@mapping.command("show")
@guarded
def show_mapping(locator: IndexOption = DEFAULT_INDEX, json: JsonOption = False) -> None:
    """Print our fields of an index, as its mapping should have them, in JSON."""
    from leitong.indexer import mapping

    fields = mapping.show(locator)
    if json:
        show_json(fields)
    else:
        show(dumps(fields, indent=1))


@mapping.command("apply")
@guarded
def apply_mapping(
    locator: IndexOption = DEFAULT_INDEX,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without, the difference is shown only.")] = False,
    json: JsonOption = False,
) -> None:
    """Bring the fields of an index up to date; writing to it may go on."""
    from leitong.indexer import mapping

    found = mapping.difference(locator)
    new = mapping.apply(locator) if yes else None
    if json:
        changes = {"added": list(found.added), "changed": list(found.changed)}
        versions = {"version": found.version, "wanted": found.wanted}
        show_json({"index": found.index, **versions, **changes, "applied": yes, "new_index": new})
        return
    for sign, names in (("+", found.added), ("~", found.changed)):
        for name in names:
            show(f"{sign} {name}")
    if found.is_none:
        say(f"The fields are those of version {found.wanted}: nothing to do.")
    elif new:
        say(f"Version {found.wanted}. The documents are in {new}; the name leads there as an alias.")
    elif yes:
        say(f"Version {found.wanted}.")
        if found.added:
            say(
                "Documents that were there have no values in the fields that were added: index them again, without "
                "--resume, or, where they are somebody else's, run `leitong attach` again."
            )
    else:
        how = "in a new index that takes over the name" if found.changed else "where the index is"
        say(f"Version {found.version} would become {found.wanted}, {how}. Nothing is changed without --yes.")
