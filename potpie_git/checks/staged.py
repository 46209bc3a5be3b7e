"""The checks that need no history: what is staged, a whole tree, and a commit's message."""

from __future__ import annotations

from dataclasses import replace

from potpie_git.checks.approvals.base import base_policy, needs_approval
from potpie_git.checks.engine import check_change
from potpie_git.checks.message import message_problems
from potpie_git.checks.report import CheckKind, CheckReport, sorted_findings
from potpie_git.domain.errors import NoPotError
from potpie_git.domain.findings import Finding
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.domain.policy import Policy
from potpie_git.domain.times import utc_now
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.errors import UnknownRevisionError
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import IndexSnapshot, TreeSnapshot


def check_staged(repo: Repository, listing: bytes | None = None) -> CheckReport:
    """Judge what the next commit holds against HEAD, in the index that a running commit uses.

    `listing` is what `list_staged` said, for who asked it already. Raises `UnmergedError` while a merge of the pot's
    files is unfinished.
    """
    before, after = TreeSnapshot.of_head(repo), IndexSnapshot(repo, listing=listing)
    report = check_change(before, after, CheckKind.STAGED)
    missing = _missing_approvals(repo, before, after, report)
    return replace(report, findings=sorted_findings([*report.findings, *missing])) if missing else report


def _missing_approvals(
    repo: Repository, before: TreeSnapshot, after: IndexSnapshot, report: CheckReport
) -> list[Finding]:
    """What the policy at HEAD asks for on this branch; nothing for the first commit of a pot, or without a branch."""
    if before.commit is None or not report.grades or not before.exists():
        return []
    branch = repo.branch()
    policy = base_policy(before)[0] or Policy(version=1)
    if branch is None or not policy.protects(branch) or not any(needs_approval(policy, report.grades)):
        return []
    # most commits never come here, and their hook need not pay for it
    from potpie_git.checks.approvals.enforce import Work, work_findings

    return work_findings(Work(repo, before.commit, branch, after, report.grades), utc_now())


def check_rev(repo: Repository, rev: str, *, needs_pot: bool = False) -> CheckReport:
    """Judge the whole tree of a revision, without its history. A revision that is not known is a finding: R02.

    With `needs_pot`, `NoPotError` is raised where there is nothing to judge.
    """
    try:
        tree = TreeSnapshot(repo, rev)
    except UnknownRevisionError as error:
        unknown = Finding(code="PG-R02", path=POT_DIRECTORY, message=error.message, hint=error.hint)
        return CheckReport(CheckKind.TREE, "", rev, 0, (unknown,))
    if needs_pot and tree.pot_mode() is None and not tree.look_alikes():
        hint = "Name a commit, or a whole tree, that holds a pot."
        raise NoPotError(f"there is no {POT_DIRECTORY}/ in {tree.label}", hint=hint)
    return check_change(None, tree, CheckKind.TREE)


def check_message(
    text: str, risk: Risk = Risk.LOW, *, label: str = "commit message", edited: bool = True
) -> CheckReport:
    """Judge a commit's message; `risk` is that of the change that it describes, as its content is graded.

    `edited` says that it comes from an editor, so that git cuts off what stands below a scissors line.
    """
    found = [
        Finding(code=problem.code, path=label, line=problem.line, message=problem.message, hint=problem.hint)
        for problem in message_problems(text, risk, edited=edited)
    ]
    return CheckReport(CheckKind.MESSAGE, "", label, 1, sorted_findings(found))
