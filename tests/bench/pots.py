"""Pots to measure on."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.repository import Repository
from potpie_git.write.setup import create_pot
from tests.bench.processes import git


def fresh(root: Path, env: dict[str, str]) -> Path:
    """A repository with an empty, committed pot on a branch that nothing protects."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    git(root, env, "init", "-q", "-b", "work")
    create_pot(Repository.discover(root), datetime.now(UTC))
    git(root, env, "add", ".potpie")
    git(root, env, "commit", "-q", "-m", "pot")
    return root


def import_into(root: Path, env: dict[str, str], branch: str, files: Iterable[tuple[str, bytes]]) -> None:
    """One commit on `branch` with these files of the pot."""
    stream = subprocess.Popen(["git", "fast-import", "--quiet"], cwd=root, env=env, stdin=subprocess.PIPE)
    assert stream.stdin is not None
    head = f"commit refs/heads/{branch}\ncommitter Rae <rae@example.com> 1780000000 +0000\ndata 6\nClaims\n"
    stream.stdin.write(f"{head}from refs/heads/{branch}^0\n".encode())
    for path, content in files:
        stream.stdin.write(f"M 100644 inline {POT_DIRECTORY}/{path}\ndata {len(content)}\n".encode())
        stream.stdin.write(content + b"\n")
    stream.stdin.close()
    if stream.wait():
        raise SystemExit("git fast-import failed")
