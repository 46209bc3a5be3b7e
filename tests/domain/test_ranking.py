"""The ranker: factors clamped, missing ones neutral, and a breakdown that explains every score."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potpie_git.domain.ranking import (
    Factors,
    breakdown,
    corroboration_score,
    rank,
    recency_score,
    score,
    strength_score,
)
from potpie_git.domain.vocabulary import RANKING_WEIGHTS

NOW = datetime(2026, 7, 1, tzinfo=UTC)
factor = st.none() | st.floats(allow_nan=True, allow_infinity=True)


def test_a_missing_factor_is_neutral() -> None:
    parts = breakdown(Factors())
    assert parts == {name: 0.75 if name == "coverage_quality" else 0.5 for name in RANKING_WEIGHTS}


@given(st.tuples(factor, factor, factor, factor, factor, factor))
def test_a_score_and_its_parts_stay_between_nothing_and_one(held: tuple[float | None, ...]) -> None:
    parts = breakdown(Factors(*held))
    assert all(0.0 <= part <= 1.0 for part in parts.values())
    assert 0.0 <= score(parts) <= 1.0


def test_the_score_is_the_weighted_mean_of_the_breakdown() -> None:
    parts = breakdown(
        Factors(semantic_similarity=1.0, strength=0.6, scope_overlap=0.0, recency=0.5, corroboration=0.5)
    )
    by_hand = (1.3 * 1.0 + 1.2 * 0.6 + 1.1 * 0.0 + 1.0 * 0.5 + 0.8 * 0.5 + 0.5 * 0.75) / 5.9
    assert score(parts) == pytest.approx(by_hand, abs=1e-4)


def test_one_bad_factor_vetoes_nothing() -> None:
    strong = breakdown(Factors(1.0, 1.0, 0.0, 1.0, 0.9, 1.0))
    weak = breakdown(Factors(0.3, 0.45, 0.5, 0.3, 0.5, 0.4))
    assert score(strong) > score(weak)


def test_equal_scores_are_ordered_by_key() -> None:
    ranked = rank([("b", Factors(), "b"), ("a", Factors(), "a")])
    assert [one.item for one in ranked] == ["a", "b"]


@pytest.mark.parametrize(("sources", "expected"), [(0, 0.0), (1, 0.5), (2, 2 / 3), (9, 0.9)])
def test_corroboration_has_diminishing_returns(sources: int, expected: float) -> None:
    assert corroboration_score(sources) == pytest.approx(expected)


@pytest.mark.parametrize(("freshness", "days"), [("balanced", 30), ("fresh", 15), ("historical", 120)])
def test_recency_halves_with_every_half_life(freshness: str, days: int) -> None:
    aged = recency_score(NOW - timedelta(days=days), NOW, freshness)  # type: ignore[arg-type]
    assert aged == pytest.approx(0.5)
    assert recency_score(NOW + timedelta(days=3), NOW, freshness) == 1.0  # type: ignore[arg-type]


def test_strength_falls_back_to_the_weakest() -> None:
    assert strength_score("deterministic") == 1.0
    assert strength_score("no such strength") == strength_score("speculative")
