"""What a caller asks for, and what the readers may ask about the world around the claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, get_args

from potpie_git.domain.claim import Evidence
from potpie_git.domain.files import Entity
from potpie_git.domain.freshness import EvidenceState
from potpie_git.domain.ranking import Freshness
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import ENTITY_TYPE_BY_PREFIX, MAX_TRAVERSAL_DEPTH
from potpie_git.readers.errors import BadFilterError

Direction = Literal["out", "in", "both"]
Sort = Literal["score", "newest", "oldest", "key"]
Detail = Literal["compact", "full"]
RelationDetail = Literal["summary", "full"]
DEFAULT_LIMIT = 12
MAX_LIMIT = 1_000
DEFAULT_DEPTH = 2

# The dimensions that `scope` may hold. `scope` itself holds entity keys of any scope type (feature:checkout).
SCOPE_KEYS: tuple[str, ...] = (
    "repo",
    "service",
    "path",
    "file_path",
    "language",
    "framework",
    "audience",
    "anchor_entity_key",
    "scope",
)
Scope = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One read.

    `scope` maps a dimension of `SCOPE_KEYS` to the values that are asked about. Times are instants with an offset;
    `time_window` is the span up to now, and `since` wins over it. `query_threshold` drops items whose similarity is
    lower, and weak ones; without it weak items come back labelled. `limit` bounds the items of each include. `dedupe`
    off shows every claim of a statement, and what several includes found once for each.
    """

    query: str | None = None
    scope: Scope = field(default_factory=dict)
    environment: str | None = None
    include_unqualified_environment: bool = False
    since: datetime | None = None
    until: datetime | None = None
    time_window: timedelta | None = None
    as_of: datetime | None = None
    include_invalidated: bool = False
    source_ref: str | None = None
    truth: frozenset[str] | None = None
    depth: int | None = None
    direction: Direction | None = None
    limit: int = DEFAULT_LIMIT
    query_threshold: float | None = None
    sort: Sort | None = None
    dedupe: bool = True
    freshness: Freshness = "balanced"
    detail: Detail = "compact"
    relations: RelationDetail = "full"

    def values(self, *dimensions: str) -> tuple[str, ...]:
        """Values of these scope dimensions, in order, without repeats."""
        return tuple(dict.fromkeys(value for name in dimensions for value in self.scope.get(name, ())))

    @property
    def filters(self) -> frozenset[str]:
        """Names of the filters that were given, as views list them."""
        given = {name for name, held in self.scope.items() if held}
        plain = ("query", "environment", "since", "until", "time_window", "depth", "direction")
        given |= {name for name in plain if getattr(self, name) is not None}
        if self.include_unqualified_environment:
            given.add("include_unqualified_environment")
        return frozenset(given)

    def window(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """The instants `since` (inclusive) and `until` (exclusive) that the request names, if any."""
        since = self.since
        if since is None and self.time_window is not None:
            since = (self.until or now) - self.time_window
        return since, self.until

    def checked(self) -> ReadRequest:
        """This request, or `BadFilterError` for a value that no read can use."""
        if not 1 <= self.limit <= MAX_LIMIT:
            raise BadFilterError(f"limit {self.limit} is not between 1 and {MAX_LIMIT}")
        if self.depth is not None and not 1 <= self.depth <= MAX_TRAVERSAL_DEPTH:
            raise BadFilterError(
                f"depth {self.depth} is not between 1 and {MAX_TRAVERSAL_DEPTH}",
                hint="A read walks a bounded neighbourhood; start a second one from what it found.",
            )
        kinds = {"direction": Direction, "sort": Sort, "detail": Detail, "relations": RelationDetail}
        for name, kind in kinds.items():
            held = getattr(self, name)
            if held is not None and held not in get_args(kind):
                raise BadFilterError(
                    f"{name} {held!r} is not one of: {', '.join(get_args(kind))}.{did_you_mean(held, get_args(kind))}"
                )
        if self.query_threshold is not None and not 0.0 <= self.query_threshold <= 1.0:
            raise BadFilterError(f"query_threshold {self.query_threshold} is not between 0 and 1")
        if self.query is not None and not self.query.strip():
            raise BadFilterError("the query is blank", hint="Ask in a few words, or leave the query out.")
        unknown = [name for name in self.scope if name not in SCOPE_KEYS]
        if unknown:
            raise BadFilterError(
                f"scope has no dimension {unknown[0]!r}.{did_you_mean(unknown[0], SCOPE_KEYS)}",
                hint=f"Use: {', '.join(SCOPE_KEYS)}; or an entity key such as feature:checkout.",
            )
        return self


def parse_scope(pairs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """A scope from texts such as `service:payments`, `path:src/refunds.py`, `feature:checkout`.

    A text whose head is a dimension goes there; one whose head is another entity type's prefix is an entity key and
    goes to `scope`. Raises `BadFilterError`.
    """
    found: dict[str, list[str]] = {}
    for pair in pairs:
        head, colon, rest = pair.partition(":")
        if not colon or not rest.strip():
            raise BadFilterError(
                f"{pair!r} is not a scope", hint="Write a dimension, a colon and a value: service:payments."
            )
        if head in SCOPE_KEYS:
            found.setdefault(head, []).append(rest.strip())
        elif head in ENTITY_TYPE_BY_PREFIX or head == "timeline":
            found.setdefault("scope", []).append(pair.strip())
        else:
            known = [*SCOPE_KEYS, *ENTITY_TYPE_BY_PREFIX]
            raise BadFilterError(
                f"scope has no dimension {head!r}.{did_you_mean(head, known)}",
                hint=f"Use: {', '.join(SCOPE_KEYS)}; or an entity key such as feature:checkout.",
            )
    return {name: tuple(dict.fromkeys(held)) for name, held in found.items()}


def _no_evidence(_: Evidence) -> EvidenceState | None:
    return None


def _no_entity(_: str) -> Entity | None:
    return None


@dataclass(frozen=True, slots=True)
class ReadContext:
    """What readers know beside the claims.

    `evidence_state` compares a cited place with the snapshot that is read (None: it is no place in this repository,
    or was never pinned). `entity` gives what somebody authored about a key. `repository` is this repository's own key.
    """

    evidence_state: Callable[[Evidence], EvidenceState | None] = _no_evidence
    entity: Callable[[str], Entity | None] = _no_entity
    repository: str | None = None


__all__ = [
    "DEFAULT_DEPTH",
    "DEFAULT_LIMIT",
    "Direction",
    "EvidenceState",
    "ReadContext",
    "ReadRequest",
    "SCOPE_KEYS",
    "Scope",
    "parse_scope",
]
