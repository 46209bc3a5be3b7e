"""Claims found by reading a snapshot's files: what answers without an index, and at any other revision."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from potpie_git.domain.card import retrieval_card
from potpie_git.domain.query import ClaimHits, ClaimQuery, ClaimRow, MatchMode
from potpie_git.domain.times import utc_now
from potpie_git.domain.vocabulary import subgraph_of
from potpie_git.store.lexical import match_texts
from potpie_git.store.pot_tree import PotTree, Stored
from potpie_git.store.snapshot import Snapshot

# Subjects up to here are looked up in their own folders; for more, reading everything once costs less.
_FEW_SUBJECTS = 16


class ScannedClaims:
    """The claims of one snapshot, matched by words; implements `ClaimSearch`.

    Files are read at most once. A file that does not parse is an error (`InvalidFileError`), never passed over.
    """

    def __init__(self, snapshot: Snapshot, *, clock: Callable[[], datetime] = utc_now) -> None:
        self.snapshot = snapshot
        self._tree = PotTree(snapshot)
        self._clock = clock
        self._everything: list[Stored] | None = None
        self._aliases: dict[str, str] = {}

    def resolve_alias(self, key: str) -> str:
        if key not in self._aliases:
            self._aliases[key] = self._tree.resolve_alias(key)
        return self._aliases[key]

    def find_claims(self, query: ClaimQuery) -> ClaimHits:
        now = self._clock()
        held = [stored for stored in self._candidates(query) if query.admits(stored.claim, now)]
        if query.text is None:
            held.sort(key=lambda stored: stored.path)
            held.sort(key=lambda stored: stored.claim.begins, reverse=True)
            return ClaimHits(tuple(_row(stored) for stored in held[: query.limit]))
        matches = match_texts(query.text, [retrieval_card(stored.claim) for stored in held])
        rows = [_row(held[match.index], match.similarity, match.weak) for match in matches[: query.limit]]
        return ClaimHits(tuple(rows), MatchMode.LEXICAL)

    def _candidates(self, query: ClaimQuery) -> Iterable[Stored]:
        """Every claim that could pass the query's filters: of few subjects their folders, else everything."""
        subjects, predicates = query.subjects, query.predicates
        if self._everything is not None:
            return self._everything
        if subjects and predicates and len(subjects) * len(predicates) <= _FEW_SUBJECTS:
            return self._of_subjects(subjects, predicates)
        self._everything = list(self._tree.claims())
        return self._everything

    def _of_subjects(self, subjects: frozenset[str], predicates: frozenset[str]) -> list[Stored]:
        return [
            stored
            for subject in sorted(subjects)
            for predicate in sorted(predicates)
            for stored in self._tree.claims_about(subject, subgraph_of(predicate), predicate)
        ]


def _row(stored: Stored, similarity: float | None = None, weak: bool = False) -> ClaimRow:
    return ClaimRow(
        claim=stored.claim, path=stored.path, blob=stored.entry.oid, similarity=similarity, weak=weak
    )
