"""Standard input, line by line, so that waiting for it can be given up.

The library reads it in a thread, and a thread that waits for input cannot be stopped: a host that closes standard
output alone would leave the server behind.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import anyio
import anyio.lowlevel

_CHUNK: Final = 1 << 16
_STANDARD_INPUT: Final = 0


class IncomingLines:
    """The lines of a file descriptor as text, without their ends; what is not UTF-8 is replaced."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = bytearray()

    def __aiter__(self) -> IncomingLines:
        return self

    async def __anext__(self) -> str:
        looked = 0
        while (end := self._held.find(b"\n", looked)) < 0:
            looked = len(self._held)
            chunk = await self._read()
            if not chunk and not self._held:
                raise StopAsyncIteration
            if not chunk:
                end = len(self._held)
                break
            self._held += chunk
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        return line.decode("utf-8", "replace")

    async def _read(self) -> bytes:
        try:
            await anyio.wait_readable(self._descriptor)
        except PermissionError:
            # A plain file, which cannot be waited for and need not be.
            await anyio.lowlevel.checkpoint()
        return os.read(self._descriptor, _CHUNK)


@contextmanager
def taken_standard_input() -> Iterator[IncomingLines]:
    """Standard input for us alone: what we start meanwhile reads nothing."""
    own = os.dup(_STANDARD_INPUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, _STANDARD_INPUT)
        yield IncomingLines(own)
    finally:
        os.dup2(own, _STANDARD_INPUT)
        os.close(nothing)
        os.close(own)
