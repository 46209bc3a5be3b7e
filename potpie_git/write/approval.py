"""Whether a plan may be committed on the branch that is checked out, and which approvals are still missing."""

from __future__ import annotations

from collections.abc import Sequence

from potpie_git.domain.errors import ApprovalRequiredError
from potpie_git.domain.findings import Finding
from potpie_git.domain.plan import CommitGate, Plan
from potpie_git.domain.vocabulary import Risk
from potpie_git.write.base import Base


class ApprovalGate:
    """Asks the gate that was handed in; without one, nothing counts as approved."""

    def __init__(self, gate: CommitGate | None) -> None:
        self._gate = gate

    def require(self, base: Base, plan: Plan) -> None:
        """Raise `ApprovalRequiredError` if the branch is protected and approvals are missing."""
        if not base.asks_approval(plan.risk_level, plan.edits):
            return
        missing = self._missing(base, plan)
        if missing is not None and not missing:
            return
        texts = _texts(missing) if missing else [_needed(base, plan)]
        raise ApprovalRequiredError(
            f"{plan.risk} risk on {base.branch}: {texts[0]}",
            hint=(missing[0].hint if missing else "")
            or f"Commit it on another branch and open a pull request, or have it approved: {plan.plan_id}.",
            detail={
                "plan_id": plan.plan_id,
                "risk": plan.risk,
                "ref": base.branch,
                "missing": [finding.as_dict() for finding in missing or ()],
            },
        )

    def pending(self, base: Base, plan: Plan) -> list[str]:
        """What is still missing before the plan may land on a protected branch; empty on such a branch itself."""
        if base.policy.protects(base.branch) or plan.risk_level is Risk.LOW or not plan.edits:
            return []
        missing = self._missing(base, plan)
        return _texts(missing) if missing is not None else [_needed(base, plan)]

    def _missing(self, base: Base, plan: Plan) -> Sequence[Finding] | None:
        if self._gate is None:
            return None
        return self._gate.missing(base.repository, plan, base.branch)


def _texts(missing: Sequence[Finding]) -> list[str]:
    return [f"{finding.code}: {finding.message}" for finding in missing]


def _needed(base: Base, plan: Plan) -> str:
    count = base.policy.thresholds.of(plan.risk_level)
    people = "1 approver" if count == 1 else f"{count} approvers"
    return f"it needs {people} before it lands on {', '.join(base.policy.protected)}"
