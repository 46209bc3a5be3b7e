"""Indexes for a plan's commit, made beside git's own: the commit holds the plan's files and nothing else staged."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from potpie_git.domain.errors import ConflictError, RefusedError
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.domain.plan import FileEdit
from potpie_git.store.errors import storage_errors
from potpie_git.store.git import decode, encode
from potpie_git.store.objects import FILE_MODE
from potpie_git.store.repository import Repository
from potpie_git.store.snapshots.index import EMPTY_TREE
from potpie_git.write.indexlock import index_path
from potpie_git.write.journal import Journal
from potpie_git.write.workspace import git_folder

_FAST_IMPORT: Final = ("-c", "fastimport.unpackLimit=1", "fast-import", "--quiet")
# Fewer objects are not worth a pack.
_MANY: Final = 200
# The C library of most systems would hand memory back after every object, which takes longer than compressing it.
_ROOMY: Final = {"MALLOC_TOP_PAD_": str(4 << 20)}
_RAW = ("diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames")


@dataclass(frozen=True, slots=True)
class Staged:
    """What an index holds at a path that HEAD does not: mode and blob id ('000000' and zeros where it is removed)."""

    mode: str
    oid: str


def staged_changes(repository: Repository, head: str | None, index: Path | None = None) -> dict[str, Staged]:
    """What an index (git's own by default) changes in HEAD, by path in the repository."""
    env = {"GIT_INDEX_FILE": str(index)} if index else None
    listed = repository.git.run(*_RAW, head or EMPTY_TREE, "--", env=env).stdout
    fields = iter(decode(listed).split("\0")[:-1])
    changes = {}
    for header, path in zip(fields, fields, strict=True):
        _, mode, _, oid, _ = header.removeprefix(":").split(" ")
        changes[path] = Staged(mode, oid)
    return changes


def require_unstaged(journal: Journal, staged: Mapping[str, Staged]) -> None:
    """Refuse to write files for which something else is staged. Raises `ConflictError` naming them."""
    clashing = [
        path
        for file in journal.files
        if (found := staged.get(path := f"{POT_DIRECTORY}/{file.path}")) is not None
        and not (journal.stage and found.oid == file.before)
    ]
    if clashing:
        raise ConflictError(
            f"{', '.join(clashing[:3])}: something else is staged for this file",
            hint=f"Commit it, or unstage it with `git restore --staged -- {clashing[0]}`; then propose again.",
            code="uncommitted_changes",
            detail={"files": clashing},
        )


def index_with_plan(repository: Repository, journal: Journal) -> Path:
    """A copy of git's index with the plan's files as they are on disk."""
    made = git_folder(repository) / "index"
    _copy(repository, made)
    _add(repository, made, journal)
    return made


def index_of_commit(repository: Repository, journal: Journal) -> Path:
    """An index that holds HEAD and the plan's files, for a work tree where more is staged."""
    made = git_folder(repository) / "commit-index"
    _copy(repository, made)
    env = {"GIT_INDEX_FILE": str(made)}
    # From the copy, so that what git knows about unchanged files on disk is kept.
    source = ("--reset", "-i", journal.head) if journal.head else ("--empty",)
    repository.git.run("read-tree", *source, env=env)
    _add(repository, made, journal)
    return made


def require_exact(repository: Repository, journal: Journal, index: Path) -> None:
    """Prove that a commit of `index` would hold the plan's files, byte for byte, and nothing else.

    Raises `RefusedError` where git would store something else: a filter or an encoding attribute rewrites the
    files, or git was told to look away from them.
    """
    wanted = {f"{POT_DIRECTORY}/{file.path}": Staged(FILE_MODE, file.after) for file in journal.files}
    found = staged_changes(repository, journal.head, index)
    wrong = sorted(path for path in {*wanted, *found} if wanted.get(path) != found.get(path))
    if wrong:
        raise RefusedError(
            f"git would not store {wrong[0]} as it was written",
            hint="Look at `git check-attr -a` and `git ls-files -v` for that path: a filter, an encoding, a sparse "
            "checkout or an assume-unchanged mark stands in the way.",
            code="content_rewritten",
            detail={"files": wrong},
        )


def _copy(repository: Repository, target: Path) -> None:
    with storage_errors(target):
        try:
            shutil.copyfile(index_path(repository), target)
        except FileNotFoundError:
            # a repository without an index has nothing staged
            target.unlink(missing_ok=True)


def _add(repository: Repository, index: Path, journal: Journal) -> None:
    add_to_index(repository, (file.path for file in journal.files), {"GIT_INDEX_FILE": str(index)})


def add_to_index(repository: Repository, paths: Iterable[str], env: Mapping[str, str] | None = None) -> None:
    """Stage files of the pot as they are on disk, whatever ignore rules say."""
    listed = b"".join(encode(f"{POT_DIRECTORY}/{path}") + b"\0" for path in paths)
    repository.git.run("update-index", "--add", "-z", "--stdin", input=listed, env=env)


def store_blobs(repository: Repository, edits: Sequence[FileEdit]) -> None:
    """Put the contents of many edits into the object store as one pack; a few are as quickly stored one by one.

    What git finds there when it stages the files it need not write again: one file instead of thousands.
    """
    if len(edits) < _MANY:
        return
    contents = [edit.after.encode() for edit in edits]
    stream = b"".join(b"blob\ndata %d\n%b\n" % (len(raw), raw) for raw in contents)
    repository.git.run(*_FAST_IMPORT, input=stream, env=_ROOMY)
