"""Entities and their surroundings as text for people."""

from __future__ import annotations

from potpie_git.domain.vocabulary import phrase_of
from potpie_git.readers.entities import EntityResult
from potpie_git.readers.neighborhood import Neighborhood


def entities_text(found: EntityResult) -> str:
    """One entity a line, with how many claims name it."""
    if not found.entities:
        return "Nothing found."
    width = max(len(entity.entity_key) for entity in found.entities)
    lines = []
    for entity in found.entities:
        label = entity.name or entity.description or ""
        weak = " (weak match)" if entity.weak else ""
        lines.append(
            f"{entity.entity_key:{width}}  {entity.entity_type:12} {entity.claims:4} claims  {label}{weak}"
        )
    return "\n".join(lines)


def neighborhood_text(found: Neighborhood) -> str:
    """The edges around an entity, the nearest first."""
    if not found.edges:
        return f"Nothing stands around {found.entity_key}."
    lines = []
    for edge in found.edges:
        where = f" [{edge['environment']}]" if edge.get("environment") else ""
        other = edge.get("object") or edge.get("value") or ""
        fact = f": {edge['fact']}" if edge.get("fact") else ""
        lines.append(f"{edge['subject']} {phrase_of(edge['type'])} {other}{where}{fact}")
    if found.truncated:
        lines.append("There is more; raise --limit or --depth.")
    return "\n".join(lines)
