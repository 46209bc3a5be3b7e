"""Entities that somebody described and that nothing which stands is said about."""

from __future__ import annotations

from collections.abc import Iterator

from potpie_git.checks.quality.model import (
    PotView,
    QualityFinding,
    QualityReport,
    search_entities,
    worst_first,
)
from potpie_git.domain.files import Entity
from potpie_git.domain.text import humanise
from potpie_git.store.codec import repository_path

NAME = "orphan-entities"


def orphan_entities(view: PotView) -> QualityReport:
    """Entity files that no claim names which stands, and merges into entities of which there is no other trace."""
    findings = [
        finding
        for stored in view.described
        for finding in _of(view, stored.record, repository_path(stored.path))
    ]
    return QualityReport(report=NAME, checked=len(view.entities), findings=worst_first(findings))


def _of(view: PotView, entity: Entity, path: str) -> Iterator[QualityFinding]:
    words = entity.name or entity.title or humanise(entity.key)
    command = search_entities(type=entity.type, query=words)
    if entity.merged is not None:
        into = entity.merged.into
        if into not in view.keys_in_use and into not in view.entities:
            message = f"{entity.key} was merged into {into}, of which nothing is said"
            yield _finding("merged_into_nothing", message, entity, path, 1.0, command)
        return
    if entity.key in view.keys_in_use:
        return
    if entity.key in view.keys_ever_used:
        message = f"all that was said of {entity.key} was withdrawn or has ended"
        yield _finding("only_withdrawn_claims", message, entity, path, 0.5, command)
    else:
        message = f"{entity.key} is described, and no claim names it"
        yield _finding("no_claims", message, entity, path, 0.8, command)


def _finding(
    code: str, message: str, entity: Entity, path: str, score: float, command: str
) -> QualityFinding:
    return QualityFinding(
        code=code, message=message, entities=[entity.key], paths=[path], score=score, next_command=command
    )
