"""One search by text for all the readers of a read: each takes from it what its own filters admit."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from potpie_git.domain.query import ClaimHits, ClaimQuery, ClaimSearch, Standing


class TextPool:
    """A claim search that runs the text query of a read once.

    Queries without a text, and those for named claims, go through to the search below.
    """

    def __init__(
        self, search: ClaimSearch, predicates: frozenset[str] | None, now: datetime, *, limit: int
    ) -> None:
        self._search = search
        self._predicates = predicates
        self._now = now
        self._limit = limit
        self._hits: dict[ClaimQuery, ClaimHits] = {}

    def resolve_alias(self, key: str) -> str:
        return self._search.resolve_alias(key)

    def find_claims(self, query: ClaimQuery) -> ClaimHits:
        if query.text is None or query.ids is not None:
            return self._search.find_claims(query)
        wide = ClaimQuery(
            predicates=self._predicates,
            source_ref=query.source_ref,
            truth=query.truth,
            as_of=query.as_of,
            include_invalidated=query.include_invalidated,
            text=query.text,
            limit=self._limit,
        )
        if wide not in self._hits:
            self._hits[wide] = self._search.find_claims(wide)
        hits = self._hits[wide]
        rows = [
            row
            for row in hits.rows
            if query.admits(row.claim, self._now) and (query.derived or row.standing is not Standing.DERIVED)
        ]
        return replace(hits, rows=tuple(rows[: query.limit] if query.limit else rows))
