"""A pot to try commands on, made once and copied for every test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import ok


@pytest.fixture(scope="session")
def pot_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a pot and one committed decision, on a branch that is not protected."""
    root = tmp_path_factory.mktemp("template") / "repo"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(root.parent))
        patch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        repo = GitRepo.init(root)
        repo.git("config", "user.name", "Rae Rivers")
        repo.git("config", "user.email", "rae@example.com")
        repo.git("switch", "--quiet", "--orphan", "work")
        ok(root, "init", "--no-hooks")
        ok(root, "record", "decision", "-d", "title=T", "-d", "summary=S", "-d", "rationale=R")
    return root


@pytest.fixture
def pot_repo(pot_template: Path, tmp_path: Path) -> GitRepo:
    """A copy of the template."""
    return GitRepo(Path(shutil.copytree(pot_template, tmp_path / "pot")))
