"""Which statement an operation withdraws: named by a claim's id, or by what it says."""

from __future__ import annotations

from dataclasses import dataclass

from potpie_git.domain.claim import Claim, Statement
from potpie_git.domain.errors import NotFoundError
from potpie_git.domain.keys import is_claim_id
from potpie_git.domain.mutation import Endpoint
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import SYSTEM_PREDICATES, subgraph_of
from potpie_git.write.context import OpContext
from potpie_git.write.draft import Held
from potpie_git.write.lowering.claims import caller_predicate, edge

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Target:
    """A statement and every live claim that makes it (at least one)."""

    statement: Statement
    live: tuple[Held, ...]

    @property
    def first(self) -> Claim:
        return self.live[0].claim


def find_target(ctx: OpContext) -> Target | None:
    """The statement that the operation names, with its live claims; None, with the failure said, otherwise."""
    claim = _named_claim(ctx) if ctx.op.claim is not None else _described_claim(ctx)
    if claim is None:
        return None
    if claim.predicate in SYSTEM_PREDICATES:
        ctx.issue(
            "system_predicate",
            f"{claim.predicate} is written by the system and not withdrawn by hand",
            "Withdraw the claims that it joins instead.",
            "claim",
        )
        return None
    ctx.batch.touched.add(claim.subgraph)
    held = ctx.draft.statement(claim.statement)
    live = tuple(one for one in held if one.claim.live)
    if any(one.is_new for one in live):
        ctx.issue(
            "withdraws_own_batch",
            "this batch asserts the statement itself",
            "Leave out both, or withdraw it in a later plan.",
            "claim" if ctx.op.claim else "subject",
        )
        return None
    if not live:
        _refuse_empty(ctx, claim, [one.claim for one in held])
        return None
    return Target(claim.statement, live)


def _named_claim(ctx: OpContext) -> Claim | None:
    claim_id = (ctx.op.claim or "").removeprefix("claim:")
    if not is_claim_id(claim_id):
        ctx.issue(
            "malformed_field",
            f"claim {ctx.op.claim!r} is no claim id",
            "Write c- and 32 hex digits.",
            "claim",
        )
        return None
    try:
        return ctx.draft.claim(claim_id).claim
    except NotFoundError as error:
        ctx.issue("nothing_to_withdraw", error.message, error.hint, "claim")
        return None


def _described_claim(ctx: OpContext) -> Claim | None:
    """A claim of the statement that subject, predicate, object or value, and environment describe."""
    op = ctx.op
    subject = op.subject.key if op.subject else None
    if subject is None or op.predicate is None:
        ctx.issue(
            "missing_field",
            f"{op.op} needs a claim id, or subject and predicate",
            "Name the claim, as `git potpie search --json` prints it.",
            "claim",
        )
        return None
    if not caller_predicate(ctx, op.predicate):
        return None
    about = [held.claim for held in ctx.draft.claims_about(subject, subgraph_of(op.predicate), op.predicate)]
    matching = [claim for claim in about if claim.subject == subject and _matches(ctx, claim)]
    statements = {claim.statement: claim for claim in matching if claim.live}
    if len(statements) > 1:
        _refuse_ambiguous(ctx, list(statements.values()))
        return None
    if statements:
        return next(iter(statements.values()))
    if matching:
        return matching[0]
    _refuse_unknown(ctx, subject, [claim for claim in about if claim.live])
    return None


def _matches(ctx: OpContext, claim: Claim) -> bool:
    op = ctx.op
    wanted = _key(op.object) if op.object else op.value
    if wanted is not None and wanted != (claim.object or claim.value):
        return False
    return op.environment is None or op.environment == claim.environment


def _key(endpoint: Endpoint) -> str:
    return endpoint.key or endpoint.name or ""


def _refuse_empty(ctx: OpContext, named: Claim, held: list[Claim]) -> None:
    """Every claim of the statement is withdrawn already: say when and why."""
    last = next((claim for claim in held if claim.id == named.id), named)
    stamp = last.invalidation
    assert stamp is not None
    ctx.issue(
        "already_withdrawn",
        f"{edge(last)} was withdrawn at {last.valid_to} ({stamp.op}): {stamp.reason}",
        "Nothing is left to withdraw.",
        "claim" if ctx.op.claim else "subject",
    )


def _refuse_ambiguous(ctx: OpContext, live: list[Claim]) -> None:
    listed = "; ".join(f"{claim.id} {edge(claim)}" for claim in live[:_SHOWN])
    more = f" and {len(live) - _SHOWN} more" if len(live) > _SHOWN else ""
    ctx.issue(
        "ambiguous_target",
        f"{len(live)} live statements match: {listed}{more}",
        "Give the object, the environment, or the id of the claim that is meant.",
        "object",
    )


def _refuse_unknown(ctx: OpContext, subject: str, live: list[Claim]) -> None:
    op = ctx.op
    wanted = (_key(op.object) if op.object else op.value) or ""
    near = did_you_mean(wanted, [claim.object or claim.value or "" for claim in live]) if wanted else ""
    said = "; ".join(edge(claim) for claim in live[:_SHOWN])
    place = f" in {op.environment}" if op.environment else ""
    ctx.issue(
        "nothing_to_withdraw",
        f"no claim says {subject} {op.predicate} {wanted or '…'}{place}.{near}",
        f"What stands about it: {said}." if said else "Find claims with `git potpie search`.",
        "object" if wanted else "subject",
    )
