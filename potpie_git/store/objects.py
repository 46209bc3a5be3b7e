"""Reads single git objects quickly: one `git cat-file --batch` stays open, and directories are remembered.

A lookup costs some tens of microseconds, in every kind of repository that git itself can read.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Final, NamedTuple
from weakref import finalize

from potpie_git.domain.errors import InvalidInputError
from potpie_git.store.batch import GitObject, end, last_words, read_answer
from potpie_git.store.errors import CorruptObjectError
from potpie_git.store.git import Git, decode, encode

TREE_MODE: Final = "40000"
FILE_MODE: Final = "100644"
EXECUTABLE_MODE: Final = "100755"
SYMLINK_MODE: Final = "120000"
SUBMODULE_MODE: Final = "160000"
_USUAL_MODES: Final = {TREE_MODE, FILE_MODE, EXECUTABLE_MODE, SYMLINK_MODE, SUBMODULE_MODE}
_OCTAL: Final = re.compile(r"[0-7]{1,11}")
_TYPE_BITS: Final = 0o170000
_DIRECTORY_BITS: Final = 0o040000
# Git writes it where the content of a working file is not known.
ZERO_OID: Final = "0" * 40
_REMEMBERED_DIRECTORIES: Final = 4096


class TreeNode(NamedTuple):
    """One entry of a tree object, as it stands there: name, mode ('40000', '100644', ...) and object id."""

    name: str
    mode: str
    oid: str

    @property
    def is_tree(self) -> bool:
        """Whether git takes it for a directory; it reads any octal mode, also one that it would not write."""
        return self.mode == TREE_MODE or (
            self.mode not in _USUAL_MODES and int(self.mode, 8) & _TYPE_BITS == _DIRECTORY_BITS
        )


@dataclass(frozen=True)
class Directory:
    """The entries of one tree, in the order of the tree; `oid` is the tree's id."""

    oid: str
    nodes: tuple[TreeNode, ...]

    @cached_property
    def by_name(self) -> dict[str, TreeNode]:
        return {node.name: node for node in self.nodes}

    @classmethod
    def of(cls, nodes: Iterable[TreeNode]) -> Directory:
        """The directory of these entries, with the id that git would give it."""
        ordered = tuple(sorted(nodes, key=tree_order))
        parts = (encode(f"{node.mode} {node.name}") + b"\0" + bytes.fromhex(node.oid) for node in ordered)
        return cls(hash_object("tree", b"".join(parts)), ordered)


class ObjectReader:
    """Objects of one repository, read through one long-lived process.

    Safe to use from several threads. Raises `MissingObjectError` for what this clone lacks and
    `GitError` if git itself fails.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._directories: OrderedDict[str, Directory] = OrderedDict()

    def find(self, name: str, limit: int | None = None) -> GitObject | None:
        """Return the object that `name` (an id, a ref, `HEAD^{tree}`) stands for, or None if there is none.

        With a `limit` in bytes, content is cut one byte past it.
        """
        if "\n" in name or "\0" in name:
            raise InvalidInputError(f"{name!r} is not the name of an object")
        with self._lock:
            process = self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            # Whatever interrupts the exchange leaves an answer behind that belongs to nobody: start afresh then.
            self._process = None
            try:
                process.stdin.write(encode(name) + b"\n")
                process.stdin.flush()
                answer = read_answer(process.stdout, limit)
            except (EOFError, BrokenPipeError):
                raise self._git.ended_early(process, name) from None
            self._process = process
            return answer

    def read(self, oid: str, limit: int | None = None) -> GitObject:
        """Like `find`, for an object that has to be there."""
        found = self.find(oid, limit)
        if found is None:
            raise self._git.missing_object(oid)
        return found

    def directory(self, oid: str, *, remember: bool = True) -> Directory:
        """Return a tree by its id. `remember=False` for a walk that passes every tree once."""
        known = self._directories.get(oid)
        if known is not None:
            return known
        found = self.read(oid)
        if found.kind != "tree":
            raise CorruptObjectError(f"object {oid} is a {found.kind} where a tree belongs")
        directory = Directory(found.oid, tuple(parse_tree(found.oid, found.data)))
        if remember:
            self._directories[oid] = directory
            if len(self._directories) > _REMEMBERED_DIRECTORIES:
                self._directories.popitem(last=False)
        return directory

    def peel(self, found: GitObject) -> GitObject:
        """Follow tags to what they name."""
        while found.kind == "tag":
            found = self.read(_first_header(found, "object"))
        return found

    def tree_of(self, found: GitObject) -> str:
        """Return the id of the tree that a commit holds, or that a tree is."""
        if found.kind == "commit":
            return _first_header(found, "tree")
        if found.kind != "tree":
            raise CorruptObjectError(f"object {found.oid} is a {found.kind} where a commit or a tree belongs")
        return found.oid

    def close(self) -> None:
        """End the process; the next lookup starts another."""
        with self._lock:
            process, self._process = self._process, None
            if process is not None:
                _stop(process, self._owner)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid():
            self._process = self._git.start("cat-file", "--batch")
            self._owner = os.getpid()
            finalize(self, _stop, self._process, self._owner)
        return self._process


def parse_tree(oid: str, data: bytes) -> list[TreeNode]:
    """The entries of a raw tree object; raises `CorruptObjectError` if it does not have a tree's form."""
    width = len(oid) // 2
    nodes: list[TreeNode] = []
    usual = {mode.encode(): mode for mode in _USUAL_MODES}
    at, end_of_data = 0, len(data)
    while at < end_of_data:
        space = data.find(b" ", at)
        nul = data.find(b"\0", space)
        after = nul + 1 + width
        raw = data[at:space]
        mode = usual.get(raw) or raw.decode("ascii", "replace")
        if space < 0 or nul < 0 or after > end_of_data or not (raw in usual or _OCTAL.fullmatch(mode)):
            raise CorruptObjectError(f"tree {oid} is cut or malformed")
        nodes.append(TreeNode(decode(data[space + 1 : nul]), mode, data[nul + 1 : after].hex()))
        at = after
    return nodes


def tree_order(node: TreeNode) -> bytes:
    """The sort key of git trees: names as bytes, a directory's with a slash behind it."""
    return encode(f"{node.name}/" if node.is_tree else node.name)


def hash_object(kind: str, data: bytes) -> str:
    """The id that git gives to an object of this kind and content, without any conversion."""
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()


def _first_header(found: GitObject, key: str) -> str:
    first = found.data.partition(b"\n")[0].decode("ascii", "replace")
    name, _, value = first.partition(" ")
    if name != key:
        raise CorruptObjectError(f"{found.kind} {found.oid} does not begin with its {key}")
    return value


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    """End the process that `owner` started; a forked child leaves its parent's alone."""
    if os.getpid() == owner:
        end(process)
        last_words(process)
