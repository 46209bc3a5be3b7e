"""Every claim, one item a statement: for inspection, not for an agent's context."""

from __future__ import annotations

from potpie_git.domain.claim import Claim
from potpie_git.domain.vocabulary import SYSTEM_PREDICATES
from potpie_git.readers import (
    coding_preferences,
    decisions,
    docs,
    features,
    infra_topology,
    owners,
    prior_bugs,
    timeline,
)
from potpie_git.readers.items import Candidate, Found, candidate, claim_fields, distinct
from potpie_git.readers.question import Question
from potpie_git.readers.reader import Reader
from potpie_git.readers.statements import Statement

_OTHERS = (
    coding_preferences.PREDICATES,
    decisions.PREDICATES,
    features.PREDICATES,
    infra_topology.PREDICATES,
    owners.PREDICATES,
    prior_bugs.PREDICATES,
    timeline.PREDICATES,
)


def read(question: Question) -> Found:
    fields = {} if question.text is not None else {"limit": question.request.limit + 1}
    rows = question.matching(None, derived=False, **fields)
    if question.text is not None:
        # The system's own claims hold nothing but ids: a text that matches one found nothing.
        rows = [row for row in rows if row.claim.predicate not in SYSTEM_PREDICATES]
    if question.whole:
        rows = [row for row in rows if not _served(row.claim)]
    statements = question.statements(rows)
    return Found([_candidate(question, one) for one in statements], distinct(rows))


def _served(claim: Claim) -> bool:
    """True if another reader shows the claim, and in better company."""
    if claim.predicate in docs.PREDICATES and docs.is_documented(claim):
        return True
    return any(claim.predicate in predicates for predicates in _OTHERS)


def _candidate(question: Question, statement: Statement) -> Candidate:
    made = candidate(question, statement.claim.id, [statement], statement)
    made.payload = claim_fields(statement.claim) | {"description": made.payload["description"]}
    return made


READER = Reader("raw_graph", None, read)
