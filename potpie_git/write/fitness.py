"""Whether a plan may still be committed: its state, its age, and whether what it was computed against still stands."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from potpie_git.domain.errors import ConflictError, IssuesError, RefusedError
from potpie_git.domain.plan import Plan, PlanState
from potpie_git.domain.times import parse_time
from potpie_git.write.base import Base, moved_subgraphs

OPEN: Final = frozenset({PlanState.VALIDATED, PlanState.REVIEW_REQUIRED, PlanState.APPROVED, PlanState.ERROR})


class PlanExpired(RefusedError):
    code = "plan_expired"
    default_hint = "Propose again; --ttl says how long a plan may be committed."


class PlanAlreadyCommitted(RefusedError):
    code = "plan_already_committed"
    default_hint = "A plan commits once; propose again to write something else."


class PlanNotCommittable(RefusedError):
    code = "plan_not_committable"
    default_hint = "Propose again."


def aged(plan: Plan, now: datetime) -> Plan:
    """The plan, expired if its time has run out."""
    if plan.state in OPEN and parse_time(plan.expires_at) <= now:
        plan.state = PlanState.EXPIRED
    return plan


def require_uncommitted(plan: Plan) -> None:
    """Raise `PlanAlreadyCommitted` for a plan that was committed, or staged."""
    if plan.state is PlanState.COMMITTED:
        how = f"as {plan.commit[:12]}" if plan.commit else "without a commit of its own"
        raise PlanAlreadyCommitted(
            f"plan {plan.plan_id} was committed {how}",
            detail={"commit": plan.commit, "plan_id": plan.plan_id},
        )


def require_open(plan: Plan) -> None:
    """Raise the error that says why a plan can no longer be committed, if it cannot."""
    require_uncommitted(plan)
    if plan.state is PlanState.EXPIRED:
        raise PlanExpired(f"plan {plan.plan_id} expired at {plan.expires_at}")
    if plan.state not in OPEN:
        raise PlanNotCommittable(
            f"plan {plan.plan_id} is {plan.state.value}", detail={"state": plan.state.value}
        )


def require_faultless(plan: Plan) -> None:
    """Raise `IssuesError` with every failure of a plan, or `ConflictError` if it is only that something has moved."""
    if not plan.issues:
        return
    detail = {"plan_id": plan.plan_id}
    first = plan.issues[0]
    if plan.state is PlanState.CONFLICT:
        raise ConflictError(first["message"], hint=first["hint"], detail={**detail, "issues": plan.issues})
    more = f" (and {len(plan.issues) - 1} more)" if len(plan.issues) > 1 else ""
    raise IssuesError(f"{first['message']}{more}", plan.issues, hint=first["hint"], detail=detail)


def require_current(base: Base, plan: Plan) -> None:
    """Raise `ConflictError`, with both versions, if a subgraph that the plan touches has moved."""
    moved = moved_subgraphs(plan.base_versions, base.versions(plan.base_versions))
    if not moved:
        return
    names = ", ".join(one.subgraph for one in moved)
    raise ConflictError(
        f"{names} changed since the plan was proposed",
        hint="Look at what changed, then propose again: `git potpie graph propose` with the same operations.",
        detail={
            "plan_id": plan.plan_id,
            "subgraphs": {one.subgraph: {"expected": one.expected, "actual": one.actual} for one in moved},
        },
    )


def require_committed(base: Base, plan: Plan) -> None:
    """Refuse to commit on top of a file that is merely staged: the commit would take it along."""
    staged = base.require_settled(plan.edits)
    if staged:
        named = [f".potpie/{path}" for path in staged]
        raise ConflictError(
            f"{named[0]} is staged and not committed, and the plan builds on it",
            hint="Commit what is staged first, then propose again; or use --stage.",
            code="uncommitted_changes",
            detail={"files": named},
        )
