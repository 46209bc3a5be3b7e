"""The checks that a person or a hook asks for: what is staged, and a whole tree."""

from __future__ import annotations

from potpie_git.checks.engine import check_change
from potpie_git.checks.report import CheckKind, CheckReport
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
