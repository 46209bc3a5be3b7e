"""`git potpie review` as a user runs it."""

from __future__ import annotations

import json

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import document, ok, result, run


@pytest.fixture
def changed(pot_repo: GitRepo) -> GitRepo:
    """A branch with one more decision than the one that it left."""
    pot_repo.branch("topic")
    ok(pot_repo.root, "record", "decision", "-d", "title=Two", "-d", "summary=Two", "-d", "rationale=R")
    return pot_repo


def test_the_last_commit_is_reviewed_by_default(changed: GitRepo) -> None:
    shown = ok(changed.root, "review")
    assert shown.startswith("Review of HEAD~1..HEAD\n")
    assert "Becomes true: decision:" in shown


@pytest.mark.parametrize(
    ("form", "begins"),
    [("text", "Review of"), ("markdown", "## Project memory"), ("html", "<!doctype html>"), ("json", "{\n")],
)
def test_every_format_is_printed_as_it_is(form: str, begins: str, changed: GitRepo) -> None:
    assert ok(changed.root, "review", "work..topic", "--format", form).startswith(begins)


def test_a_file_takes_the_review_and_the_terminal_only_says_so(changed: GitRepo) -> None:
    shown = ok(changed.root, "review", "work..topic", "--format", "html", "--output", "out.html")
    assert shown == "wrote out.html\n"
    written = (changed.root / "out.html").read_bytes()
    assert written == ok(changed.root, "review", "work..topic", "--format", "html").encode()


def test_a_file_that_cannot_be_written_is_named(changed: GitRepo) -> None:
    done = run(changed.root, "review", "work..topic", "--output", "no/such/place")
    assert done.returncode == 2
    assert "no/such/place" in done.stderr


def test_json_of_the_format_and_of_the_envelope_agree(changed: GitRepo) -> None:
    printed = json.loads(ok(changed.root, "review", "work..topic", "--format", "json"))
    assert printed == result(changed.root, "review", "work..topic")
    assert printed["counts"]["becomes_true"] == 1


def test_a_review_of_what_is_staged(changed: GitRepo) -> None:
    ok(changed.root, "graph", "inbox", "add", "Ask about two", "--stage")
    held = result(changed.root, "review", "--staged")
    assert held["kind"] == "staged"
    assert held["counts"] == {"inbox": 1}


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--staged", "work..topic"), "usage"),
        (("work..topic", "--format", "htm"), "usage"),
        (("work",), "usage"),
        (("work..nowhere",), "unknown_revision"),
    ],
)
def test_what_cannot_be_reviewed_is_refused_with_a_hint(
    args: tuple[str, ...], code: str, changed: GitRepo
) -> None:
    held = document(changed.root, "review", *args)
    assert held["error"]["code"] == code
    assert held["recommended_next_action"]


def test_a_review_shows_and_leaves_judging_to_the_check(changed: GitRepo) -> None:
    claim = next((changed.root / ".potpie" / "claims").rglob("*.yaml"))
    claim.write_text(claim.read_text().replace("truth: ", "truth: x"))
    changed.git("commit", "-q", "--no-verify", "-a", "-m", "edit")
    done = run(changed.root, "review")
    assert done.returncode == 0
    assert "The check refuses this" in done.stdout
    assert run(changed.root, "check", "--range", "HEAD~1..HEAD").returncode == 1
