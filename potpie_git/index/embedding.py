"""Making the vectors that are missing: in batches that each count at once, so it can be stopped and goes on later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from potpie_git.domain.card import card_digest
from potpie_git.domain.errors import LockedError
from potpie_git.index import storage
from potpie_git.index.build import (
    MOST_PENDING,
    Build,
    Progress,
    in_chunks,
    missing_vectors,
    open_build,
    vectors_held,
)
from potpie_git.index.embedder import Embedder
from potpie_git.index.errors import IndexDamagedError, IndexMissingError
from potpie_git.index.schema import one_of, vectors_batch
from potpie_git.index.tables import VECTORS_COLUMNS, append, open_table, reading, tend

if TYPE_CHECKING:
    import numpy as np

_BATCH = 64
_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """Vectors made, cards still without one, and whether another process is at it already."""

    made: int = 0
    left: int = 0
    busy: bool = False


def embed_pending(
    directory: Path, embedder: Embedder, progress: Progress | None, limit: int | None
) -> EmbedReport:
    """Make vectors for cards that have none, at most `limit` of them; without an index there is nothing to do.

    Raises `EmbedderUnavailableError`, `LockedError` if a writer holds the index for long, and `StorageError`.
    """
    try:
        pending = _pending(directory)
        if not pending:
            return EmbedReport()
        with storage.builder_lock(directory, 0.0, "embed.lock"):
            _take_over_unfinished(directory)
            return _embed(directory, embedder, _pending(directory), progress, limit)
    except LockedError as error:
        if error.detail.get("lock", "").endswith("embed.lock"):
            return EmbedReport(left=len(pending), busy=True)
        raise
    except (IndexMissingError, IndexDamagedError):
        return EmbedReport()


def _pending(directory: Path) -> list[str]:
    """Digests of the cards that have no vector."""
    build = open_build(directory)
    if build.state.pending is not None:
        return list(build.state.pending)
    table = open_table(build.table, build.state.version)
    with reading(build.table):
        digests = set(table.scanner(columns=["card_digest"]).to_table()["card_digest"].to_pylist())
    return sorted(missing_vectors(build, digests))


def _embed(
    directory: Path, embedder: Embedder, pending: Sequence[str], progress: Progress | None, limit: int | None
) -> EmbedReport:
    wanted = pending if limit is None else pending[:limit]
    made = 0
    for digests in in_chunks(wanted, _BATCH):
        cards = _cards(open_build(directory), digests)
        vectors = embedder.embed_cards(list(cards.values()))
        with storage.builder_lock(directory, _WAIT):
            build = open_build(directory)
            held = vectors_held(build, cards)
            keep = [place for place, digest in enumerate(cards) if digest not in held]
            _add(build, [list(cards)[place] for place in keep], vectors[keep])
        made += len(keep)
        if progress:
            progress("embedding cards", min(made, len(wanted)), len(wanted))
    with storage.builder_lock(directory, _WAIT):
        left = _note_left(open_build(directory))
    return EmbedReport(made, left)


def _take_over_unfinished(directory: Path) -> None:
    """Count what an embedder added that was killed before it could say so."""
    with storage.builder_lock(directory, _WAIT):
        build = open_build(directory)
        state = storage.read_state(build.vectors)
        version = open_table(build.vector_table).version
        if version != state.version:
            _write_vectors_state(build, state, version)


def _cards(build: Build, digests: Sequence[str]) -> dict[str, str]:
    """Card texts by digest. Raises `IndexDamagedError` if a text is not the one that was written."""
    table = open_table(build.table, build.state.version)
    with reading(build.table):
        found = table.scanner(columns=["card"], filter=one_of("card_digest", digests)).to_table()
        cards = {card_digest(card): card for card in found["card"].to_pylist()}
    if not cards.keys() <= set(digests):
        raise IndexDamagedError("the index holds cards that are not what was written")
    return cards


def _add(build: Build, digests: Sequence[str], vectors: np.ndarray) -> None:
    """Append vectors; the build's vectors table and its state are then one step further."""
    if not digests:
        return
    state = storage.read_state(build.vectors)
    append(build.vector_table, [vectors_batch(digests, vectors)])
    _write_vectors_state(build, state, tend(build.vector_table, VECTORS_COLUMNS))


def _write_vectors_state(build: Build, state: storage.TableState, version: int) -> None:
    seal = storage.seal_of(build.vector_table, state.seal)
    table = open_table(build.vector_table, version)
    with reading(build.vector_table):
        rows = table.count_rows()
    storage.write_state(build.vectors, replace(state, version=version, rows=rows, seal=seal))


def _note_left(build: Build) -> int:
    """Write down which cards still have no vector; how many they are."""
    if build.state.pending is None:
        left = set(_pending(build.directory))
    else:
        left = set(build.state.pending) - vectors_held(build, build.state.pending)
    pending = tuple(sorted(left)) if len(left) <= MOST_PENDING else None
    if pending != build.state.pending:
        storage.write_state(build.claims, replace(build.state, pending=pending))
    return len(left)
