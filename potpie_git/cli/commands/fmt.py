"""`fmt`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode


def fmt(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders under .potpie/; everything by default.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")
    ] = False,
) -> Reply:
    """Write governed files in their canonical form, comments kept.

    A file that does not parse is left alone and named. Only the form changes: an edit of what a claim says is for
    `git potpie check` to judge.
    """
    report = current().pot.fmt(paths or [], write=not check)
    verb = "would change" if check else "rewrote"
    lines = [f"{verb} {path}" for path in report.changed]
    lines += [
        f"{finding.path}:{finding.line}: {finding.message} [{finding.code}]" for finding in report.findings
    ]
    lines += [f"  hint: {finding.hint}" for finding in report.findings[:1] if finding.hint]
    lines.append(f"{report.examined} files examined, {len(report.changed)} {verb.split()[-1]}")
    failed = bool(report.findings) or (check and bool(report.changed))
    return Reply(
        result=report.as_dict(),
        text=shown("\n".join(lines)),
        ok=not failed,
        exit_code=ExitCode.FAILED if failed else ExitCode.OK,
        next_action="git potpie fmt" if check and report.changed else None,
    )
