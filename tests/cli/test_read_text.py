"""What reads print for people: nothing twice, nothing left out, and each form as it is asked for."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import PROGRAM, ok, result, run

EXAMPLE = Path(__file__).resolve().parents[2] / ".potpie-example"

FIX = (
    "record", "fix", "--scope", "service:press", "--evidence", "github:pr:acme/press:7",
    "-d", "symptom_signature=Labels print blank", "-d", "fix_steps=Calibrate once",
    "-d", "attempted_failed_fixes=Restart the spooler",
)  # fmt: skip
BUGS = ("graph", "read", "--subgraph", "debugging", "--view", "prior_occurrences", "--service", "press")
EDGES = [
    {"op": "link_entities", "subject": "service:press", "predicate": "DEPENDS_ON", "object": "service:hub",
     "fact": "Press asks the hub."},
    {"op": "link_entities", "subject": "service:hub", "predicate": "DEPENDS_ON", "object": "service:mail",
     "fact": "The hub sends mail."},
]  # fmt: skip


@pytest.fixture
def press(pot_repo: GitRepo) -> GitRepo:
    ok(pot_repo.root, *FIX)
    ok(pot_repo.root, "graph", "mutate", json.dumps({"operations": EDGES}))
    return pot_repo


def test_an_item_says_its_symptom_first_and_nothing_twice(press: GitRepo) -> None:
    text = ok(press.root, *BUGS)
    lines = text.splitlines()
    assert lines[1].strip() == "│ Labels print blank"
    assert text.count("Calibrate once") == 1
    assert text.count("Restart the spooler") == 1
    assert "(unverified)" in text


def test_a_timeline_is_told_in_events_unless_another_form_is_asked_for(press: GitRepo) -> None:
    view = ("graph", "read", "--subgraph", "recent_changes", "--view", "timeline", "-n", "1")
    assert ok(press.root, *view) == ok(press.root, "timeline", "recent", "-n", "1")
    assert ok(press.root, *view).startswith("- 20")
    assert ok(press.root, *view, "--format", "text").startswith("0.")
    assert ok(press.root, *view, "--format", "table").startswith("| score | key |")


def test_lines_of_json_hold_the_items_of_the_document(press: GitRepo) -> None:
    lines = [json.loads(line) for line in ok(press.root, *BUGS, "--format", "jsonl").splitlines()]
    raw = json.loads(ok(press.root, *BUGS, "--format", "raw"))
    assert lines == raw["items"] != []
    assert raw["items"] == result(press.root, *BUGS)["items"]


def test_an_unknown_form_is_refused(press: GitRepo) -> None:
    done = run(press.root, *BUGS, "--format", "csv")
    assert done.returncode == 1
    assert "text, table, events, jsonl, raw" in done.stderr


def test_what_lies_further_away_stands_further_in(press: GitRepo) -> None:
    walk = ("graph", "neighborhood", "--entity", "service:press", "--predicate", "DEPENDS_ON", "--depth", "2")
    assert ok(press.root, *walk).splitlines() == [
        'service:press depends on service:hub: "Press asks the hub."',
        '  service:hub depends on service:mail: "The hub sends mail."',
    ]


def test_what_was_withdrawn_says_so_in_a_walk(press: GitRepo) -> None:
    ok(press.root, "graph", "commit", result(press.root, "graph", "propose", json.dumps({
        "op": "retract_claim", "subject": "service:press", "predicate": "DEPENDS_ON", "object": "service:hub",
        "reason": "It never did.",
    }))["plan_id"])  # fmt: skip
    walk = ("graph", "neighborhood", "--entity", "service:press", "--predicate", "DEPENDS_ON")
    assert ok(press.root, *walk) == "Nothing stands around service:press.\n"
    assert '"It never did."]' in ok(press.root, *walk, "--include-invalidated")


def test_entities_come_with_the_claims_behind_them_when_asked(press: GitRepo) -> None:
    find = ("graph", "search-entities", "--type", "Service", "--predicate", "DEPENDS_ON")
    text = ok(press.root, *find)
    assert "- service:hub depends on service:mail" not in text
    assert text.rstrip().endswith("3 entities; coverage: complete")
    assert '- service:hub depends on service:mail: "The hub sends mail."' in ok(
        press.root, *find, "--supporting-claims"
    )


def test_an_unknown_name_is_told_on_standard_error(press: GitRepo) -> None:
    done = run(press.root, "graph", "neighborhood", "--entity", "service:pres")
    assert done.returncode == 0
    assert "Did you mean 'service:press'?" in done.stderr


def test_the_contract_shows_examples_and_refuses_an_unknown_profile(pot_repo: GitRepo) -> None:
    text = ok(pot_repo.root, "graph", "describe", "decisions", "--examples")
    assert text.count("git potpie graph read --subgraph decisions --view ") == 2
    assert "git potpie" not in ok(pot_repo.root, "graph", "describe", "decisions")
    assert run(pot_repo.root, "graph", "catalog", "--profile", "reading").returncode == 1
    full = result(pot_repo.root, "graph", "catalog")
    assert full.keys() > result(pot_repo.root, "graph", "catalog", "--profile", "read").keys()


def test_a_missing_scope_is_met_by_options_that_are_there(pot_repo: GitRepo) -> None:
    done = run(pot_repo.root, "graph", "read", "--subgraph", "decisions", "--view", "active_decisions")
    assert done.returncode == 1
    assert "Add --service NAME or --path PATH or --repo NAME or --query TEXT." in done.stderr


LONG = (
    ("graph", "export"),
    (
        "graph",
        "read",
        "--subgraph",
        "admin",
        "--view",
        "inspection_slice",
        "--limit",
        "300",
        "--format",
        "jsonl",
    ),
    ("graph", "read", "--subgraph", "admin", "--view", "inspection_slice", "--limit", "300", "--json"),
    ("graph", "read", "--subgraph", "admin", "--view", "inspection_slice", "--limit", "300"),
)


@pytest.mark.parametrize("words", LONG, ids=[" ".join(words[:2] + words[-1:]) for words in LONG])
def test_a_reader_that_has_seen_enough_is_no_failure(git_repo: GitRepo, words: tuple[str, ...]) -> None:
    shutil.copytree(EXAMPLE, git_repo.root / ".potpie")
    git_repo.commit("what the team knows")
    with subprocess.Popen(
        [str(PROGRAM), *words], cwd=git_repo.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert len(process.stdout.read(10)) == 10
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")


@pytest.mark.parametrize(
    ("option", "value", "hint"),
    [("--detail", "ful", "'full'"), ("--relations", "sumary", "'summary'"), ("--sort", "newst", "'newest'")],
)
def test_a_value_that_an_option_does_not_take_is_refused(
    pot_repo: GitRepo, option: str, value: str, hint: str
) -> None:
    done = run(
        pot_repo.root, "graph", "read", "--subgraph", "admin", "--view", "inspection_slice", option, value
    )
    assert done.returncode == 1
    assert f"Did you mean {hint}?" in done.stderr


def test_a_key_is_not_said_twice(press: GitRepo) -> None:
    view = (
        "graph",
        "read",
        "--subgraph",
        "infra_topology",
        "--view",
        "service_neighborhood",
        "--service",
        "press",
    )
    assert "│ service:press" not in ok(press.root, *view, "--relations", "summary")


def test_a_walk_says_by_which_name_an_entity_goes_now(git_repo: GitRepo) -> None:
    shutil.copytree(EXAMPLE, git_repo.root / ".potpie")
    git_repo.commit("what the team knows")
    words = ("graph", "neighborhood", "--entity", "service:seed-catalogue", "-n", "1")
    first = ok(git_repo.root, *words).splitlines()[0]
    assert first == "service:seed-catalogue is service:variety-catalog by now."
    assert result(git_repo.root, *words)["resolved_from"] == "service:seed-catalogue"
