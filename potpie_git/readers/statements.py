"""Claims that make one statement, taken together: the statement is shown once, and its sources corroborate it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from potpie_git.domain.claim import Claim
from potpie_git.domain.claim import Statement as StatementKey
from potpie_git.domain.query import ClaimRow, Standing
from potpie_git.domain.ranking import strength_score

_STANDING_ORDER = (Standing.REVIEWED, Standing.BRANCH, Standing.UNCOMMITTED, Standing.DERIVED)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement with its claims, the strongest and newest first. `stands` is False for withdrawn or ended ones."""

    key: StatementKey
    rows: tuple[ClaimRow, ...]
    stands: bool

    @property
    def claim(self) -> Claim:
        """The claim that speaks for the statement."""
        return self.rows[0].claim

    @property
    def predicate(self) -> str:
        return self.key[1]

    @property
    def sources(self) -> frozenset[str]:
        return frozenset(source for row in self.rows for source in row.claim.sources)

    @property
    def source_refs(self) -> list[str]:
        return list(dict.fromkeys(ref for row in self.rows for ref in row.claim.source_refs))

    @property
    def similarity(self) -> float | None:
        """How well the best of the claims matches the text; None if none was matched by a text."""
        found = [row.similarity for row in self.rows if row.similarity is not None]
        return max(found) if found else None

    @property
    def weak(self) -> bool:
        """True if a text found the statement, and none of its claims matches well."""
        matched = [row for row in self.rows if row.similarity is not None]
        return bool(matched) and all(row.weak for row in matched)

    @property
    def standing(self) -> Standing:
        """How far the best of the claims has come."""
        return min((row.standing for row in self.rows), key=_STANDING_ORDER.index)


def group(
    rows: Iterable[ClaimRow], moment: datetime, *, at_moment: bool = False, merge: bool = True
) -> list[Statement]:
    """Rows as statements, in the order in which each first appears.

    What stands and what was withdrawn are kept apart. With `at_moment`, what stands is judged by the claims' own
    times at `moment`, otherwise by whether they are live now. Without `merge` every claim stands alone.
    """
    held: dict[tuple[StatementKey, bool, str], dict[str, ClaimRow]] = {}
    for row in rows:
        stands = _stands(row.claim, moment, at_moment)
        claims = held.setdefault((row.claim.statement, stands, "" if merge else row.claim.id), {})
        known = claims.get(row.claim.id)
        if known is None or (known.similarity or 0.0) < (row.similarity or 0.0):
            claims[row.claim.id] = row
    return [
        Statement(key, tuple(sorted(claims.values(), key=_authority)), stands)
        for (key, stands, _), claims in held.items()
    ]


def _stands(claim: Claim, moment: datetime, at_moment: bool) -> bool:
    if at_moment:
        return claim.stands_at(moment)
    return claim.live and (claim.ends is None or moment < claim.ends)


def _authority(row: ClaimRow) -> tuple[float, float, str]:
    claim = row.claim
    return (-strength_score(claim.evidence_strength), -claim.begins.timestamp(), claim.id)


def best(statements: Iterable[Statement]) -> Statement | None:
    """The statement that speaks for an item: one that stands, then the strongest, then the newest."""
    return min(statements, key=lambda one: (not one.stands, _authority(one.rows[0])), default=None)
