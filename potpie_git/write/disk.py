"""The working tree's pot, read from disk file by file: a write costs what it looks at, however large the pot."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from potpie_git.domain.errors import NotFoundError
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.errors import storage_errors
from potpie_git.store.objects import ZERO_OID, hash_object
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import READ_LIMIT, Entry, Snapshot, WorktreeSnapshot
from potpie_git.store.workfiles import WorkFiles

_SPARSE = "info/sparse-checkout"


def working_pot(repository: Repository) -> Snapshot:
    """The pot as the user sees it, for looking up single records.

    Where a sparse checkout may have left files out, git is asked for all of them.
    """
    sparse = (repository.git_dir / _SPARSE).is_file()
    return WorktreeSnapshot(repository) if sparse else DiskSnapshot(repository)


class DiskSnapshot(WorktreeSnapshot):
    """A working tree's pot whose single files and folders are read directly, and remembered.

    What concerns whole trees (ids of directories, look-alikes) is `WorktreeSnapshot`'s.
    """

    def __init__(self, repo: Repository) -> None:
        super().__init__(repo)
        self._work = WorkFiles(repo.root)
        self._entries: dict[str, Entry | None] = {}
        self._raw: dict[str, bytes] = {}
        self._names: dict[str, list[str]] = {}
        self._held: dict[str, frozenset[str]] = {}
        self._real: dict[str, bool] = {}

    def entry(self, path: str) -> Entry | None:
        if path not in self._entries:
            self._entries[path] = self._look(path) if self._may_hold(path) else None
        return self._entries[path]

    def names(self, directory: str) -> list[str]:
        if directory not in self._names:
            self._names[directory] = sorted(self._listed(directory)) if self._is_real(directory) else []
            self._held[directory] = frozenset(self._names[directory])
        return self._names[directory]

    def read(self, path: str) -> bytes:
        if self.entry(path) is None:
            raise NotFoundError(f"{path} is not in {self.label}", detail={"path": path})
        return self._raw[path]

    def read_many(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        for entry in entries:
            yield entry, self.read(entry.path)

    def entries(self, prefix: str = "") -> Iterator[Entry]:
        single = self.entry(prefix) if prefix else None
        if single is not None:
            yield single
            return
        for name in self.names(prefix):
            yield from self.entries(f"{prefix}/{name}" if prefix else name)

    def _may_hold(self, path: str) -> bool:
        """False if the file's folder was listed, and the file was not in it."""
        folder, _, name = path.rpartition("/")
        return folder not in self._held or name in self._held[folder]

    def _is_there(self, path: str) -> bool:
        """A first look, because most of what a write asks for is not there."""
        try:
            os.lstat(f"{self.repo.root}/{POT_DIRECTORY}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            # Reading it says what is wrong.
            return True
        return True

    def _look(self, path: str) -> Entry | None:
        file = self._work.read(f"{POT_DIRECTORY}/{path}", READ_LIMIT) if self._is_there(path) else None
        if file is None:
            return None
        self._raw[path] = file.data
        return Entry(path, file.mode, hash_object("blob", file.data) if file.is_whole else ZERO_OID)

    def _listed(self, directory: str) -> list[str]:
        place = self._place(directory)
        with storage_errors(place):
            try:
                with os.scandir(place) as found:
                    return [entry.name for entry in found]
            except (FileNotFoundError, NotADirectoryError):
                return []

    def _is_real(self, directory: str) -> bool:
        """Whether no link stands on the way to a directory of the pot, nor in its place."""
        if directory not in self._real:
            above = self._is_real(directory.rpartition("/")[0]) if directory else True
            self._real[directory] = above and not self._place(directory).is_symlink()
        return self._real[directory]

    def _place(self, directory: str) -> Path:
        return self.repo.potpie_dir.joinpath(*directory.split("/")) if directory else self.repo.potpie_dir
