"""What was decided for a scope: one item a decision, with why, what it affects and what was rejected on the way."""

from __future__ import annotations

from typing import Any

from potpie_git.readers.anchors import anchored, collect
from potpie_git.readers.coding_preferences import RETIRED
from potpie_git.readers.items import Candidate, Found, candidate, claim_fields, distinct, relation, state_at
from potpie_git.readers.question import Question
from potpie_git.readers.reader import Reader
from potpie_git.readers.statements import Statement, best

PREDICATES = frozenset({"DECIDED", "AFFECTS"})
_SHOWN = ("title", "summary", "rationale", "alternatives_rejected")


def read(question: Question) -> Found:
    rows = question.matching(PREDICATES, subject_types=frozenset({"Decision"}))
    if question.text is not None or question.request.source_ref is not None:
        subjects = frozenset(row.claim.subject for row in rows)
        rows += question.find(predicates=PREDICATES, subjects=subjects) if subjects else []
    candidates = []
    for key, held in collect(question, rows, lambda claim: claim.subject).items():
        made = _candidate(question, key, held)
        if made is not None:
            candidates.append(made)
    return Found(candidates, distinct(rows))


def _candidate(question: Question, key: str, held: list[Statement]) -> Candidate | None:
    degree = anchored(question, held)
    state = state_at(question, key)
    if degree is None or (state in RETIRED and not question.request.include_invalidated):
        return None
    lead = best([one for one in held if one.predicate == "DECIDED"]) or best(held)
    if lead is None:
        return None
    made = candidate(question, key, held, lead, scope_overlap=degree)
    made.payload |= claim_fields(lead.claim) | _told(held)
    made.relations = [relation(one) for one in [lead, *(one for one in held if one is not lead)]]
    return made


def _told(statements: list[Statement]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in statements:
        for name in _SHOWN:
            held = (one.claim.details or {}).get(name)
            if held:
                found.setdefault(name, held)
    return found


READER = Reader("decisions", PREDICATES, read)
