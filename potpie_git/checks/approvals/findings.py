"""A verdict in words: what is missing and the next command, why records do not count, what stands behind the others."""

from __future__ import annotations

from collections.abc import Iterator

from potpie_git.checks.approvals.model import JudgedChange, JudgedRecord, Proof, Verdict
from potpie_git.checks.places import shown_path
from potpie_git.domain.findings import Finding, Severity

_LABELS = {
    Proof.ATTRIBUTED: "attributed only: somebody with commit access wrote that name",
    Proof.ATTESTED: "attested by the forge alone",
}


ON_BRANCH = "Let {names} fetch this branch, switch to it, and run `git potpie approve --push`."
"""The next step for what stands on a branch that others can fetch."""
NOT_COMMITTED = "Commit it on another branch, and let {names} approve it there: `git potpie approve --push`."
"""The next step for what nobody but the user has."""
MERGED = (
    "End this merge (`git merge --abort`), let {names} approve on the branch that you merge: "
    "`git potpie approve --push`. Then fetch, and merge it again."
)
"""The next step for what a merge brings."""


def verdict_findings(verdict: Verdict, *, pending: bool = False, next_step: str = ON_BRANCH) -> list[Finding]:
    """Everything that a verdict says.

    Where approvals are missing, that and the faults of records are errors; with `pending`, notes. Faults of records
    that nobody needs are warnings. `next_step` is what to do, with `{names}` for those who can still approve.
    """
    missing = Severity.NOTE if pending else Severity.ERROR
    fault = missing if verdict.short else Severity.WARNING
    found = [_missing(judged, verdict, missing, next_step) for judged in verdict.short]
    for judged in verdict.records:
        found += _faults(judged, fault) if judged.faults else _labels(judged)
    return found


def _missing(judged: JudgedChange, verdict: Verdict, severity: Severity, next_step: str) -> Finding:
    have, needed = len(judged.approved_by), judged.needed
    by = f" by {', '.join(judged.approved_by)}" if judged.approved_by else ""
    return Finding(
        code="PG-A01",
        severity=severity,
        path=shown_path(judged.file.path),
        message=f"a change of {judged.file.risk.label} risk needs approval (have {have} of {needed}{by})",
        hint=_next(verdict, judged.missing, next_step),
    )


def _next(verdict: Verdict, missing: int, next_step: str) -> str:
    eligible = verdict.eligible
    if len(eligible) < missing:
        who = (
            f"only {', '.join(eligible)} can still approve"
            if eligible
            else "nobody who is listed can still approve"
        )
        return (
            f"{who[0].upper()}{who[1:]}: list more approvers in policy.yaml, or lower its thresholds there first, "
            "in a change that somebody who is not an approver writes."
        )
    names = " or ".join(eligible[:3]) + (" or another approver" if len(eligible) > 3 else "")
    return next_step.format(names=names)


def _faults(judged: JudgedRecord, severity: Severity) -> Iterator[Finding]:
    for fault in judged.faults:
        yield Finding(
            code=fault.code,
            severity=severity,
            path=shown_path(judged.record.path),
            message=f"this approval does not count: {fault.message}",
            hint=fault.hint,
        )


def _labels(judged: JudgedRecord) -> Iterator[Finding]:
    """What a reader has to know about an approval that counts."""
    path = shown_path(judged.record.path)
    if judged.self_approved:
        message = f"self-approved: {judged.principal} is the only approver, and wrote this"
        yield Finding(code="PG-A04", severity=Severity.NOTE, path=path, message=message)
    if judged.proof is not None and judged.proof in _LABELS:
        message = f"the approval of {judged.principal} is {_LABELS[judged.proof]}"
        yield Finding(code="PG-A10", severity=Severity.NOTE, path=path, message=message)
