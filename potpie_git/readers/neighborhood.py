"""The traverse axis: what stands around one entity, a few hops far."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from potpie_git.domain.keys import key_problem, type_name_of
from potpie_git.domain.query import ClaimSearch
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import PREDICATES, SYSTEM_PREDICATES
from potpie_git.readers.assemble import relation_fields
from potpie_git.readers.errors import BadFilterError
from potpie_git.readers.items import relation
from potpie_git.readers.orchestrator import moment_text
from potpie_git.readers.question import Question
from potpie_git.readers.request import ReadContext, ReadRequest
from potpie_git.readers.strangers import strangers
from potpie_git.readers.walk import walk

_DEFAULT_DEPTH = 1
_SYSTEM = frozenset(SYSTEM_PREDICATES)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Node(_Model):
    """An entity that was reached, with its distance from the start."""

    entity_key: str
    entity_type: str
    depth: int
    name: str | None = None
    description: str | None = None
    state: str | None = None


class Neighborhood(_Model):
    """Entities by distance, and the edges between them. `truncated`: more was there than is shown."""

    entity_key: str
    resolved_from: str | None = None
    nodes: list[Node]
    edges: list[dict[str, Any]]
    truncated: bool
    depth: int
    direction: str
    as_of: str
    notes: list[str] = Field(default_factory=list)


def neighborhood(
    search: ClaimSearch,
    clock: Callable[[], datetime],
    context: ReadContext,
    entity: str,
    request: ReadRequest,
    *,
    predicates: tuple[str, ...] = (),
) -> Neighborhood:
    """Walk from `entity` along `predicates` (none: all that a caller may assert).

    Depth, direction, environment and times are the request's; its `limit` bounds the edges. Raises
    `BadFilterError` for a key or a predicate that cannot be.
    """
    request.checked()
    wanted = _checked(entity, predicates)
    question = Question(request, search, context, clock())
    start = question.resolved(entity)
    reached = walk(question, [start], wanted, default_depth=_DEFAULT_DEPTH)
    edges = [pair for pair in reached.edges if wanted is not None or pair[0].predicate not in _SYSTEM]
    shown = edges[: request.limit]
    if not edges:
        question.notes += strangers(question, [start])
    ends = {
        question.resolved(end) for one, _ in shown for end in (one.claim.subject, one.claim.object) if end
    }
    nodes = sorted(
        ((key, depth) for key, depth in reached.depths.items() if key == start or key in ends),
        key=lambda pair: (pair[1], pair[0]),
    )
    return Neighborhood(
        entity_key=start,
        resolved_from=entity if entity != start else None,
        nodes=[_node(question, key, depth) for key, depth in nodes],
        edges=[relation_fields(relation(one, depth=depth + 1), request.relations) for one, depth in shown],
        truncated=reached.truncated or len(shown) < len(edges),
        depth=request.depth or _DEFAULT_DEPTH,
        direction=request.direction or "both",
        as_of=moment_text(question.moment),
        notes=question.notes,
    )


def _checked(entity: str, predicates: tuple[str, ...]) -> frozenset[str] | None:
    problem = key_problem(entity)
    if problem:
        raise BadFilterError(problem[0], hint=problem[1])
    known = [*PREDICATES, *SYSTEM_PREDICATES]
    for name in predicates:
        if name not in known:
            raise BadFilterError(
                f"there is no predicate {name!r}.{did_you_mean(name, known)}",
                hint=f"The predicates are: {', '.join(known)}.",
            )
    return frozenset(predicates) or None


def _node(question: Question, key: str, depth: int) -> Node:
    authored = question.context.entity(key)
    return Node(
        entity_key=key,
        entity_type=type_name_of(key),
        depth=depth,
        name=(authored.name or authored.title) if authored else None,
        description=(authored.description or authored.summary) if authored else None,
        state=authored.state if authored else None,
    )
