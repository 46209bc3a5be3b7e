"""Repositories whose commits go through the installed hooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from potpie_git.checks.rules.samples import pot
from tests.support.pots import PotRepo


@pytest.fixture
def empty(tmp_path: Path) -> PotRepo:
    """A repository without a commit, with our hooks."""
    return PotRepo.at(tmp_path / "repo")


@pytest.fixture
def gated(empty: PotRepo) -> PotRepo:
    """A repository with our hooks, whose first commit is a pot without claims; on the unprotected branch `work`."""
    answer = empty.try_commit(pot())
    assert answer.status == 0, answer.said
    empty.branch("work")
    return empty
