"""`hooks install`, `hooks uninstall` and `hooks status`."""

from __future__ import annotations

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode
from potpie_git.pot import HookOutcome


def _reply(outcome: HookOutcome) -> Reply:
    return Reply(
        result=outcome.result,
        text=shown(outcome.text),
        next_action=outcome.next_action,
        exit_code=ExitCode.OK if outcome.healthy else ExitCode.PARTIAL,
    )


def install() -> Reply:
    """Install the hooks where git looks, beside what is there.

    A hook that is there already runs first and keeps its say. Running it again is safe.
    """
    return _reply(current().pot.install_hooks())


def uninstall() -> Reply:
    """Remove the hooks and restore what was there before, byte for byte."""
    return _reply(current().pot.uninstall_hooks())


def status() -> Reply:
    """Say which hooks git runs, and how to mend what it does not."""
    return _reply(current().pot.hook_status())
