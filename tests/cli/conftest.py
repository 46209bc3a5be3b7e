"""A pot to try commands on, made once and copied for every test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import ok
from tests.support.templates import new_repository


@pytest.fixture(scope="session")
def pot_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a pot and one committed decision, on a branch that is not protected."""
    root = tmp_path_factory.mktemp("template") / "repo"
    with new_repository(root) as repo:
        repo.git("switch", "--quiet", "--orphan", "work")
        ok(root, "init", "--no-hooks")
        ok(root, "record", "decision", "-d", "title=T", "-d", "summary=S", "-d", "rationale=R")
        ok(root, "index", "sync")
    return root


@pytest.fixture
def pot_repo(pot_template: Path, tmp_path: Path) -> GitRepo:
    """A copy of the template."""
    return GitRepo(Path(shutil.copytree(pot_template, tmp_path / "pot")))
