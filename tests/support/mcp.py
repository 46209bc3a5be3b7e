"""The server as a host meets it: the installed console script, started and spoken to by the official client."""

from __future__ import annotations

import atexit
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, Implementation, TextContent

from potpie_git.mcp.server import ENVELOPE
from tests.support.program import PROGRAM

Result = TypeVar("Result")
HOST = Implementation(name="Test Host", version="1")


def with_client(cwd: Path, work: Callable[[Client], Awaitable[Result]], *, mode: str = "legacy") -> Result:
    """Start the server in a directory, do some work with a client, and stop it."""

    async def session() -> Result:
        async with _client(cwd, mode) as client:
            return await work(client)

    return anyio.run(session)


def call(cwd: Path, name: str, arguments: Mapping[str, Any] | None = None) -> CallToolResult:
    """One call of one tool, of a server that stays up until a call comes from elsewhere, as a host's does."""
    return _standing.call(cwd, name, dict(arguments or {}))


def _client(cwd: Path, mode: str) -> Client:
    server = StdioServerParameters(command=str(PROGRAM), args=["mcp"], cwd=cwd, env=dict(os.environ))
    return Client(server, client_info=HOST, mode=mode)


class _Standing:
    """The one server that is kept between calls: starting it costs more than most of them."""

    def __init__(self) -> None:
        self._place: tuple[Path, dict[str, str]] | None = None
        self._held = ExitStack()
        self._portal: BlockingPortal | None = None
        self._serving: Client | None = None

    def call(self, cwd: Path, name: str, arguments: dict[str, Any]) -> CallToolResult:
        environment = {key: text for key, text in os.environ.items() if key != "PYTEST_CURRENT_TEST"}
        if self._place != (cwd, environment):
            self.stop()
            self._portal = self._held.enter_context(start_blocking_portal())
            opened = self._portal.wrap_async_context_manager(_client(cwd, "legacy"))
            self._serving = self._held.enter_context(opened)
            self._place = (cwd, environment)
        assert self._portal is not None
        assert self._serving is not None
        return self._portal.call(self._serving.call_tool, name, arguments)

    def stop(self) -> None:
        self._place = None
        self._held.close()


_standing = _Standing()
atexit.register(_standing.stop)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def envelope_of(result: CallToolResult) -> dict[str, Any]:
    assert result.meta is not None
    held = result.meta[ENVELOPE]
    assert isinstance(held, dict)
    return held


def succeeded(result: CallToolResult) -> dict[str, Any]:
    """The result of a call that has to succeed."""
    assert not result.is_error, text_of(result)
    held = envelope_of(result)["result"]
    assert isinstance(held, dict)
    return held
