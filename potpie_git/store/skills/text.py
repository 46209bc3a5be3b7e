"""What stands in an instruction file: ours as it ships, ours of another version, or what somebody made of it.

What we write carries the digest of itself, so that an edit is seen without a record kept elsewhere. A file of our own
ends in a stamp; in a shared file our lines stand between two markers. The first marker also says how many line ends
were put before it, or that the file is ours alone, so that taking the lines out leaves every other byte as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from potpie_git.domain.text import sha256_hex

_DIGEST: Final = 16
_STAMP: Final = re.compile(rb"\r?\n<!-- potpie-git ([0-9a-f]{16}) -->\r?\n\Z")
_BEGIN: Final = re.compile(rb"<!-- potpie-git:begin ([0-9a-f]{16}) (new|[0-2]) -->(\r?\n)")
_END: Final = re.compile(rb"<!-- potpie-git:end -->(\r?\n|\Z)")
_ANY_MARKER: Final = b"<!-- potpie-git:"
_NEW: Final = b"new"


class State(StrEnum):
    """How a file stands: not there, as it ships, as another version shipped it, or changed by somebody."""

    MISSING = "missing"
    CURRENT = "current"
    OUTDATED = "outdated"
    EDITED = "edited"


def _digest(text: bytes) -> bytes:
    return sha256_hex(text.replace(b"\r\n", b"\n"))[:_DIGEST].encode()


def stamped(text: str) -> bytes:
    """A file of our own: the text and its stamp."""
    raw = text.encode()
    return raw + b"\n<!-- potpie-git " + _digest(raw) + b" -->\n"


def state_of_file(held: bytes | None, text: str) -> State:
    """How a file of our own stands; one without a stamp, or with one that does not fit, is somebody's."""
    if held is None:
        return State.MISSING
    stamp = _STAMP.search(held)
    if stamp is None or stamp[1] != _digest(held[: stamp.start()]):
        return State.EDITED
    return State.CURRENT if stamp[1] == _digest(text.encode()) else State.OUTDATED


@dataclass(frozen=True, slots=True)
class _Block:
    """Our lines in a shared file, from `start` to `end`. `joint` counts the line ends before them that are ours too."""

    start: int
    end: int
    joint: bytes
    line_end: bytes
    digest: bytes
    body: bytes


def _found(held: bytes) -> _Block | None:
    """The block, if there is exactly one and it is whole."""
    begin = _BEGIN.search(held)
    end = _END.search(held, begin.end()) if begin else None
    if begin is None or end is None or held.count(_ANY_MARKER) != 2:
        return None
    return _Block(begin.start(), end.end(), begin[2], begin[3], begin[1], held[begin.end() : end.start()])


def state_of_block(held: bytes | None, text: str) -> State:
    """How our lines stand in a shared file. Markers that do not fit together count as edited."""
    if held is None or _ANY_MARKER not in held:
        return State.MISSING
    block = _found(held)
    if block is None or block.digest != _digest(block.body):
        return State.EDITED
    return State.CURRENT if block.digest == _digest(text.encode()) else State.OUTDATED


def with_block(held: bytes | None, text: str) -> bytes | None:
    """The shared file with our lines: in the place of older ones, else at its end. None if the markers are broken."""
    if held is not None and _ANY_MARKER in held:
        block = _found(held)
        if block is None:
            return None
        return held[: block.start] + _block(text, block.joint, block.line_end) + held[block.end :]
    if held is None:
        return _block(text, _NEW, b"\n")
    line_end = b"\r\n" if b"\r\n" in held else b"\n"
    joint = 0 if not held else 1 if held.endswith(b"\n") else 2
    return held + line_end * joint + _block(text, str(joint).encode(), line_end)


def without_block(held: bytes) -> bytes | None:
    """The shared file without our lines; None if it was made for them and holds nothing else.

    A file whose markers are broken comes back as it is.
    """
    block = _found(held)
    if block is None:
        return held
    before, after = held[: block.start], held[block.end :]
    if block.joint == _NEW:
        return before + after or None
    for _ in range(int(block.joint)):
        before = before.removesuffix(block.line_end)
    return before + after


def _block(text: str, joint: bytes, line_end: bytes) -> bytes:
    raw = text.encode()
    lines = (
        b"<!-- potpie-git:begin "
        + _digest(raw)
        + b" "
        + joint
        + b" -->\n"
        + raw
        + b"<!-- potpie-git:end -->\n"
    )
    return lines.replace(b"\n", line_end)
