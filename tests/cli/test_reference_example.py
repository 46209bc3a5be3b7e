"""The response that the contract's document shows, from a pot that holds its facts, through the installed program."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

import pytest

from potpie_git.domain.ranking import QUERY_WEIGHTS
from potpie_git.domain.vocabulary import CONTRACT_VERSION, ONTOLOGY_VERSION, SUBGRAPHS
from potpie_git.readers.request import ReadRequest
from tests.readers.support import MemoryClaims, claim, entity, trunk
from tests.support.git_repo import GitRepo
from tests.support.program import document, ok

BUG = "bug_pattern:refunds-api:partial-capture-refund-failure"
FIX = "fix:refunds-api:retry-partial-capture"
ACTIVITY = "activity:github:acme/payments:pr-812"
DESCRIPTION = "Refund fails on partial captures; partial-capture refund error; refunds-api"
RESOLVED_AT, VERIFIED_AT = "2026-06-01T10:00:00+05:30", "2026-06-01T11:30:00+05:30"
ASKED_AT = "2026-06-29T12:00:00+05:30"
TICKET, REQUEST = "linear:ENG-241", "github:pr:acme/payments:812"

EXAMPLE: dict[str, Any] = {
    "subgraph": "debugging",
    "view": "prior_occurrences",
    "read_shape": "entity_relations",
    "match_mode": "vector",
    "subgraph_versions": {"_global": 8814},
    "items": [
        {
            "include": "prior_bugs",
            "candidate_key": BUG,
            "score": 0.91,
            "breakdown": {
                "semantic_similarity": 0.88,
                "strength": 1.0,
                "scope_overlap": 0.9,
                "recency": 0.6,
                "corroboration": 0.7,
                "coverage_quality": 0.5,
            },
            "truth": "source_observation",
            "evidence_strength": "deterministic",
            "payload": {
                "entity_key": BUG,
                "entity_type": "BugPattern",
                "description": DESCRIPTION,
                "relations": [
                    {"type": "RESOLVED", "subject": FIX, "object": BUG, "valid_at": RESOLVED_AT, "valid_until": None},
                    {"type": "VERIFIED", "subject": ACTIVITY, "object": FIX, "valid_at": VERIFIED_AT,
                     "valid_until": None},
                ],
            },
            "source_refs": [TICKET, REQUEST],
        }
    ],
    "coverage": [{"view": "debugging.prior_occurrences", "status": "complete", "candidate_pool": 3}],
    "quality": {"status": "good", "confidence": "high", "backend": "falkordb_lite"},
    "unsupported": [],
    "as_of": ASKED_AT,
}  # fmt: skip


def is_share(held: Any) -> bool:
    return isinstance(held, float) and 0.0 <= held <= 1.0


# What another embedder, another store and another clock answer in their own way, and what must hold of it all the same.
OWN: Mapping[str, Callable[[Any], bool]] = {
    "match_mode": lambda held: held == "hybrid",
    "subgraph_versions": lambda held: (
        held.keys() == set(SUBGRAPHS) and bool(re.fullmatch("[0-9a-f]{40}", held["debugging"]))
    ),
    "items.0.score": is_share,
    "items.0.breakdown.semantic_similarity": is_share,
    "items.0.breakdown.scope_overlap": is_share,
    "items.0.breakdown.recency": lambda held: abs(held - 0.5 ** (28 / 30)) < 0.01,
    "items.0.breakdown.corroboration": lambda held: held == 0.75,
    "items.0.breakdown.coverage_quality": lambda held: held == 1.0,
    "quality.backend": lambda held: held == "git",
}  # fmt: skip


def write(repo: GitRepo) -> None:
    """The facts of the example: two sources say that the fix resolved the bug, and a pull request verified it."""
    told = {"truth": "source_observation", "description": DESCRIPTION}
    resolved = {
        "op": "assert_claim",
        "subject": FIX,
        "predicate": "RESOLVED",
        "object": BUG,
        "valid_from": RESOLVED_AT,
    }
    ticket, request = (
        {"evidence": [{"source_ref": ref, "authority": "external_system"}]} for ref in (TICKET, REQUEST)
    )
    verified = {"op": "assert_claim", "subject": ACTIVITY, "predicate": "VERIFIED", "object": FIX}
    operations = [
        {"op": "upsert_entity", "subject": {"key": BUG, "type": "BugPattern", "description": DESCRIPTION}},
        resolved | told | ticket,
        resolved | told | request,
        verified | told | request | {"valid_from": VERIFIED_AT, "description": "The refund went through."},
    ]
    ok(repo.root, "graph", "mutate", json.dumps({"operations": operations}))


def leaves(held: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a document with its place; a value that is judged on its own is a leaf, whatever it holds."""
    if place in OWN or not isinstance(held, dict | list) or not held:
        yield place, held
        return
    pairs = held.items() if isinstance(held, dict) else enumerate(held)
    for name, value in pairs:
        yield from leaves(value, f"{place}.{name}".removeprefix("."))


@pytest.fixture
def response(pot_repo: GitRepo) -> dict[str, Any]:
    write(pot_repo)
    words = (
        "graph",
        "read",
        "--subgraph",
        "debugging",
        "--view",
        "prior_occurrences",
        "--relations",
        "summary",
    )
    return document(pot_repo.root, *words, "--query", "partial-capture refund error", "--as-of", ASKED_AT)


def test_every_field_of_the_example_is_in_the_response(response: dict[str, Any]) -> None:
    found = dict(leaves(response["result"]))
    for place, expected in leaves(EXAMPLE):
        assert place in found, place
        if place in OWN:
            assert OWN[place](found[place]), (place, found[place])
        else:
            assert found[place] == expected, place
    assert set(OWN) <= set(found)
    for name in ("items", "coverage"):
        assert len(response["result"][name]) == len(EXAMPLE[name])
    assert len(response["result"]["items"][0]["payload"]["relations"]) == 2


def test_the_envelope_around_it_is_whole(response: dict[str, Any]) -> None:
    assert list(response) == [
        "ok", "command", "request_id", "pot_id", "graph_contract_version", "ontology_version", "subgraph_versions",
        "result", "warnings", "unsupported", "recommended_next_action", "error",
    ]  # fmt: skip
    assert (response["ok"], response["command"], response["error"]) == (True, "graph read", None)
    assert re.fullmatch("r-[0-9a-f]{32}", response["request_id"])
    assert response["pot_id"]
    versions = (response["graph_contract_version"], response["ontology_version"])
    assert versions == (CONTRACT_VERSION, ONTOLOGY_VERSION) == ("v1.5", "2026-06-graph")
    assert response["subgraph_versions"] == response["result"]["subgraph_versions"]
    assert (response["warnings"], response["unsupported"], response["recommended_next_action"]) == (
        [],
        [],
        None,
    )


def test_an_item_says_more_than_the_example(response: dict[str, Any]) -> None:
    (item,) = response["result"]["items"]
    told = {name: item[name] for name in ("corroboration", "weak", "standing", "stale", "coverage_status")}
    assert told == {
        "corroboration": 3,
        "weak": False,
        "standing": "branch",
        "stale": False,
        "coverage_status": "complete",
    }
    assert [edge["outcome"] for edge in item["payload"]["relations"]] == ["verified", "worked"]
    weighted = sum(weight * item["breakdown"][name] for name, weight in QUERY_WEIGHTS.items())
    assert abs(item["score"] - weighted / sum(QUERY_WEIGHTS.values())) < 1e-3


def test_similarity_and_strength_stand_in_the_breakdown_as_they_are() -> None:
    told = {"truth": "source_observation", "description": DESCRIPTION, "valid_from": RESOLVED_AT}
    resolved = claim(FIX, "RESOLVED", BUG, refs=[TICKET], **told)
    memory = MemoryClaims([resolved], similar={resolved.id: 0.88}, now=datetime.fromisoformat(ASKED_AT))
    reader = trunk(memory, now=memory.now, entities=[entity(BUG, "BugPattern", description=DESCRIPTION)])
    (item,) = reader.read_view("debugging", "prior_occurrences", ReadRequest(query="refund fails")).items
    assert (item.breakdown["semantic_similarity"], item.breakdown["strength"]) == (0.88, 1.0)
