"""Approving as people do it: a reviewer's three commands, plans, hooks, withdrawals, narrowed and large approvals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from potpie_git.checks.approvals.choosing import Wish
from potpie_git.checks.approvals.offers import MayNotApproveError, NothingToApproveError
from potpie_git.checks.review import render_text
from potpie_git.domain.approval import Approval
from potpie_git.domain.errors import (
    ApprovalRequiredError,
    ConflictError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
)
from potpie_git.domain.times import utc_now
from potpie_git.domain.trailers import sign_offs
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.codec import decode, encode
from potpie_git.write.approve import Approved, make_records
from tests.approvals.team import (
    ADA,
    ANN,
    BEN,
    CLAIMS,
    CLEO,
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
from tests.support import program
from tests.support.records import claim


def retraction(number: int = 0) -> dict[str, str]:
    return {"op": "retract_claim", "claim": CLAIMS[number].id, "reason": "It no longer holds."}


def head(member: Member, form: str = "%B") -> str:
    return member.repo.git("log", "-1", f"--format={form}")


def test_a_reviewer_needs_three_commands_and_is_told_each(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    author.push("topic")
    told = [finding.hint for finding in team.judged(author).errors]
    assert told[0] == (
        f"Let {ADA} or {BEN} fetch this branch, switch to it, and run `git potpie approve --push`."
    )
    reviewer = team.member(ADA)
    reviewer.repo.git("fetch", "--quiet")
    reviewer.repo.git("switch", "--quiet", "topic")
    done = program.run(reviewer.repo.root, "approve", "--yes", "--push")
    assert done.returncode == 0, done.stderr
    assert f"{ADA} approved" in done.stdout
    assert "Pushed to origin topic." in done.stdout
    assert "Nothing is missing: it may land." in done.stdout
    author.fetch("topic")
    assert errors(team.judged(author)) == []


def test_after_the_first_of_two_approvals_the_next_step_is_named(found_team: Founder) -> None:
    team = found_team(ADA, BEN, CLEO)
    author = team.branch()
    author.supersede(0, "Split the refund.")
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    done = program.run(reviewer.repo.root, "approve", "--yes")
    assert done.returncode == 0, done.stderr
    assert "1 of 2" in done.stdout
    assert f"Who can approve it: {BEN}, {CLEO}." in done.stdout
    assert "git push" in done.stderr


def test_an_approval_is_a_signed_off_commit_of_one_file(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    reviewer.repo.write("src/unrelated.py", "x = 1\n")
    reviewer.repo.git("add", "src/unrelated.py")
    done = reviewer.approve()
    assert reviewer.repo.git("show", "--format=", "--name-only", "HEAD").split("\n") == [
        done.commits[0].files[0]
    ]
    assert sign_offs(head(reviewer)) == [email(ADA)]
    assert head(reviewer, "%an <%ae>") == f"{ADA} <{email(ADA)}>"
    assert reviewer.repo.git("status", "--porcelain") == "A  src/unrelated.py"
    [record] = done.records
    assert record.statement.authors == ["ann", email(ANN)]
    assert {path for path, _, _ in record.statement.changes} >= {PATHS[0].removeprefix(".potpie/")}


def test_the_question_shows_what_it_is_about_and_without_an_answer_nothing_happens(
    found_team: Founder,
) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0, reason="The gateway rejects retries.")
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    before = head(reviewer, "%H")
    done = program.run(reviewer.repo.root, "approve")
    assert done.returncode == 1
    assert "--yes" in done.stderr
    assert head(reviewer, "%H") == before
    desk = reviewer.pot.approvals
    shown = render_text(desk.review(desk.offer(Wish())))
    assert "The gateway rejects retries." in shown
    assert "Retry the refund." in shown


# Plans


def test_a_plan_on_a_protected_branch_is_refused_until_it_is_approved_and_then_both_are_committed(
    found_team: Founder,
) -> None:
    team = found_team(ADA, BEN)
    author = team.member(ANN)
    plan = author.pot.propose(retraction())
    before = head(author, "%H")
    with pytest.raises(ApprovalRequiredError) as refused:
        author.pot.commit(plan.plan_id)
    assert "have 0 of 1" in refused.value.message
    assert f"git potpie approve {plan.plan_id}" in refused.value.hint
    assert head(author, "%H") == before
    author.repo.git("config", "user.name", ADA)
    author.repo.git("config", "user.email", email(ADA))
    done = author.approve(plan.plan_id)
    assert done.plan is not None
    assert author.repo.git("log", "--format=%an: %s", f"{before}..HEAD").split("\n") == [
        f"{ANN}: {plan.message.splitlines()[0] if plan.message else ''}",
        f"{ADA}: Approve 2 changes of medium risk for main",
    ]
    assert errors(team.judged(author, base="origin/main")) == []


def test_the_author_of_a_plan_does_not_approve_it_where_others_are_listed(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.member(ADA)
    plan = author.pot.propose(retraction())
    with pytest.raises(MayNotApproveError, match="wrote part"):
        author.approve(plan.plan_id)


def test_the_only_approver_approves_their_own_plan_in_one_command(found_team: Founder) -> None:
    team = found_team(ADA)
    owner = team.member(ADA)
    plan = owner.pot.propose(retraction())
    answer = program.document(owner.repo.root, "approve", plan.plan_id, "--yes")
    assert answer["error"] is None
    assert answer["result"]["self_approved"] is True
    assert answer["result"]["plan_commit"] == head(owner, "%H")
    assert answer["result"]["verdict"]["approved"] is True
    assert owner.repo.git("rev-list", "--count", "origin/main..HEAD") == "2"
    report = team.judged(owner)
    assert errors(report) == []
    assert any("self-approved" in finding.message for finding in report.findings)


def test_a_plan_of_high_risk_waits_for_the_second_approver(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.member(ANN)
    new = {
        "op": "assert_claim",
        "subject": CLAIMS[0].subject,
        "predicate": "RESOLVED",
        "object": CLAIMS[0].object,
    }
    plan = author.pot.propose(
        {
            "op": "supersede_claim",
            "claim": CLAIMS[0].id,
            "reason": "There is a better one.",
            "superseded_by": {
                **new,
                "fact": "Split it.",
                "evidence": [{"source_ref": "github:pr:a/b:1", "authority": "external_system"}],
            },
        }
    )
    with environment(**identity(ADA)):
        first = author.approve(plan.plan_id)
    assert first.plan is None
    assert not first.verdict.approved
    with environment(**identity(BEN)):
        second = author.approve(plan.plan_id)
    assert second.plan is not None
    assert errors(team.judged(author)) == []


def test_on_another_branch_a_plan_is_committed_and_says_what_is_pending(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    plan = author.pot.propose(retraction())
    done = author.pot.commit(plan.plan_id)
    assert done.commit is not None
    assert len(done.pending) == 2
    assert all("PG-A01" in text and "have 0 of 1" in text for text in done.pending)


def test_a_plan_for_a_branch_is_approved_as_it_will_land_on_main(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    plan = author.pot.propose(retraction())
    with environment(**identity(ADA)):
        done = author.approve(plan.plan_id)
    assert done.plan is not None
    assert done.plan.pending == []
    assert done.offer.ref == MAIN
    assert errors(team.judged(author)) == []


# Hooks


def hooked(team: Team, name: str) -> Member:
    member = team.member(name)
    member.pot.install_hooks()
    return member


def test_a_hand_edit_on_a_protected_branch_is_refused_by_the_commit_hook(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = hooked(team, ANN)
    author.repo.branch("side")
    author.retract(0)
    author.repo.git("switch", "--quiet", "main")
    author.repo.git("checkout", "side", "--", ".potpie")
    done = author.repo.run("commit", "--quiet", "--message", "Retract by hand")
    assert done.returncode != 0
    assert b"PG-A01" in done.stderr
    author.repo.git("switch", "--quiet", "--force", "side")
    assert author.repo.run("commit", "--allow-empty", "--quiet", "--message", "on a branch").returncode == 0


def test_a_merge_into_a_protected_branch_is_held_until_it_is_approved(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    author.push("topic")
    merger = hooked(team, "Mia Merger")
    merger.repo.git("fetch", "--quiet")
    refused = merger.repo.run("merge", "--no-ff", "--no-edit", "origin/topic")
    assert refused.returncode != 0
    assert b"PG-A01" in refused.stderr
    assert b"approve on the branch that you merge" in refused.stderr
    merger.repo.git("merge", "--abort")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    reviewer.approve()
    reviewer.push("topic")
    merger.repo.git("fetch", "--quiet")
    merged = merger.repo.run("merge", "--no-ff", "--no-edit", "origin/topic")
    assert merged.returncode == 0, merged.stderr
    pushed = merger.repo.run("push", "origin", "main")
    assert pushed.returncode == 0, pushed.stderr


def test_an_approver_may_merge_what_they_approved(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    merger = hooked(team, ADA)
    merger.fetch("main")
    assert merger.repo.run("merge", "--no-ff", "--no-edit", "origin/topic").returncode == 0
    assert errors(team.judged(merger)) == []


def test_what_went_past_the_commit_hook_is_held_at_the_push(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = hooked(team, ANN)
    author.repo.branch("side")
    author.retract(0)
    author.repo.git("switch", "--quiet", "main")
    author.repo.git("cherry-pick", "side")
    done = author.repo.run("push", "origin", "main")
    assert done.returncode != 0
    assert b"PG-A01" in done.stderr
    assert author.repo.run("push", "origin", "HEAD:refs/heads/side").returncode == 0


# Taking back, and what else there is to say


def test_an_approval_is_taken_back_with_a_reason(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    team.approved_branch(ADA, work=lambda ann: ann.retract(0))
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    [(path, made)] = reviewer.pot.approvals.stored()
    name = Path(path).name[:12]
    assert program.run(reviewer.repo.root, "approve", "--withdraw", name).returncode == 1
    done = program.run(reviewer.repo.root, "approve", "--withdraw", name, "--reason", "Wrong service.")
    assert done.returncode == 0, done.stderr
    assert sign_offs(head(reviewer)) == [email(ADA)]
    [(_, held)] = reviewer.pot.approvals.stored()
    assert held.withdrawn is not None
    assert held.withdrawn.reason == "Wrong service."
    assert held.statement == made.statement
    with pytest.raises(ConflictError, match="was withdrawn"):
        reviewer.pot.approvals.withdraw(name, "Again.")
    with pytest.raises(NotFoundError):
        reviewer.pot.approvals.withdraw("ffff", "Nothing.")
    again = reviewer.approve()
    assert again.verdict.approved


def test_approvals_are_listed_shown_and_judged(found_team: Founder) -> None:
    team = found_team(ADA, BEN, mode="signature")
    author = team.approved_branch(ADA, work=lambda ann: ann.supersede(0, "Split the refund."))
    root = author.repo.root
    [listed] = program.result(root, "approvals", "list")["approvals"]
    name = Path(listed["path"]).name[:12]
    assert (listed["principal"], listed["risk"], listed["signed"]) == ("ada-archer", "high", True)
    shown = program.ok(root, "approvals", "show", name)
    assert "signature   yes" in shown
    raw = program.ok(root, "approvals", "show", name, "--statement").removesuffix("\n")
    record = decode(f"approvals/{Path(listed['path']).name}", (root / listed["path"]).read_bytes()).record
    assert isinstance(record, Approval)
    assert raw.encode() == record.statement.canonical()
    assert json.loads(raw)["principal"] == "ada-archer"
    judged = program.run(root, "approvals", "verify")
    assert judged.returncode == 4
    assert "signature" in judged.stdout
    assert "1 of 2" in judged.stdout
    author.push("main", "--no-verify")
    author.fetch("main")
    nothing = program.run(root, "approvals", "verify")
    assert nothing.returncode == 0


def test_files_can_be_approved_apart(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    author.retract(1)
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    done = reviewer.approve(PATHS[0])
    assert [path for path, _, _ in done.records[0].statement.changes] == [PATHS[0].removeprefix(".potpie/")]
    assert {short.file.path for short in done.verdict.short} > {PATHS[1].removeprefix(".potpie/")}
    rest = reviewer.approve(PATHS[1], ".potpie/tombstones")
    assert rest.verdict.approved
    with pytest.raises(NothingToApproveError, match="lies under"):
        reviewer.approve(".potpie/inbox")
    with pytest.raises(InvalidInputError):
        reviewer.approve("../outside")


def test_a_range_is_approved_where_its_head_is_checked_out(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.repo.git("fetch", "--quiet")
    with pytest.raises(InvalidInputError, match="not what is checked out"):
        reviewer.approve("origin/main..origin/topic")
    reviewer.fetch("topic")
    assert reviewer.approve("origin/main..").verdict.approved


def test_who_may_not_approve_is_told_who_may(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    with pytest.raises(MayNotApproveError, match="not an approver") as refused:
        author.approve()
    assert ADA in refused.value.message
    assert "user.email" in refused.value.hint


def test_nothing_to_approve_says_so_and_names_a_waiting_plan(found_team: Founder) -> None:
    team = found_team(ADA)
    owner = team.member(ADA)
    with pytest.raises(NothingToApproveError) as nothing:
        owner.approve()
    assert "Nothing is waiting" in nothing.value.hint
    plan = owner.pot.propose(retraction())
    with pytest.raises(NothingToApproveError) as waiting:
        owner.approve()
    assert plan.plan_id in waiting.value.hint
    low = owner.pot.propose({"op": "assert_claim", **_new_claim()})
    with pytest.raises(NothingToApproveError, match="needs an approval"):
        owner.approve(low.plan_id)


def _new_claim() -> dict[str, object]:
    held = claim(subject="fix:00000000000a", fact="Count twice.")
    return {
        "subject": held.subject,
        "predicate": held.predicate,
        "object": held.object,
        "fact": held.fact,
        "evidence": [{"source_ref": "github:pr:a/b:1", "authority": "external_system"}],
    }


def test_signatures_need_a_key_that_is_listed(found_team: Founder) -> None:
    team = found_team(ADA, BEN, mode="signature")
    author = team.branch()
    author.retract(0)
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    with pytest.raises(RefusedError, match="no key that is here"):
        reviewer.pot.approvals.approve(reviewer.pot.approvals.offer(Wish()))
    reviewer.repo.git("config", "user.signingKey", str(team.keys[ADA]))
    desk = reviewer.pot.approvals
    done = desk.approve(desk.offer(Wish()))
    assert done.records[0].signature is not None
    assert done.verdict.approved


def test_a_branch_without_an_upstream_keeps_the_approval_and_says_how_to_push(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    author.retract(0)
    author.push("topic")
    reviewer = team.member(ADA)
    reviewer.fetch("topic")
    reviewer.repo.git("branch", "--quiet", "--unset-upstream")
    with pytest.raises(RefusedError, match="no upstream") as refused:
        reviewer.approve(push=True)
    assert "git push REMOTE topic" in refused.value.hint
    assert head(reviewer, "%s").startswith("Approve")


def test_more_files_than_one_record_holds_are_approved_by_several() -> None:
    rows = [(f"claims/decisions/{number:02x}/{'x' * 120}.yaml", "0" * 64, "1" * 64) for number in range(256)]
    wanted = Approved(
        "acme", MAIN, Risk.MEDIUM, "ada", "Ada <ada@example.com>", list(reversed(rows)), range="a..b"
    )
    records = make_records(wanted, utc_now())
    assert len(records) > 1
    assert [row for made in records for row in made.statement.changes] == rows
    assert len({made.statement.nonce for made in records}) == len(records)
    assert all(len(encode(made)) < 64 * 1024 for made in records)
