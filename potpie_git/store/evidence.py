"""What became of a place in the repository that a claim cites, in the snapshot that is read."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from potpie_git.domain.claim import Evidence
from potpie_git.domain.freshness import EvidenceState
from potpie_git.domain.validation.claims import repo_place
from potpie_git.store.errors import MissingObjectError, storage_errors
from potpie_git.store.git import decode
from potpie_git.store.objects import hash_object
from potpie_git.store.repository import Repository

# Larger files are compared by their id alone.
_MOST_BYTES: Final = 4 * 1024 * 1024


class EvidenceStates:
    """Compares pinned places with a commit, or with the working tree (`revision` None). Call it with an evidence.

    current: the file, or the cited lines of it, stand as they did; moved: the lines or the quote stand elsewhere in the
    file, or the whole file under another name; changed; gone. None for what is no place in this repository, and for a
    place that was never pinned and still exists.
    """

    def __init__(self, repo: Repository, *, revision: str | None = None) -> None:
        self.repo = repo
        self.revision = revision
        self._content: dict[str, bytes | None] = {}
        self._known: dict[tuple[str, str | None, str | None], EvidenceState | None] = {}

    def __call__(self, evidence: Evidence) -> EvidenceState | None:
        place = repo_place(evidence.source_ref)
        if place is None:
            return None
        key = (evidence.source_ref, evidence.blob, evidence.quote)
        if key not in self._known:
            self._known[key] = self._judge(*place, evidence.blob, evidence.quote)
        return self._known[key]

    def _judge(
        self, path: str, first: int | None, last: int | None, pin: str | None, quote: str | None
    ) -> EvidenceState | None:
        content = self._read(path)
        if content is None:
            return EvidenceState.MOVED if pin is not None and pin in self._blobs else EvidenceState.GONE
        if pin is None:
            return None
        if pin in _ids(content):
            return EvidenceState.CURRENT
        if first is not None and last is not None:
            return _compare(self._lines_of(pin, first, last), content, first)
        if quote is not None:
            return (
                EvidenceState.MOVED
                if _squeezed(quote) in _squeezed(_text(content))
                else EvidenceState.CHANGED
            )
        return EvidenceState.CHANGED

    def _read(self, path: str) -> bytes | None:
        if path not in self._content:
            self._content[path] = self._working(path) if self.revision is None else self._committed(path)
        return self._content[path]

    def _committed(self, path: str) -> bytes | None:
        folder, _, name = path.rpartition("/")
        assert self.revision is not None
        tree = self.repo.tree_oid(self.revision, folder)
        node = self.repo.objects.directory(tree).by_name.get(name) if tree else None
        if node is None or node.is_tree:
            return None
        return self.repo.objects.read(node.oid).data

    def _working(self, path: str) -> bytes | None:
        """The working file; nothing is read through a link, which could lead out of the repository."""
        file = self.repo.root
        with storage_errors(file):
            for part in path.split("/"):
                file = file / part
                if file.is_symlink():
                    return None
            return file.read_bytes() if file.is_file() else None

    def _lines_of(self, blob: str, first: int, last: int) -> list[bytes] | None:
        """The cited lines as they were pinned; None if the blob is not in this clone."""
        try:
            found = self.repo.objects.find(blob, _MOST_BYTES)
        except MissingObjectError:
            return None
        return _lines(found.data)[first - 1 : last] if found is not None and found.kind == "blob" else None

    @cached_property
    def _blobs(self) -> frozenset[str]:
        """Ids of every file of the snapshot; listed once, when a cited file is not where it was."""
        if self.revision is None:
            listed = self.repo.index_git.run("ls-files", "-s", "-z").stdout
            return frozenset(decode(line).split()[1] for line in listed.split(b"\0") if line)
        tree = self.repo.resolve(self.revision).tree
        listed = self.repo.git.run("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", tree).stdout
        return frozenset(decode(line).split()[2] for line in listed.split(b"\0") if line)


def _ids(content: bytes) -> set[str]:
    """Blob ids that a file may have: as it stands, and with line ends as git stores them."""
    if len(content) > _MOST_BYTES or b"\r\n" not in content:
        return {hash_object("blob", content)}
    return {hash_object("blob", content), hash_object("blob", content.replace(b"\r\n", b"\n"))}


def _compare(pinned: list[bytes] | None, content: bytes, first: int) -> EvidenceState:
    if not pinned:
        return EvidenceState.CHANGED
    lines = _lines(content)
    if lines[first - 1 : first - 1 + len(pinned)] == pinned:
        return EvidenceState.CURRENT
    for start in range(len(lines) - len(pinned) + 1):
        if lines[start] == pinned[0] and lines[start : start + len(pinned)] == pinned:
            return EvidenceState.MOVED
    return EvidenceState.CHANGED


def _lines(content: bytes) -> list[bytes]:
    return [line.rstrip(b"\r") for line in content.split(b"\n")]


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _squeezed(text: str) -> str:
    return " ".join(text.split())
