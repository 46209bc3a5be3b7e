"""`mcp`."""

from __future__ import annotations

from potpie_git.cli.context import current
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import UnavailableError


class MissingSdkError(UnavailableError):
    """The protocol's library is not installed."""

    code = "mcp_missing"
    default_hint = "Install it with `pip install 'potpie-git[mcp]'`, into the environment of this program."


def mcp() -> Reply:
    """Serve this repository's memory to agents, by the Model Context Protocol over standard input and output.

    An agent's host starts it (docs/agents.md shows how) and ends it by closing standard input. Tools mirror the verbs
    for reading, recording and proposing; none of them approves. Words from records come fenced and labelled.
    """
    try:
        from potpie_git.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types", "anyio"}:
            raise
        raise MissingSdkError("the Model Context Protocol's library is not installed") from error
    serve(current().directory)
    return Reply()
