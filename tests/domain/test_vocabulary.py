"""The declared vocabulary holds the upstream contract's facts, and contradictions cannot be imported."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from potpie_git.domain import vocabulary
from potpie_git.domain.vocabulary import coherence

FACTS: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "vocabulary_facts.yaml").read_text("utf-8"))


def test_versions_are_the_contracts() -> None:
    assert FACTS["contract_version"] == vocabulary.CONTRACT_VERSION
    assert FACTS["ontology_version"] == vocabulary.ONTOLOGY_VERSION


@pytest.mark.parametrize("name", sorted(FACTS["entity_types"]))
def test_entity_types_are_as_the_contract_says(name: str) -> None:
    fact, entity = FACTS["entity_types"][name], vocabulary.ENTITY_TYPES[name]
    for field in ("category", "key_prefix", "key_pattern", "identity", "fact_family", "source_of_truth"):
        assert fact[field] == getattr(entity, field)
    assert fact["freshness_ttl_hours"] == entity.ttl_hours
    assert fact.get("scope", False) == entity.scope
    assert fact.get("activity", False) == entity.activity
    assert fact.get("public", True) == entity.public
    assert {state: tuple(to) for state, to in fact.get("lifecycle", {}).items()} == dict(entity.lifecycle)


@pytest.mark.parametrize("name", sorted(FACTS["predicates"]))
def test_predicates_are_as_the_contract_says(name: str) -> None:
    fact, predicate = FACTS["predicates"][name], vocabulary.PREDICATES[name]
    assert [tuple(pair) for pair in fact["pairs"]] == list(predicate.pairs)
    for field, neutral in (
        ("family", None),
        ("exclusive_family", None),
        ("singleton", False),
        ("public", True),
    ):
        assert fact.get(field, neutral) == getattr(predicate, field)
    assert (fact["category"], fact["subgraph"]) == (predicate.category, predicate.subgraph)


@pytest.mark.parametrize("key", sorted(FACTS["views"]))
def test_views_are_as_the_contract_says(key: str) -> None:
    fact, view = FACTS["views"][key], vocabulary.VIEWS[key]
    assert (fact["include"], fact["shape"], fact["traversal"]) == (view.include, view.shape, view.traversal)
    for field in ("required_any_scope", "filters", "inline_relations", "ranking_inputs"):
        assert tuple(fact[field]) == getattr(view, field)


def test_nothing_is_declared_that_the_contract_lacks_and_nothing_is_missing() -> None:
    assert set(FACTS["entity_types"]) == set(vocabulary.ENTITY_TYPES)
    assert set(FACTS["predicates"]) == set(vocabulary.PREDICATES)
    assert set(FACTS["system_predicates"]) == set(vocabulary.SYSTEM_PREDICATES)
    assert set(FACTS["views"]) == set(vocabulary.VIEWS)
    assert set(FACTS["record_types"]) == set(vocabulary.RECORD_TYPES)
    assert set(FACTS["mutation_ops"]) == set(vocabulary.MUTATION_OPS)
    assert {name: tuple(held) for name, held in FACTS["intents"].items()} == dict(vocabulary.INTENTS)
    assert tuple(FACTS["includes"]) == vocabulary.INCLUDES
    assert tuple(FACTS["source_authorities"]) == vocabulary.SOURCE_AUTHORITIES
    assert FACTS["truth_classes"] == dict(vocabulary.TRUTH_STRENGTH)
    assert FACTS["ranking"]["weights"] == dict(vocabulary.RANKING_WEIGHTS)
    assert FACTS["ranking"]["strength"] == dict(vocabulary.STRENGTH_SCORE)
    assert FACTS["ranking"]["coverage_quality"] == dict(vocabulary.COVERAGE_QUALITY)
    for name, fact in FACTS["subgraphs"].items():
        if name != "admin":
            assert tuple(fact["entities"]) == vocabulary.SUBGRAPHS[name].entities
            assert tuple(fact["predicates"]) == vocabulary.SUBGRAPHS[name].predicates


def test_records_are_as_the_contract_says() -> None:
    for name, fact in FACTS["record_types"].items():
        record = vocabulary.RECORD_TYPES[name]
        assert (fact["anchor"], fact["emits"], fact["schema"]) == (record.anchor, record.emits, record.schema)
        assert fact["include"] == record.include
    for name, fact in FACTS["record_fields"].items():
        schema = vocabulary.RECORD_SCHEMAS[name]
        assert (tuple(fact["required"]), tuple(fact["optional"])) == (schema.required, schema.optional)
        assert fact.get("defaults", {}) == dict(schema.defaults)
    assert {name: tuple(held) for name, held in FACTS["record_enums"].items()} == dict(
        vocabulary.RECORD_ENUMS
    )


def test_risk_is_as_the_contract_says() -> None:
    for label in ("low", "medium", "high"):
        for op in FACTS["risk"][label]:
            if op in vocabulary.MUTATION_OPS:
                assert vocabulary.OP_RISK[op].label == label


def test_a_contradiction_names_the_declaration_and_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {**vocabulary.INTENTS, "feature": ("no_such_include",)}
    monkeypatch.setattr(coherence, "INTENTS", MappingProxyType(broken))
    with pytest.raises(
        vocabulary.VocabularyError, match=r"intent feature names 'no_such_include': declare it in"
    ):
        coherence.require_coherence()


def test_an_include_without_a_view_is_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coherence, "INCLUDES", (*vocabulary.INCLUDES, "dreams"))
    assert any("every include needs exactly one view" in fault for fault in coherence.incoherences())
