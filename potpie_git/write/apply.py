"""Writes a plan to the tree and commits it: every file or none, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from potpie_git.domain.errors import ConflictError, PotpieError, RefusedError, StorageError
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.domain.plan import Plan
from potpie_git.store.errors import storage_errors
from potpie_git.store.git import CompletedGit
from potpie_git.store.objects import hash_object
from potpie_git.store.repository import PotEntryKind, Repository
from potpie_git.write.base import Base
from potpie_git.write.indexlock import index_path, take_index_lock
from potpie_git.write.journal import Journal, JournalFile, remove_journal, write_journal
from potpie_git.write.liveness import marked_alive
from potpie_git.write.message import commit_message
from potpie_git.write.recovery import complete_index, find_commit, finish, settle
from potpie_git.write.staging import (
    index_of_commit,
    index_with_plan,
    require_exact,
    require_unstaged,
    staged_changes,
    store_blobs,
)
from potpie_git.write.workspace import (
    blob_on_disk,
    clear,
    git_folder,
    missing_folders,
    move_in,
    prepare,
    work_folder,
)

_UNDER_WAY: Final = {
    "MERGE_HEAD": ("a merge", "git merge --abort"),
    "CHERRY_PICK_HEAD": ("a cherry-pick", "git cherry-pick --abort"),
    "REVERT_HEAD": ("a revert", "git revert --abort"),
    "rebase-merge": ("a rebase", "git rebase --abort"),
    "rebase-apply": ("a rebase or `git am`", "git rebase --abort"),
}
_SHOWN_OUTPUT: Final = 4_000


class CommitRefusedError(RefusedError):
    """`git commit` failed: a hook, signing, or git itself objected. `detail["output"]` is what they said."""

    code = "commit_refused"


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a plan's files: the commit that holds them, or None if they are only staged.

    `notes` tell what is still to be done, where the disk refused after the commit was made.
    """

    commit: str | None
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()


def apply_plan(base: Base, plan: Plan, *, stage: bool, saved: Callable[[str | None], None]) -> Applied:
    """Write the plan's files and commit them; with `stage`, leave committing to the user.

    The caller holds the write lock and has checked the plan against `base`. `saved` is called with the commit's id
    before the journal goes, so that the plan's own state is never behind.
    Raises `ConflictError`, `LockedError`, `StorageError`, `RefusedError`; the tree is then as it was.
    """
    repository = base.repository
    require_fit(repository, plan, stage)
    work = work_folder(repository)
    prepare(repository, work, plan.edits)
    journal = _journal_of(base, plan, work, stage)
    with ExitStack() as undoing:
        undoing.callback(clear, repository, work)
        store_blobs(repository, plan.edits)
        undoing.callback(remove_journal, repository)
        write_journal(repository, journal)
        undoing.pop_all()
        undoing.callback(settle, repository, journal)
        with marked_alive(git_folder(repository)) as descriptors:
            commit = _write(repository, plan, journal, descriptors)
        notes = _conclude(repository, journal, lambda: saved(commit))
        undoing.pop_all()
    return Applied(commit, tuple(f"{POT_DIRECTORY}/{edit.path}" for edit in plan.edits), notes)


def require_fit(repository: Repository, plan: Plan, stage: bool) -> None:
    """Refuse what would fail half-way: an unfinished merge, a pot that is no directory or is ignored, no identity."""
    for name, (what, abort) in _UNDER_WAY.items():
        if (repository.git_dir / name).exists():
            raise ConflictError(
                f"{what} is under way",
                hint=f"Finish it, or abort it with `{abort}`; then run this again.",
                code="operation_in_progress",
            )
    kind = repository.pot_entry_kind()
    if kind is not PotEntryKind.DIRECTORY:
        raise RefusedError(f"{POT_DIRECTORY} is {kind.value}, not a directory", code="unsafe_path")
    ignored = repository.ignored(edit.path for edit in plan.edits if edit.before is None)
    if ignored:
        raise RefusedError(
            f"git ignores {POT_DIRECTORY}/{ignored[0]}, so it would never be committed",
            hint=f"Remove the rule that `git check-ignore -v {POT_DIRECTORY}/{ignored[0]}` names.",
            code="ignored_pot",
            detail={"files": [f"{POT_DIRECTORY}/{path}" for path in ignored]},
        )
    if not stage and repository.user_identity() is None:
        raise RefusedError(
            "git does not know who you are, and would refuse the commit",
            hint="Set both: `git config --global user.name NAME` and `git config --global user.email ADDRESS`.",
            code="no_identity",
        )


def _journal_of(base: Base, plan: Plan, work: Path, stage: bool) -> Journal:
    return Journal(
        plan_id=plan.plan_id,
        mutation_id=plan.mutation_id,
        stage=stage,
        head=base.head,
        branch=base.branch,
        work=str(work),
        files=[
            JournalFile(path=edit.path, before=edit.before, after=hash_object("blob", edit.after.encode()))
            for edit in plan.edits
        ],
        folders=missing_folders(base.repository, (edit.path for edit in plan.edits)),
    )


def _write(repository: Repository, plan: Plan, journal: Journal, descriptors: tuple[int, ...]) -> str | None:
    """Everything between the journal and its removal; returns the commit's id."""
    take_index_lock(repository, journal.lock_token)
    if repository.head() != journal.head:
        raise ConflictError("somebody committed in the meantime", hint="Propose again.")
    _require_unchanged(repository, journal)
    staged = staged_changes(repository, journal.head)
    require_unstaged(journal, staged)
    move_in(repository, journal)
    index = index_with_plan(repository, journal)
    if journal.stage:
        _swap(repository, index)
        return None
    for_commit = index if not staged else index_of_commit(repository, journal)
    require_exact(repository, journal, for_commit)
    return _commit(repository, plan, journal, for_commit, descriptors)


def _conclude(repository: Repository, journal: Journal, saved: Callable[[], None]) -> tuple[str, ...]:
    """What is left to do when the files are committed or staged: they are, whatever goes wrong from here on."""
    try:
        complete_index(repository, journal)
        finish(repository, journal, saved)
    except StorageError:
        try:
            settle(repository, journal)
        except PotpieError as error:
            return (f"The next command completes this: {error.message}",)
    return ()


def _require_unchanged(repository: Repository, journal: Journal) -> None:
    """Refuse if a file on disk is not what the plan was computed against."""
    moved = [file.path for file in journal.files if blob_on_disk(repository, file.path) != file.before]
    if moved:
        named = [f"{POT_DIRECTORY}/{path}" for path in moved]
        raise ConflictError(
            f"{named[0]} is not what the plan was computed against",
            hint="Propose again.",
            detail={"files": named},
        )


def _commit(
    repository: Repository, plan: Plan, journal: Journal, index: Path, descriptors: tuple[int, ...]
) -> str:
    """Let git commit `index`, with the user's hooks, identity and signing; returns the commit's id."""
    message = git_folder(repository) / "message"
    with storage_errors(message):
        message.write_text(commit_message(plan), encoding="utf-8")
    done = repository.git.user_run(
        "commit",
        "--quiet",
        "--cleanup=whitespace",
        f"--file={message}",
        *([f"--author={plan.author}"] if plan.author else []),
        check=False,
        env={"GIT_INDEX_FILE": str(index)},
        keep_open=descriptors,
    )
    if done.status:
        raise _refused(plan, done)
    commit = find_commit(repository, journal)
    if commit is None:
        raise CommitRefusedError(
            "git commit succeeded, and its commit is not on HEAD",
            hint="Look at `git reflog`; a hook may have moved HEAD.",
        )
    _require_parent(repository, journal, commit)
    return commit


def _require_parent(repository: Repository, journal: Journal, commit: str) -> None:
    """Take the commit back if HEAD moved between our reading it and git's: it would undo somebody else's commit."""
    lines = repository.objects.read(commit).data.partition(b"\n\n")[0].split(b"\n")
    parents = [line[7:].decode() for line in lines if line.startswith(b"parent ")]
    if parents == ([journal.head] if journal.head else []):
        return
    old = parents[0] if parents else ""
    repository.git.run("update-ref", "-m", "potpie: take back", "HEAD", old, commit)
    raise ConflictError("somebody committed in the meantime", hint="Propose again.")


def _refused(plan: Plan, done: CompletedGit) -> CommitRefusedError:
    said = "\n".join(
        part.decode("utf-8", "replace").strip() for part in (done.stdout, done.stderr) if part.strip()
    )
    first = next((line for line in said.splitlines() if line.strip()), "no message")
    return CommitRefusedError(
        f"git commit was refused: {first}",
        hint=f"Mend what it says, then run `git potpie graph commit {plan.plan_id}` again. Nothing was written.",
        detail={"output": said[:_SHOWN_OUTPUT], "status": done.status},
    )


def _swap(repository: Repository, index: Path) -> None:
    """Make the prepared index git's own, in one step, under its lock."""
    target = index_path(repository)
    with storage_errors(target):
        index.replace(target)
