"""Claims that stand and cannot all be true."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

from potpie_git.checks.quality.model import (
    PotView,
    QualityFinding,
    QualityReport,
    pairs,
    propose,
    quoted,
    search_entities,
    worst_first,
)
from potpie_git.domain.claim import Claim, value_text
from potpie_git.domain.validation.relations import (
    NEAR_SIMILARITY,
    is_negated,
    is_singleton,
    near_similarity,
)
from potpie_git.domain.vocabulary import SYSTEM_PREDICATES

NAME = "conflicting-claims"
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
# Larger groups of claims about one subject are compared neighbour by neighbour in the order of their texts.
_LARGEST_GROUP = 60


def conflicting_claims(view: PotView) -> QualityReport:
    """Two objects where one is allowed, a fix that both worked and failed, statements that deny each other."""
    judged = [claim for claim in view.live if claim.predicate not in SYSTEM_PREDICATES]
    findings = [*_singletons(view, judged), *_outcomes(view, judged), *_denials(view, judged)]
    return QualityReport(report=NAME, checked=len(judged), findings=worst_first(findings))


def _singletons(view: PotView, claims: Iterable[Claim]) -> Iterator[QualityFinding]:
    groups: dict[tuple[str, str, str], list[Claim]] = defaultdict(list)
    for claim in claims:
        if is_singleton(claim.predicate):
            groups[claim.subject, claim.predicate, claim.environment or ""].append(claim)
    for (subject, predicate, _), group in groups.items():
        if len({claim.object for claim in group}) < 2:
            continue
        group.sort(key=lambda claim: (claim.begins, claim.id))
        newest = group[-1]
        older = next(claim for claim in reversed(group) if claim.object != newest.object)
        objects = ", ".join(dict.fromkeys(claim.object or "" for claim in group))
        yield QualityFinding(
            code="two_where_one_is_allowed",
            message=f"{subject} has several live {predicate}: {objects}",
            entities=[subject, *dict.fromkeys(claim.object for claim in group if claim.object)],
            claims=[claim.id for claim in group],
            paths=view.paths(group),
            score=1.0,
            next_command=propose(
                {
                    "op": "end_relation_validity",
                    "claim": older.id,
                    "reason": f"{newest.object} followed {older.object}.",
                }
            ),
        )


def _outcomes(view: PotView, claims: Iterable[Claim]) -> Iterator[QualityFinding]:
    """Fixes that resolve a bug and failed on it, and fixes that were verified with opposite outcomes."""
    resolved: dict[tuple[str, str, str], list[Claim]] = defaultdict(list)
    failed: dict[tuple[str, str, str], list[Claim]] = defaultdict(list)
    verified: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in claims:
        key = (claim.subject, claim.object or "", claim.environment or "")
        if claim.predicate == "RESOLVED":
            resolved[key].append(claim)
        elif claim.predicate == "ATTEMPTED_FIX_FAILED":
            failed[key].append(claim)
        elif claim.predicate == "VERIFIED":
            verified[claim.object or "", claim.environment or ""].append(claim)
    for (fix, bug, _), group in resolved.items():
        for failure in failed.get((fix, bug, group[0].environment or ""), ())[:1]:
            reason = f"The fix did not work: {failure.fact or failure.id}"
            command = propose({"op": "retract_claim", "claim": group[0].id, "reason": reason})
            message = f"{fix} is said to resolve {bug}, and to have failed on it"
            yield _conflict(view, "resolved_and_failed", message, [*group, failure], command, 0.9)
    for (fix, _), group in verified.items():
        by_outcome = {_outcome(claim): claim for claim in group}
        if {"worked", "didnt_work"} <= by_outcome.keys():
            both = [by_outcome["worked"], by_outcome["didnt_work"]]
            command = search_entities(type="Fix", query=fix)
            yield _conflict(
                view,
                "verifications_disagree",
                f"{fix} worked for one and not for another",
                both,
                command,
                0.8,
            )


def _outcome(claim: Claim) -> str:
    held = (claim.details or {}).get("outcome")
    return held if isinstance(held, str) else ""


def _denials(view: PotView, claims: Iterable[Claim]) -> Iterator[QualityFinding]:
    """Claims about one subject and object of which one denies the other, or gives another number."""
    groups: dict[tuple[str, str, str, str], list[Claim]] = defaultdict(list)
    for claim in claims:
        if value_text(claim):
            groups[claim.subject, claim.predicate, claim.object or "", claim.environment or ""].append(claim)
    for group in groups.values():
        texts = {claim.id: value_text(claim) for claim in group}
        for left, right in _compared(group, texts):
            one, other = texts[left.id], texts[right.id]
            if one == other:
                continue
            if _NUMBER.sub("#", one) == _NUMBER.sub("#", other):
                yield _disagreement(view, "numbers_differ", left, right, 0.85)
            elif is_negated(one, other) and near_similarity(one, other) >= NEAR_SIMILARITY - 0.12:
                yield _disagreement(view, "one_denies_the_other", left, right, 0.95)


def _compared(group: list[Claim], texts: dict[str, str]) -> Iterator[tuple[Claim, Claim]]:
    if len(group) <= _LARGEST_GROUP:
        return pairs(group)
    ordered = sorted(group, key=lambda claim: (_NUMBER.sub("#", texts[claim.id]), claim.id))
    return pairwise(ordered)


def _disagreement(view: PotView, code: str, left: Claim, right: Claim, score: float) -> QualityFinding:
    older, newer = sorted((left, right), key=lambda claim: (claim.begins, claim.id))
    if older.statement == newer.statement:
        # A withdrawal is of the statement, so it would take both.
        command = search_entities(predicate=older.predicate, query=value_text(older)[:200])
    else:
        command = propose(
            {
                "op": "retract_claim",
                "claim": older.id,
                "reason": f"A newer claim says otherwise: {newer.value or newer.fact or newer.description}",
            }
        )
    message = f"{older.subject}: {quoted(older)} against {quoted(newer)}"
    return _conflict(view, code, message, [older, newer], command, score)


def _conflict(
    view: PotView, code: str, message: str, claims: list[Claim], command: str, score: float
) -> QualityFinding:
    return QualityFinding(
        code=code,
        message=message,
        entities=list(dict.fromkeys(claim.subject for claim in claims)),
        claims=[claim.id for claim in claims],
        paths=view.paths(claims),
        score=score,
        next_command=command,
    )
