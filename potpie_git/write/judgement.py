"""Rules of a whole batch, judged when every operation is in: the order of the operations does not matter."""

from __future__ import annotations

from collections.abc import Iterable

from potpie_git.domain.claim import Claim, value_digest
from potpie_git.domain.files import Tombstone
from potpie_git.domain.validation.nearness import WithdrawnValues
from potpie_git.domain.validation.relations import is_singleton, singleton_rivals, tombstone_problem
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.repository import Repository
from potpie_git.write.context import Batch, OpContext
from potpie_git.write.lowering.claims import edge
from potpie_git.write.repeats import report_repeats
from potpie_git.write.tombstones import all_tombstones
from potpie_git.write.twins import report_twins


def judge(batch: Batch, repository: Repository) -> None:
    """Look at every new claim of the batch beside the pot as the batch would leave it."""
    report_twins(batch)
    for ctx, claim in batch.asserted:
        _against_exact(ctx, claim)
        _against_rivals(ctx, claim)
    _against_near(batch, repository)
    report_repeats(batch)


def _against_exact(ctx: OpContext, claim: Claim) -> None:
    stones = ctx.draft.tombstones_of(value_digest(claim))
    problem = tombstone_problem(claim, stones)
    if problem is not None:
        ctx.problem(problem)
    if claim.reinstates is not None:
        _reinstated(ctx, claim, stones)


def _reinstated(ctx: OpContext, claim: Claim, stones: Iterable[Tombstone]) -> None:
    stone = next((stone for stone in stones if stone.claim == claim.reinstates), None)
    if stone is None:
        ctx.issue(
            "nothing_to_reinstate",
            f"{claim.reinstates} is no withdrawn claim of this value",
            "Repeat the withdrawn value word for word; a value that was never withdrawn needs no reinstates.",
            "reinstates",
        )
        return
    ctx.raise_risk(Risk.HIGH, f"reinstates {stone.claim}, which was withdrawn ({stone.op}): {stone.reason}")


def _against_near(batch: Batch, repository: Repository) -> None:
    """A value near a withdrawn one is not refused; it raises the risk and names the tombstone."""
    if not batch.asserted:
        return
    withdrawn = WithdrawnValues([*all_tombstones(repository, batch.tree), *batch.draft.new_tombstones()])
    # What replaces a claim may well sound like it.
    replaced = {item["claim"] for item in batch.diff.invalidations}
    for ctx, claim in batch.asserted:
        near = [pair for pair in withdrawn.near(claim) if pair[0].claim not in replaced]
        if not near or claim.reinstates is not None:
            continue
        stone, alike = near[0]
        ctx.raise_risk(Risk.MEDIUM, f"near a withdrawn value ({stone.claim}): {stone.reason}")
        ctx.warn(
            "near_tombstone",
            f"{edge(claim)} says nearly what was withdrawn ({stone.claim}, {stone.op}): {stone.reason}",
            "Look whether the old reason still holds; a reviewer will be asked.",
            claim=claim.id,
            tombstone={"claim": stone.claim, "op": stone.op, "reason": stone.reason, "text": stone.text},
            similarity=round(alike, 3),
        )


def _against_rivals(ctx: OpContext, claim: Claim) -> None:
    if not is_singleton(claim.predicate):
        return
    about = ctx.draft.claims_about(claim.subject, claim.subgraph, claim.predicate)
    for rival in singleton_rivals(claim, (held.claim for held in about)):
        ctx.issue(
            "singleton_conflict",
            f"{edge(rival)} stands already ({rival.id}), and {claim.predicate} allows one at a time",
            f"Use supersede_claim with `claim: {rival.id}` and `superseded_by: {claim.object}`, and say why.",
            "object",
        )
