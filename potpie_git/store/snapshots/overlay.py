"""A snapshot that is another one with some files changed: what is computed follows the changes, not the pot."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from potpie_git.store.objects import TREE_MODE, Directory, TreeNode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshots.base import DirectorySnapshot, Entry, join, require_shallow, walk_tree


class OverlaySnapshot(DirectorySnapshot):
    """Changed files over a base.

    Directories without a change are the base's own; the others get the id of the tree that git would write for them,
    and nothing is written.
    """

    def __init__(self, repo: Repository) -> None:
        super().__init__(repo)
        self._computed: dict[str, Directory | None] = {}

    @property
    @abstractmethod
    def base(self) -> DirectorySnapshot: ...

    @property
    @abstractmethod
    def changes(self) -> Mapping[str, Entry | None]:
        """Files that differ from the base: their entry, or None where they are gone."""

    @cached_property
    def _touched(self) -> dict[str, set[str]]:
        """Names with a change in or below them, by directory."""
        touched: dict[str, set[str]] = defaultdict(set)
        for path in self.changes:
            require_shallow(path)
            while path:
                path, _, name = path.rpartition("/")
                touched[path].add(name)
        return dict(touched)

    def directory(self, path: str) -> Directory | None:
        if path not in self._touched:
            return self.base.directory(path)
        if path not in self._computed:
            self._computed[path] = self._overlaid(path)
        return self._computed[path]

    def _overlaid(self, path: str) -> Directory | None:
        found = self.base.directory(path)
        nodes = dict(found.by_name) if found else {}
        for name in self._touched[path]:
            below = join(path, name)
            if below in self.changes:
                entry = self.changes[below]
                if entry is not None:
                    nodes[name] = TreeNode(name, entry.mode, entry.oid)
                elif name in nodes and not nodes[name].is_tree:
                    del nodes[name]
            if below in self._touched:
                directory = self.directory(below)
                if directory is not None:
                    nodes[name] = TreeNode(name, TREE_MODE, directory.oid)
                elif name in nodes and nodes[name].is_tree:
                    del nodes[name]
        return Directory.of(nodes.values()) if nodes else None

    def walk(self, path: str) -> Iterator[Entry]:
        if path not in self._touched:
            yield from self.base.walk(path)
            return
        found = self.directory(path)
        for node in found.nodes if found else ():
            below = join(path, node.name)
            if not node.is_tree:
                yield Entry(below, node.mode, node.oid)
            elif below in self._touched:
                yield from self.walk(below)
            else:
                yield from walk_tree(self.repo, node.oid, below)
