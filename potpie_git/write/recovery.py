"""What a journal that is found means: a write to complete, or to undo."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.errors import storage_errors
from potpie_git.store.git import decode
from potpie_git.store.locks import retry_on_index_lock
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot
from potpie_git.write.base import staged_blobs
from potpie_git.write.indexlock import drop_index_lock, holds_index_lock, index_path
from potpie_git.write.journal import Journal, remove_journal
from potpie_git.write.liveness import require_ended
from potpie_git.write.message import names_plan
from potpie_git.write.staging import add_to_index
from potpie_git.write.workspace import blob_on_disk, clear, git_folder, move_out

# Commits on top of the interrupted one that are looked at to find it.
_LOOKED_AT: Final = 1_000


class Outcome(StrEnum):
    COMPLETED = "completed"
    UNDONE = "undone"
    TORN = "torn"


class Recovery(BaseModel):
    """What became of an interrupted write. `kept` are files that somebody changed since, and that were left alone."""

    model_config = ConfigDict(extra="forbid")

    outcome: Outcome
    message: str
    plan_id: str | None = None
    commit: str | None = None
    kept: list[str] = Field(default_factory=list)


def settle(repository: Repository, journal: Journal) -> Recovery:
    """Complete the write if its commit is there, else put everything back; the journal goes when that is done."""
    commit = find_commit(repository, journal)
    if commit is not None or _is_staged(repository, journal):
        complete_index(repository, journal)
        finish(repository, journal)
        what = f"commit {commit[:12]}" if commit else "staging"
        return Recovery(
            outcome=Outcome.COMPLETED,
            message=f"An interrupted write of plan {journal.plan_id} was completed ({what}).",
            plan_id=journal.plan_id,
            commit=commit,
        )
    kept = move_out(repository, journal, _in_head(repository, journal))
    finish(repository, journal)
    named = [f"{POT_DIRECTORY}/{path}" for path in kept]
    left = f" Left alone, because somebody changed them since: {', '.join(named)}." if named else ""
    return Recovery(
        outcome=Outcome.UNDONE,
        message=f"An interrupted write of plan {journal.plan_id} was undone; commit the plan again.{left}",
        plan_id=journal.plan_id,
        kept=named,
    )


def finish(repository: Repository, journal: Journal, before: Callable[[], None] | None = None) -> None:
    """Drop the lock, the journal and the prepared files, in this order; `before` runs while the journal is there."""
    drop_index_lock(repository, journal.lock_token)
    if before is not None:
        before()
    remove_journal(repository)
    clear(repository, Path(journal.work))


def require_idle(repository: Repository) -> None:
    """Raise `StillRunningError` while the journal's writer, or a git that it started, is running."""
    require_ended(git_folder(repository))


def find_commit(repository: Repository, journal: Journal) -> str | None:
    """The commit that the journal's plan became, on HEAD or on the branch that it was written on; None if none did."""
    head = repository.objects.find("HEAD")
    if head is None or journal.stage or head.oid == journal.head:
        return None
    newest = decode(head.data.partition(b"\n\n")[2])
    if names_plan(newest, journal.plan_id):
        return head.oid
    starts = ["HEAD", *([journal.branch] if journal.branch and _exists(repository, journal.branch) else [])]
    excluded = [f"^{journal.head}"] if journal.head else []
    listed = repository.git.run(
        "log", f"--max-count={_LOOKED_AT}", "-z", "--format=%H%n%B", "--end-of-options", *starts, *excluded
    ).stdout
    for record in decode(listed).split("\0"):
        oid, _, message = record.partition("\n")
        if oid and names_plan(message, journal.plan_id):
            return oid
    return None


def _exists(repository: Repository, ref: str) -> bool:
    return (
        repository.git.run("rev-parse", "--verify", "--quiet", "--end-of-options", ref, check=False).status
        == 0
    )


def _is_staged(repository: Repository, journal: Journal) -> bool:
    """Whether everything that was to be staged is."""
    if not journal.stage:
        return False
    staged = staged_blobs(repository, (file.path for file in journal.files))
    return all(staged.get(file.path) == file.after for file in journal.files)


def complete_index(repository: Repository, journal: Journal) -> None:
    """Make git's index hold what the commit holds, where it does not yet."""
    prepared = git_folder(repository) / "index"
    if holds_index_lock(repository, journal.lock_token):
        if prepared.exists():
            with storage_errors(prepared):
                prepared.replace(index_path(repository))
        return
    if journal.stage:
        return
    standing = set(_in_head(repository, journal))
    paths = [
        file.path
        for file in journal.files
        if file.path in standing and blob_on_disk(repository, file.path) == file.after
    ]
    if paths:
        retry_on_index_lock(repository, lambda: add_to_index(repository, paths))


def _in_head(repository: Repository, journal: Journal) -> list[str]:
    """Files of the write that HEAD holds as they were to be."""
    head = TreeSnapshot.of_head(repository)
    return [
        file.path
        for file in journal.files
        if (entry := head.entry(file.path)) is not None and entry.oid == file.after
    ]
