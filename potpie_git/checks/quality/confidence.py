"""Claims whose writer was not sure, and claims that rest on nothing."""

from __future__ import annotations

from collections.abc import Iterator

from potpie_git.checks.quality.model import (
    PotView,
    QualityFinding,
    QualityReport,
    quoted,
    search_entities,
    worst_first,
)
from potpie_git.domain.claim import Claim, Statement
from potpie_git.domain.keys import type_name_of
from potpie_git.domain.vocabulary import STRENGTH_SCORE, SYSTEM_PREDICATES

NAME = "low-confidence"
LOW = 0.5
# Up to the strength of what an agent states; what a user decided or a source shows needs no second voice.
_WEAK = STRENGTH_SCORE["stated"]


def low_confidence(view: PotView, threshold: float = LOW) -> QualityReport:
    """Claims with a confidence below `threshold`, and weak claims that cite nothing and that nothing corroborates."""
    judged = [claim for claim in view.live if claim.predicate not in SYSTEM_PREDICATES]
    sources: dict[Statement, set[str]] = {}
    for claim in judged:
        sources.setdefault(claim.statement, set()).update(claim.sources)
    findings = [
        finding for claim in judged for finding in _of(view, claim, threshold, len(sources[claim.statement]))
    ]
    return QualityReport(report=NAME, checked=len(judged), findings=worst_first(findings))


def _of(view: PotView, claim: Claim, threshold: float, sources: int) -> Iterator[QualityFinding]:
    confidence = claim.provenance.confidence
    if confidence is not None and confidence < threshold:
        message = f"{quoted(claim)} was written with a confidence of {confidence:g}"
        yield _finding(view, claim, "unsure", message, 1.0 - confidence)
    elif not claim.evidence and sources < 2 and STRENGTH_SCORE[claim.evidence_strength] <= _WEAK:
        message = f"{quoted(claim)} cites nothing ({claim.truth})"
        yield _finding(view, claim, "uncited", message, 0.3)


def _finding(view: PotView, claim: Claim, code: str, message: str, score: float) -> QualityFinding:
    return QualityFinding(
        code=code,
        message=message,
        entities=[claim.subject],
        claims=[claim.id],
        paths=view.paths([claim]),
        score=round(score, 3),
        next_command=search_entities(
            type=type_name_of(claim.subject),
            predicate=claim.predicate,
            query=claim.fact or claim.value or claim.description,
        ),
    )
