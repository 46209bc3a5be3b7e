"""Reads as one text for an agent: every item in a fence of its own, labelled with where its words come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from potpie_git.domain.envelope import EvidenceItem, ReadEnvelope
from potpie_git.domain.fence import LabelValue, Quote, fenced_items, word
from potpie_git.domain.vocabulary import phrase_of

if TYPE_CHECKING:
    from potpie_git.readers.entities import EntityCandidate, EntityResult
    from potpie_git.readers.neighborhood import Neighborhood, Node
    from potpie_git.readers.nudge import NudgeResult

# A payload's sentences, the most telling first.
_SENTENCES: Final = ("title", "name", "symptom", "fact", "value", "summary", "description")
_SHOWN_APART: Final = frozenset({"entity_key", "claim_id", "relations", "claims", *_SENTENCES})


def headline(item: EvidenceItem) -> str:
    """The sentence that an item is about."""
    return next(_sentences(item.payload), None) or str(item.payload.get("subject") or item.candidate_key)


def read_context(envelope: ReadEnvelope) -> str:
    """Items of a read as text for an agent, with coverage and confidence."""
    count = len(envelope.items)
    coverage = ", ".join(f"{report.view} {report.status}" for report in envelope.coverage)
    after = [f"not supported: {word(item.include)} ({item.reason})" for item in envelope.unsupported]
    return fenced_items(
        (item_quotes(item) for item in envelope.items),
        before=f"{count} item{'' if count == 1 else 's'}, best first; matched by {envelope.match_mode.value}; "
        f"coverage: {coverage or 'empty'}; confidence {envelope.overall_confidence}",
        after="\n".join(after),
    )


def nudge_context(found: NudgeResult) -> str:
    """What an event brings up, as text for an agent; empty if there is nothing to say."""
    if found.silent:
        return ""
    return fenced_items(
        (item_quotes(one.item) for one in found.items),
        before=f"{found.event}: {found.instruction or 'evidence that bears on it'}",
    )


def entities_context(found: EntityResult) -> str:
    """Entities as text for an agent."""
    return fenced_items(
        ([_entity(one), *_relations(one.supporting_claims)] for one in found.entities),
        before=f"{len(found.entities)} of {found.candidate_pool} entities; coverage {found.coverage}",
    )


def neighborhood_context(found: Neighborhood) -> str:
    """An entity's surroundings as text for an agent: entities by distance, then the edges between them."""
    nodes, edges = [_node(one) for one in found.nodes], list(_relations(found.edges))
    return fenced_items(
        [part for part in (nodes, edges) if part],
        before=f"{len(found.nodes)} entities, {len(edges)} relations; depth {found.depth}, "
        f"direction {found.direction}{'; there is more' if found.truncated else ''}",
    )


def item_quotes(item: EvidenceItem) -> list[Quote]:
    """An item's own words, then those of each relation, each with claim, truth, standing and sources."""
    payload = item.payload
    label: dict[str, LabelValue] = {
        "item": item.candidate_key,
        "claim": item.claim_id,
        "truth": item.truth,
        "strength": item.evidence_strength,
        "standing": item.standing,
        "score": round(item.score, 2),
        "weak": item.weak,
        "stale": item.stale_reason or item.stale,
        "withdrawn": _withdrawn(payload),
        "sources": item.source_refs,
    }
    told = {name: held for name, held in payload.items() if name not in _SHOWN_APART}
    text = "\n".join([*_sentences(payload), *(f"{name}: {held}" for name, held in _flat(told))])
    claims = (Quote("\n".join(f"{name}: {held}" for name, held in _flat(_body(one))), _claim_label(one))
              for one in payload.get("claims") or ())  # fmt: skip
    return [Quote(text, label), *_relations(payload.get("relations") or ()), *claims]


def _sentences(payload: Mapping[str, Any]) -> Iterator[str]:
    held = (payload.get(name) for name in _SENTENCES)
    yield from dict.fromkeys(text for text in held if isinstance(text, str) and text)


def _relations(relations: Iterable[Mapping[str, Any]]) -> Iterator[Quote]:
    for held in relations:
        where = f" [{held['environment']}]" if held.get("environment") else ""
        other = held.get("object") or held.get("value") or ""
        text = f"{held['subject']} {phrase_of(held['type'])} {other}{where}"
        fact = held.get("fact")
        withdrawn = held.get("withdrawn") or {}
        why = f"\nwithdrawn because: {withdrawn['reason']}" if withdrawn.get("reason") else ""
        label: dict[str, LabelValue] = {
            "claim": held.get("claim_id"),
            "truth": held.get("truth"),
            "standing": held.get("standing"),
            "outcome": held.get("outcome"),
            "valid_at": held.get("valid_at"),
            "valid_until": held.get("valid_until"),
            "withdrawn": withdrawn.get("valid_to"),
            "sources": held.get("source_refs") or [],
        }
        yield Quote(f"{text}{f': {fact}' if fact else ''}{why}", label)


def _described(one: EntityCandidate | Node) -> str:
    return "\n".join(held for held in (one.name, one.description) if held)


def _entity(one: EntityCandidate) -> Quote:
    label: dict[str, LabelValue] = {
        "entity": one.entity_key,
        "type": one.entity_type,
        "state": one.state,
        "claims": one.claims,
        "weak": one.weak,
        "sources": one.source_refs,
    }
    return Quote(_described(one), label)


def _node(one: Node) -> Quote:
    label: dict[str, LabelValue] = {
        "entity": one.entity_key,
        "type": one.entity_type,
        "depth": one.depth,
        "state": one.state,
    }
    return Quote(_described(one), label)


def _withdrawn(payload: Mapping[str, Any]) -> str | None:
    held = payload.get("withdrawn")
    return str(held.get("valid_to")) if isinstance(held, Mapping) else None


def _claim_label(claim: Mapping[str, Any]) -> dict[str, Any]:
    refs = [str(item.get("source_ref")) for item in claim.get("evidence") or ()]
    return {
        "claim": claim.get("id"),
        "truth": claim.get("truth"),
        "standing": claim.get("standing"),
        "sources": refs,
    }


def _body(claim: Mapping[str, Any]) -> dict[str, Any]:
    return {name: held for name, held in claim.items() if name not in {"id", "truth", "standing"}}


def _flat(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested data as dotted names and texts; what is empty is left out."""
    for name, held in data.items():
        place = f"{prefix}{name}"
        if isinstance(held, Mapping):
            yield from _flat(held, f"{place}.")
        elif isinstance(held, list | tuple):
            for number, part in enumerate(held, 1):
                if isinstance(part, Mapping):
                    yield from _flat(part, f"{place}.{number}.")
                else:
                    yield place, str(part)
        elif held not in (None, "", False):
            yield place, str(held)
