"""Repositories that are made once and copied: fixtures of a module or a session have no isolation of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.git_repo import GitRepo


@contextmanager
def isolated(home: Path) -> Iterator[None]:
    """While it lasts, `home` is HOME, and git reads neither the user's configuration nor the machine's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield


@contextmanager
def new_repository(root: Path) -> Iterator[GitRepo]:
    """A new, isolated repository at `root` whose user is Rae Rivers."""
    with isolated(root.parent):
        repo = GitRepo.init(root)
        repo.git("config", "user.name", "Rae Rivers")
        repo.git("config", "user.email", "rae@example.com")
        yield repo
