"""`init`."""

from __future__ import annotations

from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.pot import Pot


def init(
    name: Annotated[
        str | None, typer.Option(help="A name for the pot; the folder's name by default.")
    ] = None,
    hooks: Annotated[bool, typer.Option(help="Install the git hooks as well.")] = True,
) -> Reply:
    """Create a pot in this repository and install its hooks.

    Writes .potpie/pot.yaml, policy.yaml and .gitattributes where they are missing, and changes nothing that is there:
    running it again is safe. Nothing is committed; the first commit of claims takes these files along.
    """
    pot, report = Pot.init(current().directory, name=name, hooks=hooks)
    lines = [f"Pot {report.pot_id} in {pot.repository.root}", ""]
    for entry in report.files:
        lines.append(f"  {entry.state:8} {entry.path:24} {entry.purpose}")
    lines += ["", *report.notes]
    return Reply(
        result=report.as_dict(),
        text=shown("\n".join(lines)),
        warnings=report.warnings,
        next_action=report.next_action,
    )
