"""What can go wrong between this program, git and the disk, beyond the errors that every layer shares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from potpie_git.domain.errors import (
    ConflictError,
    NotFoundError,
    RefusedError,
    StorageError,
    UnavailableError,
)


class GitMissingError(UnavailableError):
    """No git program could be found."""

    code = "git_missing"
    default_hint = "Install git 2.31 or newer and make sure that it is on PATH."


class UnsafeRepositoryError(UnavailableError):
    """Git refuses to work in a repository that belongs to another user (safe.directory)."""

    code = "unsafe_repository"


class MissingObjectError(UnavailableError):
    """An object that the repository refers to is not in this clone: shallow, partial, or damaged."""

    code = "missing_object"


class CorruptObjectError(UnavailableError):
    """A git object does not have the form that its kind demands."""

    code = "corrupt_object"
    default_hint = "Run `git fsck` to see what is damaged."


class UnknownRevisionError(NotFoundError):
    code = "unknown_revision"
    default_hint = "Check the name with `git rev-parse`, or fetch it from the remote first."


class UnmergedError(ConflictError):
    """The index holds files whose merge is not finished; `detail["paths"]` lists them."""

    code = "unmerged"
    default_hint = "Settle the merge, `git add` the files, then run the command again."


class UnsafePathError(RefusedError):
    """A path that must be a real directory or file is a link, a device or a repository of its own."""

    code = "unsafe_path"
    default_hint = "Put a real directory or file in its place; links are never followed."


@contextmanager
def storage_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an operating system's refusal (disk full, read-only, no permission) into a `StorageError`."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(
            f"{os.fspath(path)}: {reason}", detail={"path": os.fspath(path), "errno": error.errno}
        ) from error
