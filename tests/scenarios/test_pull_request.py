"""A pull request from the first `record` to what lands and what does not, with three clones around one origin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.conftest import Clone, Team, record

pytestmark = pytest.mark.slow

REASON = "The gateway now rejects retries; the refund is split instead."


def _id(claim: Path) -> str:
    return claim.name.split(".")[-2]


def _changes(review: dict[str, Any]) -> list[dict[str, Any]]:
    return [change for group in review["groups"] for change in group["changes"]]


def _retract(clone: Clone, claim: Path) -> None:
    """Withdraw a claim, and commit it on the branch that is checked out."""
    operation = {"op": "retract_claim", "claim": _id(claim), "reason": REASON}
    plan = clone.potpie("graph", "propose", json.dumps(operation))
    clone.must("potpie", "graph", "commit", plan["plan_id"])


def _reword(claim: Path) -> None:
    claim.write_text(claim.read_text(encoding="utf-8").replace("remaining", "whole"), encoding="utf-8")


def _push(clone: Clone, branch: str, *options: str) -> None:
    clone.must("push", "--quiet", *options, "origin", branch)


def test_what_an_agent_records_is_checked_reviewed_and_landed(team: Team) -> None:
    team.agent.start("memory/night")
    claim = team.agent.root / record(team.agent, "Page nobody at night for a refund.")
    _push(team.agent, "memory/night")

    assert team.ci.check("memory/night").status == 0
    review = team.ci.review("memory/night")
    assert review["counts"]["becomes_true"] >= 1
    assert (review["risk"], review["verdict"]["status"]) == ("low", "clean")
    assert review["authors"] == ["Ann"]
    assert _id(claim) in [held["id"] for change in _changes(review) for held in change["claims"]]

    assert not team.land("memory/night").refused
    team.ci.update()
    found = team.ci.potpie("search", "who is paged at night")
    assert "Page nobody at night" in json.dumps(found["items"])


def test_a_retraction_that_nobody_approved_is_refused_at_every_gate(team: Team) -> None:
    team.agent.start("memory/retract")
    _retract(team.agent, team.claim)
    _push(team.agent, "memory/retract")

    checked = team.ci.check("memory/retract")
    assert checked.status == 4
    assert team.ci.codes("memory/retract") == {"PG-A01"}
    review = team.ci.review("memory/retract")
    [change] = _changes(review)
    assert (change["kind"], change["withdrawal"]["reason"]) == ("stops_being_true", REASON)
    assert (change["approvals_needed"], change["approval_state"]) == (1, "missing")
    assert review["verdict"]["next_command"] == "git potpie approve origin/main..origin/memory/retract"

    before = team.origin.git("rev-parse", "main")
    refused = team.land("memory/retract")
    assert refused.refused
    assert "PG-A01" in refused.said
    assert team.origin.git("rev-parse", "main") == before


def _retraction(team: Team, branch: str = "memory/retract") -> None:
    """The agent withdraws the claim on a branch, and pushes it."""
    team.agent.start(branch)
    _retract(team.agent, team.claim)
    _push(team.agent, branch)


def test_an_approved_retraction_lands_and_is_no_longer_read(team: Team) -> None:
    _retraction(team)
    approved = team.approve(team.reviewer, "memory/retract")
    assert approved.status == 0, approved.said

    assert team.ci.check("memory/retract").status == 0
    review = team.ci.review("memory/retract")
    assert review["verdict"]["status"] == "clean"
    by_kind = {change["kind"]: change for change in _changes(review)}
    assert by_kind["stops_being_true"]["approval_state"] == "given"
    assert by_kind["approval_added"]["approval"]["principal"] == "rey"

    landed = team.land("memory/retract")
    assert landed.status == 0, landed.said
    team.ci.update()
    assert team.ci.check("main", "origin/main~1").status == 0
    question = ("search", "retry the refund with the remaining captured amount")
    assert "remaining captured" not in json.dumps(team.ci.potpie(*question)["items"])
    shown = json.dumps(team.ci.potpie(*question, "--include-invalidated")["items"])
    assert REASON in shown


def test_an_approved_retraction_lands_when_it_is_squashed(team: Team) -> None:
    _retraction(team)
    assert team.approve(team.reviewer, "memory/retract").status == 0
    reviewer = team.reviewer
    reviewer.update()
    reviewer.must("merge", "--quiet", "--squash", "origin/memory/retract")
    message = ("--quiet", "--message", "Retract the retry (#7)")
    as_own = reviewer.do("commit", *message)
    assert as_own.refused
    assert "keep the author" in as_own.said
    reviewer.must("commit", *message, "--author", "Ann <ann@example.com>")
    pushed = reviewer.do("push", "--quiet", "origin", "main")
    assert pushed.status == 0, pushed.said


def test_what_was_withdrawn_does_not_come_back_by_the_way(team: Team) -> None:
    _retraction(team)
    team.approve(team.reviewer, "memory/retract")
    team.land("memory/retract")
    team.agent.start("again")
    operation = (
        "-d",
        "policy_kind=refunds",
        "-d",
        "prescription=RETRY the refund, with the remaining captured amount!",
    )
    refused = team.agent.do("potpie", "record", "preference", *operation, "--scope", "service:billing")
    assert refused.refused
    assert REASON in refused.said


def test_an_approval_dies_with_another_byte(team: Team) -> None:
    _retraction(team)
    assert team.approve(team.reviewer, "memory/retract").status == 0
    agent = team.agent
    agent.must("pull", "--quiet", "--ff-only", "origin", "memory/retract")
    withdrawn = team.claim.read_text(encoding="utf-8")
    team.claim.write_text(withdrawn.replace("the refund is split", "the refund is dropped"), encoding="utf-8")
    agent.must("commit", "--quiet", "--no-verify", "--all", "--message", "Say it better")
    _push(agent, "memory/retract", "--no-verify")
    assert team.ci.check("memory/retract").status != 0
    assert {"PG-A01", "PG-A05"} <= team.ci.codes("memory/retract")
    assert team.land("memory/retract").refused


def test_an_approval_covers_what_it_names_and_nothing_that_comes_later(team: Team) -> None:
    _retraction(team)
    assert team.approve(team.reviewer, "memory/retract").status == 0
    agent = team.agent
    agent.must("pull", "--quiet", "--ff-only", "origin", "memory/retract")
    other = record(agent, "Page nobody at night.", "paging")
    binding = {"op": "assert_claim", "subject": "preference:nights", "predicate": "POLICY_APPLIES_TO",
               "object": "service:paging", "truth": "user_decision", "fact": "Nights are for sleeping."}  # fmt: skip
    plan = agent.potpie("graph", "propose", json.dumps(binding))
    agent.must("potpie", "graph", "commit", plan["plan_id"])
    _push(agent, "memory/retract")
    checked = team.ci.check("memory/retract")
    assert checked.status == 4
    paths = {finding["path"] for finding in checked.result["findings"] if finding["code"] == "PG-A01"}
    assert len(paths) == 1
    assert other not in paths
    assert team.claim.name not in {path.rpartition("/")[2] for path in paths}


def test_the_author_cannot_approve_and_says_so_before_writing_anything(team: Team) -> None:
    _retraction(team)
    before = team.agent.git("rev-parse", "HEAD")
    refused = team.agent.do("potpie", "approve", "--yes")
    assert refused.refused
    assert team.agent.git("rev-parse", "HEAD") == before


def test_a_supersession_needs_two_people(team: Team) -> None:
    team.agent.start("memory/replace")
    new = {"fact": "Split the refund into its captured and its pending part."}
    operation = {
        "op": "supersede_claim",
        "claim": _id(team.claim),
        "reason": REASON,
        "superseded_by": {"op": "assert_claim", **new},
    }
    plan = team.agent.potpie("graph", "propose", json.dumps(operation))
    team.agent.must("potpie", "graph", "commit", plan["plan_id"])
    _push(team.agent, "memory/replace")
    [change] = _changes(team.ci.review("memory/replace"))
    assert (change["kind"], change["approvals_needed"]) == ("superseded", 2)
    assert change["replacement"]["text"] == new["fact"]

    for who, status in ((team.reviewer, 4), (team.maintainer, 0)):
        assert team.approve(who, "memory/replace").status in {0, 3, 4}
        assert team.ci.check("memory/replace").status == status
    landed = team.land("memory/replace")
    assert landed.status == 0, landed.said


def test_a_claim_edited_by_hand_is_refused_at_every_gate(team: Team) -> None:
    team.agent.start("memory/edit")
    _reword(team.claim)
    refused = team.agent.do("commit", "--all", "--message", "Improve the wording")
    assert refused.refused
    assert "PG-H02" in refused.said
    assert team.claim.name in refused.said

    team.agent.must("commit", "--quiet", "--no-verify", "--all", "--message", "Improve the wording")
    pushed = team.agent.do("push", "origin", "memory/edit")
    assert pushed.refused
    assert "PG-H02" in pushed.said
    _push(team.agent, "memory/edit", "--no-verify")

    assert team.ci.check("memory/edit").status == 1
    assert "PG-H02" in team.ci.codes("memory/edit")
    [change] = _changes(team.ci.review("memory/edit"))
    assert change["kind"] == "edited_by_hand"
    assert {
        ("remaining" in (one["before"] or ""), "whole" in (one["after"] or "")) for one in change["fields"]
    } == {(True, True)}
    assert team.land("memory/edit").refused


def _hand_edit(team: Team, branch: str) -> str:
    """A commit that edits a claim by hand, past the hooks, on a branch of its own."""
    team.agent.start(branch)
    _reword(team.claim)
    team.agent.must("commit", "--quiet", "--no-verify", "--all", "--message", "Improve the wording")
    return team.agent.git("rev-parse", "HEAD")


@pytest.mark.parametrize("way", ["cherry-pick", "rebase", "am", "amend", "squash"])
def test_what_goes_around_the_hooks_does_not_go_around_the_range(way: str, team: Team) -> None:
    edit = _hand_edit(team, "draft")
    agent = team.agent
    agent.start("sneak")
    record(agent, "Page nobody at night.", "paging")
    if way == "cherry-pick":
        agent.must("cherry-pick", edit)
    elif way == "rebase":
        agent.must("switch", "--quiet", "draft")
        agent.must("rebase", "--quiet", "sneak")
        agent.must("branch", "--force", "sneak", "draft")
        agent.must("switch", "--quiet", "sneak")
    elif way == "am":
        patch = agent.must("format-patch", "--stdout", "-1", edit).out
        agent.must("am", "--quiet", stdin=patch)
    elif way == "amend":
        agent.must("checkout", "--quiet", edit, "--", ".potpie")
        agent.must("commit", "--quiet", "--amend", "--no-edit", "--no-verify")
    else:
        agent.must("merge", "--quiet", "--squash", "draft")
        agent.must("commit", "--quiet", "--no-verify", "--message", "Squashed")
    assert "whole captured" in "".join(
        path.read_text() for path in (agent.root / ".potpie/claims").rglob("*.yaml")
    )

    assert agent.do("push", "origin", "sneak").refused
    _push(agent, "sneak", "--no-verify")
    assert team.ci.check("sneak").status == 1
    assert "PG-H02" in team.ci.codes("sneak")


def test_a_retraction_that_is_picked_onto_another_branch_needs_its_approval_there_too(team: Team) -> None:
    team.agent.start("draft")
    _retract(team.agent, team.claim)
    commit = team.agent.git("rev-parse", "HEAD")
    team.agent.start("sneak")
    team.agent.must("cherry-pick", commit)
    _push(team.agent, "sneak")
    assert team.ci.check("sneak").status == 4
    assert team.ci.codes("sneak") == {"PG-A01"}


def test_a_revert_of_a_landed_claim_is_a_removal(team: Team) -> None:
    team.agent.start("undo")
    team.agent.must("revert", "--no-edit", "HEAD")
    _push(team.agent, "undo", "--no-verify")
    assert team.ci.check("undo").status == 1
    assert "PG-H01" in team.ci.codes("undo")


def test_a_policy_that_a_branch_brings_does_not_judge_it(team: Team) -> None:
    team.agent.start("sneak")
    policy = team.agent.root / ".potpie" / "policy.yaml"
    lax = (
        policy.read_text()
        .replace("version: 1", "version: 2")
        .replace("medium: 1", "medium: 0")
        .replace("high: 2", "high: 0")
    )
    policy.write_text(lax)
    team.agent.must("commit", "--quiet", "--all", "--message", "Less ceremony")
    _retract(team.agent, team.claim)
    _push(team.agent, "sneak")
    assert team.ci.check("sneak").status == 4
    review = team.ci.review("sneak")
    [change] = next(group for group in review["groups"] if group["name"] == "policy")["changes"]
    assert {note["kind"] for note in change["notes"]} == {"weakens_the_policy"}
    assert review["verdict"]["approvals_needed"] == 2


def test_a_shallow_clone_judges_nothing(team: Team, tmp_path: Path) -> None:
    shallow = Clone(team.origin.clone(tmp_path / "shallow", "--depth=1").root)
    checked = shallow.do("potpie", "check", "--range", "HEAD..HEAD", "--format", "json")
    assert checked.status == 2
    assert [finding["code"] for finding in checked.result["findings"]] == ["PG-R01"]
    reviewed = shallow.do("potpie", "review", "HEAD..HEAD")
    assert reviewed.status == 2
    assert "git fetch --unshallow" in reviewed.said
