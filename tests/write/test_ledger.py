"""What a session was shown: local, bounded, and never in the way of a read."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from potpie_git.domain.errors import StorageError
from potpie_git.store.repository import Repository
from potpie_git.write.ledger import NudgeLedger
from tests.support.git_repo import GitRepo


@pytest.fixture
def repository(git_repo: GitRepo) -> Repository:
    return Repository.discover(git_repo.root)


def files(repository: Repository) -> list[Path]:
    return sorted((repository.state_dir / "nudges").glob("*"))


def test_sessions_are_apart(repository: Repository) -> None:
    ledger = NudgeLedger(repository, "../../x\n")
    assert ledger.seen() == []
    ledger.add(["a", "b"])
    ledger.add(["b", "c"])
    assert NudgeLedger(repository, "../../x\n").seen() == ["a", "b", "c"]
    assert NudgeLedger(repository, "other").seen() == []
    assert all(file.parent.name == "nudges" for file in files(repository))


@pytest.mark.parametrize("torn", [b"", b"[", b"{}", b"\xff", b"[1, null]"])
def test_a_torn_ledger_is_an_empty_one(repository: Repository, torn: bytes) -> None:
    ledger = NudgeLedger(repository, "s")
    ledger.add(["a"])
    (file,) = files(repository)
    file.write_bytes(torn)
    assert ledger.seen() == []
    ledger.add(["b"])
    assert ledger.seen() == ["b"]


def test_it_stays_small(repository: Repository) -> None:
    NudgeLedger(repository, "old").add(["a"])
    (old,) = files(repository)
    past = time.time() - 15 * 24 * 3600
    os.utime(old, (past, past))
    ledger = NudgeLedger(repository, "new")
    ledger.add(f"key-{number}" for number in range(3000))
    assert not old.exists()
    assert ledger.seen()[-1] == "key-2999"
    assert len(ledger.seen()) == 1000


def test_a_disk_that_refuses_is_told(repository: Repository) -> None:
    repository.state_dir.mkdir(parents=True, exist_ok=True)
    (repository.state_dir / "nudges").write_text("a file where the folder should be")
    ledger = NudgeLedger(repository, "s")
    assert ledger.seen() == []
    with pytest.raises(StorageError):
        ledger.add(["a"])
