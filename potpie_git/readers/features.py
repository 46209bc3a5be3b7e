"""What users can do: one item a feature, with who provides it, where it is implemented and who owns that."""

from __future__ import annotations

from potpie_git.domain.claim import Claim
from potpie_git.domain.query import ClaimRow
from potpie_git.readers.anchors import anchored, collect
from potpie_git.readers.items import Candidate, Found, candidate, distinct, relation
from potpie_git.readers.question import Question
from potpie_git.readers.reader import Reader
from potpie_git.readers.statements import Statement, best

PREDICATES = frozenset({"PROVIDES", "IMPLEMENTED_IN"})
_OWNERSHIP = frozenset({"OWNED_BY"})


def read(question: Question) -> Found:
    rows = question.matching(PREDICATES)
    features = frozenset(_feature(row.claim) for row in rows)
    if question.text is not None or question.request.source_ref is not None:
        rows += question.around(features, PREDICATES)
    owners = {} if question.whole else _owners(question, rows)
    candidates = []
    for key, held in collect(question, rows, _feature).items():
        made = _candidate(question, key, held, owners)
        if made is not None:
            candidates.append(made)
    return Found(candidates, distinct(rows))


def _feature(claim: Claim) -> str:
    return (claim.object if claim.predicate == "PROVIDES" else claim.subject) or claim.subject


def _owners(question: Question, rows: list[ClaimRow]) -> dict[str, list[Statement]]:
    """Ownership of the services and repositories that provide or implement the features."""
    providers = {row.claim.subject for row in rows if row.claim.predicate == "PROVIDES"}
    providers |= {
        row.claim.object for row in rows if row.claim.predicate == "IMPLEMENTED_IN" and row.claim.object
    }
    owned = frozenset(key for key in providers if key.startswith(("service:", "repo:")))
    found = question.find(predicates=_OWNERSHIP, subjects=owned) if owned else []
    return collect(question, found, lambda claim: claim.subject)


def _candidate(
    question: Question, key: str, held: list[Statement], owners: dict[str, list[Statement]]
) -> Candidate | None:
    degree = anchored(question, held)
    lead = best(held)
    if degree is None or lead is None:
        return None
    made = candidate(question, key, held, lead, scope_overlap=degree)
    ends = {question.resolved(end) for one in held for end in (one.claim.subject, one.claim.object) if end}
    owned = [one for end in sorted(ends) for one in owners.get(end, [])]
    made.relations = [relation(one) for one in [*held, *owned]]
    return made


READER = Reader("features", PREDICATES, read)
