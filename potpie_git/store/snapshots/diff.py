"""The files in which two snapshots differ; its cost follows the difference, because equal trees are not entered."""

from __future__ import annotations

from collections.abc import Iterator

from potpie_git.store.git import encode
from potpie_git.store.objects import TreeNode
from potpie_git.store.snapshots.base import Change, Entry, Snapshot, is_nameable, join, require_shallow


def diff(before: Snapshot, after: Snapshot, prefix: str = "") -> list[Change]:
    """Return the changed files under the directory `prefix`, sorted by the bytes of their paths.

    A moved file is a removal and an addition. Any two kinds of snapshot of one repository can be compared.
    """
    return sorted(_below(before, after, prefix), key=lambda change: encode(change.path))


def _below(before: Snapshot, after: Snapshot, path: str) -> Iterator[Change]:
    require_shallow(path)
    old, new = before.directory(path), after.directory(path)
    if old == new or (old and new and old.oid == new.oid):
        return
    old_nodes, new_nodes = old.by_name if old else {}, new.by_name if new else {}
    for name in old_nodes.keys() | new_nodes.keys():
        first, second = old_nodes.get(name), new_nodes.get(name)
        if first == second:
            continue
        below = join(path, name)
        gone, come = _file(below, first), _file(below, second)
        if gone or come:
            yield Change(below, gone, come)
        if _is_entered(first) or _is_entered(second):
            yield from _below(before, after, below)


def _file(path: str, node: TreeNode | None) -> Entry | None:
    """The node as a file; a directory whose name no path can name is reported as one, not entered."""
    return None if node is None or _is_entered(node) else Entry(path, node.mode, node.oid)


def _is_entered(node: TreeNode | None) -> bool:
    return node is not None and node.is_tree and is_nameable(node.name)
