"""Reads files of a working tree without following a link and without loading what is too large."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from potpie_git.store.errors import storage_errors
from potpie_git.store.objects import EXECUTABLE_MODE, FILE_MODE, SUBMODULE_MODE, SYMLINK_MODE

# Not there on every platform; the file is looked at before it is opened as well.
_SAFELY: Final = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class WorkFile:
    """A file of a working tree: its git mode, size in bytes, and content cut one byte past the reader's limit.

    A link's content is its target; a repository inside the tree has none.
    """

    mode: str
    size: int
    data: bytes

    @property
    def is_whole(self) -> bool:
        return len(self.data) == self.size


class WorkFiles:
    """The files below one directory, by POSIX paths relative to it. Reads nothing outside that directory."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._real: dict[str, bool] = {"": True}

    def read(self, path: str, limit: int) -> WorkFile | None:
        """Return the file at `path`; None if there is none, or if a link stands where one of its directories would be.

        Devices, pipes and sockets count as absent, as they do for git. Raises `StorageError`.
        """
        if not self._is_real_directory(path.rpartition("/")[0]):
            return None
        place = self._place(path)
        with storage_errors(place):
            try:
                found = place.lstat()
                if stat.S_ISLNK(found.st_mode):
                    target = os.fsencode(place.readlink())
                    return WorkFile(SYMLINK_MODE, len(target), target[: limit + 1])
                if stat.S_ISDIR(found.st_mode):
                    inside = (place / ".git").exists()
                    return WorkFile(SUBMODULE_MODE, 0, b"") if inside else None
                return _read_regular(place, limit) if stat.S_ISREG(found.st_mode) else None
            except (FileNotFoundError, NotADirectoryError):
                return None

    def _is_real_directory(self, path: str) -> bool:
        """Whether `path` and everything above it are directories and not links; remembered."""
        if path not in self._real:
            self._real[path] = all(
                self._is_directory(above) for above in accumulate(path.split("/"), "{}/{}".format)
            )
        return self._real[path]

    def _is_directory(self, path: str) -> bool:
        place = self._place(path)
        with storage_errors(place):
            try:
                return stat.S_ISDIR(place.lstat().st_mode)
            except (FileNotFoundError, NotADirectoryError):
                return False

    def _place(self, path: str) -> Path:
        names = path.split("/")
        # Paths come from git, which refuses such names; a caller's mistake must not leave the directory either.
        if any(name in {"", ".", ".."} for name in names) and path:
            raise ValueError(f"{path!r} is not a path inside a directory")
        return self._root.joinpath(*names)


def _read_regular(place: Path, limit: int) -> WorkFile | None:
    descriptor = os.open(place, _SAFELY)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return None
        parts, left = [], limit + 1
        while left and (part := file.read(min(left, _CHUNK))):
            parts.append(part)
            left -= len(part)
        data = b"".join(parts)
        # A file that grows meanwhile is as large as what was read of it.
        size = max(found.st_size, len(data)) if not left else len(data)
        return WorkFile(EXECUTABLE_MODE if found.st_mode & stat.S_IXUSR else FILE_MODE, size, data)
