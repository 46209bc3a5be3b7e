"""`status`."""

from __future__ import annotations

from dataclasses import asdict

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode


def status() -> Reply:
    """Say what is here, what is missing, and what to do next.

    Exit status 3 if something is missing or out of date, 0 if all is well.
    """
    report = current().pot.status()
    lines = [f"{line.name:9} {'' if line.healthy else '(!) '}{line.text}" for line in report.lines]
    return Reply(
        result=asdict(report) | {"healthy": report.healthy},
        text=shown("\n".join(lines)),
        next_action=report.next_action,
        exit_code=ExitCode.OK if report.healthy else ExitCode.PARTIAL,
    )
