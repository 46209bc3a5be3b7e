"""What a claim replaced, and why: told beside the replacement, wherever it is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from potpie_git.domain.claim import Claim
from potpie_git.domain.keys import CLAIM_PREFIX, claim_key
from potpie_git.domain.query import ClaimQuery
from potpie_git.domain.vocabulary import MAX_TRAVERSAL_DEPTH
from potpie_git.readers.items import valid_at, withdrawal
from potpie_git.readers.question import Question

_SUPERSEDES = frozenset({"SUPERSEDES"})


def replaced_claims(question: Question, claim_ids: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """For each claim that replaced others: those others, the latest first, with reason, time and who withdrew them.

    Chains are followed up to the traversal's bound. Claims that replaced nothing are absent.
    """
    origin = {claim_id: claim_id for claim_id in claim_ids}
    told: dict[str, list[dict[str, Any]]] = {}
    frontier = set(origin)
    for _ in range(MAX_TRAVERSAL_DEPTH):
        if not frontier:
            break
        subjects = frozenset(claim_key(claim_id) for claim_id in frontier)
        rows = question.find(predicates=_SUPERSEDES, subjects=subjects)
        pairs = [(_id(row.claim.subject), _id(row.claim.object or "")) for row in rows]
        replaced = {old: new for new, old in pairs if old not in origin}
        if not replaced:
            break
        for old in _claims(question, replaced):
            origin[old.id] = origin[replaced[old.id]]
            told.setdefault(origin[old.id], []).append(_telling(old))
        frontier = set(replaced) & origin.keys()
    return told


def _id(key: str) -> str:
    return key.removeprefix(f"{CLAIM_PREFIX}:")


def _claims(question: Question, ids: Iterable[str]) -> list[Claim]:
    wanted = frozenset(ids)
    hits = question.search.find_claims(ClaimQuery(ids=wanted, include_invalidated=True))
    found = {row.claim.id: row.claim for row in hits.rows}
    return [found[claim_id] for claim_id in sorted(wanted & found.keys())]


def _telling(claim: Claim) -> dict[str, Any]:
    why = withdrawal(claim)
    fields = {
        "claim_id": claim.id,
        "subject": claim.subject,
        "predicate": claim.predicate,
        "object": claim.object or claim.value,
        "fact": claim.fact or claim.description,
        "valid_at": valid_at(claim),
    }
    told = {name: held for name, held in fields.items() if held is not None}
    return told | (why.model_dump(exclude_none=True) if why else {})
