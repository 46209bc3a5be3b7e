"""From ranked candidates to evidence items, and from an envelope to the documents that surfaces print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from potpie_git.domain.envelope import Coverage, EvidenceItem, ReadEnvelope, Relation
from potpie_git.domain.query import ClaimRow, Standing
from potpie_git.domain.ranking import Ranked
from potpie_git.domain.vocabulary import View
from potpie_git.readers.items import (
    MAX_RELATIONS,
    Candidate,
    authored_payload,
    item_stale_reason,
    source_refs,
)
from potpie_git.readers.question import Question
from potpie_git.readers.request import RelationDetail

# What every relation says; the rest of a summary stands only where it changes the meaning.
_ALWAYS = ("type", "subject", "object", "valid_at", "valid_until")
_TELLING = ("value", "environment", "outcome", "withdrawn")
_QUALITY: Mapping[str, str] = {"high": "good", "medium": "partial", "low": "poor"}


def coverage_status(candidates: Sequence[Candidate], limit: int, *, open_ended: bool) -> Coverage:
    """How much of what was asked for was found.

    `empty`: nothing; `sparse`: weak matches only; `partial`: more than fits; `complete`: everything is shown.
    """
    if not candidates:
        return "empty"
    strong = sum(not one.weak for one in candidates)
    if not strong:
        return "sparse"
    return "partial" if strong > limit and not open_ended else "complete"


def evidence_item(
    question: Question,
    include: str,
    ranked: Ranked[Candidate],
    status: Coverage,
    replaced: Sequence[Mapping[str, Any]],
) -> EvidenceItem:
    """One item, as its shape, detail and relations were asked for."""
    made = ranked.item
    reason = item_stale_reason(question, made)
    return EvidenceItem(
        include=include,
        candidate_key=made.key,
        score=ranked.score,
        breakdown=dict(ranked.breakdown),
        coverage_status=status,
        truth=made.lead.claim.truth,
        evidence_strength=made.lead.claim.evidence_strength,
        payload=_payload(question, made, replaced),
        source_refs=source_refs(made.statements),
        corroboration=made.sources,
        weak=made.weak,
        standing=made.lead.standing.value,
        stale=reason is not None,
        stale_reason=reason,
        claim_id=None if made.lead.standing is Standing.DERIVED else made.lead.claim.id,
    )


def _payload(question: Question, made: Candidate, replaced: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    payload = dict(authored_payload(question, made.payload))
    if replaced:
        payload["supersedes"] = [dict(one) for one in replaced]
    if made.relations:
        shown = made.relations[:MAX_RELATIONS]
        payload["relations"] = [relation_fields(one, question.request.relations) for one in shown]
        if len(shown) < len(made.relations):
            payload["relations_left_out"] = len(made.relations) - len(shown)
    if question.request.detail == "full":
        payload["claims"] = [_claim(question, row) for one in made.statements for row in one.rows]
    return payload


def relation_fields(relation: Relation, detail: RelationDetail) -> dict[str, Any]:
    """A relation as plain data: its five constant fields, and what else it has to say."""
    data = relation.model_dump(exclude_none=True)
    kept = _TELLING if detail == "summary" else [name for name in data if name not in _ALWAYS]
    always = {name: data.get(name) for name in _ALWAYS}
    return always | {name: data[name] for name in kept if data.get(name) not in (None, [], {})}


def _claim(question: Question, row: ClaimRow) -> dict[str, Any]:
    """A claim as its file holds it, with where it stands and what became of the places that it cites."""
    data = row.claim.to_data()
    for item, held in zip(row.claim.evidence or (), data.get("evidence", ()), strict=True):
        state = question.context.evidence_state(item)
        if state is not None:
            held["state"] = state.value
    place = {"path": row.path, "commit": row.commit}
    return data | {"standing": row.standing.value} | {name: held for name, held in place.items() if held}


def plain_items(items: Iterable[EvidenceItem]) -> list[dict[str, Any]]:
    """Items as plain data; `stale_reason` stands only on stale ones."""
    return [item.model_dump(exclude_none=True) | {"payload": item.payload} for item in items]


def view_result(
    envelope: ReadEnvelope, view: View, *, subgraph_versions: Mapping[str, str | None], backend: str
) -> dict[str, Any]:
    """The result document of one view: `backend` names what served the claims (`lance`, `scan`, ...)."""
    return {
        "subgraph": view.subgraph,
        "view": view.name,
        "read_shape": view.shape,
        "match_mode": envelope.match_mode.value,
        "subgraph_versions": dict(subgraph_versions),
        **_common(envelope, backend),
    }


def read_result(envelope: ReadEnvelope, *, backend: str) -> dict[str, Any]:
    """The result document of `resolve` and `search`."""
    return {
        "match_mode": envelope.match_mode.value,
        "overall_confidence": envelope.overall_confidence,
        **_common(envelope, backend),
    }


def _common(envelope: ReadEnvelope, backend: str) -> dict[str, Any]:
    confidence = envelope.overall_confidence
    return {
        "items": plain_items(envelope.items),
        "coverage": [row.model_dump() for row in envelope.coverage],
        "quality": {"status": _QUALITY[confidence], "confidence": confidence, "backend": backend},
        "unsupported": [row.model_dump() for row in envelope.unsupported],
        "as_of": envelope.as_of,
        "metadata": envelope.metadata,
    }
