"""Where the index says something else than the tree."""

from __future__ import annotations

from potpie_git.checks.quality.model import PROGRAM, PotView, QualityFinding, QualityReport
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.codec import repository_path

NAME = "projection-drift"


def projection_drift(view: PotView) -> QualityReport:
    """Every difference between the index and the files that it was made from."""
    if view.drift is None:
        return QualityReport(report=NAME, checked=0, notes=["there is no index to compare with"])
    checked, problems = view.drift()
    findings = [_finding(problem) for problem in problems]
    return QualityReport(report=NAME, checked=checked, findings=findings)


def _finding(problem: str) -> QualityFinding:
    path = problem.partition(":")[0]
    is_file = path.endswith(".yaml")
    unsynced = "index sync" in problem
    return QualityFinding(
        code="not_synced" if unsynced else "index_differs",
        message=problem,
        paths=[path if path.startswith(POT_DIRECTORY) else repository_path(path)] if is_file else [],
        score=0.5 if unsynced else 1.0,
        next_command=f"{PROGRAM} index {'sync' if unsynced else 'rebuild'}",
    )
