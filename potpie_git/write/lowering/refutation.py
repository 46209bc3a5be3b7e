"""A verification that did not work marks the fix as a failed attempt, so that nobody tries it again unwarned."""

from __future__ import annotations

from potpie_git.domain.claim import Claim, Evidence, new_claim, value_digest
from potpie_git.domain.vocabulary import subgraph_of
from potpie_git.write.context import OpContext
from potpie_git.write.lowering.claims import put_claim

_DID_NOT_WORK = "didnt_work"


def mark_refuted(ctx: OpContext, verification: Claim) -> None:
    """For a VERIFIED claim whose outcome is `didnt_work`: one ATTEMPTED_FIX_FAILED for each bug of the fix."""
    outcome = (verification.details or {}).get("outcome")
    if verification.predicate != "VERIFIED" or outcome != _DID_NOT_WORK or verification.object is None:
        return
    fix = verification.object
    resolved = ctx.draft.claims_about(fix, subgraph_of("RESOLVED"), "RESOLVED")
    for bug in dict.fromkeys(held.claim.object for held in resolved if held.claim.live):
        original = next(held.claim for held in resolved if held.claim.object == bug and held.claim.live)
        failed = _failed_attempt(ctx, verification, original)
        withdrawn = ctx.draft.tombstones_of(value_digest(failed))
        if withdrawn:
            ctx.warn(
                "not_marked_failed",
                f"{fix} was marked as failed before, and that was withdrawn: {withdrawn[-1].reason}",
                f"If it failed after all, assert ATTEMPTED_FIX_FAILED with `reinstates: {withdrawn[-1].claim}`.",
            )
            continue
        put_claim(ctx, failed)


def _failed_attempt(ctx: OpContext, verification: Claim, original: Claim) -> Claim:
    shown_by = Evidence(source_ref=verification.subject, note="the verification that it did not work")
    return new_claim(
        subject=original.subject,
        predicate="ATTEMPTED_FIX_FAILED",
        object=original.object,
        environment=verification.environment,
        truth=verification.truth,
        fact=original.fact or original.description,
        description=original.description,
        details={"outcome": _DID_NOT_WORK},
        evidence=[*(verification.evidence or ()), shown_by],
        provenance=ctx.provenance(),
    )
