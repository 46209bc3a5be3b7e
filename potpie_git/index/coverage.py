"""Which files of a snapshot the claims table has rows for, told from the ids of git trees.

A directory is covered once every file in it has a row. Its mark is a digest of path and tree id, so it holds for every
snapshot, branch and worktree that has the same directory; finding what is new costs what has changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from potpie_git.domain.layout import CLAIMS
from potpie_git.index.storage import replace_file
from potpie_git.store.snapshot import Entry, Snapshot

_MARK = 16
# 256 KiB; a pot has at most some 2,000 directories at a time, and every change of one claim adds three marks.
MOST_MARKS = 16_384


def mark_of(path: str, tree: str) -> bytes:
    return hashlib.blake2b(f"{path}\0{tree}".encode("utf-8", "surrogateescape"), digest_size=_MARK).digest()


@dataclass(slots=True)
class Uncovered:
    """Files without a known row, and the marks that hold once they have one."""

    entries: list[Entry] = field(default_factory=list)
    marks: list[bytes] = field(default_factory=list)


def uncovered(snapshot: Snapshot, covered: frozenset[bytes] | set[bytes]) -> Uncovered:
    """The claim files in directories that are not covered; only those directories are looked into."""
    found = Uncovered()
    _descend(snapshot, CLAIMS, covered, found)
    return found


def _descend(snapshot: Snapshot, path: str, covered: frozenset[bytes] | set[bytes], found: Uncovered) -> None:
    directory = snapshot.directory(path)
    if directory is None:
        return
    mark = mark_of(path, directory.oid)
    if mark in covered:
        return
    for node in directory.nodes:
        below = f"{path}/{node.name}"
        if not node.is_tree:
            found.entries.append(Entry(below, node.mode, node.oid))
        elif mark_of(below, node.oid) not in covered:
            _descend(snapshot, below, covered, found)
    found.marks.append(mark)


def all_marks(snapshot: Snapshot) -> list[bytes]:
    """The marks of every directory of claims in the snapshot."""
    return uncovered(snapshot, frozenset()).marks


def read_marks(folder: Path) -> frozenset[bytes]:
    """The covered directories of one build; none if that cannot be read, so that every file is looked at again."""
    try:
        raw = (folder / "covered").read_bytes()
    except OSError:
        return frozenset()
    digest, body = raw[:_MARK], raw[_MARK:]
    if _checksum(body) != digest or len(body) % _MARK:
        return frozenset()
    return frozenset(_pieces(body))


def write_marks(folder: Path, marks: Iterable[bytes]) -> None:
    """Replace the covered directories of one build in one step. Raises `StorageError`."""
    body = b"".join(sorted(marks))
    replace_file(folder / "covered", _checksum(body) + body)


def _pieces(body: bytes) -> Iterator[bytes]:
    return (body[start : start + _MARK] for start in range(0, len(body), _MARK))


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_MARK).digest()
