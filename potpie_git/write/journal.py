"""The write-ahead journal: what is about to be written, on disk before the first file of the tree is touched.

Whoever finds a journal finds an interrupted write, unless its writer is still at it. The body is checksummed: a journal
that a crash tore was not yet relied on, so it says that nothing was written.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from potpie_git.domain.text import sha256_hex
from potpie_git.store.errors import storage_errors
from potpie_git.store.repository import Repository
from potpie_git.write.places import journal_path
from potpie_git.write.plans import sync_folder, write_whole

_TORN: Final = "journal.torn.json"
_FORMAT: Final = 1


class JournalError(ValueError):
    """A journal is torn: cut, or its checksum does not fit."""


class JournalFile(BaseModel):
    """One file of the write: its path in the pot, and the blob ids before (None: there was none) and after."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    path: str
    before: str | None
    after: str


class Journal(BaseModel):
    """A write that has begun. `work` is the folder of its prepared files, `folders` those that it makes in the pot."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    plan_id: str
    mutation_id: str
    stage: bool
    head: str | None
    branch: str | None
    work: str
    files: list[JournalFile]
    folders: list[str] = Field(default_factory=list)

    @property
    def lock_token(self) -> bytes:
        """What our lock on git's index holds, so that nobody else's is ever taken for ours."""
        return f"potpie {self.mutation_id}\n".encode()


def write_journal(repository: Repository, journal: Journal) -> None:
    """Put a journal down so that it survives a kill and a power cut. Raises `StorageError`."""
    write_whole(journal_path(repository), encode(journal), durable=True)


def read_journal(repository: Repository) -> Journal | None:
    """The journal that is there, or None. Raises `JournalError` for a torn one."""
    path = journal_path(repository)
    with storage_errors(path):
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
    return decode(raw)


def remove_journal(repository: Repository) -> None:
    """Say that the write is over."""
    path = journal_path(repository)
    with storage_errors(path):
        path.unlink(missing_ok=True)
        sync_folder(path.parent)


def set_aside(repository: Repository) -> Path:
    """Move a torn journal out of the way, for whoever wants to look at it; returns where it is now."""
    path = journal_path(repository)
    with storage_errors(path):
        return path.replace(path.with_name(_TORN))


def encode(journal: Journal) -> bytes:
    body = journal.model_dump_json()
    return json.dumps({"format": _FORMAT, "sha256": sha256_hex(body), "body": body}).encode()


def decode(raw: bytes) -> Journal:
    """The journal in `raw`. Raises `JournalError` if it is torn."""
    try:
        frame = json.loads(raw)
        if frame["format"] != _FORMAT or sha256_hex(frame["body"]) != frame["sha256"]:
            raise JournalError("its checksum does not fit")
        return Journal.model_validate_json(frame["body"])
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
        raise JournalError(f"the journal is torn: {error}") from error
