"""What an audit says of a branch's history: approved, not approved, or not to be proved."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from potpie_git.checks.audit import AuditReport, IncompleteHistoryError, Outcome, audit, branch_name
from potpie_git.domain.approval import content_digest
from potpie_git.domain.errors import ExitCode
from potpie_git.domain.layout import POLICY_FILE
from potpie_git.domain.times import utc_now
from potpie_git.store.codec import decode, encode
from potpie_git.store.repository import Repository
from tests.approvals.team import (
    ADA,
    ANN,
    BEN,
    CLAIMS,
    CLEO,
    LANDINGS,
    MAIN,
    Founder,
    Member,
    environment,
    identity,
)
from tests.support import program


def audited(member: Member, rev: str = "main", ref: str | None = MAIN) -> AuditReport:
    return audit(Repository.discover(member.repo.root), rev, ref)


def outcomes(report: AuditReport) -> list[Outcome]:
    return [entry.outcome for entry in report.entries]


@pytest.mark.parametrize(
    ("method", "outcome"),
    [
        ("merge", Outcome.APPROVED),
        ("squash", Outcome.APPROVED),
        ("rebase", Outcome.UNPROVEN),
        ("queue", Outcome.UNPROVEN),
    ],
)
def test_an_approved_landing_is_found_however_it_landed(
    method: str, outcome: Outcome, found_team: Founder
) -> None:
    team = found_team(ADA, BEN, CLEO)
    author = team.approved_branch(ADA, BEN, work=lambda ann: ann.supersede(0, "Split the refund."))
    LANDINGS[method](author)
    report = audited(author)
    assert outcomes(report) == [Outcome.FOUNDING, outcome]
    said = report.entries[1]
    assert {each.principal for each in said.approvals} == {"ada-archer", "ben-baker"}
    if method == "squash":
        assert any("squashed" in note for note in said.notes)
    if outcome is Outcome.UNPROVEN:
        assert any("later commit" in note for note in said.notes)
        assert report.exit_code is ExitCode.PARTIAL
    else:
        assert report.exit_code is ExitCode.OK


def test_a_rebased_branch_with_changes_in_several_commits_is_found_whole(found_team: Founder) -> None:
    team = found_team(ADA, BEN)

    def work(ann: Member) -> None:
        ann.retract(0)
        ann.retract(1)

    author = team.approved_branch(ADA, work=work)
    LANDINGS["rebase"](author)
    assert outcomes(audited(author)) == [Outcome.FOUNDING, Outcome.UNPROVEN, Outcome.UNPROVEN]


def test_what_nobody_approved_is_named_with_its_commit(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    commit = author.retract(0)
    author.push("main", "--no-verify")
    author.fetch("main")
    author.repo.commit("Something else", files={"Makefile": "all:\n"})
    report = audited(author)
    assert outcomes(report) == [Outcome.FOUNDING, Outcome.UNAPPROVED]
    assert report.entries[1].commit == commit
    assert {found.code for found in report.entries[1].findings} == {"PG-A01"}
    assert report.exit_code is ExitCode.APPROVAL
    assert report.commits == 2, "only commits that change the pot are read"


def test_an_approval_before_its_change_on_the_branch_proves_it_and_serves_once(found_team: Founder) -> None:
    team = found_team(ADA)
    owner = team.member(ADA)
    for number in (0, 1):
        plan = owner.pot.propose(
            {"op": "retract_claim", "claim": CLAIMS[number].id, "reason": "It no longer holds."}
        )
        owner.approve(plan.plan_id)
    report = audited(owner)
    assert outcomes(report) == [Outcome.FOUNDING, Outcome.APPROVED, Outcome.APPROVED]
    assert [each.label for each in report.entries[1].approvals] == ["attributed, self-approved"]


def test_an_entity_that_goes_back_and_forth_needs_an_approval_each_time(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch(by=ANN)
    author.write({"op": "upsert_entity", "subject": {"key": "service:payments", "summary": "One."}})
    author.push("main")
    first = team.branch("first")
    first.write(
        {"op": "patch_entity", "subject": "service:payments", "patch": {"summary": "Two."}, "reason": "r"}
    )
    first.push("first")
    reviewer = team.member(ADA)
    reviewer.fetch("first")
    reviewer.approve()
    reviewer.push("main")
    path = next((reviewer.repo.root / ".potpie/entities").rglob("*.yaml"))
    relative = str(path.relative_to(reviewer.repo.root))
    two = path.read_bytes()
    one = reviewer.repo.run("show", f"HEAD~2:{relative}").stdout
    back = team.branch("back")
    for raw in (one, two):
        back.edit(relative, lambda _, raw=raw: raw)  # type: ignore[misc]
    back.push("main", "--no-verify")
    back.fetch("main")
    report = audited(back)
    assert outcomes(report) == [
        Outcome.FOUNDING,
        Outcome.UNPROVEN,
        Outcome.UNAPPROVED,
        Outcome.UNAPPROVED,
    ]


def test_each_commit_is_judged_by_the_policy_and_the_clock_of_its_day(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    LANDINGS["merge"](author)
    author.push("main")
    founder = team.member("Fay Founder")
    founder.fetch("main")
    place = founder.repo.root / ".potpie/policy.yaml"
    policy = decode(POLICY_FILE, place.read_bytes()).record
    place.write_bytes(encode(policy.model_copy(update={"version": 2, "approvers": policy.approvers[1:]})))
    founder.repo.commit("Without Ada, and without approval")
    late = utc_now() + timedelta(days=60)
    with environment(GIT_COMMITTER_DATE=late.isoformat(), **identity("Fay Founder")):
        founder.repo.commit("Much later", files={"Makefile": "all:\n"})
    report = audited(founder)
    assert outcomes(report) == [Outcome.FOUNDING, Outcome.APPROVED, Outcome.UNAPPROVED]
    assert [found.path for found in report.entries[2].findings] == [".potpie/policy.yaml"]


def test_a_pot_without_a_policy_approved_nothing(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    founder = team.member("Fay Founder")
    founder.repo.git("rm", "--quiet", ".potpie/policy.yaml")
    founder.repo.commit("Remove the policy")
    founder.repo.branch("side")
    founder.retract(0)
    report = audited(founder, "side")
    assert outcomes(report) == [Outcome.FOUNDING, Outcome.UNAPPROVED, Outcome.NO_POLICY]
    assert report.exit_code is ExitCode.APPROVAL


def test_a_pinned_policy_has_to_be_the_first(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    founder = team.member("Fay Founder")
    repo = Repository.discover(founder.repo.root)
    digest = content_digest(encode(team.policy))
    assert outcomes(audit(repo, "main", MAIN, digest)) == [Outcome.FOUNDING]
    assert outcomes(audit(repo, "main", MAIN, "0" * 64)) == [Outcome.NO_POLICY]


def test_history_that_was_cut_off_is_never_a_pass(found_team: Founder, tmp_path: Path) -> None:
    team = found_team(ADA, BEN)
    shallow = team.origin.clone(tmp_path / "shallow", "--depth", "1", "--branch", "main")
    with pytest.raises(IncompleteHistoryError, match="shallow") as refused:
        audit(Repository.discover(shallow.root), "HEAD")
    assert "--unshallow" in refused.value.hint


def test_the_command_says_what_is_wrong_and_how_much_was_read(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    LANDINGS["merge"](author)
    good = program.run(author.repo.root, "audit", "--all")
    assert good.returncode == 0, good.stderr
    assert "ada-archer (attributed)" in good.stdout
    assert good.stdout.endswith("Changes of the pot on refs/heads/main: 2 commits: 1 approved, 1 founded.\n")
    author.repo.git("commit", "--quiet", "--allow-empty", "--message", "Nothing of the pot")
    author.repo.git("switch", "--quiet", "--create", "more")
    author.retract(1)
    author.repo.git("switch", "--quiet", "main")
    author.repo.git("merge", "--quiet", "--ff-only", "more")
    bad = program.run(author.repo.root, "audit")
    assert bad.returncode == 4
    assert "NOT APPROVED" in bad.stdout
    assert "ada-archer" not in bad.stdout
    document = program.document(author.repo.root, "audit", "main")
    assert document["result"]["counts"] == {
        "approved": 1,
        "unproven": 0,
        "unapproved": 1,
        "no_policy": 0,
        "founding": 1,
    }


def test_a_revision_names_the_branch_that_it_landed_on(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    repo = Repository.discover(team.member(ANN).repo.root)
    assert branch_name(repo, "HEAD") == MAIN
    assert branch_name(repo, "origin/main") == MAIN
    assert branch_name(repo, "main") == MAIN
    assert branch_name(repo, "main~0") is None
