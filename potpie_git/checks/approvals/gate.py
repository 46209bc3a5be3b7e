"""The gate that a plan passes before it is committed: the verdict on a staged change, for files not yet written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from potpie_git.checks.approvals.base import base_policy
from potpie_git.checks.approvals.enforce import Work, work_findings
from potpie_git.checks.approvals.findings import verdict_findings
from potpie_git.checks.approvals.gather import judge
from potpie_git.checks.approvals.model import Person
from potpie_git.checks.approvals.offers import branch_landing, landing_target, plan_author
from potpie_git.checks.engine import check_change
from potpie_git.checks.report import CheckKind
from potpie_git.domain.findings import Finding, Severity
from potpie_git.domain.plan import Plan
from potpie_git.domain.policy import Policy
from potpie_git.domain.times import utc_now
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import PlannedSnapshot, TreeSnapshot


class ApprovalGate:
    """Tells which approvals a plan still lacks, on a protected branch or before it can land on one."""

    def __init__(self, clock: Callable[[], datetime] = utc_now) -> None:
        self._clock = clock

    def missing(self, repository: Repository, plan: Plan, ref: str | None) -> Sequence[Finding]:
        """What keeps `plan` off the branch `ref`; if that is not protected, what will keep it off the one that is."""
        head = repository.head()
        before = TreeSnapshot(repository, head, name="HEAD")
        if head is None or not before.exists():
            return []
        policy = base_policy(before)[0] or Policy(version=1)
        files = {edit.path: edit.after.encode() for edit in plan.edits}
        after = PlannedSnapshot(repository, before, files, f"plan {plan.plan_id}")
        if ref is None or not policy.protects(ref):
            return self._pending(repository, head, policy, after, plan_author(plan))
        grades = check_change(before, after, CheckKind.STAGED).grades
        work = Work(repository, head, ref, after, grades, plan_author(plan))
        # the plan lies in this clone alone, where nobody else can fetch it
        step = (
            f"Let {{names}} approve it here, `git potpie approve {plan.plan_id}`, or commit it on a branch."
        )
        found = work_findings(work, self._clock(), step)
        return [finding for finding in found if finding.severity is Severity.ERROR]

    def _pending(
        self,
        repository: Repository,
        head: str,
        policy: Policy,
        after: PlannedSnapshot,
        author: Person | None,
    ) -> list[Finding]:
        """What the plan's own files will need when this branch lands."""
        target = landing_target(repository, policy)
        if target is None:
            return []
        landing = branch_landing(repository, target, head, after, author)
        judging, problems = base_policy(landing.before) if landing.before.exists() else (None, [])
        if judging is None:
            return problems
        verdict = judge(landing, judging, frozenset({target.ref}), self._clock())
        return [finding for finding in verdict_findings(verdict, pending=True) if finding.code == "PG-A01"]
