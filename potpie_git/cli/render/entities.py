"""Entities and their surroundings as text for people."""

from __future__ import annotations

from typing import Any

from potpie_git.cli.render.evidence import relation_line
from potpie_git.domain.fence import in_marks, word
from potpie_git.domain.query import MatchMode
from potpie_git.readers.entities import EntityCandidate, EntityResult
from potpie_git.readers.neighborhood import Neighborhood


def entities_text(found: EntityResult) -> str:
    """One entity a line, with how many claims name it, and those claims where they were asked for."""
    if not found.entities:
        return "Nothing found."
    width = max(len(word(entity.entity_key)) for entity in found.entities)
    kinds = max(len(entity.entity_type) for entity in found.entities)
    lines = [line for entity in found.entities for line in _entity(entity, width, kinds)]
    matched = "" if found.match_mode is MatchMode.NONE else f", matched by {found.match_mode.value}"
    count = _count(len(found.entities), "entity", "entities")
    return "\n".join([*lines, "", f"{count}{matched}; coverage: {found.coverage}"])


def _entity(entity: EntityCandidate, width: int, kinds: int) -> list[str]:
    said = entity.name or entity.description
    label = in_marks(said) if said else ""
    weak = " (weak match)" if entity.weak else ""
    claims = _count(entity.claims, "claim", "claims")
    head = f"{word(entity.entity_key):{width}}  {entity.entity_type:{kinds}}  {claims:>10}  {label}{weak}".rstrip()
    return [head, *(f"  - {relation_line(held)}" for held in entity.supporting_claims)]


def neighborhood_text(found: Neighborhood) -> str:
    """The edges around an entity, the nearest first; what lies further away stands further in."""
    if not found.edges:
        return f"Nothing stands around {word(found.entity_key)}."
    renamed = found.resolved_from
    lines = [f"{word(renamed)} is {word(found.entity_key)} by now."] if renamed else []
    lines += [_edge(edge) for edge in found.edges]
    if found.truncated:
        lines.append("There is more; raise --limit or --depth.")
    return "\n".join(lines)


def _edge(edge: dict[str, Any]) -> str:
    return "  " * ((edge.get("depth") or 1) - 1) + relation_line(edge)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
