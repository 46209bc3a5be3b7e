"""`skills list`, `skills install`, `skills status` and `skills remove`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode
from potpie_git.store import skills

_NAMES = ", ".join(skills.TARGETS)
TargetsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[TARGET]...", help=f"Any of: {_NAMES}.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Give up what somebody edited.")]
_INSTALLED = (skills.State.CURRENT, skills.State.OUTDATED, skills.State.EDITED)


def list_skills() -> Reply:
    """List the instructions for agents that ship, and the places where they can be installed."""
    lines = ["skills"]
    lines += [f"  {skill.name:14} {skill.description}" for skill in skills.SKILLS.values()]
    lines += ["targets"]
    lines += [f"  {target.name:14} {target.path}  ({target.about})" for target in skills.TARGETS.values()]
    return Reply(
        result={
            "skills": [{"name": one.name, "description": one.description} for one in skills.SKILLS.values()],
            "targets": [
                {"name": one.name, "about": one.about, "files": list(one.files())}
                for one in skills.TARGETS.values()
            ],
        },
        text="\n".join(lines),
        next_action="git potpie skills install",
    )


def install(targets: TargetsArgument = None, force: ForceOption = False) -> Reply:
    """Write the instructions where agents look: into AGENTS.md, and for every host that shows in this repository.

    Targets name the places instead. In AGENTS.md they stand between markers, and everything else in it is left alone.
    Running it again is safe and brings older versions up to date; what somebody edited is kept, unless --force is
    given.
    """
    made = skills.install(current().repository_pot.repository.root, targets or (), force=force)
    reply = _reply(made, changed="wrote", unchanged="up to date")
    if any(one.changed for one in made):
        reply.next_action = "commit these files, so that everybody's agents read them"
    return reply


def remove(targets: TargetsArgument = None, force: ForceOption = False) -> Reply:
    """Take the instructions out again, leaving every other byte as it was."""
    made = skills.remove(current().repository_pot.repository.root, targets or (), force=force)
    return _reply(made, changed="removed", unchanged="nothing to remove")


def status(targets: TargetsArgument = None) -> Reply:
    """Say of every file whether it is missing, current, outdated or edited.

    Exit status 3 if one is outdated or edited.
    """
    found = skills.status(current().repository_pot.repository.root, targets or ())
    reply = _reply(found)
    if any(one.state in (skills.State.OUTDATED, skills.State.EDITED) for one in found):
        reply.exit_code = ExitCode.PARTIAL
    if not any(one.state in _INSTALLED for one in found) or any(
        one.state is skills.State.OUTDATED for one in found
    ):
        reply.next_action = "git potpie skills install"
    return reply


def _reply(found: Sequence[skills.SkillFile], *, changed: str = "", unchanged: str = "") -> Reply:
    """The files that were `changed`, in that word, or else every file with its state, behind the word for it."""
    touched = [one for one in found if changed and one.changed]
    lines = [f"{changed:9} {one.target:10} {one.path}" for one in touched] or [
        *([unchanged] if unchanged else []),
        *(f"{one.state.value:9} {one.target:10} {one.path}" for one in found),
    ]
    return Reply(
        result={
            "files": [
                {"target": one.target, "path": one.path, "state": one.state.value, "changed": one.changed}
                for one in found
            ],
        },
        text=shown("\n".join(lines)),
    )
