"""From statements to items: what every reader says about a claim in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from potpie_git.domain.claim import Claim
from potpie_git.domain.envelope import Relation, Withdrawal
from potpie_git.domain.fence import word
from potpie_git.domain.freshness import EvidenceState, outlived
from potpie_git.domain.keys import entity_type_of, type_name_of
from potpie_git.domain.query import ClaimRow, Standing
from potpie_git.readers.question import Question
from potpie_git.readers.statements import Statement

# Relations shown on one item; the number left out is told.
MAX_RELATIONS = 50
_OUTLIVED = "nobody has confirmed it within the time that facts of its family stay fresh"


@dataclass
class Candidate:
    """An item before it is ranked.

    `lead` speaks for it; `statements` are all that it stands on, in the order in which relations are shown.
    `relations` and `payload` become the item's payload. `sources` is its corroboration, `verdict` how its fixes did.
    """

    key: str
    lead: Statement
    statements: list[Statement]
    payload: dict[str, Any]
    relations: list[Relation] = field(default_factory=list)
    scope_overlap: float | None = None
    sources: int = 1
    similarity: float | None = None
    weak: bool = False
    moment: datetime | None = None
    tie_break: str = ""
    verdict: str | None = None

    @property
    def claim_ids(self) -> frozenset[str]:
        return frozenset(row.claim.id for statement in self.statements for row in statement.rows)


@dataclass
class Found:
    """What a reader hands over: candidates, how many claims or events it looked at, and anything worth telling.

    `open_ended` says that the question asks for the best few of many, so that leaving the rest out loses nothing.
    """

    candidates: list[Candidate] = field(default_factory=list)
    pool: int = 0
    notes: list[str] = field(default_factory=list)
    open_ended: bool = False


def candidate(
    question: Question,
    key: str,
    statements: Sequence[Statement],
    lead: Statement,
    *,
    scope_overlap: float | None = None,
    extra_sources: int = 0,
    moment: datetime | None = None,
) -> Candidate:
    """A candidate whose payload describes the entity `key`; readers add what is theirs to the payload."""
    matched = [one for one in statements if one.similarity is not None]
    # What a text did not match is no answer to it; without a text nobody can tell.
    unmatched = None if question.text is None else 0.0
    similarity = max((one.similarity or 0.0 for one in matched), default=unmatched)
    return Candidate(
        key=key,
        lead=lead,
        statements=list(statements),
        payload=claimed_payload(key, lead.claim),
        scope_overlap=scope_overlap if question.scope else None,
        sources=(len(lead.sources) + extra_sources) if lead.stands else 0,
        similarity=similarity,
        weak=all(one.weak for one in matched) if matched else question.text is not None,
        moment=moment or lead.claim.begins,
        tie_break=key,
    )


def claimed_payload(key: str, claim: Claim) -> dict[str, Any]:
    """Key, type and what the claim says about the entity."""
    payload: dict[str, Any] = {"entity_key": key, "entity_type": type_name_of(key)}
    payload["description"] = claim.description or claim.fact or claim.value or ""
    if claim.fact and claim.fact != payload["description"]:
        payload["fact"] = claim.fact
    return payload


def authored_payload(question: Question, payload: dict[str, Any]) -> dict[str, Any]:
    """The payload with what somebody authored about its entity, which wins over what a claim says of it.

    Looked up for the items that are shown alone: it costs a file each.
    """
    key = str(payload.get("entity_key", ""))
    authored = question.context.entity(key) if payload.get("entity_type") else None
    if authored is None:
        return payload
    told = {
        "name": authored.name or authored.title,
        "summary": authored.summary,
        "state": state_at(question, key),
        "description": authored.description or authored.summary,
    }
    return payload | {
        name: held for name, held in told.items() if held and (name != "summary" or name not in payload)
    }


def state_at(question: Question, key: str) -> str | None:
    """The lifecycle state of an entity at the moment that is asked about; None for a type without a lifecycle."""
    kind = entity_type_of(key)
    authored = question.context.entity(key) if kind is not None and kind.lifecycle else None
    if authored is None or question.request.as_of is None:
        return authored.state if authored else None
    moment = question.moment
    state = authored.transitions[0].from_state if authored.transitions else authored.state
    for step in authored.transitions or ():
        if _instant(step.provenance.recorded_at) <= moment:
            state = step.to_state
    return state


def claim_fields(claim: Claim) -> dict[str, Any]:
    """A claim as flat fields, without what is absent."""
    fields = {
        "claim_id": claim.id,
        "subject": claim.subject,
        "predicate": claim.predicate,
        "object": claim.object,
        "value": claim.value,
        "environment": claim.environment,
        "fact": claim.fact,
        "code_scope": claim.code_scope,
        "confidence": claim.provenance.confidence,
        "valid_at": valid_at(claim),
        "valid_until": valid_until(claim),
        "observed_at": claim.observed_at,
        "source_system": claim.provenance.source_system,
    }
    kept = {name: held for name, held in fields.items() if held is not None}
    return kept | (
        {"withdrawn": withdrawn.model_dump(exclude_none=True)} if (withdrawn := withdrawal(claim)) else {}
    )


def valid_at(claim: Claim) -> str:
    return claim.valid_from or claim.observed_at or claim.provenance.recorded_at


def valid_until(claim: Claim) -> str | None:
    """When the claim's validity ends, as its file writes it."""
    bounds = [text for text in (claim.valid_to, claim.valid_until) if text]
    return min(bounds, key=_instant, default=None)


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def withdrawal(claim: Claim) -> Withdrawal | None:
    """Why a claim no longer stands, and who said so; None for a live one."""
    if claim.invalidation is None or claim.valid_to is None:
        return None
    said = claim.invalidation
    return Withdrawal(
        valid_to=claim.valid_to,
        op=said.op,
        reason=said.reason,
        by=said.provenance.actor.to_data() if said.provenance.actor else {},
        recorded_at=said.provenance.recorded_at,
        superseded_by=said.superseded_by,
    )


def relation(
    statement: Statement, *, outcome: str | None = None, depth: int | None = None, said: str | None = None
) -> Relation:
    """A statement as an edge beside an item, without its text where that is what the item `said` already."""
    claim = statement.claim
    fact = claim.fact or claim.description
    return Relation(
        type=claim.predicate,
        subject=claim.subject,
        object=claim.object,
        value=claim.value,
        environment=claim.environment,
        claim_id=claim.id,
        fact=None if fact == said else fact,
        truth=claim.truth,
        outcome=outcome,
        source_refs=statement.source_refs,
        corroboration=len(statement.sources),
        standing=statement.standing.value,
        depth=depth,
        withdrawn=withdrawal(claim),
        valid_at=valid_at(claim),
        valid_until=valid_until(claim),
    )


def item_stale_reason(question: Question, made: Candidate) -> str | None:
    """Why an item is stale, by the claim that speaks for it; a place that changed tells more than time that passed."""
    reason = stale_reason(question, made.lead)
    if reason != _OUTLIVED:
        return reason
    others = (stale_reason(question, one) for one in made.statements)
    return next((other for other in others if other not in (None, _OUTLIVED)), reason)


def stale_reason(question: Question, statement: Statement) -> str | None:
    """Why a statement may no longer hold although nobody withdrew it; None if any of its claims is fresh."""
    if not statement.stands or statement.standing is Standing.DERIVED:
        return None
    reasons = [_stale(question, row) for row in statement.rows]
    return None if None in reasons else reasons[0]


def _stale(question: Question, row: ClaimRow) -> str | None:
    for item in row.claim.evidence or ():
        state = question.context.evidence_state(item)
        if state in {EvidenceState.CHANGED, EvidenceState.GONE}:
            what = "has changed" if state is EvidenceState.CHANGED else "is gone"
            return f"{word(item.source_ref)} {what} since the claim was written"
    if outlived(row.claim, question.moment):
        return _OUTLIVED
    return None


def distinct(rows: Iterable[ClaimRow]) -> int:
    """How many claims rows hold; a claim found twice counts once."""
    return len({row.claim.id for row in rows})


def source_refs(statements: Iterable[Statement]) -> list[str]:
    return list(dict.fromkeys(ref for statement in statements for ref in statement.source_refs))
