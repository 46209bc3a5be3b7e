"""A pot as it stands in the index, the one that the running commit will use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.errors import UnmergedError
from potpie_git.store.git import decode
from potpie_git.store.names import is_look_alike
from potpie_git.store.objects import TREE_MODE, hash_object
from potpie_git.store.repository import Repository
from potpie_git.store.snapshots.base import Entry
from potpie_git.store.snapshots.overlay import OverlaySnapshot
from potpie_git.store.snapshots.tree import TreeSnapshot

EMPTY_TREE: Final = hash_object("tree", b"")
_SETTINGS: Final = (
    "-z",
    "--no-abbrev",
    "--no-renames",
    "--ita-invisible-in-index",
    "--ignore-submodules=none",
)
_NO_MODE: Final = "000000"
_UNMERGED: Final = "U"


@dataclass(frozen=True, slots=True)
class _Staged:
    """What the index changes in HEAD: files of the pot, unfinished merges, and what stands at `.potpie` itself.

    `pot_mode` is the mode of a file, link or submodule at `.potpie`, '000000' if one was removed, None for no change.
    """

    changes: dict[str, Entry | None]
    unmerged: list[str]
    pot_mode: str | None


class IndexSnapshot(OverlaySnapshot):
    """The pot in the index: HEAD with what is staged.

    Inside a hook that is the index of `git commit -a` or `git commit PATH` too. Files that are only announced
    (`git add -N`) are not part of it. Any read raises `UnmergedError` while a merge of the pot's files is unfinished,
    unless `allow_unmerged` takes HEAD's side of them.
    """

    def __init__(self, repo: Repository, *, allow_unmerged: bool = False) -> None:
        super().__init__(repo)
        self._allow_unmerged = allow_unmerged

    @property
    def label(self) -> str:
        return "index"

    @cached_property
    def base(self) -> TreeSnapshot:
        return TreeSnapshot.of_head(self.repo)

    @property
    def changes(self) -> Mapping[str, Entry | None]:
        if self._staged.unmerged and not self._allow_unmerged:
            paths = self._staged.unmerged
            raise UnmergedError(
                f"the merge of {len(paths)} of the pot's files is not finished: {', '.join(paths[:5])}",
                detail={"paths": paths},
            )
        return self._staged.changes

    def unmerged(self) -> list[str]:
        """Paths whose merge is not finished, sorted."""
        return self._staged.unmerged

    def pot_mode(self) -> str | None:
        staged = self._staged.pot_mode
        if staged not in {None, _NO_MODE}:
            return staged
        if self.exists():
            return TREE_MODE
        before = self.base.pot_mode()
        return None if staged == _NO_MODE or before == TREE_MODE else before

    def look_alikes(self) -> list[str]:
        kept = [name for name in self.base.look_alikes() if self._holds(name)]
        added = self._diff(("--name-only", "--diff-filter=A"))
        tops = {path.partition("/")[0] for path in added}
        return sorted({*kept, *filter(is_look_alike, tops)})

    def _holds(self, name: str) -> bool:
        return bool(self.repo.index_git.run("ls-files", "-z", "--", name).stdout)

    @cached_property
    def _staged(self) -> _Staged:
        staged = _Staged({}, [], None)
        fields = iter(self._diff(("--raw",), (POT_DIRECTORY,)))
        pot_mode = None
        for header, repo_path in zip(fields, fields, strict=True):
            _, mode, _, oid, status = header.removeprefix(":").split(" ")
            path = repo_path.removeprefix(POT_DIRECTORY).removeprefix("/")
            if status == _UNMERGED:
                staged.unmerged.append(path)
            elif path:
                staged.changes[path] = None if mode == _NO_MODE else Entry(path, mode, oid)
            else:
                pot_mode = mode
        return _Staged(staged.changes, sorted(set(staged.unmerged)), pot_mode)

    def _diff(self, options: tuple[str, ...], paths: tuple[str, ...] = ()) -> Iterator[str]:
        tree = self.base.root_tree or EMPTY_TREE
        result = self.repo.index_git.run("diff-index", "--cached", *_SETTINGS, *options, tree, "--", *paths)
        return iter(decode(result.stdout).split("\0")[:-1])
