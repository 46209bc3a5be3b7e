"""Rules that need more than one record: singletons, look-alike keys, tombstones (families PG-X and PG-T).

What is merely near a tombstone is found by `nearness`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from potpie_git.domain.claim import Claim, value_digest, value_text
from potpie_git.domain.files import Tombstone
from potpie_git.domain.keys import folded_key
from potpie_git.domain.text import normalise_value
from potpie_git.domain.times import parse_time
from potpie_git.domain.validation.problem import Problem
from potpie_git.domain.vocabulary import PREDICATES

NEAR_SIMILARITY = 0.82
_NEGATIONS = frozenset(
    {
        "not",
        "no",
        "never",
        "without",
        "cannot",
        "cant",
        "dont",
        "doesnt",
        "isnt",
        "arent",
        "wont",
        "none",
        "neither",
        "nor",
    }
)


def is_singleton(predicate: str) -> bool:
    declared = PREDICATES.get(predicate)
    return declared is not None and declared.singleton


def singleton_rivals(claim: Claim, others: Iterable[Claim]) -> list[Claim]:
    """Live claims that give `claim`'s subject another object where its predicate allows only one."""
    if not is_singleton(claim.predicate) or not claim.live:
        return []
    return [
        other
        for other in others
        if other.live
        and other.id != claim.id
        and other.predicate == claim.predicate
        and other.subject == claim.subject
        and other.environment == claim.environment
        and other.object != claim.object
    ]


def key_twins(key: str, others: Iterable[str]) -> list[str]:
    """Keys that differ from `key` only in case, width or composition."""
    folded = folded_key(key)
    return sorted({other for other in others if other != key and folded_key(other) == folded})


def tombstone_for(claim: Claim, op: str, reason: str, mutation_provenance: object) -> Tombstone:
    """The tombstone that a retraction or supersession of `claim` leaves."""
    return Tombstone.model_validate(
        {
            "value_digest": value_digest(claim),
            "claim": claim.id,
            "predicate": claim.predicate,
            "subject_type": claim.subject_type,
            "object_type": claim.object_type or None,
            "environment": claim.environment,
            "text": value_text(claim) or None,
            "subject": claim.subject,
            "object": claim.object,
            "op": op,
            "reason": reason,
            "provenance": mutation_provenance,
        }
    )


def tombstone_problem(claim: Claim, tombstones: Sequence[Tombstone]) -> Problem | None:
    """The refusal of a withdrawn value that returns, or None. `tombstones` are those of the claim's value digest.

    Who reinstates a value answers the last withdrawal of it; one that was answered before says nothing of a later one.
    """
    digest = value_digest(claim)
    binding = [stone for stone in tombstones if stone.value_digest == digest and stone.claim != claim.id]
    if not binding or not claim.live:
        return None
    last = max(parse_time(stone.provenance.recorded_at) for stone in binding)
    latest = [stone for stone in binding if parse_time(stone.provenance.recorded_at) == last]
    if claim.reinstates in {stone.claim for stone in latest}:
        return None
    stone = latest[-1]
    return Problem(
        "PG-T01",
        f"this value was withdrawn before ({stone.claim}, {stone.op}): {stone.reason}",
        f"Drop it; or, if it stands again, give `reinstates: {stone.claim}` with a reason.",
        ("fact",) if claim.fact else ("subject",),
    )


def leaves_tombstone(op: str | None) -> bool:
    """True for a withdrawal that says the value was wrong or is replaced; what merely ended may begin again."""
    return op in {"retract_claim", "supersede_claim"}


def tombstone_mismatch(stone: Tombstone, claim: Claim) -> Problem | None:
    """What makes `stone` another than the one that the withdrawal of `claim` leaves, or None."""
    fitting = tombstone_for(claim, stone.op, stone.reason, stone.provenance)
    differing = [name for name, held in stone if held != getattr(fitting, name)]
    if differing:
        return Problem(
            "PG-T03",
            f"the tombstone says something else than its claim: {', '.join(differing)}",
            "Let the withdrawal write it.",
            (differing[0],),
        )
    done = claim.invalidation.op if claim.invalidation else None
    if done == stone.op and leaves_tombstone(done):
        return None
    what = f"was withdrawn by {done}" if done else "still stands"
    return Problem(
        "PG-T03",
        f"the tombstone says {stone.op}, and claim {claim.id} {what}",
        "Withdraw the claim with `git potpie graph propose`, which leaves the tombstone; or remove this file.",
        ("claim",),
    )


def is_negated(text: str, other: str) -> bool:
    """True if one of two normalised texts denies what the other says."""
    left, right = ({word for word in _words(held) if word in _NEGATIONS} for held in (text, other))
    return bool(left) != bool(right)


def _words(text: str) -> list[str]:
    return normalise_value(text.replace("'", "").replace("\u2019", "")).split()


def near_similarity(text: str, other: str) -> float:
    """How alike two normalised texts are in [0, 1]: shared words and shared runs of characters, whichever says more."""
    left, right = set(_words(text)), set(_words(other))
    if not left or not right:
        return 0.0
    overlap = 2 * len(left & right) / (len(left) + len(right))
    return max(overlap, SequenceMatcher(None, text, other, autojunk=False).ratio())
