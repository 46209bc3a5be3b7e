"""Tells whether the git that an interrupted write started is still running, hooks included.

A kill ends us and not our children. The lock on this file is on a descriptor that git inherits, so that the operating
system drops it when the last of them ends.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from potpie_git.domain.errors import LockedError
from potpie_git.store.errors import storage_errors

if sys.platform != "win32":
    import fcntl

_NAME = "alive"


class StillRunningError(LockedError):
    """The git of a write that was killed has not ended."""

    code = "still_running"
    default_hint = (
        "Wait for the git that is still running (a hook, perhaps) to end, then run the command again."
    )


@contextmanager
def marked_alive(work: Path) -> Iterator[tuple[int, ...]]:
    """Hold the mark of a running write; the descriptors are for git to inherit."""
    if sys.platform == "win32":
        yield ()
        return
    with storage_errors(work):
        descriptor = os.open(work / _NAME, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield (descriptor,)
    finally:
        os.close(descriptor)


def require_ended(work: Path) -> None:
    """Raise `StillRunningError` while the write that uses `work`, or a git that it started, is running."""
    if sys.platform == "win32" or not (work / _NAME).exists():
        return
    with storage_errors(work):
        descriptor = os.open(work / _NAME, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StillRunningError("a git command of an interrupted write is still running") from error
    finally:
        os.close(descriptor)
