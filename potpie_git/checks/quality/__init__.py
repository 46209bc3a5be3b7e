"""Seven reports on the quality of what a pot holds. They read, judge and recommend; they never write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from potpie_git.checks.quality import confidence, conflicts, drift, duplicates, orphans, stale
from potpie_git.checks.quality.model import (
    PROGRAM,
    Drift,
    EvidenceLookup,
    PotView,
    QualityFinding,
    QualityReport,
)
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.text import did_you_mean

SUMMARY = "summary"
# The findings that a summary shows of each report.
SHOWN = 3
REPORTS: Mapping[str, Callable[[PotView], QualityReport]] = MappingProxyType(
    {
        duplicates.NAME: duplicates.duplicate_candidates,
        stale.NAME: stale.stale_facts,
        conflicts.NAME: conflicts.conflicting_claims,
        orphans.NAME: orphans.orphan_entities,
        confidence.NAME: confidence.low_confidence,
        drift.NAME: drift.projection_drift,
    }
)


def summary(view: PotView) -> QualityReport:
    """How many findings each report has, with the command that shows them, and what the pot holds."""
    reports = [make(view) for make in REPORTS.values()]
    findings = [
        QualityFinding(
            code=report.report.replace("-", "_"),
            message=_headline(report),
            score=report.findings[0].score,
            next_command=f"{PROGRAM} graph quality {report.report}",
        )
        for report in reports
        if report.findings
    ]
    return QualityReport(
        report=SUMMARY,
        checked=len(view.stored) + len(view.entities),
        findings=sorted(findings, key=lambda one: (-one.score, one.code)),
        counts={
            "claims": len(view.stored),
            "claims_standing": len(view.live),
            "entities_described": len(view.entities),
            "entities_named": len(view.keys_in_use),
            **{report.report: len(report.findings) for report in reports},
        },
        notes=[f"{report.report}: {note}" for report in reports for note in report.notes],
    )


def quality_report(name: str, view: PotView, threshold: float | None = None) -> QualityReport:
    """The report of this name. Raises `InvalidInputError` for a name that no report has."""
    if name == SUMMARY:
        return summary(view)
    if name == confidence.NAME and threshold is not None:
        return confidence.low_confidence(view, threshold)
    if name not in REPORTS:
        raise InvalidInputError(
            f"there is no report {name!r}.{did_you_mean(name, REPORTS)}",
            hint=f"Use one of: {', '.join((SUMMARY, *REPORTS))}.",
            code="unknown_report",
        )
    return REPORTS[name](view)


def _headline(report: QualityReport) -> str:
    first = "; ".join(finding.message for finding in report.findings[:SHOWN])
    more = len(report.findings) - SHOWN
    return f"{len(report.findings)} in {report.report}: {first}" + (f"; and {more} more" if more > 0 else "")


__all__ = [
    "REPORTS",
    "SUMMARY",
    "Drift",
    "EvidenceLookup",
    "PotView",
    "QualityFinding",
    "QualityReport",
    "quality_report",
    "summary",
]
