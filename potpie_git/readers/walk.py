"""A bounded walk along claims from a few entities: by direction, predicate and environment, at most four hops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from potpie_git.domain.claim import Claim
from potpie_git.domain.keys import type_name_of
from potpie_git.domain.query import ClaimRow
from potpie_git.domain.vocabulary import MAX_TRAVERSAL_DEPTH
from potpie_git.readers.question import Question
from potpie_git.readers.request import DEFAULT_DEPTH, Direction
from potpie_git.readers.statements import Statement, group

# A hub would otherwise pull in the whole pot; what is left out is told.
MAX_FRONTIER = 200
MAX_EDGES = 2_000


@dataclass
class Walk:
    """What a walk reached: each entity with its distance, and each edge with that of its nearer end."""

    depths: dict[str, int] = field(default_factory=dict)
    edges: list[tuple[Statement, int]] = field(default_factory=list)
    truncated: bool = False


def walk(
    question: Question,
    anchors: Iterable[str],
    predicates: frozenset[str] | None,
    *,
    default_depth: int = DEFAULT_DEPTH,
) -> Walk:
    """Walk from `anchors` as the request's depth, direction and environment say."""
    request = question.request
    depth = min(request.depth or default_depth, MAX_TRAVERSAL_DEPTH)
    direction: Direction = request.direction or "both"
    made = Walk(depths=dict.fromkeys(anchors, 0))
    frontier, seen = set(made.depths), set[str]()
    for distance in range(depth):
        rows = [
            row for row in _edges(question, frontier, predicates, direction) if _admitted(question, row.claim)
        ]
        fresh = [row for row in rows if row.claim.id not in seen]
        seen.update(row.claim.id for row in fresh)
        statements = group(fresh, question.moment, at_moment=request.as_of is not None)
        made.edges += [(one, distance) for one in statements]
        reached = {
            question.resolved(end) for one in statements for end in _ends(one.claim)
        } - made.depths.keys()
        made.depths |= dict.fromkeys(reached, distance + 1)
        made.truncated = made.truncated or len(reached) > MAX_FRONTIER or len(made.edges) > MAX_EDGES
        frontier = set(sorted(reached)[:MAX_FRONTIER])
        if not frontier or len(made.edges) > MAX_EDGES:
            break
    return made


def _edges(
    question: Question, frontier: set[str], predicates: frozenset[str] | None, direction: Direction
) -> list[ClaimRow]:
    keys = frozenset(frontier)
    ends = {"out": "subjects", "in": "objects", "both": "about"}
    return question.find(predicates=predicates, **{ends[direction]: keys})


def _ends(claim: Claim) -> list[str]:
    return [end for end in (claim.subject, claim.object) if end]


def _admitted(question: Question, claim: Claim) -> bool:
    return admits_environment(
        claim, question.request.environment, question.request.include_unqualified_environment
    )


def admits_environment(claim: Claim, environment: str | None, unqualified: bool) -> bool:
    """True if a claim belongs to the environment; one that names none belongs only if `unqualified`."""
    if environment is None:
        return True
    held = edge_environment(claim)
    return unqualified if held is None else held == environment.lower()


def edge_environment(claim: Claim) -> str | None:
    """The environment that a claim is about: its own qualifier, or the one that an end of it names."""
    if claim.environment:
        return claim.environment.lower()
    for end in _ends(claim):
        kind, parts = type_name_of(end), end.split(":")
        if kind == "Environment" or (kind == "DeploymentTarget" and len(parts) > 2):
            return parts[1].lower()
    return None
