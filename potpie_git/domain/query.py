"""The one seam between the readers and wherever claims are kept: a query, its rows and the search protocol."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from potpie_git.domain.claim import Claim


class MatchMode(StrEnum):
    """How a text was matched: by meaning, by words, by both, or not at all."""

    VECTOR = "vector"
    LEXICAL = "lexical"
    HYBRID = "hybrid"
    NONE = "none"


class Standing(StrEnum):
    """How far a claim has come: reviewed (on a protected branch), on this branch, uncommitted, or derived."""

    REVIEWED = "reviewed"
    BRANCH = "branch"
    UNCOMMITTED = "uncommitted"
    DERIVED = "derived"


@dataclass(frozen=True, slots=True)
class ClaimQuery:
    """Hard filters (every one given must hold) and at most one text to rank by.

    `about` keeps claims whose subject or object is one of the keys. `as_of` keeps what was valid then, by the claims'
    own times; without it and without `include_invalidated`, only what stands now. `limit` keeps the best rows for the
    text, or without one the newest by the time at which they begin. `derived` off leaves out what the repository says
    by itself (history, CODEOWNERS) and no file holds.
    """

    predicates: frozenset[str] | None = None
    subjects: frozenset[str] | None = None
    objects: frozenset[str] | None = None
    about: frozenset[str] | None = None
    subject_types: frozenset[str] | None = None
    object_types: frozenset[str] | None = None
    ids: frozenset[str] | None = None
    subgraph: str | None = None
    environment: str | None = None
    truth: frozenset[str] | None = None
    source_system: str | None = None
    source_ref: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    include_invalidated: bool = False
    text: str | None = None
    limit: int | None = None
    derived: bool = True

    def admits(self, claim: Claim, now: datetime) -> bool:
        """True if `claim` passes every hard filter; `now` is the moment that "stands now" means."""
        return self._admits_form(claim) and self._admits_time(claim, now)

    def _admits_form(self, claim: Claim) -> bool:
        ends = {claim.subject, claim.object or ""}
        return (
            (self.predicates is None or claim.predicate in self.predicates)
            and (self.subjects is None or claim.subject in self.subjects)
            and (self.objects is None or claim.object in self.objects)
            and (self.about is None or not ends.isdisjoint(self.about))
            and (self.subject_types is None or claim.subject_type in self.subject_types)
            and (self.object_types is None or claim.object_type in self.object_types)
            and (self.ids is None or claim.id in self.ids)
            and (self.subgraph is None or claim.subgraph == self.subgraph)
            and (self.environment is None or claim.environment == self.environment)
            and (self.truth is None or claim.truth in self.truth)
            and (self.source_system is None or claim.provenance.source_system == self.source_system)
            and (self.source_ref is None or self.source_ref in claim.source_refs)
        )

    def _admits_time(self, claim: Claim, now: datetime) -> bool:
        if self.since is not None and claim.begins < self.since:
            return False
        if self.until is not None and claim.begins >= self.until:
            return False
        if self.as_of is not None:
            return claim.stands_at(self.as_of)
        if self.include_invalidated:
            return True
        return claim.live and (claim.ends is None or now < claim.ends)


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """One claim that a search found, with where it stands and how well it matches (similarity in [0, 1], or None)."""

    claim: Claim
    path: str = ""
    blob: str = ""
    similarity: float | None = None
    weak: bool = False
    standing: Standing = Standing.BRANCH
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimHits:
    """Rows, best first where a text was given, with how the text was matched and anything worth telling."""

    rows: tuple[ClaimRow, ...] = ()
    match_mode: MatchMode = MatchMode.NONE
    notes: tuple[str, ...] = field(default_factory=tuple)


class ClaimSearch(Protocol):
    """Where claims are found: an index, a plain scan, or claims derived from the repository."""

    def find_claims(self, query: ClaimQuery) -> ClaimHits: ...

    def resolve_alias(self, key: str) -> str:
        """The key that reads use for `key`: itself, or what a merge made of it."""
        ...


def union_mode(modes: Iterable[MatchMode]) -> MatchMode:
    """The mode to report for several searches: hybrid if they differ, else the one there is."""
    seen = {mode for mode in modes if mode is not MatchMode.NONE}
    if not seen:
        return MatchMode.NONE
    return seen.pop() if len(seen) == 1 else MatchMode.HYBRID
