"""The files of a write, prepared aside and moved into the tree: nothing half written is ever to be seen."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.domain.plan import FileEdit
from potpie_git.store.errors import UnsafePathError, storage_errors
from potpie_git.store.objects import hash_object
from potpie_git.store.repository import Repository
from potpie_git.write.journal import Journal, JournalFile

_NAME: Final = "writing"
_BESIDE: Final = ".writing"
_NEW, _OLD = "new", "old"


def git_folder(repository: Repository) -> Path:
    """Where indexes are prepared: on the file system of the git directory."""
    return repository.state_dir / _NAME


def work_folder(repository: Repository) -> Path:
    """Where files are prepared: on the file system of the working tree, so that moving them is one step.

    That is the state directory, unless a linked work tree or a separate git directory puts it elsewhere.
    """
    state, pot = repository.state_dir, repository.potpie_dir
    with storage_errors(state):
        state.mkdir(parents=True, exist_ok=True)
        together = state.stat().st_dev == pot.stat().st_dev
    return git_folder(repository) if together else pot / _BESIDE


def prepare(repository: Repository, work: Path, edits: Sequence[FileEdit]) -> None:
    """Write every new content aside. Raises `StorageError`, with nothing left behind."""
    clear(repository, work)
    with storage_errors(work):
        try:
            git_folder(repository).mkdir(parents=True)
            (work / _NEW).mkdir(parents=True)
            (work / _OLD).mkdir()
            for number, edit in enumerate(edits):
                (work / _NEW / str(number)).write_bytes(edit.after.encode())
        except OSError:
            clear(repository, work)
            raise


def clear(repository: Repository, work: Path) -> None:
    """Remove what was prepared."""
    for folder in (work, git_folder(repository)):
        with storage_errors(folder):
            if folder.exists():
                shutil.rmtree(folder)


def missing_folders(repository: Repository, paths: Iterable[str]) -> list[str]:
    """Folders of the pot that these files need and that are not there, parents first.

    Raises `UnsafePathError` where something else than a directory stands in their place.
    """
    found: dict[str, None] = {}
    seen: set[str] = set()
    for path in paths:
        parts = path.split("/")[:-1]
        for depth in range(len(parts)):
            folder = "/".join(parts[: depth + 1])
            if folder in seen:
                continue
            seen.add(folder)
            if not _is_folder(repository, folder):
                found[folder] = None
    return list(found)


def _is_folder(repository: Repository, folder: str) -> bool:
    place = repository.potpie_dir / folder
    with storage_errors(place):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise UnsafePathError(f"{POT_DIRECTORY}/{folder} is not a directory")
        return place.exists()


def move_in(repository: Repository, journal: Journal) -> None:
    """Move the prepared files into the tree, each in one step; what they replace is kept aside."""
    work = Path(journal.work)
    for folder in journal.folders:
        place = repository.potpie_dir / folder
        with storage_errors(place):
            place.mkdir(exist_ok=True)
    for number, file in enumerate(journal.files):
        place = repository.potpie_dir / file.path
        with storage_errors(place):
            if place.is_symlink():
                raise UnsafePathError(f"{POT_DIRECTORY}/{file.path} is a link")
            if file.before is not None:
                _keep(place, work / _OLD / str(number))
            (work / _NEW / str(number)).replace(place)


def _keep(place: Path, aside: Path) -> None:
    try:
        os.link(place, aside)
    except OSError:
        # not every file system has hard links
        shutil.copy2(place, aside)


def move_out(repository: Repository, journal: Journal, committed: Iterable[str]) -> list[str]:
    """Put the tree back as it was; returns files that somebody changed since and that are left alone.

    Files in `committed` hold what a commit holds as well, and stay.
    """
    kept, stay = [], set(committed)
    for number, file in enumerate(journal.files):
        now = blob_on_disk(repository, file.path)
        if now == file.before or file.path in stay:
            continue
        if now != file.after:
            kept.append(file.path)
            continue
        _restore(repository, journal, number, file)
    for folder in reversed(journal.folders):
        _remove_empty(repository.potpie_dir / folder)
    return kept


def _restore(repository: Repository, journal: Journal, number: int, file: JournalFile) -> None:
    place = repository.potpie_dir / file.path
    with storage_errors(place):
        if file.before is None:
            place.unlink()
            return
        aside = Path(journal.work) / _OLD / str(number)
        if not aside.exists():
            aside.parent.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(repository.objects.read(file.before).data)
        aside.replace(place)


def _remove_empty(folder: Path) -> None:
    with storage_errors(folder):
        try:
            if not any(folder.iterdir()):
                folder.rmdir()
        except FileNotFoundError:
            return


def blob_on_disk(repository: Repository, path: str) -> str | None:
    """The blob id of a file of the pot as it is on disk; None if there is none. Links are not followed."""
    place = repository.potpie_dir / path
    with storage_errors(place):
        if place.is_symlink():
            return "link"
        try:
            return hash_object("blob", place.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
