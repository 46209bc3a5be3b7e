"""Entity keys: types from prefixes, minting by identity class, and what cannot be a key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potpie_git.domain.keys import (
    KeyFormatError,
    entity_type_of,
    folded_key,
    key_problem,
    mint_key,
    parse_key,
)
from potpie_git.domain.vocabulary import ENTITY_TYPES


def test_every_type_is_found_by_its_own_pattern() -> None:
    for entity in ENTITY_TYPES.values():
        key = entity.key_pattern.replace("<", "").replace(">", "")
        assert parse_key(key) is entity


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("", "empty"),
        ("payments", "no known type prefix"),
        ("servce:payments", "Did you mean 'service'"),
        ("service:", "no known type prefix"),
        ("service:a::b", "empty part"),
        ("service:pay\nments", "U+000A"),
        ("service:pay\u202ements", "U+202E"),
        ("service:nai\u0308ve", "NFC"),
        ("../../.git/hooks/x", "no known type prefix"),
        ("con", "no known type prefix"),
        ("service:" + "x" * 600, "longer than"),
        ("service:a  b", "surplus white space"),
    ],
)
def test_what_cannot_be_a_key_says_why(key: str, why: str) -> None:
    problem = key_problem(key)
    assert problem is not None
    assert why in problem[0] or (why == "U+000A" and "line break" in problem[0])
    assert problem[1]
    with pytest.raises(KeyFormatError):
        parse_key(key)


@pytest.mark.parametrize(
    "key", ["service:naïve", "service:con", "service:../../.git/hooks/x", "service:a.", "service:Pay"]
)
def test_odd_keys_are_keys_all_the_same(key: str) -> None:
    assert parse_key(key).name == "Service"


def test_minting_follows_the_identity_class() -> None:
    assert mint_key("Service", "Refunds API") == "service:refunds-api"
    assert mint_key("Activity", "github", "pr-812") == "activity:github:pr-812"
    assert mint_key("Dependency", "PyPI", "ruamel.yaml") == "dependency:PyPI:ruamel.yaml"
    fix = mint_key("Fix", content={"steps": ["retry"]})
    assert fix == mint_key("Fix", content={"steps": ["retry"]})
    assert fix.startswith("fix:")
    assert fix != mint_key("Fix", content={"steps": ["retry twice"]})
    assert mint_key("Period", "pot-1", "2026-06-01") == "timeline:period:daily:pot-1:2026-06-01"


@pytest.mark.parametrize("arguments", [("Servce", "x"), ("Service",), ("Fix", "x")])
def test_minting_refuses_what_it_cannot_name(arguments: tuple[str, ...]) -> None:
    with pytest.raises(KeyFormatError):
        mint_key(*arguments)


@given(st.sampled_from(sorted(ENTITY_TYPES)), st.lists(st.text(min_size=1), min_size=1, max_size=3))
def test_a_minted_slug_key_is_always_a_key(type_name: str, parts: list[str]) -> None:
    if ENTITY_TYPES[type_name].identity != "slug_alias" or not any(part.strip() for part in parts):
        return
    key = mint_key(type_name, *parts)
    assert key_problem(key) is None
    assert entity_type_of(key) is ENTITY_TYPES[type_name]


def test_keys_that_only_look_different_fold_to_one() -> None:
    assert folded_key("service:Pay") == folded_key("service:pay") == folded_key("service:ｐａｙ")
    assert folded_key("service:pay") != folded_key("service:paid")
