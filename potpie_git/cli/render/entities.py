"""Entities and their surroundings as text for people."""

from __future__ import annotations

from potpie_git.cli.render.evidence import statement_text
from potpie_git.domain.fence import in_marks, word
from potpie_git.readers.entities import EntityResult
from potpie_git.readers.neighborhood import Neighborhood


def entities_text(found: EntityResult) -> str:
    """One entity a line, with how many claims name it."""
    if not found.entities:
        return "Nothing found."
    keys = [word(entity.entity_key) for entity in found.entities]
    width = max(map(len, keys))
    lines = []
    for key, entity in zip(keys, found.entities, strict=True):
        said = entity.name or entity.description
        label = in_marks(said) if said else ""
        weak = " (weak match)" if entity.weak else ""
        lines.append(f"{key:{width}}  {entity.entity_type:12} {entity.claims:4} claims  {label}{weak}")
    return "\n".join(lines)


def neighborhood_text(found: Neighborhood) -> str:
    """The edges around an entity, the nearest first."""
    if not found.edges:
        return f"Nothing stands around {word(found.entity_key)}."
    lines = []
    for edge in found.edges:
        fact = f": {in_marks(edge['fact'])}" if edge.get("fact") else ""
        lines.append(f"{statement_text(edge)}{fact}")
    if found.truncated:
        lines.append("There is more; raise --limit or --depth.")
    return "\n".join(lines)
