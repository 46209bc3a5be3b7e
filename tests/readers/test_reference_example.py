"""The response that the contract's document shows, from a pot that holds its facts."""

import json
from datetime import datetime

from potpie_git.domain.ranking import QUERY_WEIGHTS
from potpie_git.domain.vocabulary import VIEWS
from potpie_git.readers.assemble import view_result
from potpie_git.readers.request import ReadRequest
from tests.readers.support import MemoryClaims, claim, entity, trunk

BUG = "bug_pattern:refunds-api:partial-capture-refund-failure"
FIX = "fix:refunds-api:retry-partial-capture"
ACTIVITY = "activity:github:acme/payments:pr-812"
DESCRIPTION = "Refund fails on partial captures; partial-capture refund error; refunds-api"
NOW = datetime.fromisoformat("2026-06-29T12:00:00+05:30")


def _pot() -> MemoryClaims:
    told = {
        "truth": "source_observation",
        "description": DESCRIPTION,
        "valid_from": "2026-06-01T10:00:00+05:30",
    }
    ticket = claim(FIX, "RESOLVED", BUG, refs=["linear:ENG-241"], **told)
    request = claim(FIX, "RESOLVED", BUG, refs=["github:pr:acme/payments:812"], **told)
    verified = claim(
        ACTIVITY,
        "VERIFIED",
        FIX,
        refs=["github:pr:acme/payments:812"],
        details={"outcome": "worked"},
        valid_from="2026-06-01T11:30:00+05:30",
    )
    return MemoryClaims(
        [ticket, request, verified], similar={ticket.id: 0.88, request.id: 0.86, verified.id: 0.4}, now=NOW
    )


def test_the_response_has_every_field_of_the_example() -> None:
    reader = trunk(_pot(), now=NOW, entities=[entity(BUG, "BugPattern", description=DESCRIPTION)])
    request = ReadRequest(query="refund fails after a partial capture", relations="summary")
    envelope = reader.read_view("debugging", "prior_occurrences", request)
    result = view_result(
        envelope,
        VIEWS["debugging.prior_occurrences"],
        subgraph_versions={"debugging": "8814"},
        backend="falkordb_lite",
    )
    result = json.loads(json.dumps(result))

    assert {
        name: result[name] for name in ("subgraph", "view", "read_shape", "match_mode", "subgraph_versions")
    } == {
        "subgraph": "debugging",
        "view": "prior_occurrences",
        "read_shape": "entity_relations",
        "match_mode": "vector",
        "subgraph_versions": {"debugging": "8814"},
    }
    assert result["coverage"] == [
        {
            "view": "debugging.prior_occurrences",
            "include": "prior_bugs",
            "status": "complete",
            "candidate_pool": 3,
        }
    ]
    assert result["quality"] == {"status": "good", "confidence": "high", "backend": "falkordb_lite"}
    assert result["unsupported"] == []
    assert result["as_of"] == "2026-06-29T12:00:00+05:30"

    (item,) = result["items"]
    assert item["include"] == "prior_bugs"
    assert item["candidate_key"] == BUG
    assert item["truth"] == "source_observation"
    assert item["evidence_strength"] == "deterministic"
    assert sorted(item["source_refs"]) == ["github:pr:acme/payments:812", "linear:ENG-241"]
    payload = item["payload"]
    assert (payload["entity_key"], payload["entity_type"], payload["description"]) == (
        BUG,
        "BugPattern",
        DESCRIPTION,
    )
    times = {"valid_at": "2026-06-01T10:00:00+05:30", "valid_until": None}
    resolved, verified = payload["relations"]
    assert resolved == {"type": "RESOLVED", "subject": FIX, "object": BUG, "outcome": "verified"} | times
    assert verified == {
        "type": "VERIFIED",
        "subject": ACTIVITY,
        "object": FIX,
        "outcome": "worked",
        "valid_at": "2026-06-01T11:30:00+05:30",
        "valid_until": None,
    }


def test_the_score_is_the_weighted_mean_of_the_breakdown() -> None:
    reader = trunk(_pot(), now=NOW, entities=[entity(BUG, "BugPattern", description=DESCRIPTION)])
    (item,) = reader.read_view("debugging", "prior_occurrences", ReadRequest(query="refund fails")).items
    assert item.breakdown["semantic_similarity"] == 0.88
    assert item.breakdown["strength"] == 1.0
    weighted = sum(weight * item.breakdown[name] for name, weight in QUERY_WEIGHTS.items())
    mean = weighted / sum(QUERY_WEIGHTS.values())
    assert abs(item.score - mean) < 1e-3
