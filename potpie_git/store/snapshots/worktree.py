"""A pot as it stands in the working tree, as the user sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from potpie_git.domain.errors import ConflictError
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.environment import PLUMBING_CONFIG, config_variables
from potpie_git.store.errors import UnsafePathError, storage_errors
from potpie_git.store.git import CompletedGit, decode
from potpie_git.store.names import is_look_alike
from potpie_git.store.objects import (
    EXECUTABLE_MODE,
    FILE_MODE,
    SUBMODULE_MODE,
    SYMLINK_MODE,
    TREE_MODE,
    ZERO_OID,
    hash_object,
)
from potpie_git.store.repository import PotEntryKind, Repository
from potpie_git.store.snapshots.base import READ_LIMIT, Entry
from potpie_git.store.snapshots.index import IndexSnapshot
from potpie_git.store.snapshots.overlay import OverlaySnapshot
from potpie_git.store.workfiles import WorkFile, WorkFiles

_MODE_OF_KIND: Final = {
    PotEntryKind.DIRECTORY: TREE_MODE,
    PotEntryKind.SYMLINK: SYMLINK_MODE,
    PotEntryKind.FILE: FILE_MODE,
    PotEntryKind.REPOSITORY: SUBMODULE_MODE,
}
_LIST: Final = ("ls-files", "-z")
# With the slash git looks at the pot's part of the index alone; without it, at every file of the repository.
_WITHIN: Final = f"{POT_DIRECTORY}/"
# Contents of uncommitted files are kept up to here, so that what is read is what was hashed.
_KEPT_BYTES: Final = 64 << 20


class WorktreeSnapshot(OverlaySnapshot):
    """The pot in the working tree: the index with the files that differ on disk, new and ignored ones included.

    Files are taken as their raw bytes; a file that sparse checkout left out counts as it is in the index. Links are
    reported with mode 120000 and never followed. A file beyond `READ_LIMIT` is not read, and its id is all zeros.
    Raises `UnsafePathError` if something else than a directory stands at `.potpie`.
    """

    def __init__(self, repo: Repository) -> None:
        super().__init__(repo)
        self._files = WorkFiles(repo.root)
        self._kept: dict[str, bytes] = {}
        self._kept_bytes = 0
        self._only_on_disk: set[Entry] = set()

    @property
    def label(self) -> str:
        return "working tree"

    @cached_property
    def base(self) -> IndexSnapshot:
        return IndexSnapshot(self.repo, allow_unmerged=True)

    @cached_property
    def changes(self) -> Mapping[str, Entry | None]:
        kind = self.repo.pot_entry_kind()
        if kind not in {PotEntryKind.DIRECTORY, PotEntryKind.ABSENT}:
            raise UnsafePathError(
                f"{self.repo.potpie_dir} is a {kind}, not a directory", detail={"kind": kind}
            )
        changes = {}
        for path in self._candidates():
            before = self.base.entry(path)
            after = self._on_disk(path, before)
            if after != before:
                changes[path] = after
        return changes

    def pot_mode(self) -> str | None:
        kind = self.repo.pot_entry_kind()
        return (TREE_MODE if self.exists() else None) if kind is PotEntryKind.ABSENT else _MODE_OF_KIND[kind]

    def look_alikes(self) -> list[str]:
        with storage_errors(self.repo.root):
            present = [path.name for path in self.repo.root.iterdir() if is_look_alike(path.name)]
        return sorted({*self.base.look_alikes(), *present})

    def ignored(self) -> list[str]:
        """Files on disk that git would leave out of every commit, because an ignore rule hides them."""
        result = self.repo.index_git.run(*_LIST, "-o", "-i", "--exclude-standard", "--", POT_DIRECTORY)
        return sorted(_listed(result))

    def _candidates(self) -> list[str]:
        """Paths that may differ from the index: changed, removed, unmerged, or unknown to it."""
        changed, unknown = self.repo.index_git.run_together(
            (*_LIST, "-m", "--", _WITHIN),
            (*_LIST, "-o", "--", _WITHIN),
            env=config_variables(PLUMBING_CONFIG | self._filters_off()),
        )
        return sorted({*_listed(changed), *_listed(unknown), *self.base.unmerged()})

    def _filters_off(self) -> dict[str, str]:
        """Settings without which `ls-files` would run content filters to see whether a file has changed."""
        keys = [key for key in self.repo.settings if key.startswith("filter.")]
        return {key: "false" if key.endswith(".required") else "" for key in keys}

    def _on_disk(self, path: str, before: Entry | None) -> Entry | None:
        file = self._files.read(f"{POT_DIRECTORY}/{path}", READ_LIMIT)
        if file is None:
            return None
        mode = file.mode
        if mode == EXECUTABLE_MODE and not self._trusts_mode:
            mode = before.mode if before else FILE_MODE
        entry = Entry(path, mode, ZERO_OID if mode == SUBMODULE_MODE else _blob_id(file))
        if entry != before:
            self._keep(entry, file)
        return entry

    def _keep(self, entry: Entry, file: WorkFile) -> None:
        if entry.oid == ZERO_OID or self._kept_bytes + file.size > _KEPT_BYTES:
            self._only_on_disk.add(entry)
        elif entry.oid not in self._kept:
            self._kept[entry.oid] = file.data
            self._kept_bytes += file.size

    @cached_property
    def _trusts_mode(self) -> bool:
        """Whether the file system keeps executable bits (`core.fileMode`, true unless it is set to false)."""
        found = self.repo.git.run("config", "--type=bool", "core.fileMode", check=False)
        return found.stdout.strip() != b"false"

    def _at_hand(self, entry: Entry) -> bytes | None:
        if entry not in self._only_on_disk:
            return self._kept.get(entry.oid)
        file = self._files.read(f"{POT_DIRECTORY}/{entry.path}", READ_LIMIT)
        if file is None or _blob_id(file) != entry.oid:
            raise ConflictError(
                f"{entry.path} changed while it was being read", hint="Run the command again."
            )
        return file.data


def _listed(result: CompletedGit) -> Iterator[str]:
    """Paths in the pot that `ls-files` named; a repository inside the pot is listed with a slash behind it."""
    for repo_path in decode(result.stdout).split("\0"):
        path = repo_path.removeprefix(f"{POT_DIRECTORY}/").removesuffix("/")
        if path:
            yield path


def _blob_id(file: WorkFile) -> str:
    """The id that git would give to the file's bytes; zeros if they are not all known."""
    return hash_object("blob", file.data) if file.is_whole else ZERO_OID
