"""Changes made of whole trees, and the verdict on them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pygit2
import pytest

from potpie_git.checks.engine import check_change
from potpie_git.checks.ranges import check_range
from potpie_git.checks.report import CheckKind, CheckReport
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot
from tests.support.trees import Content, TreeWriter

Files = Mapping[str, Content]


class Judge:
    """Judges changes between trees that need not be able to exist in a working tree."""

    def __init__(self, root: Path) -> None:
        self.writer = TreeWriter(root)
        self.repo = Repository.discover(root)

    def change(self, before: Files, after: Files) -> CheckReport:
        old, new = (TreeSnapshot(self.repo, self.writer.tree(files)) for files in (before, after))
        return check_change(old, new, CheckKind.STAGED)

    def landing(self, before: Files, after: Files, parted: Files | None = None) -> CheckReport:
        """The verdict on a change that lands on the protected branch `main`; `parted` is where both come from."""
        root = [] if parted is None else [self.writer.commit(self.writer.tree(parted))]
        base = self.writer.commit(self.writer.tree(before), *root)
        head = self.writer.commit(self.writer.tree(after), *(root or [base]))
        return check_range(self.repo, f"{base}..{head}", "refs/heads/main")

    def tree(self, files: Files) -> CheckReport:
        return check_change(None, TreeSnapshot(self.repo, self.writer.tree(files)), CheckKind.TREE)


@pytest.fixture(scope="session")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """One object store for every verdict on trees; nothing in it depends on another test."""
    root = tmp_path_factory.mktemp("judge")
    pygit2.init_repository(str(root))
    return Judge(root)


def codes(report: CheckReport) -> list[str]:
    """The codes of a report's findings, in order."""
    return [finding.code for finding in report.findings]
