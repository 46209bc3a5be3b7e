"""What happened lately, and who did it: one event an activity, the newest first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from potpie_git.domain.claim import Claim
from potpie_git.domain.query import ClaimRow, Standing
from potpie_git.domain.times import format_time
from potpie_git.domain.vocabulary import ACTIVITY_TYPES
from potpie_git.readers.items import Candidate, Found, candidate, relation
from potpie_git.readers.question import Question
from potpie_git.readers.reader import Reader
from potpie_git.readers.scope import claim_dimensions, overlap
from potpie_git.readers.statements import Statement, best

PREDICATES = frozenset({"TOUCHED", "PERFORMED", "AUTHORED", "MENTIONS"})
_TARGETS = frozenset({"TOUCHED", "MENTIONS"})
# An activity is one claim for its author and a few for what it touched: rows to ask for, for each event wanted.
_ROWS_PER_EVENT = 6
_MANY_ROWS = 2_000
# Later than any moment, so that what is left until then sorts the newest first.
_END = 1e12


def read(question: Question) -> Found:
    rows = _rows(question)
    events: dict[str, list[Statement]] = {}
    for statement in question.statements(rows):
        key = activity_of(statement.claim)
        if key is not None:
            events.setdefault(question.resolved(key), []).append(statement)
    candidates = []
    for place, (key, held) in enumerate(events.items()):
        made = _event(question, key, held, place)
        if made is not None:
            candidates.append(made)
    # Without a window the question is for the newest events, and those are all here.
    newest = question.text is None and question.request.window(question.now)[0] is None
    return Found(candidates, len(events), open_ended=newest)


def activity_of(claim: Claim) -> str | None:
    """The activity's end of a claim."""
    if claim.subject_type in ACTIVITY_TYPES:
        return claim.subject
    return claim.object if claim.object_type in ACTIVITY_TYPES else None


def _rows(question: Question) -> list[ClaimRow]:
    since, until = question.request.window(question.now)
    window: dict[str, Any] = {"since": since, "until": until}
    if question.text is not None:
        found = question.matching(PREDICATES, **window)
        return _completed(question, found[: question.pool_size])
    # Claims of one activity begin together, so that the newest rows are whole events; more is asked for all the same.
    limit = question.request.limit * _ROWS_PER_EVENT
    if not question.scope:
        return _completed(question, question.matching(PREDICATES, limit=limit, **window))
    touched = question.matching(PREDICATES, about=_places(question), limit=limit, **window)
    # Directories and services imply what no key names: those claims are few, and are judged one by one.
    if question.scope.dimensions.keys() & {"path", "repo"}:
        touched += question.matching(_TARGETS, derived=False, limit=_MANY_ROWS, **window)
    return _completed(question, touched)


def _places(question: Question) -> frozenset[str]:
    implied = [f"service:{name}" for name in question.scope.implied.get("service", ())]
    return question.scope.keys | frozenset(implied)


def _completed(question: Question, rows: list[ClaimRow]) -> list[ClaimRow]:
    """The rows with everything else that is known of the stored activities among them."""
    stored = [row for row in rows if row.standing is not Standing.DERIVED]
    activities = {key for row in stored if (key := activity_of(row.claim)) is not None}
    return [*rows, *question.around(activities, PREDICATES, derived=False)]


def _event(question: Question, key: str, held: list[Statement], place: int) -> Candidate | None:
    """One event; events of one second, as a rebase makes them, keep the `place` that history gives them."""
    degree = _degree(question, held)
    lead = best(one for one in held if one.predicate in {"TOUCHED", "PERFORMED", "AUTHORED"}) or best(held)
    if degree is None or lead is None:
        return None
    when = min(one.claim.begins for one in held)
    made = candidate(question, key, held, lead, scope_overlap=degree, moment=when)
    made.payload["occurred_at"] = _occurred(held)
    made.payload |= _told(held)
    made.relations = [relation(one, said=made.payload["description"]) for one in held]
    made.tie_break = f"{_END - when.timestamp():020.0f} {place:06d} {key}"
    return made


def _degree(question: Question, held: list[Statement]) -> float | None:
    """How far what the activity touched meets the scope; None if it touched something else."""
    if not question.scope:
        return None if not held else 0.5
    if any(_named(question, one.claim) for one in held):
        return 1.0
    told = [claim_dimensions([one.claim]) for one in held if one.predicate in _TARGETS]
    # What touched the repository as a whole says nothing about one of its files.
    wanted = [one for one in told if "path" not in question.scope.dimensions or one.keys() - {"repo"}]
    found = [overlap(question.scope, one) for one in wanted]
    met = [one.degree for one in found if one.matched and not one.contradicts]
    return max(met, default=None)


def _named(question: Question, claim: Claim) -> bool:
    places = _places(question)
    return claim.object in places or claim.subject in places


def _occurred(held: Iterable[Statement]) -> str:
    """When it happened, as a claim writes it, or in UTC where none does."""
    earliest = min((one.claim for one in held), key=lambda claim: claim.begins)
    return earliest.valid_from or earliest.observed_at or format_time(earliest.begins)


def _told(held: list[Statement]) -> dict[str, Any]:
    """Who did it, what it touched and mentioned, and the verb, where a claim says one."""
    told: dict[str, Any] = {
        "actors": _ends(one.claim.subject for one in held if one.predicate in {"PERFORMED", "AUTHORED"}),
        "touched": _ends(one.claim.object for one in held if one.predicate == "TOUCHED"),
        "mentions": _ends(one.claim.object for one in held if one.predicate == "MENTIONS"),
    }
    for one in held:
        for name in ("verb", "commit", "pull_request", "parents"):
            text = (one.claim.details or {}).get(name)
            if text:
                told.setdefault(name, text)
    return {name: text for name, text in told.items() if text}


def _ends(keys: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(key for key in keys if key))


READER = Reader("timeline", PREDICATES, read)
