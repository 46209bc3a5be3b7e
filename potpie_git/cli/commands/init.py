"""`init`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.pot import Pot
from potpie_git.write.setup import SetupReport, purpose


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
    pot, report = Pot.init(current().directory, name=name)
    lines = [f"Pot {report.pot_id} in {pot.repository.root}", ""]
    lines += [f"  {state:8} {path:24} {purpose(path)}" for state, path in _files(report)]
    lines += ["", *_approvers(report)]
    result: dict[str, Any] = asdict(report) | {"root": str(pot.repository.root)}
    if hooks:
        installed = pot.install_hooks()
        result["hooks"] = installed.result
        lines += ["", installed.text]
    return Reply(
        result=result,
        text=shown("\n".join(lines)),
        next_action='git potpie record decision -d title="..." -d summary="..." -d rationale="..."',
    )


def _files(report: SetupReport) -> list[tuple[str, str]]:
    return [("created", path) for path in report.created] + [("kept", path) for path in report.kept]


def _approvers(report: SetupReport) -> list[str]:
    """Who may approve, and what that means while there is only one."""
    if report.approver is None:
        return [
            "git knows no user here, so policy.yaml lists no approver yet.",
            "Set user.name and user.email, then add yourself to policy.yaml.",
        ]
    return [
        f"Approver: {report.approver}. While policy.yaml lists one approver, that person may approve alone;",
        "every such approval is labelled self-approved. Add a second one when there are two of you.",
    ]
