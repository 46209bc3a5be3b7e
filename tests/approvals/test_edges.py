"""Approving where something is unusual: at a terminal, without a remote, from a bare commit, beside a broken record."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from potpie_git.checks.approvals.offers import NothingToApproveError
from potpie_git.checks.ranges import check_range
from potpie_git.domain.errors import ApprovalRequiredError, ConflictError, InvalidInputError, RefusedError
from potpie_git.store.repository import Repository
from tests.approvals.team import (
    ADA,
    ANN,
    BEN,
    CLAIMS,
    MAIN,
    PATHS,
    Founder,
    Member,
    environment,
    errors,
    identity,
)
from tests.support import program
from tests.support.git_repo import GitRepo


def answered(root: Path, answer: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command at a terminal, and type an answer."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, f"{answer}\n".encode())
        return subprocess.run([str(program.PROGRAM), *arguments], cwd=root, stdin=theirs, capture_output=True)
    finally:
        os.close(theirs)
        os.close(ours)


@pytest.mark.parametrize(("answer", "status"), [("n", 1), ("y", 0)])
def test_at_a_terminal_the_change_is_shown_and_the_answer_decides(
    answer: str, status: int, found_team: Founder
) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0, reason="The gateway rejects retries.")
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    before = reviewer.repo.git("rev-parse", "HEAD")
    done = answered(reviewer.repo.root, answer, "approve")
    assert done.returncode == status, done.stderr
    shown = done.stderr.decode()
    assert "The gateway rejects retries." in shown
    assert f"You approve as {ADA}, with a sign-off: these 2 files" in shown
    assert "Approve this?" in shown
    assert b"The gateway" not in done.stdout, "standard output is for the answer"
    assert (reviewer.repo.git("rev-parse", "HEAD") != before) is (status == 0)


def test_in_a_repository_without_a_remote_an_approval_comes_first_and_its_plan_after_it(
    found_team: Founder,
) -> None:
    team = found_team(ADA)
    owner = team.member(ADA)
    owner.repo.git("remote", "remove", "origin")
    owner.pot.install_hooks()
    base = owner.repo.git("rev-parse", "HEAD")
    for number in (0, 1):
        plan = owner.pot.propose(
            {"op": "retract_claim", "claim": CLAIMS[number].id, "reason": "It no longer holds."}
        )
        done = owner.approve(plan.plan_id)
        assert done.plan is not None
    repo = Repository.discover(owner.repo.root)
    assert errors(check_range(repo, f"{base}..HEAD", MAIN)) == []
    # judged without the commit that brought it, the approval is none
    assert errors(check_range(repo, "HEAD~1..HEAD", MAIN)) == ["PG-A01"]


def test_an_approval_that_waits_on_the_branch_does_not_serve_another_plan(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.member(ANN)
    author.repo.git("remote", "remove", "origin")
    retractions = [
        {"op": "retract_claim", "claim": CLAIMS[number].id, "reason": "It no longer holds."}
        for number in (0, 1)
    ]
    first = author.pot.propose(retractions[0])
    stale = author.pot.propose(retractions[0])
    with environment(**identity(ADA)):
        author.approve(first.plan_id)
        for plan in (first, stale):
            with pytest.raises((RefusedError, ConflictError)):
                author.approve(plan.plan_id)
    assert author.repo.git("log", "-1", "--format=%an") == ANN, "nothing was approved in vain"
    second = author.pot.propose(retractions[1])
    with pytest.raises(ApprovalRequiredError):
        author.pot.commit(second.plan_id)


def test_a_range_from_a_bare_commit_is_for_the_protected_branch_that_is_there(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    base = reviewer.repo.git("rev-parse", "origin/main")
    done = reviewer.approve(f"{base}..HEAD")
    assert done.offer.ref == MAIN
    with pytest.raises(InvalidInputError, match="by itself"):
        reviewer.approve(f"{base}..HEAD", "another")


def test_without_a_protected_branch_there_is_nothing_to_land_on(found_team: Founder) -> None:
    team = found_team(ADA, BEN, protected=["refs/heads/release"])
    author = team.branch()
    author.retract(0)
    with pytest.raises(NothingToApproveError, match="no protected branch"):
        author.approve()
    with pytest.raises(InvalidInputError, match="names no branch"):
        author.approve(f"{author.repo.git('rev-parse', 'origin/main')}..HEAD")
    plan = author.pot.propose({"op": "retract_claim", "claim": CLAIMS[1].id, "reason": "r"})
    with pytest.raises(NothingToApproveError, match="no protected branch"):
        author.approve(plan.plan_id)
    assert author.pot.commit(plan.plan_id).pending == []


def test_a_change_on_both_sides_has_to_be_settled_before_it_is_approved(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0, reason="One reason.")
    author.push("topic")
    other = team.branch("other", by=BEN)
    other.retract(0, reason="Another reason.")
    other.push("main", "--no-verify")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    with pytest.raises(ConflictError, match="both changed"):
        reviewer.approve()


def test_a_record_that_cannot_be_read_counts_for_nothing_and_stops_nothing_else(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    author.repo.write(".potpie/approvals/0123456789abcdef.ben-baker.yaml", "statement: [\n")
    author.repo.commit("A broken record")
    report = team.judged(author)
    broken = {finding.code for finding in report.findings if finding.path.endswith("ben-baker.yaml")}
    assert "PG-A09" in broken
    assert "PG-A01" not in errors(report), "the other approval still counts"
    assert errors(report) != []


def test_a_broken_policy_at_the_base_approves_nothing_and_says_so(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    founder = team.member("Fay Founder")
    place = founder.repo.root / ".potpie/policy.yaml"
    place.write_bytes(place.read_bytes().replace(b"version: 1", b"version: one"))
    founder.repo.commit("Break it")
    founder.push("main", "--no-verify")
    author.repo.git("fetch", "--quiet")
    with pytest.raises(RefusedError, match="cannot be read") as refused:
        author.approve("origin/main..HEAD")
    assert refused.value.code == "PG-P02"


def test_a_first_pot_needs_no_approval(tmp_path: Path) -> None:
    repo = GitRepo.init(tmp_path / "new")
    repo.commit("Before there was a pot", files={"a": "1\n"})
    member = Member("Rae Rivers", repo)
    repo.branch("pot")
    program.ok(repo.root, "init", "--no-hooks")
    repo.commit("Found the pot")
    with pytest.raises(NothingToApproveError, match="no pot yet"):
        member.approve()
    assert errors(check_range(Repository.discover(repo.root), "main..pot")) == []


def test_a_supersession_lists_the_replacement_too(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.supersede(0, "Split the refund.")
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    done = reviewer.approve()
    listed = {path for path, _, _ in done.records[0].statement.changes}
    assert len(listed) == 4
    assert PATHS[0].removeprefix(".potpie/") in listed
    assert any(path.startswith("tombstones/") for path in listed)


@pytest.mark.parametrize("ref", ["main", "heads/main", "refs/remotes/origin/main"])
def test_a_branch_is_named_in_full_or_the_approval_would_be_for_none(found_team: Founder, ref: str) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    before = reviewer.repo.git("rev-parse", "HEAD")
    for targets in ((), ("origin/main..HEAD",)):
        done = program.run(reviewer.repo.root, "approve", *targets, "--ref", ref, "--yes")
        assert done.returncode == 1
        assert "refs/heads/main" in done.stderr
    assert reviewer.repo.git("rev-parse", "HEAD") == before
