"""Repositories whose commits go through the installed hooks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from potpie_git.checks.rules.samples import pot
from tests.support.pots import PotRepo
from tests.support.templates import isolated


@pytest.fixture
def empty(tmp_path: Path) -> PotRepo:
    """A repository without a commit, with our hooks."""
    return PotRepo.at(tmp_path / "repo")


@pytest.fixture(scope="session")
def gated_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("gated") / "repo"
    with isolated(root.parent):
        made = PotRepo.at(root)
        made.git("config", "user.name", "Rae Rivers")
        made.git("config", "user.email", "rae@example.com")
        answer = made.try_commit(pot())
        assert answer.status == 0, answer.said
        made.branch("work")
        for name in ("user.name", "user.email"):
            made.git("config", "--unset", name)
    return root


@pytest.fixture
def gated(gated_template: Path, tmp_path: Path) -> PotRepo:
    """A repository with our hooks, whose first commit is a pot without claims; on the unprotected branch `work`."""
    return PotRepo(Path(shutil.copytree(gated_template, tmp_path / "repo", symlinks=True)))
