"""What a quality report says, and what its parts look at."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from potpie_git.domain.claim import Claim, Evidence
from potpie_git.domain.files import Entity
from potpie_git.domain.freshness import EvidenceState
from potpie_git.domain.keys import type_name_of
from potpie_git.store.codec import repository_path
from potpie_git.store.pot_tree import PotTree, Stored

PROGRAM = "git potpie"
# How many claims were compared with the index, and each difference in words.
Drift = Callable[[], tuple[int, Sequence[str]]]
EvidenceLookup = Callable[[Evidence], EvidenceState | None]


class QualityFinding(BaseModel):
    """One thing worth a look: what it is, about which records, and the command to go on with.

    `score` is in [0, 1] and orders findings of one report: how alike, how unsure, how old, as the report says.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str
    message: str
    entities: list[str] = Field(default_factory=list)
    claims: list[str] = Field(default_factory=list)
    paths: list[str] = Field(default_factory=list)
    score: float = 0.0
    next_command: str


class QualityReport(BaseModel):
    """One report: how many records it looked at, its findings (worst first), and what it could not look at."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    report: str
    checked: int
    findings: list[QualityFinding] = Field(default_factory=list)
    counts: dict[str, int] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)


def no_evidence(_: Evidence) -> EvidenceState | None:
    """For a caller that cannot compare evidence with the repository."""
    return None


@dataclass(frozen=True)
class PotView:
    """A pot, read once for all reports. Reports are about the pot as a whole, so all of it is read."""

    tree: PotTree
    now: datetime
    evidence_state: EvidenceLookup = no_evidence
    drift: Drift | None = None

    @cached_property
    def stored(self) -> list[Stored]:
        """Every claim, with its file."""
        return list(self.tree.claims())

    @cached_property
    def live(self) -> list[Claim]:
        """Claims that stand now."""
        claims = (stored.claim for stored in self.stored)
        return [claim for claim in claims if claim.live and (claim.ends is None or self.now < claim.ends)]

    @cached_property
    def described(self) -> list[Stored]:
        """Every entity that somebody described, with its file."""
        return list(self.tree.entities())

    @cached_property
    def entities(self) -> Mapping[str, Entity]:
        """What was authored about entities, by key."""
        return {stored.record.key: stored.record for stored in self.described}

    @cached_property
    def path_by_claim(self) -> Mapping[str, str]:
        return {stored.claim.id: repository_path(stored.path) for stored in self.stored}

    @cached_property
    def keys_in_use(self) -> frozenset[str]:
        """Keys that claims which stand name on either side."""
        ends = (key for claim in self.live for key in (claim.subject, claim.object) if key)
        return frozenset(key for key in ends if type_name_of(key))

    @cached_property
    def keys_ever_used(self) -> frozenset[str]:
        """Keys that any claim names, withdrawn ones included."""
        return frozenset(
            key for stored in self.stored for key in (stored.claim.subject, stored.claim.object) if key
        )

    def paths(self, claims: Iterable[Claim]) -> list[str]:
        return [self.path_by_claim[claim.id] for claim in claims]


def worst_first(findings: Iterable[QualityFinding]) -> list[QualityFinding]:
    return sorted(findings, key=lambda one: (-one.score, one.code, one.entities, one.claims))


def propose(operation: Mapping[str, Any]) -> str:
    """The command that proposes an operation, ready for a shell."""
    payload = json.dumps(dict(operation), ensure_ascii=True)
    return f"{PROGRAM} graph propose {shlex.quote(payload)}"


def search_entities(**options: str | None) -> str:
    """The command that looks entities and their claims up, ready for a shell."""
    words = [PROGRAM, "graph", "search-entities"]
    for name, value in options.items():
        if value:
            words.append(f"--{name.replace('_', '-')}={shlex.quote(value)}")
    return " ".join([*words, "--supporting-claims"])


def text_of(claim: Claim) -> str:
    """What a claim says, in one line."""
    text = (
        claim.value or claim.fact or claim.description or f"{claim.subject} {claim.predicate} {claim.object}"
    )
    return " ".join(text.split())


def quoted(claim: Claim) -> str:
    text = text_of(claim)
    return f"“{text[:117]}…”" if len(text) > 118 else f"“{text}”"


def pairs(items: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    return ((left, right) for at, left in enumerate(items) for right in items[at + 1 :])
