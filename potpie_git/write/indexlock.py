"""Git's lock on the index, held as `git commit` holds it: nobody else changes the index while a plan is written."""

from __future__ import annotations

import os
from pathlib import Path

from potpie_git.domain.errors import GitError
from potpie_git.store.errors import storage_errors
from potpie_git.store.locks import retry_on_index_lock
from potpie_git.store.repository import Repository

_INDEX = "index"
_LOCK = "index.lock"


def index_path(repository: Repository) -> Path:
    return repository.git_dir / _INDEX


def take_index_lock(repository: Repository, token: bytes) -> None:
    """Create git's lock file, holding `token`.

    Waits a bounded time while somebody else has it, then raises `LockedError` naming the file.
    """
    retry_on_index_lock(repository, lambda: _create(_lock_path(repository), token))


def holds_index_lock(repository: Repository, token: bytes) -> bool:
    """Whether git's lock file is there and holds `token`."""
    with storage_errors(_lock_path(repository)):
        try:
            return _lock_path(repository).read_bytes() == token
        except FileNotFoundError:
            return False


def drop_index_lock(repository: Repository, token: bytes) -> None:
    """Remove git's lock file if it is ours."""
    if holds_index_lock(repository, token):
        with storage_errors(_lock_path(repository)):
            _lock_path(repository).unlink(missing_ok=True)


def _lock_path(repository: Repository) -> Path:
    return repository.git_dir / _LOCK


def _create(lock: Path, token: bytes) -> None:
    with storage_errors(lock):
        try:
            descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError as error:
            # In the shape in which git itself says it, so that both are waited for in one place.
            raise GitError(f"{lock} exists", detail={"stderr": str(lock)}) from error
        try:
            with os.fdopen(descriptor, "wb") as handle:
                handle.write(token)
        except OSError:
            # Without its token nobody would know the lock for ours, and it would stay for good.
            lock.unlink(missing_ok=True)
            raise
