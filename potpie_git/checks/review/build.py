"""Puts a review together: changes graded, grouped and sorted, with the verdict of the check beside them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from potpie_git.checks.approvals.base import base_policy
from potpie_git.checks.grading import GradedChange
from potpie_git.checks.places import shown_path
from potpie_git.checks.ranges import check_range
from potpie_git.checks.report import CheckReport
from potpie_git.checks.review.beside import Beside
from potpie_git.checks.review.items import (
    APPROVALS,
    ENTITIES,
    INBOX,
    OTHER,
    POLICY,
    TOMBSTONES,
    Draft,
    drafts,
)
from potpie_git.checks.review.material import read_changes, sort_material
from potpie_git.checks.review.model import (
    ApprovalState,
    Change,
    ChangeKind,
    Group,
    Review,
    RiskLabel,
    Verdict,
    VerdictStatus,
)
from potpie_git.checks.review.scope import Scope, range_scope, staged_scope
from potpie_git.checks.staged import check_staged
from potpie_git.domain.errors import ExitCode
from potpie_git.domain.findings import Finding
from potpie_git.domain.policy import Policy
from potpie_git.domain.vocabulary import SUBGRAPHS, Risk
from potpie_git.store.repository import Repository

_GROUPS: Final = (POLICY, OTHER, *SUBGRAPHS, ENTITIES, TOMBSTONES, INBOX, APPROVALS)
_KINDS: Final = tuple(ChangeKind)
_APPROVAL_CODES: Final = "PG-A"
_NEEDS_APPROVAL: Final = "PG-A01"
_STATUS: Final[Mapping[ExitCode, VerdictStatus]] = {
    ExitCode.OK: "clean",
    ExitCode.APPROVAL: "approval",
    ExitCode.UNAVAILABLE: "unjudged",
}


def review_range(
    repo: Repository, revisions: str | None = None, ref: str | None = None, trust_root: str | None = None
) -> Review:
    """What `revisions` (BASE..HEAD) would land on `ref`; `range_scope` says what is reviewed without them.

    `trust_root` is the SHA-256 of the only policy that may judge.
    """
    scope = range_scope(repo, revisions, ref)
    assert scope.revisions is not None
    return review(scope, check_range(repo, scope.revisions, scope.ref, trust_root))


def review_staged(repo: Repository) -> Review:
    """What the next commit holds."""
    return review(staged_scope(repo), check_staged(repo))


def review(scope: Scope, report: CheckReport) -> Review:
    """The review of a scope, beside what the check reports of it."""
    policy = base_policy(scope.before)[0] if scope.before.exists() else None
    material = sort_material(read_changes(scope.before, scope.after, scope.changes))
    judged = scope.kind == "range" and report.exit_code is not ExitCode.UNAVAILABLE
    protected = policy is not None and (scope.ref is None or policy.protects(scope.ref))
    grading = _Grading(report, policy, judged=judged and protected)
    changes = [grading.finish(draft) for draft in drafts(material, Beside(scope.after, material.claims()))]
    return Review(
        kind=scope.kind,
        revisions=scope.revisions,
        before=scope.before.label,
        after=scope.after.label,
        base=scope.base,
        head=scope.head,
        target=scope.ref,
        commits=scope.commits,
        authors=list(scope.authors),
        files=len(scope.changes),
        risk=_worst(change.risk for change in changes),
        counts=_counted(changes),
        groups=_grouped(changes),
        findings=list(report.findings),
        verdict=_verdict(report, scope, policy, changes),
    )


class _Grading:
    """Gives each change its risk, the approvals that it needs, and the findings on its files.

    `judged` says that the report tells which approvals are missing.
    """

    def __init__(self, report: CheckReport, policy: Policy | None, *, judged: bool) -> None:
        self._judged = judged
        self._grades = {graded.path: graded for graded in report.grades}
        self._counted = report.counted
        self._policy = policy
        self._findings: dict[str, list[Finding]] = defaultdict(list)
        for finding in report.findings:
            self._findings[finding.path].append(finding)

    def finish(self, draft: Draft) -> Change:
        # What the check did not grade, it refused before it came to that.
        grades = [self._grades.get(path) or GradedChange(path, Risk.HIGH) for path in draft.files]
        found = [finding for path in draft.files for finding in self._findings[shown_path(path)]]
        needed = max(self._needed(graded) for graded in grades)
        change = draft.finished(
            risk=max(graded.risk for graded in grades).label,
            approvals_needed=needed,
            approval_state=self._state(needed, found),
            findings=found,
        )
        label = next((self._counted[path] for path in draft.files if path in self._counted), None)
        if change.approval is None or label is None:
            return change
        return change.model_copy(update={"approval": change.approval.model_copy(update={"counts_as": label})})

    def _state(self, needed: int, found: list[Finding]) -> ApprovalState:
        if not needed:
            return "none"
        if any(finding.code == _NEEDS_APPROVAL for finding in found):
            return "missing"
        return "given" if self._judged else "needed"

    def _needed(self, graded: GradedChange) -> int:
        if self._policy is None:
            return 0
        return self._policy.needed(graded.risk, graded.subgraph, graded.predicate)


def _level(risk: RiskLabel) -> Risk:
    return Risk.from_label(risk)


def _worst(risks: Iterable[RiskLabel]) -> RiskLabel:
    return max(risks, key=_level, default="low")


def _counted(changes: Iterable[Change]) -> dict[ChangeKind, int]:
    counts = Counter(change.kind for change in changes)
    return {kind: counts[kind] for kind in _KINDS if counts[kind]}


def _grouped(changes: Iterable[Change]) -> list[Group]:
    """Groups, and changes within each, from high to low risk."""
    piles: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        piles[change.group].append(change)
    groups = [
        Group(name=name, risk=_worst(change.risk for change in pile), changes=sorted(pile, key=_order))
        for name, pile in piles.items()
    ]
    places = {name: place for place, name in enumerate(_GROUPS)}
    return sorted(groups, key=lambda group: (-_level(group.risk), places.get(group.name, len(places))))


def _order(change: Change) -> tuple[int, int, str, str]:
    return -_level(change.risk), _KINDS.index(change.kind), change.name, change.paths[0]


def _verdict(report: CheckReport, scope: Scope, policy: Policy | None, changes: list[Change]) -> Verdict:
    status = _STATUS.get(report.exit_code, "refused")
    missing = [finding for finding in report.errors if finding.code.startswith(_APPROVAL_CODES)]
    errors = len(report.errors) - len(missing)
    needed = max((change.approvals_needed for change in changes), default=0)
    return Verdict(
        status=status,
        headline=_headline(status, errors, len(missing), needed if scope.kind == "staged" else 0),
        approvals_needed=needed,
        missing=missing,
        approvers=[approver.name for approver in policy.approvers if approver.revoked is None]
        if policy
        else [],
        next_command=_next(status, report, scope),
    )


def _headline(status: str, errors: int, missing: int, later: int) -> str:
    if status == "unjudged":
        return "The check could not judge this."
    refused = f"The check refuses this: {errors} error{'' if errors == 1 else 's'}."
    if status == "refused":
        return f"{refused} Approvals are missing as well." if missing else refused
    if status == "approval":
        return "Nothing but approvals is missing."
    if later:
        return f"The check has nothing to object to. Landing it needs {later} approval{'' if later == 1 else 's'}."
    return "The check has nothing to object to."


def _next(status: str, report: CheckReport, scope: Scope) -> str | None:
    if status in {"refused", "unjudged"}:
        refusing = [finding for finding in report.errors if not finding.code.startswith(_APPROVAL_CODES)]
        return f"git potpie explain {refusing[0].code}" if refusing else None
    if status == "approval" and scope.revisions is not None:
        return f"git potpie approve {scope.revisions}"
    return None
