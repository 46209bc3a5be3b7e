"""`doctor`."""

from __future__ import annotations

from dataclasses import asdict

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode


def doctor() -> Reply:
    """Prove that git, the hooks and the index work together.

    Lets git itself run each hook, decodes every file, and names a remedy for whatever does not work. Exit status 3 if
    something does not.
    """
    report = current().pot.doctor()
    lines = [f"{'ok ' if line.healthy else 'BAD'}  {line.name:9} {line.text}" for line in report.lines]
    return Reply(
        result=asdict(report) | {"healthy": report.healthy},
        text=shown("\n".join(lines)),
        next_action=report.next_action,
        exit_code=ExitCode.OK if report.healthy else ExitCode.PARTIAL,
    )
