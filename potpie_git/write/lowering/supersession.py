"""supersede_claim: what stands instead, the stamps on what is replaced, and the claims that link the two."""

from __future__ import annotations

from potpie_git.domain.claim import Claim, new_claim, value_digest
from potpie_git.domain.errors import NotFoundError
from potpie_git.domain.files import Transition
from potpie_git.domain.keys import claim_key, is_claim_id, key_problem
from potpie_git.domain.mutation import ALLOWED_FIELDS, Operation
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import ASSERTING_OPS, ENTITY_TYPES
from potpie_git.write.context import OpContext
from potpie_git.write.lowering.claims import caller_predicate, compose, edge, put_claim
from potpie_git.write.lowering.endpoints import resolve
from potpie_git.write.lowering.entity_files import changed_entity, put_entity
from potpie_git.write.lowering.targets import Target, find_target
from potpie_git.write.lowering.withdrawals import bury, moment_of, withdraw

_SUPERSEDED = "superseded"


def lower_supersession(ctx: OpContext) -> None:
    """This replaces it."""
    target = find_target(ctx)
    moment = moment_of(ctx, target)
    if target is None or moment is None:
        return
    replacement = _replacement(ctx, target)
    if replacement is None or not _differs(ctx, target, replacement):
        return
    replacement = put_claim(ctx, replacement)
    withdraw(ctx, target, moment, superseded_by=replacement.id)
    bury(ctx, target)
    for held in target.live:
        put_claim(ctx, _link(ctx, replacement, held.claim), by_caller=False)
    _retire_decision(ctx, target.first, replacement)


def _replacement(ctx: OpContext, target: Target) -> Claim | None:
    given = ctx.op.superseded_by
    if isinstance(given, Operation):
        return _inline(ctx, given, target.first)
    assert given is not None
    claim_id = given.removeprefix("claim:")
    if is_claim_id(claim_id):
        return _existing(ctx, claim_id)
    fault = key_problem(given)
    if fault:
        ctx.issue(
            "malformed_field",
            f"superseded_by {given!r} is neither a claim's id nor an entity's key: {fault[0]}",
            "Give the id of the claim that replaces it, the key that takes the object's place, or a claim to assert.",
            "superseded_by",
        )
        return None
    if target.first.object is None:
        hint = "Give a claim to assert, with the new value."
        ctx.issue("malformed_field", "a value cannot be replaced by a key", hint, "superseded_by")
        return None
    op = Operation(op="assert_claim", evidence=ctx.op.evidence, description=ctx.op.description)
    return _composed(ctx, op, target.first.subject, target.first, given, None)


def _existing(ctx: OpContext, claim_id: str) -> Claim | None:
    try:
        held = ctx.draft.claim(claim_id)
    except NotFoundError as error:
        ctx.issue("not_found", error.message, error.hint, "superseded_by")
        return None
    if not held.claim.live:
        reason = held.claim.invalidation.reason if held.claim.invalidation else ""
        hint = "Name a claim that stands."
        ctx.issue("not_live", f"{claim_id} was itself withdrawn: {reason}", hint, "superseded_by")
        return None
    return held.claim


def _inline(ctx: OpContext, op: Operation, old: Claim) -> Claim | None:
    """The claim of an inline assertion; what it leaves out of subject, predicate and object is the old claim's."""
    for name in _unfit_fields(op):
        hint = f"It takes: {', '.join(sorted(ALLOWED_FIELDS['assert_claim']))}."
        near = did_you_mean(name, ALLOWED_FIELDS["assert_claim"])
        where = f"superseded_by.{name}"
        ctx.issue("unknown_field", f"a replacement takes no field {name!r}.{near}", hint, where)
    if op.op not in ASSERTING_OPS:
        hint = "Leave out op: a replacement is always asserted."
        ctx.issue("malformed_field", f"a replacement is no {op.op}", hint, "superseded_by.op")
        return None
    subject = resolve(ctx, op.subject, "superseded_by.subject") if op.subject else old.subject
    object_key = resolve(ctx, op.object, "superseded_by.object") if op.object else None
    if op.predicate is not None and not caller_predicate(ctx, op.predicate, "superseded_by.predicate"):
        return None
    if subject is None or (op.object is not None and object_key is None):
        return None
    if object_key is None and op.value is None:
        return _composed(ctx, op, subject, old, old.object, old.value)
    return _composed(ctx, op, subject, old, object_key, op.value)


def _unfit_fields(op: Operation) -> list[str]:
    return sorted(op.model_fields_set - ALLOWED_FIELDS["assert_claim"] - {"op"})


def _composed(
    ctx: OpContext, op: Operation, subject: str, old: Claim, object_key: str | None, value: str | None
) -> Claim | None:
    return compose(
        ctx,
        op,
        subject,
        op.predicate or old.predicate,
        object_key,
        value=value,
        environment=op.environment or old.environment,
    )


def _differs(ctx: OpContext, target: Target, replacement: Claim) -> bool:
    """False, with the failure said, if the replacement says what it replaces."""
    new = value_digest(replacement)
    for held in target.live:
        if held.claim.id == replacement.id or value_digest(held.claim) == new:
            ctx.issue(
                "supersedes_itself",
                f"the replacement says the same as {held.claim.id}",
                "Say what is different; to withdraw without a replacement, use retract_claim.",
                "superseded_by",
            )
            return False
    return True


def _link(ctx: OpContext, new: Claim, old: Claim) -> Claim:
    return new_claim(
        subject=claim_key(new.id),
        predicate="SUPERSEDES",
        object=claim_key(old.id),
        fact=ctx.op.reason,
        provenance=ctx.provenance(),
    )


def _retire_decision(ctx: OpContext, old: Claim, new: Claim) -> None:
    """Move a decision that another one replaces to `superseded`, if its lifecycle is recorded and allows that."""
    entity = ctx.draft.entity(old.subject) if old.subject != new.subject else None
    if entity is None or entity.state is None:
        return
    if _SUPERSEDED not in ENTITY_TYPES[entity.type].lifecycle.get(entity.state, ()):
        return
    step = Transition(
        from_state=entity.state,
        to_state=_SUPERSEDED,
        reason=f"{edge(new)} replaces it: {ctx.op.reason}",
        provenance=ctx.provenance(),
    )
    steps = [*(entity.transitions or ()), step]
    put_entity(
        ctx,
        changed_entity(ctx, entity, state=_SUPERSEDED, transitions=[one.to_data() for one in steps]),
    )
