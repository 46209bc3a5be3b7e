"""Two kinds of time, end to end: what was valid then, what the repository said then, and what was withdrawn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import document, ok, result, run

LINK = {
    "op": "link_entities",
    "subject": "service:a",
    "predicate": "DEPENDS_ON",
    "object": "service:b",
    "fact": "A calls B.",
}
VIEW = ("graph", "read", "--subgraph", "infra_topology", "--view", "service_neighborhood", "--service", "a")


def commit(repo: GitRepo, **operation: Any) -> str:
    """Propose and commit one operation; returns the commit."""
    plan = result(repo.root, "graph", "propose", json.dumps(operation))
    outcome = result(repo.root, "graph", "commit", plan["plan_id"], "--verify")
    assert outcome["verification"]["ok"]
    return str(outcome["commit"])


def relations(repo: GitRepo, *options: str, env: dict[str, str] | None = None) -> list[dict[str, Any]]:
    held = document(repo.root, *VIEW, *options, env=env)
    assert held["error"] is None, held["error"]
    return [edge for item in held["result"]["items"] for edge in item["payload"]["relations"]]


def test_a_retraction_hides_the_claim_and_nothing_is_lost(pot_repo: GitRepo) -> None:
    commit(pot_repo, **LINK, valid_from="2026-01-01T00:00:00Z")
    before = pot_repo.git("rev-parse", "HEAD")
    assert len(relations(pot_repo)) == 1
    commit(
        pot_repo,
        op="retract_claim",
        subject="service:a",
        predicate="DEPENDS_ON",
        object="service:b",
        reason="It never did.",
    )
    assert relations(pot_repo) == []
    (edge,) = relations(pot_repo, "--include-invalidated")
    withdrawn = edge["withdrawn"]
    assert withdrawn["reason"] == "It never did."
    assert withdrawn["op"] == "retract_claim"
    assert withdrawn["valid_to"]
    assert withdrawn["by"]["user"]
    assert len(relations(pot_repo, "--as-of", "2026-02-01")) == 1
    assert len(relations(pot_repo, "--rev", before)) == 1
    assert relations(pot_repo, "--as-of", "2025-12-31") == []
    assert relations(pot_repo, "--rev", before, "--as-of", "2025-12-31") == []


def test_a_day_is_the_same_day_on_every_machine(pot_repo: GitRepo) -> None:
    commit(pot_repo, **LINK, valid_from="2026-09-01T00:00:00+12:00")
    for moment, count in (("2026-08-31", 0), ("2026-08-31T12:00:00Z", 1), ("2026-09-01", 1)):
        for zone in ("UTC", "Pacific/Auckland"):
            assert len(relations(pot_repo, "--as-of", moment, env={"TZ": zone})) == count, (moment, zone)


@pytest.mark.parametrize("time", ["2026-09-01", "2026-09-01T10:00:00", "tomorrow"])
def test_a_naive_time_is_refused_on_write(pot_repo: GitRepo, time: str) -> None:
    done = run(pot_repo.root, "graph", "propose", json.dumps({**LINK, "valid_from": time}))
    assert done.returncode == 1
    assert time in done.stderr
    assert pot_repo.git("status", "--porcelain") == ""


def test_a_withdrawn_value_is_refused_under_another_key_with_the_old_reason(pot_repo: GitRepo) -> None:
    commit(pot_repo, **LINK)
    commit(
        pot_repo,
        op="retract_claim",
        subject="service:a",
        predicate="DEPENDS_ON",
        object="service:b",
        reason="It never did.",
    )
    again = {**LINK, "subject": "service:other", "fact": "a  CALLS \uff22"}
    done = run(pot_repo.root, "graph", "propose", json.dumps(again))
    assert done.returncode == 1
    assert "PG-T01" in done.stderr
    assert "It never did." in done.stderr
    negated = {**LINK, "fact": "A does not call B."}
    ok(pot_repo.root, "graph", "propose", json.dumps(negated))
