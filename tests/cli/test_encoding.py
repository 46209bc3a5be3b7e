"""Texts and file names are UTF-8 inside, whatever the locale says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import PROGRAM, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="file names have one encoding there")
FACT = "Gr\u00fc\u00dfe"
LATIN = "en_US.ISO-8859-1"


@pytest.fixture
def repo(pot_template: Path, tmp_path: Path) -> GitRepo:
    """A pot in a folder whose name is not ASCII."""
    return GitRepo(Path(shutil.copytree(pot_template, tmp_path / "\u00dcbung")))


def facts(repo: GitRepo) -> list[bytes]:
    files = (repo.root / ".potpie/claims/admin").rglob("*.yaml")
    return [line for file in files for line in file.read_bytes().splitlines() if line.startswith(b"fact: ")]


def test_a_locale_of_ascii_writes_the_same_bytes(repo: GitRepo) -> None:
    ascii_only = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    note = ("record", "service_note", "--scope", "service:pay", "--summary", FACT)
    done = run(repo.root, *note, env=ascii_only)
    assert done.returncode == 0, done.stderr
    assert facts(repo) == [f"fact: {FACT}".encode()]
    found = run(repo.root, "search", FACT, env=ascii_only)
    assert FACT in found.stdout
    assert "cannot be read" not in found.stderr


@pytest.mark.skipif(shutil.which("localedef") is None, reason="no locale can be made here")
def test_a_latin_terminal_is_understood_and_answered_in_latin(repo: GitRepo, tmp_path: Path) -> None:
    made = subprocess.run(
        ["localedef", "-i", "en_US", "-f", "ISO-8859-1", str(tmp_path / LATIN)], capture_output=True
    )
    if made.returncode:
        pytest.skip("the locale's sources are not installed")
    environment = {**os.environ, "LC_ALL": LATIN, "LOCPATH": str(tmp_path)}
    note = ["record", "service_note", "--scope", "service:pay", "--summary"]
    for words in ([*note, FACT.encode("latin-1")], ["search", FACT.encode("latin-1")]):
        done = subprocess.run(
            [str(PROGRAM), *words],
            cwd=repo.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
    assert facts(repo) == [f"fact: {FACT}".encode()]
    assert FACT.encode("latin-1") in done.stdout
