"""The stream protocol of `git cat-file --batch`: object names go in, headers and contents come out."""

from __future__ import annotations

import subprocess
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import IO, Final

_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class GitObject:
    """An object of the store: its id, kind (blob, tree, commit, tag), size in bytes, and content.

    `data` is shorter than `size` if the reader was given a limit: it is cut one byte past it.
    """

    oid: str
    kind: str
    size: int
    data: bytes


def read_answer(stream: IO[bytes], limit: int | None = None) -> GitObject | None:
    """Read one answer; None if the object is missing. Raises `EOFError` if the process has ended.

    Content beyond one byte past `limit` is passed over without being kept.
    """
    header = stream.readline()
    if not header.endswith(b"\n"):
        raise EOFError
    words = header.split()
    if len(words) != 3 or not words[2].isdigit():
        return None
    size = int(words[2])
    wanted = size if limit is None else min(size, limit + 1)
    data = stream.read(wanted)
    left = size - wanted + 1
    while left:
        passed = len(stream.read(min(left, _CHUNK)))
        if not passed:
            raise EOFError
        left -= passed
    return GitObject(words[0].decode(), words[1].decode(), size, data)


def read_answers(
    process: subprocess.Popen[bytes], names: Sequence[str], limit: int | None
) -> Generator[tuple[str, GitObject | None], None, None]:
    """Ask for all `names` at once and yield (name, answer) in order; raises `EOFError` like `read_answer`.

    The process is ended when the iterator is exhausted, closed, or fails.
    """
    requests = "".join(f"{name}\n" for name in names).encode()
    assert process.stdin is not None
    assert process.stdout is not None
    # Neither pipe holds a large batch, so that the requests are written beside the reading.
    feeder = Thread(target=_feed, args=(process.stdin, requests), daemon=True)
    feeder.start()
    try:
        for name in names:
            yield name, read_answer(process.stdout, limit)
    finally:
        end(process)
        feeder.join()


def end(process: subprocess.Popen[bytes]) -> None:
    """Stop a process that only reads, and close its pipes except standard error, which may say why it ended."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            _close(pipe)


def last_words(process: subprocess.Popen[bytes]) -> bytes:
    """What an ended process left on standard error; closes it."""
    if process.stderr is None or process.stderr.closed:
        return b""
    with process.stderr:
        return process.stderr.read()


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        # what was still buffered has no reader any more
        return


def _feed(stdin: IO[bytes], requests: bytes) -> None:
    try:
        stdin.write(requests)
        stdin.close()
    except (BrokenPipeError, ValueError):
        # the reader stopped early: the process is gone, or the pipe was closed meanwhile
        return
