"""The error family: every expected failure is a `PotpieError`, rendered at one place only (the command line).

An error carries a stable `code` (snake case), a `message` that names what went wrong, a `hint` that says what to do
next, an optional JSON-able `detail`, and the exit status of its family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any


class ExitCode(IntEnum):
    """Exit statuses of the command line, by family."""

    OK = 0
    FAILED = 1
    UNAVAILABLE = 2
    PARTIAL = 3
    APPROVAL = 4
    INTERRUPTED = 130


class PotpieError(Exception):
    """An expected failure: the caller can do something about it."""

    code: str = "failed"
    exit_code: ExitCode = ExitCode.FAILED
    default_hint: str = ""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        code: str | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint
        if code is not None:
            self.code = code
        self.detail: dict[str, Any] = dict(detail or {})


class UnavailableError(PotpieError):
    """What the command needs is not there: no repository, no pot, an unusable store."""

    code = "unavailable"
    exit_code = ExitCode.UNAVAILABLE


class NotARepositoryError(UnavailableError):
    code = "not_a_repository"
    default_hint = "Run this inside a git repository, or create one with `git init`."


class BareRepositoryError(UnavailableError):
    code = "bare_repository"
    default_hint = "Use a clone with a working tree; a bare repository has none to write claims in."


class UnsupportedRepositoryError(UnavailableError):
    """A repository format that this program cannot judge (sha256 objects, reftable refs, ...)."""

    code = "unsupported_repository"


class NoPotError(UnavailableError):
    code = "no_pot"
    default_hint = "Create the pot with `git potpie init`."


class GitError(UnavailableError):
    """A git command failed in a way that no caller expected; `detail` holds argv, status and standard error."""

    code = "git_failed"


class StorageError(UnavailableError):
    """The operating system refused a read or a write (disk full, read-only tree, permissions)."""

    code = "storage_error"
    default_hint = "Check free space and permissions, then run the command again; nothing was half written."


class LockedError(UnavailableError):
    code = "locked"
    default_hint = "Another process is writing. Wait for it to finish, then run the command again."


class InvalidInputError(PotpieError):
    """The caller's input does not parse or does not validate."""

    code = "invalid_input"


class IssuesError(PotpieError):
    """Several failures at once; `detail["issues"]` lists each with code, op index, path, message and hint."""

    code = "validation_failed"

    def __init__(self, message: str, issues: Sequence[Mapping[str, Any]], **options: Any) -> None:
        detail = {"issues": [dict(issue) for issue in issues], **(options.pop("detail", None) or {})}
        super().__init__(message, detail=detail, **options)

    @property
    def issues(self) -> list[dict[str, Any]]:
        return list(self.detail["issues"])


class InvalidFileError(IssuesError):
    """One or more governed files do not parse or do not validate; each issue names path and line."""

    code = "invalid_file"
    default_hint = "Mend the file (or run `git potpie check --rev HEAD` to see every finding)."


class ConflictError(PotpieError):
    code = "conflict"
    default_hint = "Propose again: the plan was computed against an older version."


class ApprovalRequiredError(PotpieError):
    code = "approval_required"
    exit_code = ExitCode.APPROVAL


class RefusedError(PotpieError):
    """A rule of the store refuses the change."""

    code = "refused"


class NotFoundError(PotpieError):
    code = "not_found"
