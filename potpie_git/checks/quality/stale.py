"""Claims that were true when somebody last looked, and that nobody has looked at for too long."""

from __future__ import annotations

from collections.abc import Iterator

from potpie_git.checks.quality.model import (
    PotView,
    QualityFinding,
    QualityReport,
    propose,
    quoted,
    search_entities,
    worst_first,
)
from potpie_git.domain.claim import Claim
from potpie_git.domain.freshness import EvidenceState, last_seen, outlived, time_to_live
from potpie_git.domain.keys import type_name_of
from potpie_git.domain.times import format_time
from potpie_git.domain.vocabulary import ENTITY_TYPES, SYSTEM_PREDICATES

NAME = "stale-facts"


def stale_facts(view: PotView) -> QualityReport:
    """Claims whose cited place has changed or gone, and claims whose fact family's time to live has passed."""
    judged = [
        claim for claim in view.live if claim.predicate not in SYSTEM_PREDICATES and not _happened(claim)
    ]
    findings = [finding for claim in judged for finding in _of(view, claim)]
    return QualityReport(report=NAME, checked=len(judged), findings=worst_first(findings))


def _happened(claim: Claim) -> bool:
    """What happened stays as it happened; it is old, and never out of date."""
    return any(
        type_name in ENTITY_TYPES and ENTITY_TYPES[type_name].activity
        for type_name in (claim.subject_type, claim.object_type)
    )


def _of(view: PotView, claim: Claim) -> Iterator[QualityFinding]:
    for item in claim.evidence or ():
        state = view.evidence_state(item)
        if state is EvidenceState.GONE:
            reason = f"Its evidence {item.source_ref} is gone."
            yield _finding(
                view,
                claim,
                "evidence_gone",
                f"{item.source_ref} is gone, and {quoted(claim)} rests on it",
                1.0,
                propose({"op": "retract_claim", "claim": claim.id, "reason": reason}),
            )
        elif state is EvidenceState.CHANGED:
            yield _finding(
                view,
                claim,
                "evidence_changed",
                f"{item.source_ref} has changed since {quoted(claim)} was written",
                0.95,
                search_entities(source_ref=item.source_ref),
            )
    if outlived(claim, view.now):
        yield _past_its_time(view, claim)


def _past_its_time(view: PotView, claim: Claim) -> QualityFinding:
    span, seen = time_to_live(claim), last_seen(claim)
    assert span is not None
    age = view.now - seen
    message = (
        f"{quoted(claim)} was last seen {age.days} days ago ({format_time(seen)}); "
        f"what is said of a {claim.subject_type} stays fresh for {span.days} days"
    )
    # An age of twice the time to live scores 0.5, and grows towards 0.9.
    score = 0.9 * (1 - span / age)
    query = claim.fact or claim.value or claim.description
    command = search_entities(type=type_name_of(claim.subject), predicate=claim.predicate, query=query)
    return _finding(view, claim, "past_time_to_live", message, score, command)


def _finding(
    view: PotView, claim: Claim, code: str, message: str, score: float, command: str
) -> QualityFinding:
    return QualityFinding(
        code=code,
        message=message,
        entities=[claim.subject],
        claims=[claim.id],
        paths=view.paths([claim]),
        score=round(score, 3),
        next_command=command,
    )
