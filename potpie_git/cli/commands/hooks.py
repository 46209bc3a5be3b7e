"""`hooks install`, `hooks uninstall` and `hooks status`."""

from __future__ import annotations

from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode
from potpie_git.store.hooks import HookReport


def _reply(report: HookReport, *, wanted: bool) -> Reply:
    """Exit status 3 if the hooks are wanted and git does not run every one of them."""
    return Reply(
        result=report.result,
        text=shown(report.text),
        next_action=report.next_action,
        exit_code=ExitCode.PARTIAL if wanted and not report.healthy else ExitCode.OK,
    )


def install(
    here: Annotated[
        bool,
        typer.Option(
            "--here", help="Where git is sent to a folder outside, give this clone one that forwards to it."
        ),
    ] = False,
) -> Reply:
    """Install the hooks where git looks, beside what is there.

    A hook that is there already runs first and keeps its say. Running it again is safe.
    """
    return _reply(current().pot.install_hooks(here=here), wanted=True)


def uninstall() -> Reply:
    """Remove the hooks and restore what was there before, byte for byte."""
    return _reply(current().pot.uninstall_hooks(), wanted=False)


def status() -> Reply:
    """Say which hooks git runs, and how to mend what it does not."""
    return _reply(current().pot.hook_status(), wanted=True)
