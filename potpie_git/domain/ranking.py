"""The one ranker: a weighted arithmetic mean of six factors, each in [0, 1], with its breakdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Generic, Literal, TypeVar

from potpie_git.domain.vocabulary import (
    COVERAGE_QUALITY,
    FRESH_HALF_LIFE_FACTOR,
    HALF_LIFE_DAYS,
    HISTORICAL_HALF_LIFE_FACTOR,
    MISSING_COVERAGE_QUALITY,
    MISSING_FACTOR,
    RANKING_WEIGHTS,
    STRENGTH_SCORE,
)

Freshness = Literal["balanced", "fresh", "historical"]
T = TypeVar("T")
# Where a text asks, how well it matches decides, and the other factors settle what is near: with the weight that serves
# browsing, a strong and well sourced claim about something else came before the answer (docs/retrieval.md).
QUERY_WEIGHTS: Mapping[str, float] = MappingProxyType({**RANKING_WEIGHTS, "semantic_similarity": 18.0})
_NEUTRAL: Mapping[str, float] = {
    name: MISSING_COVERAGE_QUALITY if name == "coverage_quality" else MISSING_FACTOR
    for name in RANKING_WEIGHTS
}
_HALF_LIFE_FACTOR: Mapping[str, float] = {
    "balanced": 1.0,
    "fresh": FRESH_HALF_LIFE_FACTOR,
    "historical": HISTORICAL_HALF_LIFE_FACTOR,
}


@dataclass(frozen=True, slots=True)
class Factors:
    """The six inputs; None is a factor that nobody can tell, and counts as neutral."""

    semantic_similarity: float | None = None
    strength: float | None = None
    scope_overlap: float | None = None
    recency: float | None = None
    corroboration: float | None = None
    coverage_quality: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked(Generic[T]):
    """A candidate with its score and every factor that made it."""

    item: T
    score: float
    breakdown: Mapping[str, float] = field(default_factory=dict)


def _clamp(value: float) -> float:
    return 0.0 if math.isnan(value) else min(1.0, max(0.0, value))


def breakdown(factors: Factors) -> dict[str, float]:
    """Every factor clamped to [0, 1], a missing one at its neutral value."""
    filled: dict[str, float] = {}
    for name, neutral in _NEUTRAL.items():
        held = getattr(factors, name)
        filled[name] = neutral if held is None else round(_clamp(held), 4)
    return filled


def score(parts: Mapping[str, float], weights: Mapping[str, float] = RANKING_WEIGHTS) -> float:
    """The weighted arithmetic mean of a full breakdown."""
    total = sum(weights.values())
    return round(sum(weights[name] * parts[name] for name in weights) / total, 4)


def rank(
    candidates: Iterable[tuple[T, Factors, str]], weights: Mapping[str, float] = RANKING_WEIGHTS
) -> list[Ranked[T]]:
    """Candidates `(item, factors, tie_break)` best first; equal scores are ordered by the tie-break text."""
    scored = []
    for item, factors, tie_break in candidates:
        parts = breakdown(factors)
        total = score(parts, weights)
        scored.append((-total, tie_break, Ranked(item, total, parts)))
    scored.sort(key=lambda entry: entry[:2])
    return [entry[2] for entry in scored]


def strength_score(evidence_strength: str) -> float:
    return STRENGTH_SCORE.get(evidence_strength, STRENGTH_SCORE["speculative"])


def recency_score(moment: datetime, now: datetime, freshness: Freshness = "balanced") -> float:
    """Exponential decay with the vocabulary's half-life; the future counts as now."""
    age_days = max(0.0, (now - moment).total_seconds() / 86_400)
    return float(0.5 ** (age_days / (HALF_LIFE_DAYS * _HALF_LIFE_FACTOR[freshness])))


def corroboration_score(sources: int) -> float:
    """Diminishing returns on distinct sources: none 0, one 0.5, n gives 1 - 1/(n + 1)."""
    return 0.0 if sources <= 0 else 1.0 - 1.0 / (sources + 1)


def coverage_quality_score(status: str) -> float:
    return COVERAGE_QUALITY.get(status, MISSING_COVERAGE_QUALITY)
