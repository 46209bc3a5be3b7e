"""What a service needs, exposes and runs on: a bounded walk from it, one item for each entity with its edges."""

from __future__ import annotations

from potpie_git.domain.vocabulary import SUBGRAPHS
from potpie_git.readers.anchors import collect
from potpie_git.readers.items import Candidate, Found, candidate, distinct, relation
from potpie_git.readers.question import Question
from potpie_git.readers.reader import Reader
from potpie_git.readers.statements import Statement, best
from potpie_git.readers.walk import Walk, admits_environment, walk

PREDICATES = frozenset({*SUBGRAPHS["infra_topology"].predicates, "IMPLEMENTED_IN"})
# Where every include is asked, owners and features have readers of their own.
_SERVED_BETTER = frozenset({"OWNED_BY", "PROVIDES", "IMPLEMENTED_IN"})
# How close an entity is to what was asked about, by the number of hops between them.
_CLOSENESS = (1.0, 0.7, 0.5, 0.35, 0.25)


def read(question: Question) -> Found:
    anchors = _anchors(question)
    if anchors:
        return _neighbourhood(question, anchors)
    if question.text is None:
        return Found(notes=["infra_topology needs a service or an entity to start from"])
    rows = [
        row
        for row in question.matching(PREDICATES - _SERVED_BETTER if question.whole else PREDICATES)
        if admits_environment(
            row.claim, question.request.environment, question.request.include_unqualified_environment
        )
    ]
    made = []
    for key, held in collect(question, rows, lambda claim: claim.subject).items():
        one = _candidate(question, key, held, depth=0)
        if one is not None:
            made.append(one)
    return Found(made, distinct(rows))


def _anchors(question: Question) -> list[str]:
    keys = [key for key in question.scope.keys if not key.startswith("code:")]
    implied = [f"service:{name}" for name in question.scope.implied.get("service", ())]
    return sorted({*keys, *(question.resolved(key) for key in implied)})


def _neighbourhood(question: Question, anchors: list[str]) -> Found:
    reached = walk(question, anchors, PREDICATES)
    made = []
    for key, held in _by_nearer_end(question, reached).items():
        one = _candidate(question, key, held, reached.depths.get(key, 0))
        if one is not None:
            # Its edges speak for themselves, and what somebody authored about it is added where it is shown.
            one.payload.pop("fact", None)
            one.payload["description"] = ""
            made.append(one)
    _match_text(question, made)
    notes = (
        ["the neighbourhood was cut: ask with a smaller depth, or from another entity"]
        if reached.truncated
        else []
    )
    return Found(made, len(reached.edges), notes)


def _by_nearer_end(question: Question, reached: Walk) -> dict[str, list[Statement]]:
    """Each edge stands with the end that is nearer to the anchors, once."""
    held: dict[str, list[Statement]] = {}
    far = len(_CLOSENESS)
    for statement, _ in reached.edges:
        ends = [question.resolved(end) for end in (statement.claim.subject, statement.claim.object) if end]
        nearest = min(ends, key=lambda end: reached.depths.get(end, far))
        held.setdefault(nearest, []).append(statement)
    return held


def _candidate(question: Question, key: str, held: list[Statement], depth: int) -> Candidate | None:
    lead = best(held)
    if lead is None:
        return None
    made = candidate(question, key, held, lead, scope_overlap=_CLOSENESS[min(depth, len(_CLOSENESS) - 1)])
    made.payload["depth"] = depth
    made.relations = [relation(one, depth=depth + 1) for one in held]
    return made


def _match_text(question: Question, made: list[Candidate]) -> None:
    """Tell how well each item matches the text, without letting the text decide what the walk finds."""
    if question.text is None or not made:
        return
    ids = frozenset(claim_id for one in made for claim_id in one.claim_ids)
    rows = question.find(predicates=PREDICATES, text=question.text, ids=ids, limit=len(ids))
    matched = {row.claim.id: row for row in rows}
    for one in made:
        found = [matched[claim_id] for claim_id in one.claim_ids if claim_id in matched]
        one.similarity = max((row.similarity or 0.0 for row in found), default=0.0)


READER = Reader("infra_topology", PREDICATES, read)
