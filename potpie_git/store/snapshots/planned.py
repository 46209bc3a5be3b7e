"""A pot as it would stand if some files were written: nothing is stored, in git or on disk."""

from __future__ import annotations

from collections.abc import Mapping

from potpie_git.store.objects import FILE_MODE, hash_object
from potpie_git.store.repository import Repository
from potpie_git.store.snapshots.base import READ_LIMIT, DirectorySnapshot, Entry
from potpie_git.store.snapshots.overlay import OverlaySnapshot


class PlannedSnapshot(OverlaySnapshot):
    """`base` with files (path in the pot → bytes) in the place of its own, or beside them."""

    def __init__(
        self, repo: Repository, base: DirectorySnapshot, files: Mapping[str, bytes], label: str
    ) -> None:
        super().__init__(repo)
        self._base, self._label = base, label
        self._blobs = {hash_object("blob", raw): raw for raw in files.values()}
        self._changes = {
            path: Entry(path, FILE_MODE, hash_object("blob", raw)) for path, raw in files.items()
        }

    @property
    def label(self) -> str:
        return self._label

    @property
    def base(self) -> DirectorySnapshot:
        return self._base

    @property
    def changes(self) -> Mapping[str, Entry | None]:
        return self._changes

    def pot_mode(self) -> str | None:
        return self._base.pot_mode()

    def look_alikes(self) -> list[str]:
        return self._base.look_alikes()

    def _at_hand(self, entry: Entry) -> bytes | None:
        raw = self._blobs.get(entry.oid)
        return None if raw is None else raw[: READ_LIMIT + 1]
