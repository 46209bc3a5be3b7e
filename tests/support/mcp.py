"""The server as a host meets it: the installed console script, started and spoken to by the official client."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, Implementation, TextContent

from potpie_git.mcp.server import ENVELOPE
from tests.support.program import PROGRAM

Result = TypeVar("Result")
HOST = Implementation(name="Test Host", version="1")


def with_client(cwd: Path, work: Callable[[Client], Awaitable[Result]], *, mode: str = "legacy") -> Result:
    """Start the server in a directory, do some work with a client, and stop it."""
    server = StdioServerParameters(command=str(PROGRAM), args=["mcp"], cwd=cwd, env=dict(os.environ))

    async def session() -> Result:
        async with Client(server, client_info=HOST, mode=mode) as client:
            return await work(client)

    return anyio.run(session)


def call(cwd: Path, name: str, arguments: Mapping[str, Any] | None = None) -> CallToolResult:
    """One call of one tool."""
    return with_client(cwd, lambda client: client.call_tool(name, dict(arguments or {})))


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
