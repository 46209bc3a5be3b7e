"""What a snapshot of a pot is, and how the three kinds share one walk over directories.

Paths are POSIX text relative to `.potpie/`; '' is the pot itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from potpie_git.domain.errors import NotFoundError
from potpie_git.store.errors import UnsafePathError
from potpie_git.store.objects import SUBMODULE_MODE, Directory, TreeNode
from potpie_git.store.repository import Repository

# No governed file may be larger. Reads are cut one byte past it, so that what is too large shows and is never loaded.
READ_LIMIT: Final = 64 * 1024
# A governed file lies three directories deep.
MAX_DEPTH: Final = 32
# Up to here one batch costs more in starting its process than it saves.
_FEW: Final = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a snapshot: path, git mode ('100644', '120000' for a link, ...) and blob id."""

    path: str
    mode: str
    oid: str


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one path; `before` is None for a new file, `after` for a removed one."""

    path: str
    before: Entry | None
    after: Entry | None


class Snapshot(Protocol):
    """A pot as it stands in a commit, in the index, or in the working tree; it does not change once it was read."""

    @property
    def label(self) -> str:
        """A name for messages: 'HEAD 1a2b3c4', 'index', 'working tree'."""

    def exists(self) -> bool:
        """Whether there is a pot: at least one file under `.potpie/`."""

    def entry(self, path: str) -> Entry | None:
        """The file at `path`, or None."""

    def entries(self, prefix: str = "") -> Iterator[Entry]:
        """Every file under the directory (or the one file) `prefix`, sorted by the bytes of its path."""

    def names(self, directory: str) -> list[str]:
        """Names of the files and directories in one directory, sorted; empty if it does not exist."""

    def read(self, path: str) -> bytes:
        """Content of a file, cut one byte past `READ_LIMIT`; raises `NotFoundError`."""

    def read_many(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Contents of many files of this snapshot, in the given order, each cut one byte past `READ_LIMIT`."""

    def subtree(self, prefix: str) -> str | None:
        """The git tree id of a directory; None if it does not exist."""

    def directory(self, path: str) -> Directory | None:
        """The entries of one directory with its tree id; None if it does not exist."""

    def pot_mode(self) -> str | None:
        """The git mode of what stands at `.potpie` ('40000' for a directory); None if nothing does."""

    def look_alikes(self) -> list[str]:
        """Names beside `.potpie` that a person or another file system would take for it."""


class DirectorySnapshot(ABC):
    """A snapshot that is known by its directories; the rest follows from them."""

    def __init__(self, repo: Repository) -> None:
        self.repo = repo

    @property
    @abstractmethod
    def label(self) -> str: ...

    @abstractmethod
    def directory(self, path: str) -> Directory | None: ...

    @abstractmethod
    def pot_mode(self) -> str | None: ...

    @abstractmethod
    def look_alikes(self) -> list[str]: ...

    @abstractmethod
    def walk(self, path: str) -> Iterator[Entry]:
        """Every file under a directory, in the order of its tree."""

    def exists(self) -> bool:
        return self.directory("") is not None

    def node(self, path: str) -> TreeNode | None:
        """The tree entry at `path`, a file or a directory; None if there is none, and for the pot itself."""
        parent, _, name = path.rpartition("/")
        directory = self.directory(parent)
        return directory.by_name.get(name) if directory else None

    def entry(self, path: str) -> Entry | None:
        node = self.node(path)
        return None if node is None or node.is_tree else Entry(path, node.mode, node.oid)

    def entries(self, prefix: str = "") -> Iterator[Entry]:
        single = self.entry(prefix)
        return iter((single,)) if single else self.walk(prefix)

    def names(self, directory: str) -> list[str]:
        found = self.directory(directory)
        return sorted(node.name for node in found.nodes) if found else []

    def subtree(self, prefix: str) -> str | None:
        found = self.directory(prefix)
        return found.oid if found else None

    def read(self, path: str) -> bytes:
        entry = self.entry(path)
        if entry is None:
            raise NotFoundError(f"{path} is not in {self.label}", detail={"path": path})
        return self._content(entry)

    def read_many(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        wanted = list(entries)
        for entry in wanted:
            self._require_file(entry)
        kept = {entry: data for entry in wanted if (data := self._at_hand(entry)) is not None}
        missing = [entry.oid for entry in wanted if entry not in kept]
        if len(missing) <= _FEW:
            return ((entry, self._content(entry)) for entry in wanted)
        return self._read_batch(wanted, kept, missing)

    def _read_batch(
        self, wanted: list[Entry], kept: dict[Entry, bytes], missing: list[str]
    ) -> Iterator[tuple[Entry, bytes]]:
        batch = self.repo.git.cat_file_batch(missing, limit=READ_LIMIT)
        for entry in wanted:
            yield entry, kept[entry] if entry in kept else next(batch)[1]

    def _content(self, entry: Entry) -> bytes:
        self._require_file(entry)
        at_hand = self._at_hand(entry)
        return self.repo.objects.read(entry.oid, READ_LIMIT).data if at_hand is None else at_hand

    def _at_hand(self, entry: Entry) -> bytes | None:
        """Content of an entry that need not be, or is not, in the object store."""
        return None

    def _require_file(self, entry: Entry) -> None:
        if entry.mode == SUBMODULE_MODE:
            raise UnsafePathError(
                f"{entry.path} in {self.label} is a repository of its own", detail={"path": entry.path}
            )


def join(directory: str, name: str) -> str:
    """The path of `name` in a directory of the pot."""
    return f"{directory}/{name}" if directory else name


def is_too_deep(path: str) -> bool:
    """Whether a path has more directories than any governed file has, by far."""
    return path.count("/") >= MAX_DEPTH


def require_shallow(path: str) -> None:
    """Raise `UnsafePathError` for a path that `is_too_deep`."""
    if is_too_deep(path):
        raise UnsafePathError(f"{path[:80]}… lies more than {MAX_DEPTH} directories deep")


def is_nameable(name: str) -> bool:
    """Whether a path can name a tree's entry; a tree that was made by hand may hold others."""
    return name != "" and "/" not in name


def walk_tree(repo: Repository, oid: str, path: str) -> Iterator[Entry]:
    """Every file of a tree in the object store, in the order of the tree; `path` stands before each."""
    require_shallow(path)
    for node in repo.objects.directory(oid, remember=False).nodes:
        below = join(path, node.name)
        if node.is_tree:
            yield from walk_tree(repo, node.oid, below)
        else:
            yield Entry(below, node.mode, node.oid)
