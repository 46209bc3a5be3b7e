"""From a forge's approving review to an approval: the event is the only evidence, and policy says whether it counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from potpie_git.checks.approvals.offers import MayNotApproveError
from potpie_git.domain.errors import InvalidInputError, RefusedError
from potpie_git.domain.review_event import NotAnApprovalError, ReviewEvent
from potpie_git.domain.trailers import sign_offs
from tests.approvals.conftest import KeyMaker, public_line
from tests.approvals.team import ADA, BEN, Founder, Member, Team, errors, notes
from tests.approvals.world import email
from tests.support import program

BOT = "Review Bot"
ACCOUNTS = [
    {"name": ADA, "emails": [email(ADA)], "accounts": ["github:ada-gh"]},
    {"name": BEN, "emails": [email(BEN)]},
]


def event(head: str, **changes: Any) -> dict[str, Any]:
    """What GitHub hands to a job that an approving review starts, as far as it matters."""
    base: dict[str, Any] = {
        "action": "submitted",
        "review": {
            "state": "approved",
            "commit_id": head,
            "user": {"login": "ada-gh"},
            "html_url": "https://forge.example/acme/payments/pull/7#pullrequestreview-1",
            "submitted_at": "2026-07-01T08:00:00Z",
        },
        "pull_request": {"head": {"sha": head, "ref": "topic"}, "base": {"ref": "main"}},
    }
    for path, held in changes.items():
        part = base
        *where, name = path.split("__")
        for step in where:
            part = part[step]
        part[name] = held
    return base


def parsed(head: str = "a" * 40, **changes: Any) -> ReviewEvent:
    return ReviewEvent(json.dumps(event(head, **changes)).encode())


def reviewed(team: Team, **changes: Any) -> tuple[Member, Path]:
    """A job's clone with the pull request checked out, and the event's file."""
    author = team.branch()
    author.retract(0)
    author.push("topic")
    job = team.member(BOT)
    job.fetch("topic")
    file = job.repo.root.parent / "event.json"
    file.write_text(json.dumps(event(job.repo.git("rev-parse", "HEAD"), **changes)))
    return job, file


def test_an_approving_review_becomes_an_attested_approval_that_counts_where_policy_says_so(
    found_team: Founder,
) -> None:
    team = found_team(approvers=ACCOUNTS, attestation={"forges": ["github"]})
    job, file = reviewed(team)
    done = program.run(job.repo.root, "approve", "--from-review", str(file), "--push")
    assert done.returncode == 0, done.stderr
    assert f"{ADA} approved" in done.stdout
    assert "attested by github" in done.stdout
    assert sign_offs(job.repo.git("log", "-1", "--format=%B")) == [email(BOT)]
    author = team.member("Ann Author")
    author.fetch("topic")
    report = team.judged(author)
    assert errors(report) == []
    assert any("attested by the forge" in note for note in notes(report))


def test_a_review_needs_policy_and_a_listed_account(found_team: Founder) -> None:
    for number, (fields, message) in enumerate(
        [
            ({}, "does not count reviews"),
            ({"attestation": {"forges": ["gitlab"]}}, "does not count reviews"),
            ({"attestation": {"forges": ["github"]}}, "not an account of any approver"),
        ]
    ):
        team = found_team(approvers=ACCOUNTS, folder=f"t{number}", **fields)
        login = "eve-gh" if message.startswith("not") else "ada-gh"
        job, file = reviewed(team, review__user={"login": login})
        with pytest.raises(MayNotApproveError, match=message):
            job.pot.approvals.approve_review(ReviewEvent(file.read_bytes()))


def test_a_review_of_an_earlier_commit_or_of_another_checkout_is_none(found_team: Founder) -> None:
    team = found_team(approvers=ACCOUNTS, attestation={"forges": ["github"]})
    job, file = reviewed(team)
    job.repo.git("switch", "--quiet", "--detach", "origin/main")
    with pytest.raises(RefusedError, match="is checked out"):
        job.pot.approvals.approve_review(ReviewEvent(file.read_bytes()))
    job.repo.git("switch", "--quiet", "topic")
    job.repo.commit("Something else", files={"Makefile": "all:\n"})
    with pytest.raises(RefusedError, match="is checked out"):
        job.pot.approvals.approve_review(ReviewEvent(file.read_bytes()))


def test_a_second_review_of_the_same_commit_counts_on_top_of_the_first_approval(found_team: Founder) -> None:
    accounts = [{**ACCOUNTS[0]}, {**ACCOUNTS[1], "accounts": ["github:ben-gh"]}]
    team = found_team(approvers=accounts, attestation={"forges": ["github"]}, thresholds={"medium": 2})
    job, file = reviewed(team)
    first = job.pot.approvals.approve_review(ReviewEvent(file.read_bytes()))
    assert not first.verdict.approved
    said = json.loads(file.read_bytes())
    said["review"]["user"]["login"] = "ben-gh"
    second = job.pot.approvals.approve_review(ReviewEvent(json.dumps(said).encode()))
    assert second.verdict.approved
    assert {each.label for each in second.verdict.records} == {"attested"}


def test_a_key_of_the_job_is_asked_for_where_policy_lists_one(
    found_team: Founder, make_key: KeyMaker
) -> None:
    key = make_key("the-job")
    team = found_team(
        approvers=ACCOUNTS,
        mode="signature",
        attestation={"forges": ["github"], "keys": [public_line(key)]},
    )
    job, file = reviewed(team)
    done = job.pot.approvals.approve_review(ReviewEvent(file.read_bytes()), key=key)
    assert done.records[0].signature is not None
    assert done.verdict.approved
    job.repo.git("reset", "--quiet", "--hard", "origin/topic")
    with pytest.raises(RefusedError, match="no key that is here"):
        job.pot.approvals.approve_review(ReviewEvent(file.read_bytes()))


@pytest.mark.parametrize(
    "changes",
    [
        {"action": "edited"},
        {"review__state": "commented"},
        {"review__state": "changes_requested"},
        {"review": None},
        {"pull_request": "7"},
        {"review__user": {}},
        {"review__user": {"login": ""}},
        {"review__html_url": 7},
        {"review__submitted_at": "yesterday"},
        {"pull_request__base": {}},
    ],
)
def test_what_is_no_approving_review(changes: dict[str, Any]) -> None:
    assert parsed().account == "ada-gh"
    with pytest.raises(NotAnApprovalError):
        parsed(**changes)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_event(raw: bytes) -> None:
    with pytest.raises(InvalidInputError):
        ReviewEvent(raw)
