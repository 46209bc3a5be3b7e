"""retract_claim and end_relation_validity: every live claim of the statement gets its stamp, and nothing is deleted."""

from __future__ import annotations

from typing import Any

from potpie_git.domain.claim import Claim, Invalidation
from potpie_git.domain.times import TimeFormatError, format_time, parse_time
from potpie_git.domain.validation.relations import tombstone_for
from potpie_git.write.context import OpContext
from potpie_git.write.draft import Held
from potpie_git.write.lowering.claims import edge
from potpie_git.write.lowering.targets import Target, find_target


def lower_withdrawal(ctx: OpContext) -> None:
    """It was wrong (retract), or it was true until then (end)."""
    op = ctx.op
    if op.op == "retract_claim" and op.valid_until is not None:
        ctx.issue(
            "malformed_field",
            "retract_claim says that it was never true, so it has no valid_until",
            "Use end_relation_validity if it was true until then.",
            "valid_until",
        )
    if op.description is not None:
        ctx.warn("field_unused", f"{op.op} keeps no description; the reason is what readers see")
    target = find_target(ctx)
    moment = moment_of(ctx, target)
    if target is None or moment is None:
        return
    withdraw(ctx, target, moment)
    if op.op == "retract_claim":
        bury(ctx, target)


def moment_of(ctx: OpContext, target: Target | None) -> str | None:
    """When the statement ceases to stand: now, or `valid_until`; None, with the failure said, if that cannot be."""
    given = ctx.op.valid_until
    if given is None:
        return format_time(ctx.now)
    try:
        moment = parse_time(given)
    except TimeFormatError as error:
        ctx.issue("PG-S07", f"valid_until: {error}", "Give the time with its offset.", "valid_until")
        return None
    if moment > ctx.now:
        hint = "Propose it when it has ended."
        ctx.issue("ends_in_future", f"valid_until {given} has not come yet", hint, "valid_until")
        return None
    started = max((held.claim.begins for held in target.live), default=moment) if target else moment
    if moment < started:
        ctx.issue(
            "PG-S16",
            f"it would end at {given}, before it began at {format_time(started)}",
            "Give a valid_until after it began; or retract it, if it was never true.",
            "valid_until",
        )
        return None
    return given


def withdraw(ctx: OpContext, target: Target, moment: str, superseded_by: str | None = None) -> None:
    """Stamp every live claim of the statement."""
    batch, op = ctx.batch, ctx.op
    assert op.reason is not None
    stamp: dict[str, Any] = {
        "op": op.op,
        "reason": op.reason,
        "superseded_by": superseded_by,
        "evidence": _evidence(ctx),
        "provenance": ctx.provenance(),
    }
    invalidation = Invalidation(**stamp)
    for held in target.live:
        stamped = held.claim.model_copy(update={"valid_to": moment, "invalidation": invalidation})
        ctx.draft.put(stamped, ctx.index)
        batch.diff.claims_retracted.append(stamped.id)
        batch.diff.claim_keys.append(stamped.id)
        batch.diff.invalidations.append(_summary(held, stamped))
    if target.first.object is not None:
        batch.diff.edge_deletes.append(edge(target.first))


def bury(ctx: OpContext, target: Target) -> None:
    """Leave a tombstone for the value of every claim that was withdrawn."""
    assert ctx.op.reason is not None
    for held in target.live:
        ctx.draft.put(tombstone_for(held.claim, ctx.op.op, ctx.op.reason, ctx.provenance()), ctx.index)


def _evidence(ctx: OpContext) -> list[Any] | None:
    pinned = ctx.batch.pins.pin(ctx.op.evidence or (), ctx.index)
    for issue in pinned.issues:
        ctx.add(issue)
    for warning in pinned.warnings:
        ctx.warn(warning.code, warning.message, warning.hint)
    return pinned.evidence or None


def _summary(held: Held, stamped: Claim) -> dict[str, Any]:
    stamp = stamped.invalidation
    assert stamp is not None
    return {
        "claim": stamped.id,
        "statement": edge(stamped),
        "op": stamp.op,
        "reason": stamp.reason,
        "valid_to": stamped.valid_to,
        "superseded_by": stamp.superseded_by,
        "path": held.path,
    }
