"""Documents, notes and observations for a scope: one item a document."""

from __future__ import annotations

from potpie_git.domain.claim import Claim
from potpie_git.readers.anchors import anchored, collect
from potpie_git.readers.items import Candidate, Found, candidate, claim_fields, distinct, relation
from potpie_git.readers.question import Question
from potpie_git.readers.reader import Reader
from potpie_git.readers.statements import Statement, best

PREDICATES = frozenset({"RELATED_TO", "MENTIONS", "AFFECTS"})
TYPES = frozenset({"Document", "Observation"})


def read(question: Question) -> Found:
    rows = [row for row in question.matching(PREDICATES, derived=False) if is_documented(row.claim)]
    candidates = []
    for key, held in collect(question, rows, document_of).items():
        made = _candidate(question, key, held)
        if made is not None:
            candidates.append(made)
    return Found(candidates, distinct(rows))


def is_documented(claim: Claim) -> bool:
    """True if a document or an observation stands at an end of the claim."""
    return bool(TYPES & {claim.subject_type, claim.object_type})


def document_of(claim: Claim) -> str:
    """The document's end of a claim."""
    return claim.subject if claim.subject_type in TYPES else (claim.object or claim.subject)


def _candidate(question: Question, key: str, held: list[Statement]) -> Candidate | None:
    degree = anchored(question, held)
    lead = best(held)
    if degree is None or lead is None:
        return None
    made = candidate(question, key, held, lead, scope_overlap=degree)
    made.payload |= claim_fields(lead.claim)
    made.payload |= {name: text for name, text in sorted((lead.claim.details or {}).items()) if text}
    made.relations = [relation(one) for one in held]
    return made


READER = Reader("docs", PREDICATES, read)
