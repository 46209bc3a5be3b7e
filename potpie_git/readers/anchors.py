"""Claims collected by the entity that an item is about, and how far an item meets the question's scope."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from potpie_git.domain.claim import Claim
from potpie_git.domain.query import ClaimRow
from potpie_git.readers.question import Question
from potpie_git.readers.scope import GLOBAL, UNKNOWN, claim_dimensions, overlap
from potpie_git.readers.statements import Statement


def collect(
    question: Question, rows: Iterable[ClaimRow], about: Callable[[Claim], str]
) -> dict[str, list[Statement]]:
    """Statements by the entity that they are about, aliases followed, in the order in which each first appears."""
    held: dict[str, list[Statement]] = {}
    for statement in question.statements(rows):
        held.setdefault(question.resolved(about(statement.claim)), []).append(statement)
    return held


def anchored(question: Question, statements: Sequence[Statement]) -> float | None:
    """How far an item's claims meet the question's scope, in [0, 1]; None if the item is about something else.

    An item that the scope neither names nor rules out stays only if a text asked for it.
    """
    if not question.scope:
        return UNKNOWN
    ends = {end for one in statements for end in (one.claim.subject, one.claim.object) if end}
    if any(question.resolved(end) in question.scope.keys for end in ends):
        return 1.0
    found = [overlap(question.scope, claim_dimensions([one.claim])) for one in statements]
    best = max(found, key=lambda one: (one.matched > 0, not one.contradicts, one.degree), default=None)
    if best is None or (best.contradicts and best.degree == 0.0):
        return None
    if best.matched:
        return best.degree
    places = question.scope.keys or question.scope.dimensions.keys() - {"environment"}
    return GLOBAL if question.text is not None or not places else None
