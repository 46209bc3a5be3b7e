"""Who owns a path, a service or a repository: one item an owned thing, with its owners and their teams."""

from __future__ import annotations

from potpie_git.domain.claim import Claim
from potpie_git.domain.query import ClaimRow
from potpie_git.readers.anchors import collect
from potpie_git.readers.items import Candidate, Found, candidate, distinct, relation
from potpie_git.readers.question import Question, as_key
from potpie_git.readers.reader import Reader
from potpie_git.readers.statements import Statement, StatementKey, best

PREDICATES = frozenset({"OWNED_BY", "MEMBER_OF"})
_OWNED = frozenset({"OWNED_BY"})
_MEMBER = frozenset({"MEMBER_OF"})
# The owner of the repository answers for a path that no rule names.
_FALLBACK = 0.5


def read(question: Question) -> Found:
    rows = question.matching(PREDICATES) if question.text is not None else _scoped(question)
    owned = [row for row in rows if row.claim.predicate == "OWNED_BY"]
    asked_members = [row for row in rows if row.claim.predicate == "MEMBER_OF"]
    people = {row.claim.object for row in owned if row.claim.object} | set(_people(question))
    members = [*asked_members, *question.around(people, _MEMBER)]
    candidates = _things(question, owned, members)
    shown = {one.key for made in candidates for one in made.statements}
    asked = asked_members if question.text is not None else members
    candidates += _teams(question, [row for row in asked if _asked(question, row.claim)], shown)
    return Found(candidates, distinct([*owned, *members]))


def _scoped(question: Question) -> list[ClaimRow]:
    """Ownership of what the scope names, and of its repository, which answers where nothing closer does."""
    if not question.scope:
        return question.matching(PREDICATES)
    wanted = set(question.scope.keys) | set(_fallback(question))
    fields = {"source_ref": question.request.source_ref, "truth": question.request.truth}
    return question.find(predicates=_OWNED, about=frozenset(wanted), **fields)


def _fallback(question: Question) -> list[str]:
    implied = [as_key("repo", value) for value in question.scope.implied.get("repo", ())]
    here = question.context.repository if question.scope.dimensions.get("path") else None
    return [question.resolved(key) for key in (*implied, *((here,) if here else ()))]


def _people(question: Question) -> list[str]:
    return [key for key in question.scope.keys if key.startswith(("team:", "person:"))]


def _asked(question: Question, claim: Claim) -> bool:
    """Membership that stands on its own: a text matched it, or the scope asks for it."""
    if question.text is not None:
        return True
    return not question.scope or not question.scope.keys.isdisjoint({claim.subject, claim.object or ""})


def _things(question: Question, owned: list[ClaimRow], members: list[ClaimRow]) -> list[Candidate]:
    teams = question.statements(members)
    made = []
    for key, held in collect(question, owned, lambda claim: claim.subject).items():
        lead = best(held)
        degree = _degree(question, key, held)
        if lead is None or degree is None:
            continue
        one = candidate(question, key, held, lead, scope_overlap=degree)
        ends = {statement.claim.object for statement in held}
        near = [team for team in teams if ends & {team.claim.subject, team.claim.object}]
        one.relations = [relation(statement) for statement in [*held, *near]]
        one.payload["owners"] = list(dict.fromkeys(end for end in (s.claim.object for s in held) if end))
        rule = {
            name: text for name, text in sorted((lead.claim.details or {}).items()) if isinstance(text, str)
        }
        one.payload |= rule
        made.append(one)
    return made


def _degree(question: Question, key: str, held: list[Statement]) -> float | None:
    """1 for what the scope names, less for the repository around it; None for anything else."""
    if not question.scope:
        return _FALLBACK
    ends = {key, *(question.resolved(one.claim.object) for one in held if one.claim.object)}
    if not question.scope.keys.isdisjoint(ends):
        return 1.0
    if key in _fallback(question):
        return _FALLBACK
    return _FALLBACK if question.text is not None else None


def _teams(question: Question, members: list[ClaimRow], shown: set[StatementKey]) -> list[Candidate]:
    made = []
    held_by_team = collect(question, members, lambda claim: claim.object or claim.subject)
    for key, held in held_by_team.items():
        fresh = [one for one in held if one.key not in shown]
        lead: Statement | None = best(fresh)
        if lead is not None:
            one = candidate(question, key, fresh, lead, scope_overlap=1.0)
            one.relations = [relation(statement) for statement in fresh]
            made.append(one)
    return made


READER = Reader("owners", PREDICATES, read)
