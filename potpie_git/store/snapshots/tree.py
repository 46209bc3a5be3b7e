"""A pot as it stands in a commit or a tree."""

from __future__ import annotations

from collections.abc import Iterator

from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.names import is_look_alike
from potpie_git.store.objects import Directory, TreeNode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshots.base import DirectorySnapshot, Entry, walk_tree


class TreeSnapshot(DirectorySnapshot):
    """The pot in the tree of `rev`: a commit, a tag or a tree of the whole repository; None stands for the empty tree.

    `commit` is the id of the commit that `rev` named, if it named one, and `root_tree` that of the whole tree; both are
    None for the empty tree. Directories are read when they are asked for. Raises `UnknownRevisionError`.
    """

    def __init__(self, repo: Repository, rev: str | None, *, name: str | None = None) -> None:
        super().__init__(repo)
        resolved = repo.resolve(rev) if rev is not None else None
        self.commit = resolved.commit if resolved else None
        self.root_tree = resolved.tree if resolved else None
        oid = self.commit or self.root_tree
        words = [name if name is not None else rev or "", oid[:7] if oid else "(no commit yet)"]
        self._label = " ".join(word for word in words if word and word != oid)

    @classmethod
    def of_head(cls, repo: Repository) -> TreeSnapshot:
        """The pot at HEAD; on an unborn branch an empty one."""
        return cls(repo, repo.head(), name="HEAD")

    @property
    def label(self) -> str:
        return self._label

    def directory(self, path: str) -> Directory | None:
        pot = self._pot()
        if pot is None or not pot.is_tree:
            return None
        oid = pot.oid
        for name in filter(None, path.split("/")):
            node = self.repo.objects.directory(oid).by_name.get(name)
            if node is None or not node.is_tree:
                return None
            oid = node.oid
        return self.repo.objects.directory(oid)

    def walk(self, path: str) -> Iterator[Entry]:
        oid = self.subtree(path)
        if oid is not None:
            yield from walk_tree(self.repo, oid, path)

    def pot_mode(self) -> str | None:
        pot = self._pot()
        return pot.mode if pot else None

    def look_alikes(self) -> list[str]:
        root = self._root()
        return sorted(node.name for node in root.nodes if is_look_alike(node.name)) if root else []

    def _root(self) -> Directory | None:
        return self.repo.objects.directory(self.root_tree) if self.root_tree else None

    def _pot(self) -> TreeNode | None:
        root = self._root()
        return root.by_name.get(POT_DIRECTORY) if root else None
