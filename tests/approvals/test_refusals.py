"""What an attacker tries on a branch, with real git and real keys: none of it passes for an approval."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from potpie_git.approving import ApprovalDesk
from potpie_git.checks.approvals.choosing import Wish
from potpie_git.checks.ranges import check_range
from potpie_git.domain.approval import Approval, content_digest
from potpie_git.domain.claim import Actor
from potpie_git.domain.errors import ExitCode
from potpie_git.domain.layout import POLICY_FILE, approval_path
from potpie_git.domain.policy import Policy
from potpie_git.domain.times import utc_now
from potpie_git.store.codec import decode, encode, repository_path
from potpie_git.store.repository import Repository
from potpie_git.wiring import Wiring
from tests.approvals.conftest import public_line
from tests.approvals.team import (
    ADA,
    ANN,
    BEN,
    CLEO,
    EVE,
    MAIN,
    PATHS,
    Founder,
    Member,
    Team,
    environment,
    errors,
    identity,
)
from tests.approvals.world import email


def record_of(member: Member) -> tuple[str, Approval]:
    """The only approval in a clone, with its path in the repository."""
    [path] = (member.repo.root / ".potpie/approvals").iterdir()
    record = decode(f"approvals/{path.name}", path.read_bytes()).record
    assert isinstance(record, Approval)
    return f".potpie/approvals/{path.name}", record


def commit_record(member: Member, made: Approval, message: str, *, old: str | None = None) -> None:
    """Put a record into a branch by hand, at its own place."""
    if old is not None:
        member.repo.git("rm", "--quiet", old)
    member.repo.write(repository_path(approval_path(made)), encode(made))
    member.repo.git("add", "--all")
    member.repo.git("commit", "--quiet", "--no-verify", "--message", message)


def forged(team: Team, name: str, mode_signature: str | None = None) -> Member:
    """A branch whose author wrote somebody's approval by hand, sign-off and all."""
    author = team.branch()
    author.retract(0)
    helper = team.member(name)
    author.push("topic")
    helper.fetch("topic")
    helper.approve(ref=MAIN)
    _, made = record_of(helper)
    forgery = made.model_copy(update={"signature": mode_signature})
    commit_record(author, forgery, f"Approve\n\nSigned-off-by: {name} <{email(name)}>")
    return author


@pytest.mark.parametrize("mode", ["signoff", "signature"])
def test_an_author_who_forges_an_approvers_sign_off_gains_nothing(mode: str, found_team: Founder) -> None:
    team = found_team(ADA, BEN, mode=mode)
    author = forged(team, ADA)
    expected = {"signature": ["PG-A01", "PG-A10"], "signoff": ["PG-A01", "PG-A04"]}
    assert errors(team.judged(author)) == expected[mode]


def test_a_forgery_under_the_approvers_whole_identity_is_attributed_and_never_more(
    found_team: Founder,
) -> None:
    for mode, found in (("signoff", []), ("signature", ["PG-A01", "PG-A10"])):
        team = found_team(ADA, BEN, mode=mode, folder=mode)
        author = team.branch()
        author.retract(0)
        author.push("topic")
        helper = team.member(ADA)
        helper.fetch("topic")
        helper.approve()
        _, made = record_of(helper)
        with environment(**identity(ADA)):
            commit_record(
                author,
                made.model_copy(update={"signature": None}),
                f"Approve\n\nSigned-off-by: {ADA} <{email(ADA)}>",
            )
        report = team.judged(author)
        assert errors(report) == found
        assert any(finding.code == "PG-A10" for finding in report.findings)


def test_an_approver_never_approves_their_own_change(found_team: Founder) -> None:
    team = found_team(ADA, BEN, mode="signature")
    author = team.branch(by=ADA)
    author.retract(0)
    author.push("topic")
    helper = team.member(BEN)
    helper.fetch("topic")
    helper.approve()
    _, by_ben = record_of(helper)
    own = by_ben.statement.model_copy(
        update={"principal": "ada-archer", "signed_off_by": f"{ADA} <{email(ADA)}>", "authors": []}
    )
    signature = _signed(team.keys[ADA], own.canonical())
    commit_record(
        author,
        Approval(statement=own, signature=signature),
        f"Approve\n\nSigned-off-by: {ADA} <{email(ADA)}>",
    )
    assert errors(team.judged(author)) == ["PG-A01", "PG-A04"]


def _signed(key: Path, message: bytes, namespace: str = "potpie-git-approval") -> str:
    done = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-f", str(key), "-n", namespace],
        input=message,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def test_a_co_author_does_not_approve(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    author.repo.git(
        "commit", "--quiet", "--amend", "--message", f"Retract\n\nCo-authored-by: {ADA} <{email(ADA)}>"
    )
    author.push("topic")
    helper = team.member(BEN)
    helper.fetch("topic")
    helper.approve()
    _, by_ben = record_of(helper)
    said = by_ben.statement.model_copy(
        update={"principal": "ada-archer", "signed_off_by": f"{ADA} <{email(ADA)}>", "authors": []}
    )
    with environment(**identity(ADA)):
        commit_record(author, Approval(statement=said), f"Approve\n\nSigned-off-by: {ADA} <{email(ADA)}>")
    assert errors(team.judged(author)) == ["PG-A01", "PG-A04"]


def test_a_change_is_judged_by_the_policy_that_it_changes(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    place = author.repo.root / ".potpie/policy.yaml"
    policy = decode(POLICY_FILE, place.read_bytes()).record
    lax = policy.model_copy(
        update={"version": 2, "thresholds": policy.thresholds.model_copy(update={"medium": 0, "high": 0})}
    )
    place.write_bytes(encode(lax))
    author.repo.git("commit", "--quiet", "--all", "--message", "Relax")
    report = team.judged(author)
    assert errors(report) == ["PG-A01"]
    needing = {finding.path for finding in report.errors}
    assert {".potpie/policy.yaml", PATHS[0]} <= needing
    assert any("have 0 of 2" in finding.message for finding in report.errors)


def test_a_policy_whose_version_falls_is_refused(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    place = author.repo.root / ".potpie/policy.yaml"
    policy = decode(POLICY_FILE, place.read_bytes()).record
    for version, text in ((1, "was not raised"),):
        same = policy.model_copy(update={"version": version, "bots": ["ci-bot"]})
        place.write_bytes(encode(same))
        author.repo.git("commit", "--quiet", "--all", "--message", "Edit")
        report = team.judged(author)
        assert "PG-P03" in errors(report)
        assert any(text in finding.message for finding in report.errors)


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw.replace(b"no longer", b"no Longer"),
        lambda raw: raw.replace(b"provenance:\n  mutation", b"provenance:\n   mutation"),
        lambda raw: raw + b"# and a comment\n",
    ],
)
def test_one_byte_of_what_was_approved_is_another_change(
    change: Callable[[bytes], bytes], found_team: Founder
) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    author.edit(PATHS[0], change)
    assert {"PG-A01", "PG-A05"} <= set(errors(team.judged(author)))


def test_another_claim_after_the_approval_is_named(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    author.retract(1)
    report = team.judged(author)
    assert errors(report) == ["PG-A01"]
    assert PATHS[1] in {finding.path for finding in report.errors}
    assert PATHS[0] not in {finding.path for finding in report.errors}
    assert report.exit_code is ExitCode.APPROVAL


def test_a_copy_of_an_approval_counts_for_nobody(found_team: Founder) -> None:
    team = found_team(ADA, BEN, CLEO)
    author = team.approved_branch(ADA, work=lambda ann: ann.supersede(0, "Split the refund."))
    path, _ = record_of(author)
    copied = path.replace("ada-archer", "ben-baker")
    author.repo.write(copied, (author.repo.root / path).read_bytes())
    with environment(**identity(BEN)):
        author.repo.commit(f"Approve\n\nSigned-off-by: {BEN} <{email(BEN)}>")
    report = team.judged(author)
    assert {"PG-A01", "PG-A06"} <= set(errors(report))
    assert any("have 1 of 2" in finding.message for finding in report.errors)


def test_an_approval_that_landed_does_not_serve_again(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    author.push("main")
    again = team.branch("again")
    again.retract(1)
    _, made = record_of(again)
    renamed = made.statement.model_copy(
        update={
            "changes": [(row[0], row[1], row[2]) for row in made.statement.changes],
            "plan": None,
            "range": "x",
        }
    )
    commit_record(again, Approval(statement=renamed), f"Approve\n\nSigned-off-by: {ADA} <{email(ADA)}>")
    assert errors(team.judged(again)) == ["PG-A01", "PG-A06"]


def test_an_approval_for_release_does_not_serve_for_main(found_team: Founder) -> None:
    team = found_team(ADA, BEN, protected=[MAIN, "refs/heads/release"])
    team.member(ANN).push("release")
    author = team.branch()
    author.retract(0)
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    reviewer.approve(ref="refs/heads/release")
    reviewer.push("topic")
    author.fetch("topic")
    assert errors(team.judged(author, "refs/heads/release", base="origin/release")) == []
    assert errors(team.judged(author, MAIN)) == ["PG-A01", "PG-A07"]


def test_a_target_that_is_known_by_a_commit_alone_is_looked_up(found_team: Founder) -> None:
    team = found_team(ADA, BEN, protected=[MAIN, "refs/heads/release"])
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    base = author.repo.git("rev-parse", "origin/main")
    repo = Repository.discover(author.repo.root)
    assert errors(check_range(repo, f"{base}..HEAD")) == []
    author.repo.git("push", "--quiet", "origin", "origin/main:refs/heads/release")
    author.repo.git("fetch", "--quiet", "origin")
    ambiguous = check_range(repo, f"{base}..HEAD")
    assert errors(ambiguous) == ["PG-A01", "PG-A07"]
    assert any("--ref" in finding.hint for finding in ambiguous.errors)


def test_an_expired_approval_does_not_count(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    wiring = Wiring(Repository.discover(reviewer.repo.root), Actor(), lambda: utc_now() - timedelta(days=15))
    desk = ApprovalDesk(wiring)
    desk.approve(desk.offer(Wish()))
    reviewer.push("topic")
    author.fetch("topic")
    assert errors(team.judged(author)) == ["PG-A01", "PG-A08"]


def test_a_withdrawn_approval_does_not_count_however_it_is_hidden(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    path, _ = record_of(reviewer)
    reviewer.pot.approvals.withdraw(Path(path).name[:12], "I looked at the wrong service.")
    reviewer.push("topic")
    author.fetch("topic")
    report = team.judged(author)
    assert errors(report) == ["PG-A01", "PG-A08"]
    assert any("wrong service" in finding.message for finding in report.errors)
    author.repo.git("revert", "--no-edit", "HEAD")
    assert errors(team.judged(author)) == ["PG-A01", "PG-A08"]


def test_an_approval_that_was_changed_or_removed_after_it_landed_is_seen(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    author.push("main")
    path, _ = record_of(author)
    editor = team.branch("edit")
    editor.edit(path, lambda raw: raw.replace(b"risk: medium", b"risk: high"))
    assert "PG-A09" in errors(team.judged(editor))
    remover = team.branch("remove")
    remover.repo.git("rm", "--quiet", path)
    remover.repo.commit("Remove")
    assert "PG-A09" in errors(team.judged(remover))
    taker = team.branch("take-back", by=ADA)
    taker.pot.approvals.withdraw(Path(path).name[:12], "It was a mistake.")
    assert errors(team.judged(taker)) == []


def test_two_keys_of_one_person_are_one_of_two(found_team: Founder, make_key: Callable[..., Path]) -> None:
    team = found_team(ADA, BEN, mode="signature")
    second = make_key("ada-second")
    founder = team.member("Fay Founder")
    place = founder.repo.root / ".potpie/policy.yaml"
    policy = decode(POLICY_FILE, place.read_bytes()).record
    ada = policy.approvers[0]
    both = ada.model_copy(update={"keys": [*ada.keys, public_line(second)]})
    place.write_bytes(
        encode(policy.model_copy(update={"version": 2, "approvers": [both, policy.approvers[1]]}))
    )
    founder.repo.commit("Two keys")
    founder.push("main", "--no-verify")
    author = team.branch()
    author.supersede(0, "Split the refund.")
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    for key in (team.keys[ADA], second):
        reviewer.approve(key=key)
    reviewer.push("topic")
    author.fetch("topic")
    report = team.judged(author)
    assert errors(report) == ["PG-A01"]
    assert any("have 1 of 2" in finding.message for finding in report.errors)


def test_one_key_under_two_names_is_one_of_two_and_a_bot_is_none(found_team: Founder) -> None:
    team = found_team(ADA, BEN, mode="signature")
    founder = team.member("Fay Founder")
    place = founder.repo.root / ".potpie/policy.yaml"
    policy = decode(POLICY_FILE, place.read_bytes()).record
    shared = [each.model_copy(update={"keys": [public_line(team.keys[ADA])]}) for each in policy.approvers]
    place.write_bytes(encode(policy.model_copy(update={"version": 2, "approvers": shared})))
    founder.repo.commit("One key")
    founder.push("main", "--no-verify")
    author = team.branch()
    author.supersede(0, "Split the refund.")
    author.push("topic")
    for name in (ADA, BEN):
        reviewer = team.member(name)
        reviewer.fetch("topic")
        reviewer.approve(key=team.keys[ADA])
        reviewer.push("topic")
    author.fetch("topic")
    assert any("have 1 of 2" in finding.message for finding in team.judged(author).errors)
    place.write_bytes(
        encode(policy.model_copy(update={"version": 3, "approvers": policy.approvers, "bots": [email(BEN)]}))
    )
    founder.repo.commit("A bot")
    founder.push("main", "--no-verify")
    report = team.judged(author)
    assert {"PG-A01", "PG-A02"} <= set(errors(report))
    assert any("bot" in finding.message for finding in report.errors)


def test_a_signature_made_for_git_does_not_serve(found_team: Founder) -> None:
    team = found_team(ADA, BEN, mode="signature")
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    path, made = record_of(author)
    pasted = made.model_copy(update={"signature": _signed(team.keys[ADA], made.statement.canonical(), "git")})
    author.edit(path, lambda _: encode(pasted))
    report = team.judged(author)
    assert errors(report) == ["PG-A01", "PG-A03"]
    assert any("'git'" in finding.message for finding in report.errors)


def test_whoever_was_removed_from_the_base_after_approving_does_not_count(found_team: Founder) -> None:
    team = found_team(ADA, BEN, CLEO)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    assert errors(team.judged(author)) == []
    founder = team.member("Fay Founder")
    place = founder.repo.root / ".potpie/policy.yaml"
    policy: Policy = decode(POLICY_FILE, place.read_bytes()).record
    place.write_bytes(encode(policy.model_copy(update={"version": 2, "approvers": policy.approvers[1:]})))
    founder.repo.commit("Without Ada")
    founder.push("main", "--no-verify")
    assert errors(team.judged(author)) == ["PG-A01", "PG-A02"]


def test_a_program_that_always_says_good_is_not_asked(found_team: Founder, tmp_path: Path) -> None:
    team = found_team(ADA, BEN, mode="signature")
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    path, made = record_of(author)
    wrong = made.model_copy(update={"signature": _signed(team.keys[EVE], made.statement.canonical())})
    author.edit(path, lambda _: encode(wrong))
    liar = tmp_path / "liar"
    marker = tmp_path / "was-asked"
    liar.write_text(f'#!/bin/sh\ntouch "{marker}"\necho "Good signature"\nexit 0\n')
    liar.chmod(0o755)
    signers = tmp_path / "signers"
    signers.write_text(f"* {public_line(team.keys[EVE])}\n")
    for name, value in (
        ("gpg.ssh.program", str(liar)),
        ("gpg.format", "ssh"),
        ("gpg.ssh.allowedSignersFile", str(signers)),
    ):
        author.repo.git("config", name, value)
    assert errors(team.judged(author)) == ["PG-A01", "PG-A03"]
    assert not marker.exists()


def test_without_a_policy_at_the_base_or_with_a_broken_one_nothing_passes(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    founder = team.member("Fay Founder")
    place = founder.repo.root / ".potpie/policy.yaml"
    whole = place.read_bytes()
    place.write_bytes(whole.replace(b"version: 1", b"version: one"))
    founder.repo.commit("Break it")
    founder.push("main", "--no-verify")
    assert "PG-P02" in errors(team.judged(author))
    place.unlink()
    founder.repo.commit("Remove it")
    founder.push("main", "--no-verify")
    report = team.judged(author)
    assert "PG-P01" in errors(report)
    assert report.exit_code is not ExitCode.OK


def test_a_pinned_policy_is_the_only_one_that_judges(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    repo = Repository.discover(author.repo.root)
    digest = content_digest(encode(team.policy))
    assert errors(check_range(repo, "origin/main..HEAD", MAIN, digest)) == []
    assert errors(check_range(repo, "origin/main..HEAD", MAIN, digest.upper())) == []
    assert errors(check_range(repo, "origin/main..HEAD", MAIN, "0" * 64)) == ["PG-P01"]


def test_a_revert_of_a_supersession_is_a_silent_edit(found_team: Founder) -> None:
    team = found_team(ADA, BEN, CLEO)
    author = team.approved_branch(ADA, BEN, work=lambda ann: ann.supersede(0, "Split the refund."))
    author.push("main")
    reverter = team.branch("revert")
    commits = reverter.repo.git("log", "--format=%H", "--grep=Potpie-Risk: high", "-1")
    reverter.repo.git("revert", "--no-edit", commits)
    found = set(errors(team.judged(reverter)))
    assert {"PG-H01", "PG-H04"} <= found


def test_the_same_approvals_are_judged_alike_in_a_clone_of_the_target_alone(
    found_team: Founder, tmp_path: Path
) -> None:
    team = found_team(ADA, BEN)
    author = team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    author.push("topic")
    shallow = team.origin.clone(tmp_path / "shallow", "--depth", "1", "--branch", "topic")
    report = check_range(Repository.discover(shallow.root), "HEAD~1..HEAD", MAIN)
    assert errors(report) == ["PG-R01"]
    assert report.exit_code is ExitCode.UNAVAILABLE
