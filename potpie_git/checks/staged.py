"""The checks that need no history: what is staged, a whole tree, and a commit's message."""

from __future__ import annotations

from potpie_git.checks.engine import check_change
from potpie_git.checks.message import message_problems
from potpie_git.checks.report import CheckKind, CheckReport, sorted_findings
from potpie_git.domain.findings import Finding
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import IndexSnapshot, TreeSnapshot


def check_staged(repo: Repository) -> CheckReport:
    """Judge what the next commit holds against HEAD, in the index that a running commit uses.

    Raises `UnmergedError` while a merge of the pot's files is unfinished.
    """
    after = IndexSnapshot(repo)
    return check_change(TreeSnapshot.of_head(repo), after, CheckKind.STAGED)


def check_rev(repo: Repository, rev: str) -> CheckReport:
    """Judge the whole tree of a revision, without its history. Raises `UnknownRevisionError`."""
    return check_change(None, TreeSnapshot(repo, rev), CheckKind.TREE)


def check_message(text: str, risk: Risk = Risk.LOW, *, label: str = "commit message") -> CheckReport:
    """Judge a commit's message; `risk` is that of the change that it describes, as its content is graded."""
    found = [
        Finding(code=problem.code, path=label, line=problem.line, message=problem.message, hint=problem.hint)
        for problem in message_problems(text, risk)
    ]
    return CheckReport(CheckKind.MESSAGE, "", label, 1, sorted_findings(found))
