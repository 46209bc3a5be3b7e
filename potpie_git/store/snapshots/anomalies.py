"""What no tree of a pot may hold, judged on the names and modes as git stores them.

A commit can be made of any bytes; what a checkout shows of it depends on the file system.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.git import encode
from potpie_git.store.names import folded_name, is_git_directory_name
from potpie_git.store.objects import (
    FILE_MODE,
    SUBMODULE_MODE,
    SYMLINK_MODE,
    TREE_MODE,
    TreeNode,
    tree_order,
)
from potpie_git.store.repository import Repository
from potpie_git.store.snapshots.base import Entry, Snapshot, is_nameable, is_too_deep, join
from potpie_git.store.snapshots.tree import TreeSnapshot


class Problem(StrEnum):
    """What is wrong with one tree entry."""

    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    MODE = "mode"
    NOT_A_DIRECTORY = "not_a_directory"
    UNSAFE_NAME = "unsafe_name"
    GIT_NAME = "git_name"
    DUPLICATE = "duplicate"
    TWIN = "twin"
    DISORDER = "disorder"
    TOO_DEEP = "too_deep"
    LOOK_ALIKE = "look_alike"


@dataclass(frozen=True, slots=True)
class Anomaly:
    """One problem of one entry; `path` is raw bytes, from the root of the repository.

    `other` is the name that a twin cannot be told apart from, or the mode that is not allowed.
    """

    path: bytes
    problem: Problem
    other: str = ""


_PROBLEM_OF_MODE: Final = {SYMLINK_MODE: Problem.SYMLINK, SUBMODULE_MODE: Problem.SUBMODULE}
# Neither short names nor anything that some file system takes for another name can be spelt with these.
_PLAIN_NAMES: Final = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\n(?!\Z)|\Z))+", re.ASCII)
# A separator on some system, a control character, or a byte that is not UTF-8.
_UNSAFE_IN_NAME: Final = re.compile("[/\\\\\x00-\x1f\x7f\udc80-\udcff]")


def anomalies(after: Snapshot, before: Snapshot | None = None) -> list[Anomaly]:
    """Return what is wrong with a snapshot, sorted by path; with `before`, only what is new since then.

    Only directories that differ from those of `before` are read.
    """
    found = {*_at_the_top(after), *_below(after, before, "")}
    if before is not None:
        found.difference_update(_at_the_top(before))
    return _sorted(found)


def tree_anomalies(repo: Repository, tree: str, base: str | None = None) -> list[Anomaly]:
    """`anomalies` of a commit or a tree of the whole repository, since the revision `base` if there is one."""
    return anomalies(TreeSnapshot(repo, tree), TreeSnapshot(repo, base) if base else None)


def entry_anomalies(entries: Iterable[Entry]) -> list[Anomaly]:
    """Return what is wrong with a set of files of the pot, judged among themselves, sorted by path."""
    children: dict[str, dict[str, TreeNode]] = defaultdict(dict)
    for entry in entries:
        path, mode = entry.path, entry.mode
        while path:
            parent, _, name = path.rpartition("/")
            children[parent].setdefault(name, TreeNode(name, mode, entry.oid))
            path, mode = parent, TREE_MODE
    return _sorted(
        anomaly
        for directory, nodes in children.items()
        for anomaly in _in_directory(directory, sorted(nodes.values(), key=tree_order))
    )


def _sorted(found: Iterable[Anomaly]) -> list[Anomaly]:
    return sorted(found, key=lambda anomaly: (anomaly.path, anomaly.problem, anomaly.other))


def _at_the_top(snapshot: Snapshot) -> Iterator[Anomaly]:
    for name in snapshot.look_alikes():
        yield Anomaly(encode(name), Problem.LOOK_ALIKE)
    mode = snapshot.pot_mode()
    if mode is not None and mode != TREE_MODE:
        yield Anomaly(encode(POT_DIRECTORY), _PROBLEM_OF_MODE.get(mode, Problem.NOT_A_DIRECTORY), mode)


def _below(after: Snapshot, before: Snapshot | None, path: str) -> Iterator[Anomaly]:
    new, old = after.directory(path), before.directory(path) if before else None
    if new is None or (old is not None and old.oid == new.oid):
        return
    known = set(_in_directory(path, old.nodes)) if old is not None else set()
    yield from (anomaly for anomaly in _in_directory(path, new.nodes) if anomaly not in known)
    for node in new.nodes:
        if old is not None and old.by_name.get(node.name) == node:
            continue
        below = join(path, node.name)
        if node.is_tree and is_nameable(node.name) and not is_too_deep(below):
            yield from _below(after, before, below)


def _in_directory(path: str, nodes: Sequence[TreeNode]) -> Iterable[Anomaly]:
    """What is wrong with the entries of one directory, in themselves and among each other."""
    return () if is_plain(path, nodes) else looked_at(path, nodes)


def is_plain(path: str, nodes: Sequence[TreeNode]) -> bool:
    """Whether a directory is like those that this program makes, in which nothing can be wrong; judged as a whole.

    A change touches many directories with many entries that it leaves alone; one by one they would cost the most.
    """
    names = [node.name for node in nodes]
    listed = "\n".join(names)
    if not _PLAIN_NAMES.fullmatch(listed) or listed.count("\n") != len(names) - 1:
        return False
    modes = {node.mode for node in nodes}
    if len(set(listed.lower().split("\n"))) != len(names) or not modes <= {FILE_MODE, TREE_MODE}:
        return False
    if TREE_MODE in modes:
        names = [f"{node.name}/" if node.is_tree else node.name for node in nodes]
    return names == sorted(names) and not (TREE_MODE in modes and is_too_deep(f"{path}/directory"))


def looked_at(path: str, nodes: Sequence[TreeNode]) -> Iterator[Anomaly]:
    """The same as `_in_directory`, entry by entry."""
    counts = Counter(node.name for node in nodes)
    alike: dict[str, list[str]] = defaultdict(list)
    for name, count in counts.items():
        alike[folded_name(name)].append(name)
        if count > 1:
            yield _anomaly(path, name, Problem.DUPLICATE)
    for names in alike.values():
        for name in names[1:]:
            yield _anomaly(path, name, Problem.TWIN, names[0])
            yield _anomaly(path, names[0], Problem.TWIN, name)
    for node in nodes:
        for problem, other in _of_node(path, node):
            yield _anomaly(path, node.name, problem, other)
    for (first, _), (second, node) in pairwise((tree_order(node), node) for node in nodes):
        if first > second:
            yield _anomaly(path, node.name, Problem.DISORDER)


def _of_node(path: str, node: TreeNode) -> Iterator[tuple[Problem, str]]:
    if node.mode not in {FILE_MODE, TREE_MODE}:
        yield _PROBLEM_OF_MODE.get(node.mode, Problem.MODE), node.mode
    if node.name in {"", ".", ".."} or _UNSAFE_IN_NAME.search(node.name):
        yield Problem.UNSAFE_NAME, ""
    if is_git_directory_name(node.name):
        yield Problem.GIT_NAME, ""
    if node.is_tree and is_too_deep(f"{path}/{node.name}"):
        yield Problem.TOO_DEEP, ""


def _anomaly(path: str, name: str, problem: Problem, other: str = "") -> Anomaly:
    return Anomaly(encode(f"{join(POT_DIRECTORY, path) if path else POT_DIRECTORY}/{name}"), problem, other)
