"""The one shape of a read's result: ranked evidence with coverage, and never a synthesised answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from potpie_git.domain.query import MatchMode

Coverage = Literal["complete", "partial", "sparse", "empty"]
Confidence = Literal["high", "medium", "low"]
_CONFIDENCE: dict[str, Confidence] = {
    "complete": "high",
    "partial": "medium",
    "sparse": "low",
    "empty": "low",
}
_TIERS: tuple[Coverage, ...] = ("complete", "partial", "sparse", "empty")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Withdrawal(_Model):
    """That a claim no longer stands: since when, by which operation, why, who said so and what replaced it."""

    valid_to: str
    op: str
    reason: str
    by: dict[str, str] = Field(default_factory=dict)
    recorded_at: str | None = None
    superseded_by: str | None = None


class Relation(_Model):
    """One edge beside an item, normalised: `valid_at` and `valid_until` are the claim's own times.

    `outcome` says how a fix or a verification turned out; `corroboration` counts the distinct sources.
    """

    type: str
    subject: str
    object: str | None = None
    value: str | None = None
    environment: str | None = None
    claim_id: str | None = None
    fact: str | None = None
    truth: str | None = None
    outcome: str | None = None
    source_refs: list[str] = Field(default_factory=list)
    corroboration: int | None = None
    standing: str | None = None
    depth: int | None = None
    withdrawn: Withdrawal | None = None
    valid_at: str | None = None
    valid_until: str | None = None


class EvidenceItem(_Model):
    """One ranked item: where it comes from, why it ranks there, and what it says.

    `claim_id` is the claim that speaks for it, if a file holds it: what a withdrawal or a verification names.
    """

    include: str
    candidate_key: str
    score: float
    breakdown: dict[str, float]
    coverage_status: Coverage
    truth: str
    evidence_strength: str
    payload: dict[str, Any]
    source_refs: list[str] = Field(default_factory=list)
    corroboration: int = 1
    weak: bool = False
    standing: str = "branch"
    stale: bool = False
    stale_reason: str | None = None
    claim_id: str | None = None


class CoverageReport(_Model):
    """How much of what was asked for was found, for one view."""

    view: str
    include: str
    status: Coverage
    candidate_pool: int


class UnsupportedInclude(_Model):
    include: str
    reason: Literal["not_implemented", "unknown_include"]
    hint: str = ""


class ReadEnvelope(_Model):
    """The result of every read, whatever the surface."""

    items: list[EvidenceItem]
    coverage: list[CoverageReport]
    unsupported: list[UnsupportedInclude] = Field(default_factory=list)
    overall_confidence: Confidence
    match_mode: MatchMode
    as_of: str
    metadata: dict[str, Any] = Field(default_factory=dict)


def overall_confidence(statuses: Iterable[Coverage]) -> Confidence:
    """How much of what was asked for was found: the worst tier among the includes."""
    seen: Sequence[Coverage] = list(statuses)
    worst = max(seen, key=_TIERS.index) if seen else "empty"
    return _CONFIDENCE[worst]
