"""How a claim is put together from an operation, judged, and written."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from potpie_git.domain.claim import Claim, new_claim
from potpie_git.domain.layout import claim_path
from potpie_git.domain.mutation import Operation
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.validation.claims import claim_problems
from potpie_git.domain.vocabulary import DEFAULT_TRUTH, PREDICATES, SYSTEM_PREDICATES
from potpie_git.write.context import OpContext

_TEXT_FIELDS = ("value", "environment", "fact", "description", "valid_from", "valid_until", "observed_at")


def compose(
    ctx: OpContext, op: Operation, subject: str, predicate: str, object_key: str | None, **overrides: Any
) -> Claim | None:
    """The claim that `op` asserts; None, with the failures said, if a field has the wrong form.

    `overrides` take the place of the operation's fields. Whatever rule of the store the claim breaks is said as well.
    """
    pinned = ctx.batch.pins.pin(op.evidence or (), ctx.index)
    for issue in pinned.issues:
        ctx.add(issue)
    for warning in pinned.warnings:
        ctx.warn(warning.code, warning.message, warning.hint)
    fields: dict[str, Any] = {name: getattr(op, name) for name in _TEXT_FIELDS}
    fields |= {
        "subject": subject,
        "predicate": predicate,
        "object": object_key,
        "truth": op.truth or DEFAULT_TRUTH,
        "code_scope": op.code_scope or None,
        "details": op.details or None,
        "evidence": pinned.evidence or None,
        "reinstates": op.reinstates,
        "reinstate_reason": op.reason if op.reinstates else None,
        "provenance": ctx.provenance(
            confidence=op.confidence,
            source_kind=op.source_kind,
            source_event=op.source_event,
        ),
    }
    try:
        claim = new_claim(**(fields | overrides))
    except ValidationError as error:
        ctx.validation_faults(error)
        return None
    for problem in claim_problems(claim, derived_id=True):
        ctx.problem(problem)
    return claim


def caller_predicate(ctx: OpContext, name: str, field: str = "predicate") -> bool:
    """True if a caller may assert this predicate; says why not otherwise."""
    if name in SYSTEM_PREDICATES:
        ops = {"SUPERSEDES": "supersede_claim", "ALIAS_OF": "merge_duplicate_entities"}
        ctx.issue(
            "system_predicate",
            f"{name} is written by the system and never asserted",
            f"Use {ops.get(name, 'the operation that writes it')}.",
            field,
        )
        return False
    if name not in PREDICATES:
        near = did_you_mean(name, PREDICATES)
        hint = "List the predicates with `git potpie graph describe admin`."
        ctx.issue("PG-S02", f"predicate {name!r} is not in the vocabulary.{near}", hint, field)
        return False
    return True


def put_claim(ctx: OpContext, claim: Claim, *, by_caller: bool = True) -> Claim:
    """Write a claim unless it stands already, and return the one that stands.

    A retry of the same assertion keeps the file that is there. A claim that was withdrawn does not come back by being
    said again. What needs other claims (tombstones, singletons, look-alike keys) is judged when the batch is whole.
    """
    batch = ctx.batch
    if by_caller:
        batch.touched.add(claim.subgraph)
    standing = ctx.draft.claim_like(claim)
    batch.diff.claim_keys.append(claim.id)
    if standing is not None:
        if not standing.live:
            _refuse_return(ctx, standing)
        elif claim.id not in batch.diff.claims_asserted:
            batch.diff.claims_unchanged[claim.id] = claim_path(claim)
        return standing
    ctx.draft.put(claim, ctx.index)
    batch.diff.claims_asserted.append(claim.id)
    if claim.object is not None:
        batch.diff.edge_upserts.append(edge(claim))
    if by_caller:
        batch.asserted.append((ctx, claim))
        for key in filter(None, (claim.subject, claim.object)):
            batch.keys.setdefault(key, {}).setdefault(claim.subgraph, ctx)
    return claim


def edge(claim: Claim) -> str:
    """A relation in one line: `service:a DEPENDS_ON service:b [prod]`."""
    text = f"{claim.subject} {claim.predicate} {claim.object or repr(claim.value)}"
    return f"{text} [{claim.environment}]" if claim.environment else text


def _refuse_return(ctx: OpContext, standing: Claim) -> None:
    invalidation = standing.invalidation
    assert invalidation is not None
    if invalidation.op == "end_relation_validity":
        ctx.issue(
            "already_ended",
            f"this very claim ({standing.id}) ended at {standing.valid_to}: {invalidation.reason}",
            "If it began again, say since when: give valid_from.",
            "valid_from",
        )
        return
    ctx.issue(
        "PG-T01",
        f"this value was withdrawn before ({standing.id}, {invalidation.op}): {invalidation.reason}",
        f"Drop it; or, if it stands again, give `reinstates: {standing.id}` with a reason.",
        "fact" if standing.fact else "subject",
    )
