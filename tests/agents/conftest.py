"""Pots to serve, made once and copied for every test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import ok
from tests.support.templates import new_repository

FACT = "Retry the refund with the remaining captured amount."


@pytest.fixture(scope="session")
def served_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pot whose policy protects main, with one fix committed there."""
    root = tmp_path_factory.mktemp("served") / "repo"
    with new_repository(root):
        ok(root, "init", "--no-hooks")
        ok(
            root,
            *("record", "fix", "-d", "symptom_signature=refund answers 409 after a partial capture"),
            *("-d", f"fix_steps={FACT}", "--summary", FACT, "--scope", "service:payments"),
        )
        ok(root, "index", "sync")
    return root


@pytest.fixture
def served(served_template: Path, tmp_path: Path) -> GitRepo:
    """A copy of the template, on main."""
    return GitRepo(Path(shutil.copytree(served_template, tmp_path / "pot")))
