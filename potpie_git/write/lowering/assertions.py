"""assert_claim and link_entities."""

from __future__ import annotations

from potpie_git.domain.claim import Claim
from potpie_git.write.context import OpContext
from potpie_git.write.lowering.claims import caller_predicate, compose, put_claim
from potpie_git.write.lowering.endpoints import resolve
from potpie_git.write.lowering.refutation import mark_refuted


def lower_assertion(ctx: OpContext) -> None:
    """One claim, which joins two entities or gives one a value."""
    op = ctx.op
    assert op.subject is not None
    assert op.predicate is not None
    subject = resolve(ctx, op.subject, "subject")
    object_key = resolve(ctx, op.object, "object") if op.object is not None else None
    known = caller_predicate(ctx, op.predicate)
    if op.reason and op.reinstates is None:
        ctx.warn("field_unused", "a reason belongs to a claim that reinstates another, and is not kept")
    if subject is None or (op.object is not None and object_key is None) or not known:
        return
    claim = compose(ctx, op, subject, op.predicate, object_key)
    if claim is not None:
        assert_in_draft(ctx, claim)


def assert_in_draft(ctx: OpContext, claim: Claim) -> Claim:
    """Write a caller's claim with what follows from it."""
    standing = put_claim(ctx, claim)
    mark_refuted(ctx, standing)
    return standing
