"""Honest changes land by merge, squash, rebase and queue, and none is refused: generated worlds, without git."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from potpie_git.checks.approvals.commits import Commits
from potpie_git.checks.approvals.gather import read_record
from potpie_git.checks.approvals.model import Change, Target
from potpie_git.checks.approvals.verify import verify
from potpie_git.domain.approval import Approval, content_digest
from potpie_git.domain.layout import approval_path
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.codec import encode
from tests.approvals.branches import (
    EACH,
    METHODS,
    PEOPLE,
    Branch,
    Commit,
    files_of,
    generated,
    landed,
    person_of,
    record_of,
    refusal,
)
from tests.approvals.keys import is_signed
from tests.approvals.world import MAIN, NOW, STORE, approval, policy


@pytest.mark.parametrize("method", METHODS)
def test_no_honest_landing_is_refused(method: str) -> None:
    random = Random(f"honest {method}")
    seen: Counter[str] = Counter()
    for number in range(EACH):
        branch = generated(random)
        verdict = landed(branch, METHODS[method](branch, random))
        assert not refusal(branch, verdict), (method, number)
        seen[f"{branch.policy.mode}, {max((file.needed for file in verdict.files), default=0)} needed"] += 1
    assert sum(seen.values()) == EACH
    assert len(seen) == 6, "modes and numbers of approvers are not all there"


@pytest.mark.parametrize("method", METHODS)
def test_the_same_landings_are_refused_once_a_needed_approval_is_missing_or_a_file_differs(
    method: str,
) -> None:
    random = Random(f"tampered {method}")
    refused = 0
    while refused < EACH:
        branch = generated(random)
        if not branch.records:
            continue
        lost = random.choice(sorted(branch.records))
        kept = {path: raw for path, raw in branch.records.items() if path != lost}
        without = replace(
            branch,
            records=kept,
            commits=tuple(commit for commit in branch.commits if lost not in commit.files),
        )
        covered = Approval.model_validate(_statement(branch.records[lost])).statement.changes
        honest = landed(branch, METHODS[method](branch, random))
        tight = {each.file.path for each in honest.files if len(each.approved_by) == each.needed}
        if tight & {path for path, _, _ in covered}:
            assert not landed(without, METHODS[method](without, random)).approved
        path = random.choice([path for path, _, _ in covered])
        edited = replace(branch, after={**branch.after, path: branch.after[path] + b"\n"})
        verdict = landed(edited, METHODS[method](edited, random))
        assert [fault.code for each in verdict.records for fault in each.faults].count("PG-A05") >= 1
        if path in {each.file.path for each in honest.files}:
            assert not verdict.approved
        refused += 1


def _statement(raw: bytes) -> object:
    read, _ = read_record("approvals/x.yaml", raw)
    assert read is not None
    return read.to_data()


def test_two_branches_that_land_together_may_approve_each_other() -> None:
    """A queue that tests two branches as one: each author approves what the other wrote."""
    ada, ben = (person_of(name) for name in PEOPLE[:2])
    judging = policy(*PEOPLE[:3])
    after = {"claims/a.yaml": b"1", "claims/b.yaml": b"2"}
    before = {"claims/a.yaml": b"0", "claims/b.yaml": b"0"}
    grades = dict.fromkeys(after, (Risk.MEDIUM, "decisions"))
    branch = Branch(judging, before, after, grades, (), {})
    files = {each.path: each for each in files_of(branch, {})}
    by_ben = approval([files["claims/a.yaml"]], PEOPLE[1], authors=[ada.email])
    by_ada = approval([files["claims/b.yaml"]], PEOPLE[0], authors=[ben.email])
    commits = (
        Commit(ada, "a\n", {"claims/a.yaml": b"1"}),
        Commit(ben, f"ok\n\nSigned-off-by: B <{ben.email}>\n", {approval_path(by_ben): encode(by_ben)}),
        Commit(ben, "b\n", {"claims/b.yaml": b"2"}),
        Commit(ada, f"ok\n\nSigned-off-by: A <{ada.email}>\n", {approval_path(by_ada): encode(by_ada)}),
    )
    records = {approval_path(each): encode(each) for each in (by_ben, by_ada)}
    branch = replace(branch, commits=commits, records=records)
    assert landed(branch, commits).approved


def test_a_part_that_another_branch_landed_meanwhile_is_no_objection() -> None:
    """Two branches that assert the same thing write the same file; the second to land no longer brings it."""
    random = Random("meanwhile")
    for _ in range(20):
        branch = generated(random)
        low = next((path for path, (risk, _) in branch.grades.items() if risk is Risk.LOW), None)
        if low is None or not branch.records:
            continue
        history = Commits()
        records = [record_of(path, held, history) for path, held in branch.records.items()]
        files = {each.path: each for each in files_of(branch, {}) if each.path != low}
        change = Change(files, {low: content_digest(branch.after[low])})
        target = Target(STORE, frozenset({MAIN}))
        later = NOW + timedelta(hours=1)
        assert verify(change, records, branch.policy, later, target, {}, is_signed).approved
