"""Honest and tampered approvals through real git: merged, squashed, rebased and queued, with real signatures."""

from __future__ import annotations

import pytest

from potpie_git.checks.approvals.offers import MayNotApproveError
from potpie_git.checks.ranges import check_range
from potpie_git.domain.errors import ExitCode
from potpie_git.store.repository import Repository
from tests.approvals.team import ADA, BEN, CLEO, LANDINGS, MAIN, PATHS, Founder, Member, errors, notes
from tests.support.git_repo import GitRepo


def landed(member: Member, method: str) -> list[str]:
    before = LANDINGS[method](member)
    report = check_range(Repository.discover(member.repo.root), f"{before}..main", MAIN)
    return errors(report)


@pytest.mark.parametrize("mode", ["signoff", "signature"])
@pytest.mark.parametrize("method", LANDINGS)
def test_an_approved_change_lands_and_one_that_was_edited_afterwards_does_not(
    method: str, mode: str, found_team: Founder
) -> None:
    team = found_team(ADA, BEN, CLEO, mode=mode)
    author = team.approved_branch(ADA, BEN, work=lambda ann: ann.supersede(0, "Split the refund."))
    topic = author.repo.git("rev-parse", "topic")
    assert errors(team.judged(author)) == []
    assert landed(author, method) == []
    author.repo.git("switch", "--quiet", "--force-create", "topic", topic)
    author.edit(PATHS[0], lambda raw: raw.replace(b"better one", b"better fix"))
    assert landed(author, method) == ["PG-A01", "PG-A05"]


@pytest.mark.parametrize("method", LANDINGS)
def test_an_approval_too_few_is_missed_however_it_lands(method: str, found_team: Founder) -> None:
    team = found_team(ADA, BEN, CLEO, mode="signature")
    author = team.approved_branch(ADA, work=lambda ann: ann.supersede(0, "Split the refund."))
    assert landed(author, method) == ["PG-A01"]


def test_a_signature_is_full_proof_and_a_sign_off_is_attributed(found_team: Founder) -> None:
    for mode, attributed in (("signoff", True), ("signature", False)):
        team = found_team(ADA, BEN, mode=mode, folder=mode)
        author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
        report = team.judged(author)
        assert report.exit_code is ExitCode.OK
        assert any("attributed only" in note for note in notes(report)) is attributed


def test_a_merge_that_edits_what_was_approved_is_seen(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    repo = author.repo
    repo.git("switch", "--quiet", "--force-create", "main", "origin/main")
    repo.git("merge", "--quiet", "--no-ff", "--no-commit", "topic")
    place = repo.root / PATHS[0]
    place.write_bytes(place.read_bytes().replace(b"no longer holds", b"never held"))
    repo.git("commit", "--quiet", "--all", "--message", "Merge topic")
    report = check_range(Repository.discover(repo.root), "origin/main..main", MAIN)
    assert errors(report) == ["PG-A01", "PG-A05"]


def test_content_decides_after_an_amend_and_a_forced_push(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    author.repo.git("commit", "--quiet", "--amend", "--no-edit")
    author.push("topic", "--force")
    assert errors(team.judged(author)) == []
    author.repo.git("commit", "--quiet", "--amend", "--no-edit", "--reset-author")
    assert errors(team.judged(author)) == ["PG-A01", "PG-A04"], (
        "its author made the approval their own commit"
    )


def test_content_decides_after_the_work_below_the_approval_was_rewritten(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    repo = author.repo
    repo.git("rebase", "--quiet", "--force-rebase", "origin/main", "topic")
    author.push("topic", "--force")
    assert errors(team.judged(author)) == []
    assert repo.git("rev-parse", "topic") == repo.git("rev-parse", "origin/topic")


def test_replace_refs_grafts_and_mailmap_change_nothing(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    repo = author.repo
    evil = repo.git("rev-parse", "topic")
    assert errors(team.judged(author)) == ["PG-A01"]
    repo.git("replace", evil, "origin/main")
    (repo.root / ".git/info/grafts").write_text(f"{evil}\n")
    assert errors(team.judged(author, head=evil)) == ["PG-A01"]
    repo.git("replace", "--delete", evil)
    (repo.root / ".git/info/grafts").unlink()
    own = team.member(ADA)
    own.fetch("main")
    own.repo.branch("hers")
    own.retract(1)
    GitRepo(own.repo.root).write(".mailmap", "Ann Author <ann@example.com> Ada Archer <ada@example.com>\n")
    own.repo.commit("mailmap")
    with pytest.raises(MayNotApproveError, match="wrote part"):
        own.approve()


def test_a_policy_has_its_own_numbers_for_a_predicate_up_and_down_and_the_tombstone_goes_with_its_claim(
    found_team: Founder,
) -> None:
    for number, approvers, found in ((0, (), []), (2, (ADA,), ["PG-A01"]), (2, (ADA, BEN), [])):
        team = found_team(
            ADA,
            BEN,
            CLEO,
            overrides=[{"predicate": "RESOLVED", "medium": number}],
            folder=f"{number}-{len(approvers)}",
        )
        author = team.approved_branch(*approvers, work=lambda ann: ann.retract(0))
        assert errors(team.judged(author)) == found
