"""A pot as it stands in the index, the one that the running commit will use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.errors import UnmergedError
from potpie_git.store.git import decode
from potpie_git.store.listing import EMPTY_TREE, list_staged
from potpie_git.store.names import is_look_alike
from potpie_git.store.objects import TREE_MODE
from potpie_git.store.repository import Repository
from potpie_git.store.snapshots.base import Entry
from potpie_git.store.snapshots.overlay import OverlaySnapshot
from potpie_git.store.snapshots.tree import TreeSnapshot

_NO_MODE: Final = "000000"
_POT: Final = POT_DIRECTORY.encode()
_IN_POT: Final = _POT + b"/"
_ADDED: Final = b" A"


@dataclass(slots=True)
class _Staged:
    """What the index changes in HEAD: files of the pot, unfinished merges, and names at the top of the repository.

    `pot_mode` is the mode of a file, link or submodule at `.potpie`, '000000' if one was removed, None for no change.
    """

    changes: dict[str, Entry | None] = field(default_factory=dict)
    unmerged: list[str] = field(default_factory=list)
    new_tops: set[str] = field(default_factory=set)
    pot_mode: str | None = None

    def note(self, path: str, _old_mode: str, mode: str, _old_oid: str, oid: str, status: str) -> None:
        """Take over one line of `diff-index --raw`."""
        if status == "U":
            self.unmerged.append(path)
        else:
            self.changes[path] = None if mode == _NO_MODE else Entry(path, mode, oid)


class IndexSnapshot(OverlaySnapshot):
    """The pot in the index: HEAD with what is staged.

    Inside a hook that is the index of `git commit -a` or `git commit PATH` too. Files that are only announced
    (`git add -N`) are not part of it. Any read raises `UnmergedError` while a merge of the pot's files is unfinished,
    unless `allow_unmerged` takes HEAD's side of them. `listing` is what `list_staged` said, for who asked it already.
    """

    def __init__(
        self, repo: Repository, *, allow_unmerged: bool = False, listing: bytes | None = None
    ) -> None:
        super().__init__(repo)
        self._allow_unmerged = allow_unmerged
        self._listing = listing

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
        return sorted({*kept, *filter(is_look_alike, self._staged.new_tops)})

    def _holds(self, name: str) -> bool:
        return bool(self.repo.index_git.run("ls-files", "-z", "--", name).stdout)

    @cached_property
    def _staged(self) -> _Staged:
        """One comparison of the whole index: git skips equal directories, and look-alikes lie outside the pot."""
        listing = self._listing
        if listing is None:
            listing = list_staged(self.repo.index_git, self.base.root_tree or EMPTY_TREE)
        fields = iter(listing.split(b"\0")[:-1])
        staged = _Staged()
        for header, repo_path in zip(fields, fields, strict=True):
            if repo_path.startswith(_IN_POT):
                staged.note(decode(repo_path[len(_IN_POT) :]), *header.decode().split(" "))
            elif repo_path == _POT:
                staged.pot_mode = header.decode().split(" ")[1]
            elif header.endswith(_ADDED):
                staged.new_tops.add(decode(repo_path.partition(b"/")[0]))
        staged.unmerged = sorted(set(staged.unmerged))
        return staged
