"""Which preferences and policies apply to a scope: one item a preference, with everything that it applies to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from potpie_git.domain.claim import Claim
from potpie_git.readers.items import Candidate, Found, candidate, distinct, relation, state_at
from potpie_git.readers.question import Question
from potpie_git.readers.reader import Reader
from potpie_git.readers.scope import Dimensions, QuestionScope, claim_dimensions, overlap, plain
from potpie_git.readers.statements import Statement, best

PREDICATES = frozenset({"POLICY_APPLIES_TO"})
RETIRED = frozenset({"deprecated", "rejected", "superseded"})
_SHOWN = ("policy_kind", "prescription", "strength", "audience", "justification_ref")
_STRENGTHS = ("hard", "strong", "soft")
# An audience that takes in the others, whatever is asked for.
_WIDE_AUDIENCES = ("project", "global")


def read(question: Question) -> Found:
    rows = question.matching(PREDICATES)
    statements = question.statements(rows)
    by_subject: dict[str, list[Statement]] = {}
    for statement in statements:
        by_subject.setdefault(question.resolved(statement.claim.subject), []).append(statement)
    candidates = []
    for key, held in by_subject.items():
        made = _candidate(question, key, held)
        if made is not None:
            candidates.append(made)
    return Found(candidates, distinct(rows))


def _candidate(question: Question, key: str, held: list[Statement]) -> Candidate | None:
    scope = _at_home(question)
    degrees = {one.key: _degree(question, scope, one.claim) for one in held}
    applying = [one for one in held if degrees[one.key] > 0.0]
    lead = best(applying)
    if lead is None:
        return None
    state = state_at(question, key)
    if state in RETIRED and not question.request.include_invalidated:
        return None
    made = candidate(question, key, applying, lead, scope_overlap=max(degrees[one.key] for one in applying))
    made.payload |= _rule(applying)
    made.relations = [relation(one) for one in applying]
    strength = str(made.payload.get("strength", "soft"))
    rank = _STRENGTHS.index(strength) if strength in _STRENGTHS else len(_STRENGTHS)
    made.tie_break = f"{rank} {key}"
    return made


def _at_home(question: Question) -> QuestionScope:
    """The question's scope; whoever asks stands in this repository, and means it unless the scope says otherwise."""
    scope, here = question.scope, question.context.repository
    if not scope or here is None or "repo" in scope.dimensions or scope.implied.get("repo"):
        return scope
    return replace(scope, implied={**scope.implied, "repo": (plain(here, "repo"),)})


def _degree(question: Question, scope: QuestionScope, claim: Claim) -> float:
    """How far a rule's scope overlaps with the question's; 0.0 if it does not apply.

    A rule whose places the question neither names nor rules out stays only if a text asked for it.
    """
    claimed = _rule_dimensions(question, claim)
    found = overlap(scope, claimed)
    unmet = bool(scope and claimed) and not found.matched and question.text is None
    return 0.0 if unmet else found.degree


def _rule_dimensions(question: Question, claim: Claim) -> Dimensions:
    found = claim_dimensions([claim])
    audience = (claim.details or {}).get("audience")
    if (
        isinstance(audience, str)
        and audience not in _WIDE_AUDIENCES
        and "audience" in question.scope.dimensions
    ):
        found["audience"] = (audience,)
    return found


def _rule(statements: Iterable[Statement]) -> dict[str, Any]:
    """What the rule says, from the first claim that says it."""
    found: dict[str, Any] = {}
    for statement in statements:
        details = statement.claim.details or {}
        for name in _SHOWN:
            if name in details:
                found.setdefault(name, details[name])
        if statement.claim.code_scope:
            found.setdefault("code_scope", statement.claim.code_scope)
    return found


READER = Reader("coding_preferences", PREDICATES, read)
