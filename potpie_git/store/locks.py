"""Locks: one writer for a clone and all its work trees, and patience with git's own lock on the index."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from filelock import FileLock, Timeout

from potpie_git.domain.errors import GitError, LockedError
from potpie_git.store.errors import storage_errors
from potpie_git.store.repository import Repository

Result = TypeVar("Result")

_LOCK_NAME: Final = "write.lock"
_HOLDER_NAME: Final = "write.holder"
_INDEX_LOCK: Final = "index.lock"
_FIRST_WAIT: Final = 0.02
_LONGEST_WAIT: Final = 0.5


@contextmanager
def write_lock(repo: Repository, timeout: float = 10.0) -> Iterator[None]:
    """Hold the clone's write lock; the operating system releases it when the process ends, however it ends.

    Waits up to `timeout` seconds. Raises `LockedError`, which says who holds it, and `StorageError` where the lock
    cannot be made. Not reentrant.
    """
    folder = repo.shared_state_dir
    lock = FileLock(folder / _LOCK_NAME)
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=timeout)
        except Timeout:
            raise _locked(folder) from None
    try:
        _note_holder(folder / _HOLDER_NAME)
        yield
    finally:
        lock.release()


def retry_on_index_lock(repo: Repository, action: Callable[[], Result], *, timeout: float = 5.0) -> Result:
    """Run `action`, which starts git, again while somebody else holds the index's lock.

    Waits longer each time, up to `timeout` seconds in all; then raises `LockedError` naming the lock.
    """
    deadline, wait = time.monotonic() + timeout, _FIRST_WAIT
    while True:
        try:
            return action()
        except GitError as error:
            # The path stands in git's message in every language.
            if _INDEX_LOCK not in error.detail.get("stderr", ""):
                raise
            if time.monotonic() + wait > deadline:
                lock = repo.git_dir / _INDEX_LOCK
                raise LockedError(
                    f"git's index is locked: {lock}",
                    hint="Wait for the other git command to end. If none is running, remove that file.",
                    detail={"lock": str(lock)},
                ) from error
        time.sleep(wait * random.uniform(0.5, 1.0))  # noqa: S311 - spreads those who wait, guards nothing
        wait = min(2 * wait, _LONGEST_WAIT)


def _note_holder(path: Path) -> None:
    """Leave a note for those who wait. The lock itself does not depend on it."""
    note = {"pid": os.getpid(), "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    with storage_errors(path):
        path.write_text(json.dumps(note), encoding="utf-8")


def _locked(folder: Path) -> LockedError:
    lock = folder / _LOCK_NAME
    try:
        note = json.loads((folder / _HOLDER_NAME).read_text(encoding="utf-8"))
        who = f"process {int(note['pid'])} since {note['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        who = "another process"
    return LockedError(f"the pot is locked for writing by {who}", detail={"lock": str(lock), "holder": who})
