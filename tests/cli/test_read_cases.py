"""What reads promise, through the installed program: as text and as a document, for more than one kind of record."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import document, ok, result, run

READ = ("graph", "read", "--subgraph")
TOPOLOGY = (*READ, "infra_topology", "--view", "service_neighborhood", "--service", "pay")
BUGS = (*READ, "debugging", "--view", "prior_occurrences", "--service", "pay")
PREFERENCES = (*READ, "decisions", "--view", "preferences_for_scope", "--service", "pay")
DECISIONS = (*READ, "decisions", "--view", "active_decisions", "--service", "pay")
DOCUMENTS = (*READ, "knowledge", "--view", "document_context", "--service", "pay")
FEATURES = (*READ, "features", "--view", "feature_context", "--service", "pay")
OWNERS = (*READ, "code_topology", "--view", "ownership_by_path", "--service", "pay")
BEGAN = "2026-01-01T00:00:00Z"

# A claim that each view shows, and the words that show it.
SHOWN: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "topology": (TOPOLOGY, {"subject": "service:pay", "predicate": "DEPENDS_ON", "object": "service:ledger"}),
    "bugs": (BUGS, {"subject": "bug_pattern:late", "predicate": "REPRODUCES", "object": "service:pay"}),
    "preferences": (PREFERENCES, {"subject": "preference:wrap", "predicate": "POLICY_APPLIES_TO",
                                  "object": "service:pay"}),
    "decisions": (DECISIONS, {"subject": "decision:aa11", "predicate": "DECIDED", "object": "service:pay"}),
    "documents": (DOCUMENTS, {"subject": "document:bb22", "predicate": "RELATED_TO", "object": "service:pay"}),
    "features": (FEATURES, {"subject": "service:pay", "predicate": "PROVIDES", "object": "feature:refund"}),
    "owners": (OWNERS, {"subject": "service:pay", "predicate": "OWNED_BY", "object": "team:core"}),
}  # fmt: skip
FACT = "Seventeen herons nest on the roof."
REASON = "They moved to the harbour."
OPS = ("retract_claim", "end_relation_validity")


@dataclass(frozen=True)
class Told:
    """A pot with a claim of each kind, all of them withdrawn again, and the commit before that."""

    repo: GitRepo
    before: str
    ops: Mapping[str, str]


@pytest.fixture(scope="module")
def told(pot_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    repo = GitRepo(Path(shutil.copytree(pot_template, tmp_path_factory.mktemp("told") / "pot")))
    ops = {kind: OPS[place % len(OPS)] for place, kind in enumerate(SHOWN)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(repo.root.parent))
        patch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        before = write(repo, *(assertion(held) for _, held in SHOWN.values()))
        write(repo, *({"op": ops[kind], **SHOWN[kind][1], "reason": REASON} for kind in SHOWN))
    return Told(repo, before, ops)


def write(repo: GitRepo, *operations: Mapping[str, Any]) -> str:
    """Propose and commit operations; returns the commit."""
    plan = result(repo.root, "graph", "propose", json.dumps({"operations": operations}))
    return str(result(repo.root, "graph", "commit", plan["plan_id"])["commit"])


def assertion(held: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    return {"op": "assert_claim", **held, "fact": FACT, "valid_from": BEGAN, **fields}


def items(repo: GitRepo, *words: str) -> list[dict[str, Any]]:
    held = document(repo.root, *words)
    assert held["error"] is None, held["error"]
    return list(held["result"]["items"])


def marks(found: Any) -> list[Mapping[str, Any]]:
    """Every withdrawal that a document tells, wherever it stands."""
    if isinstance(found, Mapping):
        own = [found["withdrawn"]] if isinstance(found.get("withdrawn"), Mapping) else []
        return own + [mark for held in found.values() for mark in marks(held)]
    return [mark for held in found for mark in marks(held)] if isinstance(found, list) else []


@pytest.mark.parametrize("kind", SHOWN)
def test_what_was_withdrawn_is_gone_and_kept(told: Told, kind: str) -> None:
    repo, words, op = told.repo, SHOWN[kind][0], told.ops[kind]
    assert items(repo, *words) == []
    assert ok(repo.root, *words).startswith("Nothing found.")

    (item,) = items(repo, *words, "--include-invalidated")
    assert FACT in json.dumps(item)
    found = marks(item)
    assert {mark["reason"] for mark in found} == {REASON}
    mark = next(mark for mark in found if mark["op"] == op)
    text = ok(repo.root, *words, "--include-invalidated")
    assert FACT in text
    assert f'withdrawn {mark["valid_to"]} by {mark["by"]["user"]}: "{REASON}"' in text


@pytest.mark.parametrize("kind", SHOWN)
def test_what_stood_then_is_there_then(told: Told, kind: str) -> None:
    repo, words, before = told.repo, SHOWN[kind][0], told.before
    assert FACT in ok(repo.root, *words, "--as-of", "2026-02-01")
    assert [FACT in json.dumps(one) for one in items(repo, *words, "--rev", before)] == [True]
    assert FACT in ok(repo.root, *words, "--rev", before, "--as-of", "2026-02-01")
    assert items(repo, *words, "--rev", before, "--as-of", "2025-12-31") == []


def test_distinct_sources_corroborate_and_one_source_twice_does_not(pot_repo: GitRepo) -> None:
    first, second = (
        {"source_ref": f"linear:ENG-{number}", "authority": "external_system"} for number in (1, 2)
    )
    again = "The same source says it in other words."
    every = [held for _, held in SHOWN.values()]
    write(pot_repo, *(assertion(held, evidence=[first]) for held in every))
    write(pot_repo, *(assertion(held, evidence=[first], description=again) for held in every))
    once = pot_repo.git("rev-parse", "HEAD")
    write(pot_repo, *(assertion(held, evidence=[second]) for held in every))
    for kind, (words, _) in SHOWN.items():
        assert [item["corroboration"] for item in items(pot_repo, *words, "--rev", once)] == [1], kind
        (item,) = items(pot_repo, *words)
        assert item["corroboration"] == 2, kind
        assert sorted(item["source_refs"]) == ["linear:ENG-1", "linear:ENG-2"]
    text = ok(pot_repo.root, *BUGS)
    assert text.count(FACT) == 1
    assert "1 item;" in text
    assert "linear:ENG-1" in text
    assert "linear:ENG-2" in text


def test_an_environment_is_part_of_a_relation(pot_repo: GitRepo) -> None:
    held = SHOWN["topology"][1]
    write(pot_repo, *(assertion(held, environment=name) for name in ("prod", "staging")))
    (item,) = items(pot_repo, *TOPOLOGY)
    assert {edge["environment"] for edge in item["payload"]["relations"]} == {"prod", "staging"}
    (item,) = items(pot_repo, *TOPOLOGY, "--environment", "prod")
    assert [edge["environment"] for edge in item["payload"]["relations"]] == ["prod"]
    text = ok(pot_repo.root, *TOPOLOGY, "--environment", "prod")
    assert "[prod]" in text
    assert "staging" not in text
    walked = result(
        pot_repo.root, "graph", "neighborhood", "--entity", "service:pay", "--environment", "prod"
    )
    assert [edge["environment"] for edge in walked["edges"]] == ["prod"]


def test_an_unknown_include_is_reported_and_never_an_empty_success(pot_repo: GitRepo) -> None:
    held = document(pot_repo.root, "resolve", "anything", "--include", "prior_bug", "--include", "decisions")
    (unsupported,) = held["unsupported"]
    assert (unsupported["include"], unsupported["reason"]) == ("prior_bug", "unknown_include")
    assert "prior_bugs" in unsupported["hint"]
    assert held["result"]["overall_confidence"] == "low"
    text = ok(pot_repo.root, "resolve", "anything", "--include", "prior_bug")
    assert "prior_bug (unknown_include). Did you mean 'prior_bugs'?" in text


@pytest.mark.parametrize(
    ("subgraph", "view", "meant"),
    [
        ("bugs", "prior_occurrences", "debugging.prior_occurrences"),
        ("debugging", "timeline", "recent_changes.timeline"),
        ("features", "implementation_map", "features.feature_context"),
        ("decisions", "active_decision", "decisions.active_decisions"),
    ],
)
def test_a_wrong_view_says_which_was_meant(pot_repo: GitRepo, subgraph: str, view: str, meant: str) -> None:
    words = (*READ, subgraph, "--view", view, "--query", "x")
    held = document(pot_repo.root, *words)
    assert (held["ok"], held["error"]["code"]) == (False, "unknown_view")
    assert held["error"]["detail"]["did_you_mean"] == meant
    assert "graph read --subgraph {} --view {}".format(*meant.split(".")) in held["recommended_next_action"]
    done = run(pot_repo.root, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"Did you mean '{meant}'?" in done.stderr


def test_every_view_refuses_what_it_cannot_answer(pot_repo: GitRepo) -> None:
    views = result(pot_repo.root, "graph", "catalog")["views"]
    assert len(views) == 9
    for view in views:
        words = (*READ, view["subgraph"], "--view", view["view"])
        if view["required_any_scope"]:
            held = document(pot_repo.root, *words)
            assert held["error"]["code"] == "missing_required_scope", view["key"]
            assert held["error"]["detail"]["required_any_scope"] == view["required_any_scope"]
        given = {"service": "--service", "since": "--since", "depth": "--depth"}
        name = next(name for name in given if name not in view["filters"])
        held = document(pot_repo.root, *words, given[name], "1d" if name == "since" else "2")
        assert held["error"]["code"] == "unsupported_filter", (view["key"], name)
        assert held["error"]["detail"]["unsupported"] == [name]


def test_a_question_about_nothing_here_comes_back_empty_or_weak(pot_repo: GitRepo) -> None:
    write(pot_repo, *(assertion(held) for _, held in SHOWN.values()))
    question = "how many litres of paint does the bridge at Sydney need"
    held = document(pot_repo.root, "search", question)
    assert all(item["weak"] for item in held["result"]["items"])
    assert held["result"]["overall_confidence"] == "low"
    assert {report["status"] for report in held["result"]["coverage"]} <= {"empty", "sparse"}
    text = ok(pot_repo.root, "search", question)
    assert "confidence low" in text
    assert text.count("weak match)") + text.count("weak match,") == len(held["result"]["items"])


def fix(repo: GitRepo, name: str, *outcomes: str) -> None:
    """A fix of a bug of its own, with verifications."""
    said = result(
        repo.root, "record", "fix", "--scope", "service:pay", "-d", f"symptom_signature=Refund {name} fails with 409",
        "-d", f"fix_steps=Retry {name}", "-d", f"attempted_failed_fixes=Wait for {name}",
        "--evidence", f"linear:{name.upper()}-1",
    )  # fmt: skip
    key = re.findall(r"(fix:[0-9a-f]+) RESOLVED", json.dumps(said))[0]
    for number, outcome in enumerate(outcomes):
        ok(repo.root, "record", "verification", "-d", f"target_ref={key}", "-d", f"outcome={outcome}",
           "--evidence", f"ci:{name}-{number}")  # fmt: skip


def test_a_refuted_fix_says_so_and_stands_behind_a_verified_one(pot_repo: GitRepo) -> None:
    fix(pot_repo, "alpha", "didnt_work", "didnt_work")
    fix(pot_repo, "beta", "worked")
    words = (
        *READ,
        "debugging",
        "--view",
        "prior_occurrences",
        "--service",
        "pay",
        "--query",
        "refund fails with 409",
    )
    first, second = items(pot_repo, *words)
    assert [one["payload"]["fixes"][0]["verification"] for one in (first, second)] == ["verified", "refuted"]
    for item, name in ((first, "beta"), (second, "alpha")):
        failed = [edge for edge in item["payload"]["relations"] if edge["type"] == "ATTEMPTED_FIX_FAILED"]
        assert f"Wait for {name}" in [edge["fact"] for edge in failed]
    text = ok(pot_repo.root, *words)
    assert text.index("(verified)") < text.index("(refuted)")
    for name in ("alpha", "beta"):
        assert f"Wait for {name}" in text


def test_a_repository_without_a_claim_tells_its_history_and_its_owners(git_repo: GitRepo) -> None:
    git_repo.commit(
        "Add the ledger (#7)", files={"src/ledger.py": "x = 1\n", "CODEOWNERS": "/src/ @acme/core\n"}
    )
    git_repo.commit("Say what it is", files={"README.md": "# Ledger\n"})
    ok(git_repo.root, "init", "--no-hooks")
    events = result(git_repo.root, "timeline", "recent")["items"]
    assert [item["payload"]["description"] for item in events] == ["Say what it is", "Add the ledger (#7)"]
    assert events[1]["payload"]["touched"] == ["code:repo:CODEOWNERS", "code:repo:src/ledger.py"]
    assert "Add the ledger (#7)" in ok(git_repo.root, "timeline", "recent", "--path", "src")
    assert "Say what it is" not in ok(git_repo.root, "timeline", "recent", "--path", "src")
    owners = (*READ, "code_topology", "--view", "ownership_by_path", "--path", "src/ledger.py")
    (item,) = items(git_repo, *owners)
    assert item["payload"]["owners"] == ["team:core"]
    assert "is owned by team:core" in ok(git_repo.root, *owners)
    assert result(git_repo.root, "timeline", "recent", "--as-of", "2001-01-01")["items"] == []
    before = ("--rev", git_repo.git("rev-parse", "HEAD^"))
    assert run(git_repo.root, "timeline", "recent", *before).returncode != 0  # there was no pot then
