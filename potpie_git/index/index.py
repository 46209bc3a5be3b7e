"""The index of a clone: a cache of every claim that any of its snapshots holds, for search and quick lookups."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from potpie_git.domain.query import MatchMode
from potpie_git.index import build, embedding, storage
from potpie_git.index.build import Progress, SyncReport
from potpie_git.index.embedder import Embedder, MiniLM
from potpie_git.index.embedding import EmbedReport
from potpie_git.index.errors import IndexDamagedError, IndexMissingError
from potpie_git.index.reader import IndexReader
from potpie_git.index.search import Admit, SearchResult, ask, search
from potpie_git.index.verify import VerifyReport, verify
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import Snapshot

Result = TypeVar("Result")

_WAIT = 30.0
_TRIES = 3


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What there is: claims rows, vectors, cards that wait for one, bytes on disk, and whether a snapshot is covered.

    `problem` says why the index cannot be read, or is empty; the counts are then zero.
    """

    path: str
    exists: bool = False
    problem: str = ""
    rows: int = 0
    vectors: int = 0
    pending: int = 0
    disk_bytes: int = 0
    covered: bool = False
    model: str = ""


class Index:
    """One index directory. Whatever is lost or damaged here is made again from the files by the next `sync`.

    `embedder` is None where texts shall not be embedded: search is then by words.
    """

    def __init__(self, directory: Path, embedder: Embedder | None = None) -> None:
        self.directory = directory
        self.embedder = embedder
        self._lock = threading.Lock()
        self._reader: IndexReader | None = None

    @classmethod
    def of(cls, repo: Repository) -> Index:
        """The index that all work trees of a clone share, with the bundled embedder."""
        return cls(repo.shared_state_dir / "index", MiniLM())

    def sync(
        self, snapshot: Snapshot, progress: Progress | None = None, *, wait: float = _WAIT
    ) -> SyncReport:
        """Give every claim of the snapshot a row; costs what changed, and makes a damaged index anew.

        Waits up to `wait` seconds for another writer. Raises `InvalidFileError` naming every file that does not decode
        (the index stays as it was), `LockedError` and `StorageError`.
        """
        return build.sync(self.directory, snapshot, progress, wait)

    def rebuild(
        self, snapshot: Snapshot, progress: Progress | None = None, *, wait: float = _WAIT
    ) -> SyncReport:
        """Make the claims table anew from the snapshot and swap it in; vectors are kept. Raises like `sync`."""
        with storage.builder_lock(self.directory, wait):
            return build.rebuild(self.directory, snapshot, progress, "asked for")

    def embed_pending(self, progress: Progress | None = None, *, limit: int | None = None) -> EmbedReport:
        """Make vectors for cards that have none, at most `limit`; every batch counts at once, so it can be stopped.

        Raises `EmbedderUnavailableError`, `LockedError` and `StorageError`.
        """
        if self.embedder is None:
            return EmbedReport()
        return embedding.embed_pending(self.directory, self.embedder, progress, limit)

    def verify(self, snapshot: Snapshot) -> VerifyReport:
        """Compare the index with the files of the snapshot, row by row. Raises `InvalidFileError`."""
        return verify(self.directory, snapshot, self.embedder)

    def status(self, snapshot: Snapshot | None = None) -> IndexStatus:
        """What there is, read from the states alone."""
        path, size = str(self.directory), storage.disk_use(self.directory)
        try:
            return self.read(lambda reader: self._status(reader, snapshot, size))
        except IndexMissingError as error:
            return IndexStatus(path, problem=error.message, disk_bytes=size)
        except IndexDamagedError as error:
            return IndexStatus(path, exists=True, problem=error.message, disk_bytes=size)

    def _status(self, reader: IndexReader, snapshot: Snapshot | None, size: int) -> IndexStatus:
        state, vectors = reader.state, reader.vector_state
        waiting = reader.pending_count()
        return IndexStatus(
            path=str(self.directory),
            exists=True,
            problem=reader.vectors_note,
            rows=state.rows,
            vectors=reader.vector_count,
            pending=waiting,
            disk_bytes=size,
            covered=snapshot is not None and reader.covers(build.root_of(snapshot)),
            model=vectors.model if vectors else "",
        )

    def search(
        self,
        text: str,
        *,
        limit: int,
        where: str | None = None,
        admit: Admit = lambda row: True,
        mode: MatchMode = MatchMode.HYBRID,
    ) -> SearchResult:
        """The `limit` best rows for `text` that pass the SQL filter and that `admit` accepts.

        Where no vectors can be used, it is by words and a note says why. Raises `IndexMissingError` and
        `IndexDamagedError`: the caller then answers from the files.
        """

        def use(reader: IndexReader) -> SearchResult:
            question, note = ask(reader, text, self.embedder, mode)
            found = search(reader, question, limit=limit, where=where, admit=admit, mode=mode)
            return SearchResult(found.hits, found.match_mode, (note,) if note else ())

        return self.read(use)

    def read(self, use: Callable[[IndexReader], Result]) -> Result:
        """Run `use` on an open reader, again if a writer has replaced what it was reading.

        Raises `IndexMissingError` and `IndexDamagedError`.
        """
        for _ in range(_TRIES):
            before = storage.stamp(self.directory)
            try:
                return use(self._open(before))
            except IndexDamagedError:
                self._reader = None
                if storage.stamp(self.directory) == before:
                    raise
        raise IndexDamagedError("the index is being replaced faster than it can be read")

    def _open(self, stamp: bytes) -> IndexReader:
        with self._lock:
            if self._reader is None or self._reader.stamp != stamp:
                self._reader = IndexReader(self.directory)
            return self._reader
