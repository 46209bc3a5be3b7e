"""History, quality, inbox, bulk, mutate, templates, export and import as commands."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import document, ok, result, run


def operation(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "op": "assert_claim",
        "subject": f"service:s{number}",
        "predicate": "DEPENDS_ON",
        "object": "service:ledger",
        **fields,
    }


def written(path: Path, *items: Any) -> str:
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return str(path)


def test_history_tells_the_commit_and_the_plan(pot_repo: GitRepo) -> None:
    outcome = result(pot_repo.root, "graph", "mutate", json.dumps(operation(1)))
    plan = outcome["plan"]["plan_id"]
    text = ok(pot_repo.root, "graph", "history", "--entity", "service:s1", "--since", "1h")
    assert f"plan {plan}" in text
    assert outcome["commit"][:12] in text
    events = result(pot_repo.root, "graph", "history", "--plan", plan)["events"]
    assert [event["kind"] for event in events] == ["asserted"]
    narrow = document(pot_repo.root, "graph", "history", "--subgraph", "decisions", "--limit", "1")
    assert len(narrow["result"]["events"]) == 1


def test_history_asks_for_one_thing(pot_repo: GitRepo) -> None:
    done = run(pot_repo.root, "graph", "history")
    assert done.returncode == 1
    assert "one of --entity" in done.stderr


def test_a_finding_names_a_command_that_can_be_run(pot_repo: GitRepo, tmp_path: Path) -> None:
    owner = {"op": "assert_claim", "subject": "service:pay", "predicate": "OWNED_BY"}
    ok(pot_repo.root, "graph", "mutate", json.dumps({**owner, "object": "team:a"}))
    pot_repo.branch("other", "HEAD~1")
    ok(pot_repo.root, "graph", "mutate", json.dumps({**owner, "object": "team:b"}))
    assert pot_repo.merge("work")

    held = document(pot_repo.root, "graph", "quality", "conflicting-claims")
    (finding,) = held["result"]["findings"]
    assert held["recommended_next_action"] == finding["next_command"]
    words = shlex.split(finding["next_command"])
    plan = result(pot_repo.root, *words[2:])
    assert plan["state"] == "validated"
    assert "conflicting-claims" in ok(pot_repo.root, "graph", "quality", "summary")


@pytest.mark.parametrize(
    "report", ["duplicate-candidates", "stale-facts", "low-confidence", "orphan-entities"]
)
def test_every_look_up_that_a_report_recommends_can_be_run(
    pot_repo: GitRepo, tmp_path: Path, report: str
) -> None:
    ops = written(
        tmp_path / "ops.ndjson",
        operation(1, subject="service:payments-api", confidence=0.1, fact="It's -- $(odd) 'text'."),
        operation(2, subject="service:payment-api", observed_at="2020-01-01T00:00:00Z"),
        {"op": "upsert_entity", "subject": {"key": "service:lonely", "name": "--help"}},
    )
    ok(pot_repo.root, "graph", "bulk", "apply", ops)
    found = result(pot_repo.root, "graph", "quality", report)["findings"]
    assert found
    for finding in found:
        ok(pot_repo.root, *shlex.split(finding["next_command"])[2:])


def test_projection_drift_is_gone_after_a_sync(pot_repo: GitRepo) -> None:
    ok(pot_repo.root, "record", "decision", "-d", "title=U", "-d", "summary=S", "-d", "rationale=R")
    before = result(pot_repo.root, "graph", "quality", "projection-drift")["findings"]
    assert before
    ok(pot_repo.root, "index", "rebuild", "--no-vectors")
    assert result(pot_repo.root, "graph", "quality", "projection-drift")["findings"] == []


def test_an_item_goes_through_the_inbox(pot_repo: GitRepo) -> None:
    item = result(pot_repo.root, "graph", "inbox", "add", "Look at retries", "--subject", "service:pay")[
        "item"
    ]["id"]
    plan = result(pot_repo.root, "graph", "mutate", json.dumps(operation(1)))["plan"]["plan_id"]
    ok(pot_repo.root, "graph", "inbox", "claim", item, "--note", "mine")
    refused = document(pot_repo.root, "graph", "inbox", "mark-applied", item)
    assert refused["error"]["code"] == "missing_field"
    ok(pot_repo.root, "graph", "inbox", "mark-applied", item, "--plan", plan)
    assert "applied" in ok(pot_repo.root, "graph", "inbox", "list")
    ok(pot_repo.root, "graph", "inbox", "close", item)
    (listed,) = result(pot_repo.root, "graph", "inbox", "list", "--status", "closed")["items"]
    assert [event["action"] for event in listed["events"]] == ["add", "claim", "mark-applied", "close"]
    second = result(pot_repo.root, "graph", "inbox", "add", "Another")["item"]["id"]
    ok(pot_repo.root, "graph", "inbox", "mark-rejected", second, "--note", "No.")
    assert "note: No." in ok(pot_repo.root, "graph", "inbox", "show", second)
    found = result(pot_repo.root, "search", "Look at retries")["items"]
    assert "Look at retries" not in json.dumps(found)
    assert item not in json.dumps(found)


def test_bulk_says_line_and_operation_and_goes_on(pot_repo: GitRepo, tmp_path: Path) -> None:
    manifest = str(tmp_path / "run.json")
    ops = written(tmp_path / "ops.ndjson", operation(1), operation(2, predicate="DEPENDS"), operation(3))
    done = run(
        pot_repo.root,
        "graph",
        "bulk",
        "apply",
        ops,
        "--chunk-size",
        "1",
        "--manifest",
        manifest,
        "--continue-on-error",
    )
    assert done.returncode == 3
    assert "line 2, operation 0: predicate 'DEPENDS'" in done.stdout
    assert f"--manifest {manifest}" in done.stderr

    written(tmp_path / "ops.ndjson", operation(1), operation(2), operation(3))
    held = result(pot_repo.root, "graph", "bulk", "apply", ops, "--chunk-size", "1", "--manifest", manifest)
    assert [chunk["state"] for chunk in held["chunks"]] == ["committed"] * 3
    assert run(pot_repo.root, "graph", "bulk", "apply", str(tmp_path / "none")).returncode == 1


def test_bulk_reads_standard_input(pot_repo: GitRepo) -> None:
    text = json.dumps({"operations": [operation(1), operation(2)]}, indent=1)
    held = json.loads(run(pot_repo.root, "--json", "graph", "bulk", "apply", "-", stdin=text).stdout)
    assert held["result"]["claims"] == 2


def test_mutate_leaves_what_is_above_low_risk_to_commit(pot_repo: GitRepo) -> None:
    ok(pot_repo.root, "graph", "mutate", json.dumps(operation(1)))
    retract = {**operation(1), "op": "retract_claim", "reason": "It moved."}
    done = run(pot_repo.root, "--json", "graph", "mutate", json.dumps(retract))
    assert done.returncode == 4
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "approval_required"
    ok(pot_repo.root, "graph", "commit", error["detail"]["plan_id"])


def test_a_template_can_be_sent_back(pot_repo: GitRepo, tmp_path: Path) -> None:
    assert "assert_claim" in ok(pot_repo.root, "graph", "mutation-template").split()
    for kind, command in (("assert_claim", ("graph", "mutate")), ("decision", ("record",))):
        file = tmp_path / f"{kind}.json"
        file.write_text(ok(pot_repo.root, "graph", "mutation-template", "--kind", kind), encoding="utf-8")
        ok(pot_repo.root, *command, "--file", str(file))
    assert run(pot_repo.root, "graph", "mutation-template", "--kind", "nothing").returncode == 1


def test_an_export_makes_the_same_pot_elsewhere(pot_repo: GitRepo, tmp_path: Path) -> None:
    file = tmp_path / "pot.ndjson"
    ok(pot_repo.root, "graph", "export", "--output", str(file))
    assert ok(pot_repo.root, "graph", "export") == file.read_text(encoding="utf-8")
    other = GitRepo.init(tmp_path / "other")
    other.commit("Code", files={"a.py": "1"})
    other.branch("work")
    ok(other.root, "graph", "import", str(file))
    assert other.git("rev-parse", "HEAD:.potpie") == pot_repo.git("rev-parse", "HEAD:.potpie")
    again = result(other.root, "graph", "import", str(file))
    assert again["added"] == []
    only = document(pot_repo.root, "graph", "export", "--kind", "claim")["result"]
    assert only["files"] == len(only["lines"]) > 0
    assert run(pot_repo.root, "graph", "export", "--kind", "clam").returncode == 1
