"""A review says of each approval that counts what stands behind it, and of others nothing."""

from __future__ import annotations

import pytest

from potpie_git.checks.review import Review, render, review_range
from potpie_git.store.repository import Repository
from tests.approvals.team import ADA, ANN, BEN, MAIN, Founder, Member, Team


def _approved(team: Team, by: str = ANN) -> Member:
    author = team.branch(by=by)
    author.retract(0, reason="The gateway rejects retries.")
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    reviewer.approve()
    return reviewer


def _review(member: Member, ref: str = MAIN) -> Review:
    return review_range(Repository.discover(member.repo.root), "origin/main..HEAD", ref)


def _words(made: Review) -> list[str | None]:
    return [one.approval.counts_as for group in made.groups for one in group.changes if one.approval]


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_an_approval_that_counts_says_how(form: str, found_team: Founder) -> None:
    made = _review(_approved(found_team(ADA, BEN)))
    assert _words(made) == ["attributed"]
    shown = render(made, form)
    assert "attributed" in shown
    assert ("counts_as" if form == "json" else "counts as") in shown


def test_an_authors_own_approval_is_called_so(found_team: Founder) -> None:
    made = _review(_approved(found_team(ADA), by=ADA))
    assert _words(made) == ["attributed, self-approved"]
    assert "self-approved" in render(made, "text")


def test_a_signed_approval_is_called_so(found_team: Founder) -> None:
    made = _review(_approved(found_team(ADA, BEN, mode="signature")))
    assert _words(made) == ["signature"]


def test_where_approvals_are_not_judged_nothing_is_said_of_them(found_team: Founder) -> None:
    made = _review(_approved(found_team(ADA, BEN)), "refs/heads/elsewhere")
    assert _words(made) == [None]
    assert "counts as" not in render(made, "text")
