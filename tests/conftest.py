"""Fixtures for every test: nobody's git configuration but ours, and repositories to work in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.git_repo import GitRepo

# Thousands of programs are started here: compiled once, as in any installation, they start in half the time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A property is judged by what it says, never by how busy the machine is.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")

# Coverage doubles what a start of the program costs, so that processes are measured only where they are the subject.
PROCESSES_ARE_MEASURED = ("tests/cli/", "tests/agents/", "tests/hooks/test_hook.py")

CONFIGURATION = """\
[user]
\tname = Rae Rivers
\temail = rae@example.com
[init]
\tdefaultBranch = main
[advice]
\tdetachedHead = false
[gc]
\tauto = 0
[protocol "file"]
\tallow = always
"""


@pytest.fixture(autouse=True)
def isolated_environment(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A home of one's own, without the machine's or the caller's git settings; returns the home."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    configuration = home / "gitconfig"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(configuration))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("EMAIL", raising=False)
    if not request.node.nodeid.startswith(PROCESSES_ARE_MEASURED):
        monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
    return home


@pytest.fixture
def git_repo(tmp_path: Path) -> GitRepo:
    """An empty repository on the unborn branch `main`."""
    return GitRepo.init(tmp_path / "repo")
