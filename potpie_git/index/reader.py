"""Reading the index: a set of tables at the versions that their states name, opened once and reused until they move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from potpie_git.index import storage
from potpie_git.index.coverage import Uncovered, read_marks, uncovered
from potpie_git.index.embedder import MODEL_ID
from potpie_git.index.errors import IndexDamagedError
from potpie_git.index.schema import ROW_COLUMNS, IndexedRow, one_of, read_rows
from potpie_git.index.storage import TableState
from potpie_git.index.tables import PROBES, open_table, reading, table_path
from potpie_git.store.snapshot import Snapshot

if TYPE_CHECKING:
    import numpy as np

_LOOKUP = 1000
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Scored:
    """A row with its BM25 score for a question."""

    row: IndexedRow
    bm25: float


class IndexReader:
    """One consistent view of the index. Every method raises `IndexDamagedError` if the files are not what they were."""

    def __init__(self, directory: Path) -> None:
        """Open the tables in use. Raises `IndexMissingError` or `IndexDamagedError`."""
        self.stamp = storage.stamp(directory)
        pointer = storage.read_pointer(directory)
        folder = directory / pointer.claims
        # Marks before state: a mark that is newer than the rows would hide what they lack.
        self._marks = read_marks(folder)
        self.state = storage.read_state(folder)
        self._table = table_path(folder, storage.CLAIMS)
        storage.check_seal(self._table, self.state.seal)
        self._claims = open_table(self._table, self.state.version)
        self._vector_table = table_path(directory / pointer.vectors, storage.VECTORS)
        self.vector_state, self.vectors_note = self._open_vectors(directory / pointer.vectors)

    def _open_vectors(self, folder: Path) -> tuple[TableState | None, str]:
        """The state of the vectors, or None with the reason why they are not used: claims are found without them."""
        self._vectors: Any = None
        try:
            state = storage.read_state(folder)
            storage.check_seal(self._vector_table, state.seal)
            if state.model != MODEL_ID:
                return None, "the vectors were made by another model"
            if state.rows:
                self._vectors = open_table(self._vector_table, state.version)
        except IndexDamagedError as error:
            return None, error.message
        return state, ""

    @property
    def vector_count(self) -> int:
        return self.vector_state.rows if self.vector_state else 0

    def pending_count(self) -> int:
        """How many cards have no vector."""
        if self.state.pending is not None:
            return len(self.state.pending)
        with reading(self._table):
            cards = set(self._claims.scanner(columns=["card_digest"]).to_table()["card_digest"].to_pylist())
        if self._vectors is None:
            return len(cards)
        with reading(self._vector_table):
            held = self._vectors.scanner(columns=["card_digest"]).to_table()["card_digest"].to_pylist()
        return len(cards.difference(held))

    def covers(self, root: str) -> bool:
        """True if every claim of the `claims/` tree with this id has a row."""
        return root in self.state.roots

    def uncovered(self, snapshot: Snapshot) -> Uncovered:
        """Claim files of the snapshot that may have no row."""
        return uncovered(snapshot, self._marks)

    def count(self, where: str | None, most: int) -> int:
        """How many rows pass the filter, counted up to `most`."""
        if where is None:
            return min(self.state.rows, most)
        with reading(self._table):
            found = self._claims.scanner(columns=["blob"], filter=where, limit=most).to_table()
        return int(found.num_rows)

    def rows(self, where: str | None) -> Iterator[IndexedRow]:
        """Rows that pass the filter, in no particular order, read as they are asked for."""
        with reading(self._table):
            batches = self._claims.scanner(
                columns=list(ROW_COLUMNS), filter=where, batch_size=_PAGE
            ).to_batches()
        while (batch := self._next(batches)) is not None:
            yield from read_rows(batch)

    def _next(self, batches: Iterator[Any]) -> Any:
        with reading(self._table):
            return next(batches, None)

    def latest_rows(self, where: str | None) -> Iterator[IndexedRow]:
        """Rows that pass the filter, the latest beginning first, then by path; read as they are asked for."""
        with reading(self._table):
            order = self._claims.scanner(
                columns=["begins", "path"], filter=where, with_row_id=True
            ).to_table()
            ordered = order.sort_by([("begins", "descending"), ("path", "ascending")])
            places = ordered["_rowid"].to_pylist()
        for start in range(0, len(places), _PAGE):
            page = places[start : start + _PAGE]
            with reading(self._table):
                found = self._claims.scanner(
                    columns=list(ROW_COLUMNS),
                    filter=f"_rowid IN ({', '.join(map(str, page))})",
                    with_row_id=True,
                ).to_table()
                rows = dict(zip(found["_rowid"].to_pylist(), read_rows(found), strict=True))
                ordered_page = [rows[place] for place in page]
            yield from ordered_page

    def rows_of_cards(self, digests: Iterable[str], where: str | None) -> list[IndexedRow]:
        """Rows whose card is one of `digests` and that pass the filter."""
        wanted = one_of("card_digest", digests)
        return list(self.rows(f"{wanted} AND {where}" if where else wanted))

    def by_words(self, question: str, where: str | None, most: int) -> list[Scored]:
        """The rows that share words with the question, best BM25 first."""
        query = {"query": question, "columns": ["card"]}
        with reading(self._table):
            found = self._claims.scanner(
                columns=[*ROW_COLUMNS, "_score"],
                full_text_query=query,
                filter=where,
                prefilter=True,
                limit=most,
            ).to_table()
            scores = found["_score"].to_pylist()
        return [Scored(row, score) for row, score in zip(read_rows(found), scores, strict=True)]

    def by_meaning(self, vector: np.ndarray, most: int) -> dict[str, float]:
        """Cosines of the cards nearest to a unit vector, by card digest."""
        if self._vectors is None:
            return {}
        nearest = {"column": "vector", "q": vector, "k": most, "metric": "cosine", "nprobes": PROBES}
        with reading(self._vector_table):
            found = self._vectors.scanner(columns=["card_digest", "_distance"], nearest=nearest).to_table()
            digests, distances = found["card_digest"].to_pylist(), found["_distance"].to_pylist()
        return {digest: 1.0 - distance for digest, distance in zip(digests, distances, strict=True)}

    def cosines(self, vector: np.ndarray, digests: Iterable[str]) -> dict[str, float]:
        """Cosines of particular cards with a unit vector; a card without a vector is left out."""
        import numpy as np

        wanted = sorted(set(digests))
        cosines: dict[str, float] = {}
        if self._vectors is None:
            return cosines
        for start in range(0, len(wanted), _LOOKUP):
            asked = one_of("card_digest", wanted[start : start + _LOOKUP])
            with reading(self._vector_table):
                found = self._vectors.scanner(columns=["card_digest", "vector"], filter=asked).to_table()
                names = found["card_digest"].to_pylist()
                flat = found["vector"].combine_chunks().flatten().to_numpy()
                products = flat.reshape(len(names), len(vector)) @ vector if names else np.zeros(0)
            cosines.update(zip(names, map(float, products), strict=True))
        return cosines
