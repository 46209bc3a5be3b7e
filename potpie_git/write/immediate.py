"""Propose and commit in one go, anew where somebody else's commit comes in between."""

from __future__ import annotations

from typing import Any, Final

from potpie_git.domain.errors import ApprovalRequiredError, ConflictError
from potpie_git.domain.plan import PlanState
from potpie_git.domain.vocabulary import Risk
from potpie_git.write.results import CommitResult
from potpie_git.write.writer import Writer

_ATTEMPTS: Final = 5


def write_now(
    writer: Writer,
    payload: Any,
    *,
    idempotency_key: str | None = None,
    message: str | None = None,
    stage: bool = False,
    verify: bool = False,
    most: Risk = Risk.HIGH,
) -> CommitResult:
    """Commit operations at once, if their risk is at most `most`.

    Under an idempotency key whose plan was committed before, that commit is returned and nothing is written. Raises
    what `propose` and `commit` raise, and `ApprovalRequiredError` naming the stored plan where the risk is higher.
    """
    for left in reversed(range(_ATTEMPTS)):
        plan = writer.propose(payload, idempotency_key=idempotency_key, message=message)
        if plan.state is PlanState.COMMITTED:
            return CommitResult(
                plan=plan, commit=plan.commit, notes=["This was written before, under the same key."]
            )
        if plan.risk_level > most:
            raise ApprovalRequiredError(
                f"this is of {plan.risk} risk, and only what is of {most.label} risk is written at once",
                hint=f"Look at it, then commit the plan: `git potpie graph commit {plan.plan_id}`.",
                detail={"plan_id": plan.plan_id, "risk": plan.risk},
            )
        try:
            return writer.commit(plan.plan_id, stage=stage, verify=verify)
        except ConflictError as error:
            if not left or error.code != ConflictError.code:
                raise
    raise AssertionError("the last attempt returns or raises")
