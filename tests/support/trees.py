"""Whole trees written straight into the object store, whatever their names and modes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pygit2

Content = bytes | tuple[str, bytes]


class TreeWriter:
    """Writes trees and commits of one repository without a working tree."""

    def __init__(self, root: Path) -> None:
        self._repo = pygit2.Repository(str(root))

    def tree(self, files: Mapping[str, Content]) -> str:
        """Store the tree of `files` (repository path → bytes, or mode and bytes) and return its id."""
        folders: dict[str, dict[str, Content]] = {}
        entries: list[tuple[bytes, bytes, bytes]] = []
        for path, content in files.items():
            name, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(name, {})[rest] = content
            else:
                mode, data = content if isinstance(content, tuple) else ("100644", content)
                oid = data.decode() if mode == "160000" else self._blob(data)
                entries.append((mode.encode(), name.encode("utf-8", "surrogateescape"), bytes.fromhex(oid)))
        entries += [
            (b"40000", name.encode("utf-8", "surrogateescape"), bytes.fromhex(self.tree(below)))
            for name, below in folders.items()
        ]
        entries.sort(key=lambda entry: entry[1] + (b"/" if entry[0] == b"40000" else b""))
        raw = b"".join(mode + b" " + name + b"\0" + oid for mode, name, oid in entries)
        return str(self._repo.write(pygit2.enums.ObjectType.TREE, raw))

    def commit(self, tree: str, *parents: str, ref: str | None = None) -> str:
        """Store a commit of a tree and return its id; `ref` is moved to it."""
        who = pygit2.Signature("Rae Rivers", "rae@example.com", 1_780_000_000, 0)
        made = str(self._repo.create_commit(None, who, who, "change", tree, list(parents)))
        if ref is not None:
            self._repo.references.create(ref, made, force=True)
        return made

    def _blob(self, data: bytes) -> str:
        return str(self._repo.create_blob(data))
