"""One command, performed: what came of it, ready to be printed or handed to a client."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from potpie_git.cli.boundary import Boundary
from potpie_git.cli.context import CommandContext, running
from potpie_git.cli.output import envelope
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode, PotpieError


@dataclass(frozen=True, slots=True)
class Outcome:
    """A command's reply, or the error that it ended in; neither if it had nothing to say."""

    command: str
    reply: Reply | None
    error: PotpieError | None
    context: CommandContext | None

    @property
    def exit_code(self) -> ExitCode:
        if self.error is not None:
            return self.error.exit_code
        return self.reply.exit_code if self.reply is not None else ExitCode.OK

    def document(self) -> dict[str, Any]:
        """The envelope."""
        pot_id, versions = None, None
        if self.context is not None and self.context.opened is not None:
            seen = self.reply.identity if self.reply is not None else None
            pot_id, versions = seen or self.context.opened.identity()
        reply = self.reply if self.reply is not None and self.error is None else Reply(ok=self.error is None)
        return envelope(self.command, reply, error=self.error, pot_id=pot_id, versions=versions)


def perform(command: str, work: Callable[[], Reply | None], context: CommandContext) -> Outcome:
    """Run `work` as a command. What it raises is the outcome's error, but for interruptions and a closed pipe."""
    reply: Reply | None = None
    with running(context), Boundary(context) as boundary:
        reply = work()
    return Outcome(command, reply, boundary.error, context)
