"""Plans and commits as text for people."""

from __future__ import annotations

from potpie_git.domain.plan import Plan
from potpie_git.write.results import CommitResult


def plan_text(plan: Plan) -> str:
    """What a plan would do, in a few lines."""
    lines = [f"plan {plan.plan_id}  {plan.state.value}  risk {plan.risk}  until {plan.expires_at}"]
    diff = plan.diff
    for label, held in (
        ("asserts", diff.claims_asserted),
        ("withdraws", diff.claims_retracted),
        ("entities", diff.entity_upserts),
    ):
        lines += [f"  {label:9} {item}" for item in held]
    if not plan.edits:
        lines.append("  nothing to write: everything is there already")
    for grade in plan.grades:
        lines += [f"  {grade.risk:9} operation {grade.op_index} ({grade.op}): {why}" for why in grade.reasons]
    return "\n".join(lines)


def commit_text(outcome: CommitResult) -> str:
    """What a commit wrote, and what is still missing."""
    if outcome.commit:
        lines = [f"committed {outcome.commit[:12]}  plan {outcome.plan.plan_id}  risk {outcome.plan.risk}"]
    elif outcome.staged:
        lines = [f"staged  plan {outcome.plan.plan_id}; commit it with `git commit`"]
    else:
        lines = [f"nothing to write  plan {outcome.plan.plan_id}"]
    lines += [f"  {path}" for path in outcome.files]
    lines += [f"  pending: {item}" for item in dict.fromkeys(outcome.pending)]
    lines += [f"  {text}" for text in outcome.notes]
    return "\n".join(lines)
