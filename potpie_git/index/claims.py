"""Claims found through the index, for the readers: every row is checked against the file that it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from potpie_git.domain.card import retrieval_card
from potpie_git.domain.claim import Claim
from potpie_git.domain.lexical import bm25_scores, saturated, tokens
from potpie_git.domain.query import ClaimHits, ClaimQuery, ClaimRow, MatchMode
from potpie_git.index.build import root_of
from potpie_git.index.errors import IndexMissingError
from potpie_git.index.index import Index
from potpie_git.index.reader import IndexReader
from potpie_git.index.schema import IndexedRow, sql_filter
from potpie_git.index.search import (
    LEXICAL_WEIGHT,
    UNKNOWN_COSINE,
    Question,
    SearchResult,
    ask,
    search,
    weak_by_evidence,
    weak_by_words,
)
from potpie_git.store.pot_tree import PotTree, Stored
from potpie_git.store.snapshot import Entry, Snapshot

DEFAULT_LIMIT = 50
# More files than this without a row are a pot that was never synced: reading them all is the scan's business.
MOST_FRESH = 500
# Fresh cards are embedded on the fly up to here.
_EMBEDDED_FRESH = 16


def _now() -> datetime:
    return datetime.now(UTC)


class IndexedClaims:
    """The claims of one snapshot, found through the index; implements `ClaimSearch`.

    A row counts only if the snapshot has the same blob at the same path, so nothing of another branch and nothing that
    was withdrawn since is served. Files that the index does not know yet are read. `find_claims` raises
    `IndexMissingError` (also if the index is far behind) and `IndexDamagedError`; a plain scan then answers.
    """

    def __init__(
        self,
        index: Index,
        snapshot: Snapshot,
        *,
        mode: MatchMode = MatchMode.HYBRID,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self.index = index
        self.snapshot = snapshot
        self.mode = mode
        self._clock = clock
        self._tree = PotTree(snapshot)

    def resolve_alias(self, key: str) -> str:
        return self._tree.resolve_alias(key)

    def find_claims(self, query: ClaimQuery) -> ClaimHits:
        return self.index.read(lambda reader: self._find(reader, query))

    def _find(self, reader: IndexReader, query: ClaimQuery) -> ClaimHits:
        now = self._clock()
        fresh = {entry.path: entry for entry in self._fresh(reader)}
        new = [held for held in self._tree.load(fresh.values()) if query.admits(held.claim, now)]
        admitted: dict[tuple[str, str], Claim] = {}

        def admit(row: IndexedRow) -> bool:
            if row.path in fresh or not self._stands(row):
                return False
            claim = row.claim()
            if not query.admits(claim, now):
                return False
            admitted[row.blob, row.path] = claim
            return True

        where = sql_filter(query, now)
        if query.text is None:
            return self._listed(reader, query, where, admit, admitted, new)
        question, note = ask(reader, query.text, self.index.embedder, self.mode)
        limit = query.limit or DEFAULT_LIMIT
        found = search(reader, question, limit=limit, where=where, admit=admit, mode=self.mode)
        rows = [
            _row(admitted[hit.row.blob, hit.row.path], hit.row.path, hit.row.blob, hit.score, hit.weak)
            for hit in found.hits
        ]
        if new:
            rows = self._joined(rows, found, self._scored(new, question, rows))[:limit]
        return ClaimHits(tuple(rows), found.match_mode, (note,) if note else ())

    def _fresh(self, reader: IndexReader) -> Sequence[Entry]:
        """Files that may have no row. Raises `IndexMissingError` if they are many."""
        if reader.covers(root_of(self.snapshot)):
            return ()
        entries = reader.uncovered(self.snapshot).entries
        if len(entries) > MOST_FRESH:
            raise IndexMissingError(f"the index does not know {self.snapshot.label} yet")
        return entries

    def _stands(self, row: IndexedRow) -> bool:
        entry = self.snapshot.entry(row.path)
        return entry is not None and entry.oid == row.blob

    def _listed(
        self,
        reader: IndexReader,
        query: ClaimQuery,
        where: str | None,
        admit: Callable[[IndexedRow], bool],
        admitted: dict[tuple[str, str], Claim],
        new: list[Stored],
    ) -> ClaimHits:
        """Claims that pass the filters, the latest beginning first."""
        rows = [_row(held.claim, held.path, held.entry.oid) for held in new]
        taken = 0
        for row in reader.latest_rows(where):
            if query.limit is not None and taken >= query.limit:
                break
            if admit(row):
                taken += 1
                rows.append(_row(admitted[row.blob, row.path], row.path, row.blob))
        rows.sort(key=lambda held: held.path)
        rows.sort(key=lambda held: held.claim.begins, reverse=True)
        return ClaimHits(tuple(rows[: query.limit]))

    def _scored(self, new: list[Stored], question: Question, rows: list[ClaimRow]) -> Iterator[ClaimRow]:
        """Files without a row, scored as the index would: by words among themselves and what the index found."""
        cards = [retrieval_card(held.claim) for held in new]
        words = bm25_scores(question.text, cards + [retrieval_card(row.claim) for row in rows])
        cosines: list[float | None] = [None] * len(new)
        embedder = self.index.embedder
        if question.vector is not None and embedder is not None and len(new) <= _EMBEDDED_FRESH:
            cosines = [float(cosine) for cosine in embedder.embed_cards(cards) @ question.vector]
        blended = [
            max(0.0, cosine or 0.0) + LEXICAL_WEIGHT * saturated(bm25)
            for cosine, bm25 in zip(cosines, words, strict=False)
        ]
        hybrid = question.vector is not None
        said = [frozenset(tokens(card)) for card in cards]
        weak = (
            _weak(question, list(zip(blended, said, strict=True)), rows)
            if hybrid
            else [weak_by_words(bm25, held, question) for bm25, held in zip(words, said, strict=False)]
        )
        for held, cosine, bm25, total, low in zip(new, cosines, words, blended, weak, strict=False):
            if bm25 <= 0 and (cosine or 0.0) < UNKNOWN_COSINE:
                continue
            score = total / (1 + LEXICAL_WEIGHT) if hybrid else saturated(bm25)
            yield _row(held.claim, held.path, held.entry.oid, round(score, 4), low)

    def _joined(self, rows: list[ClaimRow], found: SearchResult, more: Iterator[ClaimRow]) -> list[ClaimRow]:
        return sorted([*rows, *more], key=lambda row: (-(row.similarity or 0.0), row.path))


def _weak(question: Question, new: list[tuple[float, frozenset[str]]], rows: list[ClaimRow]) -> list[bool]:
    """Which of the new cards are weak, judged together with those that the index found."""
    found = [
        ((row.similarity or 0.0) * (1 + LEXICAL_WEIGHT), frozenset(tokens(retrieval_card(row.claim))))
        for row in rows
    ]
    scored = [*new, *found]
    order = sorted(range(len(scored)), key=lambda place: -scored[place][0])
    labels = dict(
        zip(order, weak_by_evidence(question.weights, [scored[place] for place in order]), strict=True)
    )
    return [labels[place] for place in range(len(new))]


def _row(claim: Claim, path: str, blob: str, similarity: float | None = None, weak: bool = False) -> ClaimRow:
    return ClaimRow(claim=claim, path=path, blob=blob, similarity=similarity, weak=weak)
