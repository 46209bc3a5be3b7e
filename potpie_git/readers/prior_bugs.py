"""Whether a symptom was seen before: one item a bug, with where it reproduces, what fixed it and what did not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from potpie_git.domain.query import ClaimRow
from potpie_git.readers.fixes import Outcome, judge, outcome_of
from potpie_git.readers.items import Candidate, Found, candidate, distinct, relation
from potpie_git.readers.question import Question
from potpie_git.readers.reader import Reader
from potpie_git.readers.scope import claim_dimensions, overlap
from potpie_git.readers.statements import Statement, best

PREDICATES = frozenset({"REPRODUCES", "RESOLVED", "ATTEMPTED_FIX_FAILED", "VERIFIED"})
_ATTEMPTS = frozenset({"RESOLVED", "ATTEMPTED_FIX_FAILED"})
_VERIFICATIONS = frozenset({"VERIFIED"})
# How wide a bug reaches, from the widest; a bug that reaches less far than the question asks is not shown.
_REACH = {"global": 0, "language": 1, "framework": 1, "service": 2, "component": 3, "feature": 3, "module": 4}
_REACH_OF_OBJECT = {"CodeAsset": 4}
_WIDEST_HIDDEN = 3
_TOLD = ("root_cause", "fix_steps")


@dataclass
class Bug:
    """A bug pattern's neighbourhood. `key` is the bug's, or the fix's where no bug is known."""

    key: str
    reproductions: list[Statement] = field(default_factory=list)
    attempts: list[Statement] = field(default_factory=list)
    verifications: list[Statement] = field(default_factory=list)

    @property
    def statements(self) -> list[Statement]:
        return [*self.reproductions, *self.attempts, *self.verifications]

    def outcome(self, fix: str) -> Outcome:
        resolved = [one for one in self.attempts if one.claim.subject == fix and one.predicate == "RESOLVED"]
        return judge(resolved, [one for one in self.verifications if one.claim.object == fix])


def read(question: Question) -> Found:
    rows = _with_neighbourhood(question, _starting_rows(question))
    bugs = _bugs(question, question.statements(rows))
    shown, hidden = [], 0
    for bug in bugs:
        if _reaches_less(question, bug):
            hidden += 1
        elif (made := _candidate(question, bug)) is not None:
            shown.append(made)
    found = Found(shown, distinct(rows))
    if hidden:
        found.notes.append(
            f"{hidden} bug{'s' if hidden > 1 else ''} of a narrower scope left out; ask with a path or a feature, "
            "or without a scope, to see them"
        )
    return found


def _starting_rows(question: Question) -> list[ClaimRow]:
    since, until = question.request.window(question.now)
    return question.matching(PREDICATES, since=since, until=until)


def _with_neighbourhood(question: Question, rows: list[ClaimRow]) -> list[ClaimRow]:
    """The rows with everything about the bugs and fixes that they name: a hop to the bug, and one to verifications."""
    since, until = question.request.window(question.now)
    if question.text is None and since is None and until is None and question.request.source_ref is None:
        return rows  # nothing was left out
    near = rows[: question.pool_size]
    fixes = _fix_keys(near)
    known = _bug_keys(near)
    orphans = fixes - {row.claim.subject for row in near if row.claim.predicate in _ATTEMPTS}
    if orphans:
        more = question.find(predicates=_ATTEMPTS, subjects=frozenset(orphans))
        rows, known = [*rows, *more], known | _bug_keys(more)
    around = question.around(known, PREDICATES)
    fixes |= _fix_keys(around)
    verifications = question.find(predicates=_VERIFICATIONS, objects=frozenset(fixes)) if fixes else []
    return [*rows, *around, *verifications]


def _bug_keys(rows: Iterable[ClaimRow]) -> set[str]:
    claims = [row.claim for row in rows]
    reproduced = {claim.subject for claim in claims if claim.predicate == "REPRODUCES"}
    return reproduced | {claim.object for claim in claims if claim.predicate in _ATTEMPTS and claim.object}


def _fix_keys(rows: Iterable[ClaimRow]) -> set[str]:
    claims = [row.claim for row in rows]
    tried = {claim.subject for claim in claims if claim.predicate in _ATTEMPTS}
    return tried | {claim.object for claim in claims if claim.predicate == "VERIFIED" and claim.object}


def _bugs(question: Question, statements: list[Statement]) -> list[Bug]:
    bugs: dict[str, Bug] = {}
    bugs_of_fix: dict[str, list[str]] = {}

    def bug(key: str) -> Bug:
        key = question.resolved(key)
        return bugs.setdefault(key, Bug(key))

    for one in statements:
        if one.predicate == "REPRODUCES":
            bug(one.claim.subject).reproductions.append(one)
        elif one.predicate in _ATTEMPTS and one.claim.object:
            found = bug(one.claim.object)
            found.attempts.append(one)
            bugs_of_fix.setdefault(one.claim.subject, []).append(found.key)
    for one in statements:
        if one.predicate == "VERIFIED" and one.claim.object:
            for key in dict.fromkeys(bugs_of_fix.get(one.claim.object, [one.claim.object])):
                bug(key).verifications.append(one)
    return list(bugs.values())


def _reaches_less(question: Question, bug: Bug) -> bool:
    """True if the question asks about more than the bug reaches: a module's bug in a question about a service."""
    asked = question.scope.dimensions.keys()
    if (
        not asked & {"repo", "service"}
        or asked & {"path", "feature"}
        or question.scope.keys - _wide(question)
    ):
        return False
    reach = _reach(bug)
    return reach is not None and reach >= _WIDEST_HIDDEN


def _wide(question: Question) -> frozenset[str]:
    return frozenset(
        key for key in question.scope.keys if key.startswith(("service:", "repo:", "environment:"))
    )


def _reach(bug: Bug) -> int | None:
    said = [
        _REACH[kind]
        for one in (*bug.reproductions, *bug.attempts)
        if isinstance(kind := (one.claim.details or {}).get("scope_kind"), str) and kind in _REACH
    ]
    places = [_REACH_OF_OBJECT.get(one.claim.object_type, 2) for one in bug.reproductions]
    return min(said or places, default=None)


def _candidate(question: Question, bug: Bug) -> Candidate | None:
    degree = _degree(question, bug)
    if degree == 0.0:
        return None
    lead = best(_symptoms(bug)) or best([*bug.reproductions, *_resolutions(bug)]) or best(bug.statements)
    if lead is None or not (lead.stands or question.request.include_invalidated):
        return None
    outcomes = {fix: bug.outcome(fix) for fix in _tried(bug)}
    made = candidate(question, bug.key, bug.statements, lead, scope_overlap=degree)
    made.sources = _corroboration(bug, lead, outcomes)
    made.verdict = _verdict(bug, outcomes)
    if not bug.reproductions and (symptom := (lead.claim.details or {}).get("symptom_signature")):
        made.payload["symptom"] = symptom
    made.payload |= _summary(bug, outcomes)
    made.relations = [relation(one, outcome=_label(one, outcomes)) for one in _in_order(bug, outcomes)]
    return made


def _degree(question: Question, bug: Bug) -> float:
    """How far the bug's places overlap with the question; 0.0 drops it."""
    if not question.scope:
        return 0.5
    places = bug.reproductions or bug.attempts
    found = [overlap(question.scope, claim_dimensions([one.claim])) for one in places]
    if not found:
        return 0.3 if question.text else 0.0
    best_place = max(found, key=lambda one: (one.matched > 0, one.degree))
    if best_place.contradicts or not (best_place.matched or question.text):
        return 0.0
    return best_place.degree


def _symptoms(bug: Bug) -> list[Statement]:
    """Where the bug is felt: a claim about a line of code says its cause rather than what people see."""
    return [one for one in bug.reproductions if one.stands and one.claim.object_type != "CodeAsset"]


def _resolutions(bug: Bug) -> list[Statement]:
    return [one for one in bug.attempts if one.predicate == "RESOLVED"]


def _tried(bug: Bug) -> list[str]:
    named = [one.claim.subject for one in bug.attempts]
    named += [one.claim.object for one in bug.verifications if one.claim.object]
    return list(dict.fromkeys(named))


def _corroboration(bug: Bug, lead: Statement, outcomes: dict[str, Outcome]) -> int:
    """Distinct sources for what the item says. Confirmations of its fixes add to them; a refuted fix takes all away."""
    if not lead.stands:
        return 0
    if _verdict(bug, outcomes) == "refuted":
        return 0
    standing = dict.fromkeys(one.claim.subject for one in _resolutions(bug) if one.stands)
    return len(lead.sources) + sum(outcomes[fix].worked for fix in standing)


def _verdict(bug: Bug, outcomes: dict[str, Outcome]) -> str | None:
    """The best verdict over the bug's fixes; None if none stands."""
    fixes = [outcomes[one.claim.subject] for one in _resolutions(bug) if one.stands]
    return min(fixes, key=lambda fix: fix.place).verdict if fixes else None


def _summary(bug: Bug, outcomes: dict[str, Outcome]) -> dict[str, Any]:
    """The verdict over each fix, and the attempts that failed, by key."""
    resolving: dict[str, Statement] = {}
    for one in _resolutions(bug):
        if one.stands:
            resolving.setdefault(one.claim.subject, one)
    fixes = sorted(resolving, key=lambda fix: outcomes[fix].place)
    failed = dict.fromkeys(
        one.claim.subject for one in bug.attempts if one.predicate == "ATTEMPTED_FIX_FAILED"
    )
    summary: dict[str, Any] = {}
    if fixes:
        summary["fixes"] = [
            {
                "fix": fix,
                "verification": outcomes[fix].verdict,
                "worked": outcomes[fix].worked,
                "didnt_work": outcomes[fix].failed,
            }
            | {name: held for name in _TOLD if (held := (resolving[fix].claim.details or {}).get(name))}
            for fix in fixes
        ]
    if failed:
        summary["failed_attempts"] = list(failed)
    return summary


def _label(one: Statement, outcomes: dict[str, Outcome]) -> str | None:
    if one.predicate == "RESOLVED":
        return outcomes[one.claim.subject].verdict
    if one.predicate == "ATTEMPTED_FIX_FAILED":
        return "failed"
    return outcome_of(one.claim) if one.predicate == "VERIFIED" else None


def _in_order(bug: Bug, outcomes: dict[str, Outcome]) -> list[Statement]:
    """Where it reproduces, then what resolved it (refuted fixes last), then what failed, then the verifications."""

    def place(one: Statement) -> tuple[bool, int, int]:
        verdict = outcomes[one.claim.subject].place if one.predicate == "RESOLVED" else 0
        kinds = ("REPRODUCES", "RESOLVED", "ATTEMPTED_FIX_FAILED", "VERIFIED")
        return (not one.stands, kinds.index(one.predicate), verdict)

    return sorted(bug.statements, key=place)


READER = Reader("prior_bugs", PREDICATES, read)
