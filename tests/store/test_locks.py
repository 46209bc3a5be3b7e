"""One writer at a time, and patience with git's own lock."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from potpie_git.domain.errors import GitError, LockedError, StorageError
from potpie_git.store.locks import retry_on_index_lock, write_lock
from potpie_git.store.repository import Repository
from tests.support.git_repo import GitRepo

PROJECT = Path(__file__).resolve().parents[2]
HOLD = """
import sys
from pathlib import Path
from potpie_git.store.locks import write_lock
from potpie_git.store.repository import Repository
with write_lock(Repository.discover(Path.cwd())):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def repo(git_repo: GitRepo) -> Repository:
    git_repo.commit(files={"file": "1"})
    return Repository.discover(git_repo.root)


@pytest.fixture
def holder(repo: Repository):
    """Another process that holds the lock; it lets go when it reads a line or dies."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        cwd=repo.root,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_a_second_writer_is_told_who_holds_the_lock(
    repo: Repository, holder: subprocess.Popen[bytes]
) -> None:
    with (
        pytest.raises(LockedError, match=f"process {holder.pid} since 20") as caught,
        write_lock(repo, timeout=0.1),
    ):
        pytest.fail("two writers at once")
    assert caught.value.detail["lock"] == str(repo.shared_state_dir / "write.lock")


def test_all_work_trees_of_a_clone_share_the_lock(
    repo: Repository, git_repo: GitRepo, holder: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    linked = Repository.discover(git_repo.worktree(tmp_path / "linked", "-b", "side").root)
    with pytest.raises(LockedError), write_lock(linked, timeout=0.1):
        pytest.fail("two writers at once")


def test_a_writer_waits_its_turn(repo: Repository, holder: subprocess.Popen[bytes]) -> None:
    assert holder.stdin is not None
    told = threading.Event()

    def let_go() -> None:
        told.set()
        holder.stdin.close()

    threading.Timer(0.2, let_go).start()
    with write_lock(repo, timeout=30):
        assert told.is_set()
    assert holder.wait(30) == 0


def test_a_killed_writer_leaves_no_lock_behind(repo: Repository, holder: subprocess.Popen[bytes]) -> None:
    holder.kill()
    holder.wait()
    for _ in range(2):
        with write_lock(repo, timeout=30):
            pass


def test_an_error_inside_releases_the_lock(repo: Repository) -> None:
    with pytest.raises(ZeroDivisionError), write_lock(repo):
        raise ZeroDivisionError
    with write_lock(repo, timeout=0):
        pass


def test_a_lock_that_cannot_be_made_is_a_storage_error(repo: Repository) -> None:
    repo.shared_state_dir.write_text("in the way")
    with pytest.raises(StorageError, match="potpie"), write_lock(repo):
        pytest.fail("locked nothing")


def test_a_short_lock_on_the_index_is_waited_for(repo: Repository, git_repo: GitRepo) -> None:
    lock = git_repo.write(".git/index.lock", "")
    git_repo.write("new", "new")
    attempts = 0

    def add() -> None:
        nonlocal attempts
        attempts += 1
        if attempts == 3:
            lock.unlink()
        repo.git.user_run("add", "new")

    retry_on_index_lock(repo, add, timeout=30)
    assert attempts == 3
    assert git_repo.git("ls-files") == "file\nnew"


def test_a_long_lock_on_the_index_is_named(
    repo: Repository, git_repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "de")
    for work in (git_repo, git_repo.worktree(tmp_path / "linked", "-b", "side")):
        linked = Repository.discover(work.root)
        lock = linked.git_dir / "index.lock"
        lock.touch()
        work.write("new", "new")
        with pytest.raises(LockedError) as caught:
            retry_on_index_lock(linked, lambda at=linked: at.git.user_run("add", "new"), timeout=0.1)
        assert str(lock) in caught.value.message
        assert "remove that file" in caught.value.hint


def test_other_failures_are_not_tried_again(repo: Repository) -> None:
    attempts = []
    with pytest.raises(GitError, match="nothing"):
        retry_on_index_lock(repo, lambda: attempts.append(1) or repo.git.user_run("add", "nothing"))
    assert attempts == [1]
