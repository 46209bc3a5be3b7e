"""Warns whoever repeats what was tried and failed, or what was considered and rejected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from potpie_git.domain.claim import Claim
from potpie_git.domain.validation.nearness import NEAR_IN_SCOPE, says_another_thing, words_of
from potpie_git.domain.vocabulary import subgraph_of
from potpie_git.write.context import Batch, OpContext

_FAILED = "ATTEMPTED_FIX_FAILED"
_REJECTED = "alternatives_rejected"


def report_repeats(batch: Batch) -> None:
    """Compare new fixes with failed attempts at the same bug, and new decisions with alternatives rejected before."""
    for ctx, claim in batch.asserted:
        if claim.predicate == "RESOLVED":
            _warn_failed(ctx, claim)
        elif claim.predicate == "DECIDED":
            _warn_rejected(ctx, claim)


def _warn_failed(ctx: OpContext, fix: Claim) -> None:
    assert fix.object is not None
    for attempt in ctx.draft.claims_of(subgraph_of(_FAILED), _FAILED, fix.object):
        same = attempt.subject == fix.subject
        if not attempt.live or not (same or _repeats(_texts(fix), _texts(attempt))):
            continue
        ctx.warn(
            "repeats_failed_attempt",
            f"this was tried on {fix.object} before and failed: {attempt.fact or attempt.description}",
            f"Say what is different this time; the attempt is {attempt.id}.",
            claim=fix.id,
            reference={"claim": attempt.id, "subject": attempt.subject, "source_refs": attempt.source_refs},
        )


def _warn_rejected(ctx: OpContext, decision: Claim) -> None:
    assert decision.object is not None
    for other in ctx.draft.claims_of(decision.subgraph, "DECIDED", decision.object):
        if other.subject == decision.subject or not other.live:
            continue
        for alternative in _rejected(other):
            if _repeats(_texts(decision), [alternative]):
                ctx.warn(
                    "repeats_rejected_alternative",
                    f"{other.subject} rejected this for {decision.object}: {alternative}",
                    f"Say what has changed, or supersede that decision ({other.id}).",
                    claim=decision.id,
                    reference={"claim": other.id, "subject": other.subject, "source_refs": other.source_refs},
                )


def _texts(claim: Claim) -> list[str]:
    title = (claim.details or {}).get("title")
    return [text for text in (claim.fact, title) if isinstance(text, str)]


def _rejected(decision: Claim) -> Iterator[str]:
    held = (decision.details or {}).get(_REJECTED, [])
    for item in [held] if isinstance(held, str) else held:
        if isinstance(item, str):
            yield item
        else:
            yield " ".join(item.values())


def _repeats(texts: Iterable[str], earlier: Iterable[str]) -> bool:
    """True if one of the texts says nearly what one of the earlier ones said."""
    before = [words_of(text) for text in earlier]
    for said in map(words_of, texts):
        for held in before:
            shared = len(said.words & held.words)
            smaller = min(len(said.words), len(held.words))
            alike = 2 * shared / max(1, len(said.words) + len(held.words))
            # A rejected alternative is often a few words, all of which come back in the sentence that revives it.
            contained = smaller >= 2 and shared == smaller
            if (alike >= NEAR_IN_SCOPE or contained) and not says_another_thing(said, held):
                return True
    return False
