"""A write that is cut short, anywhere: the next command completes it or puts everything back."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from potpie_git.domain.errors import PotpieError, StorageError
from potpie_git.domain.plan import PlanState
from potpie_git.write.journal import journal_path
from potpie_git.write.liveness import StillRunningError
from potpie_git.write.recovery import Outcome
from tests.support.git_repo import GitRepo
from tests.write.conftest import Desk, depends, fixes, retract

REPOSITORY = Path(__file__).resolve().parents[2]
# Commits a plan in a process that ends without any clean-up when it comes to a place for the n-th time.
KILLED = """
import importlib, os, sys
from pathlib import Path
from potpie_git.domain.claim import Actor
from potpie_git.store.repository import Repository
from potpie_git.write.writer import Writer

root, plan_id, stage, place, when, count = sys.argv[1:]
owner_name, _, name = place.rpartition(".")
module_name, _, class_name = owner_name.partition(":")
owner = importlib.import_module(module_name)
owner = getattr(owner, class_name) if class_name else owner
original, calls = getattr(owner, name), []

def dying(*arguments, **options):
    calls.append(1)
    if when == "before" and len(calls) == int(count):
        os._exit(9)
    result = original(*arguments, **options)
    if when == "after" and len(calls) == int(count):
        os._exit(9)
    return result

setattr(owner, name, dying)
Writer(Repository.discover(Path(root)), Actor(user="rae")).commit(plan_id, stage=stage == "stage")
"""
APPLY = "potpie_git.write.apply"
COMMITTED = [
    (f"{APPLY}.find_commit", "before", 1),
    (f"{APPLY}.find_commit", "after", 1),
    (f"{APPLY}.complete_index", "before", 1),
    (f"{APPLY}.complete_index", "after", 1),
    (f"{APPLY}.finish", "before", 1),
    ("potpie_git.write.recovery.drop_index_lock", "after", 1),
    ("potpie_git.write.recovery.remove_journal", "before", 1),
]
UNDONE = [
    (f"{APPLY}.write_journal", "after", 1),
    (f"{APPLY}.take_index_lock", "after", 1),
    (f"{APPLY}.move_in", "before", 1),
    (f"{APPLY}.move_in", "after", 1),
    (f"{APPLY}.index_with_plan", "after", 1),
    (f"{APPLY}.require_exact", "before", 1),
    (f"{APPLY}._commit", "before", 1),
]


def run_killed(
    desk: Desk, plan_id: str, place: tuple[str, str, int], stage: bool = False
) -> subprocess.CompletedProcess[bytes]:
    arguments = [
        str(desk.repo.root),
        plan_id,
        "stage" if stage else "commit",
        place[0],
        place[1],
        str(place[2]),
    ]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    return subprocess.run([sys.executable, "-c", KILLED, *arguments], env=environment, capture_output=True)


def kill_at(desk: Desk, plan_id: str, place: tuple[str, str, int], stage: bool = False) -> None:
    ended = run_killed(desk, plan_id, place, stage)
    assert ended.returncode == 9, ended.stderr.decode()


def risky(desk: Desk) -> str:
    """A plan that changes a file, adds some, and makes folders; the user has something else staged."""
    desk.write(fixes("Retry it."))
    desk.repo.write("src/new.py", "new\n")
    desk.repo.add("src/new.py")
    desk.now = desk.now.now(desk.now.tzinfo)
    return desk.propose(retract(desk.only("RESOLVED")), depends("a", "c")).plan_id


def no_journal(desk: Desk) -> None:
    assert not journal_path(desk.repository).exists()
    assert not (desk.repository.git_dir / "index.lock").exists()


def no_traces(desk: Desk) -> None:
    no_journal(desk)
    assert not (desk.repository.state_dir / "writing").exists()
    assert desk.repo.run("fsck", "--no-dangling").stderr == b""


@pytest.mark.parametrize("place", UNDONE, ids=lambda place: "-".join(map(str, place)).rpartition(".")[2])
def test_killed_before_the_commit_everything_is_put_back(desk: Desk, place: tuple[str, str, int]) -> None:
    plan_id = risky(desk)
    before = desk.state()
    kill_at(desk, plan_id, place)
    recovery = desk.writer.recover()
    assert recovery is not None
    assert recovery.outcome is Outcome.UNDONE
    assert plan_id in recovery.message
    assert desk.state() == before
    no_traces(desk)
    done = desk.writer.commit(plan_id)
    assert done.commit == desk.head()
    assert desk.status() == "A  src/new.py"


@pytest.mark.parametrize("place", COMMITTED, ids=lambda place: "-".join(map(str, place)).rpartition(".")[2])
def test_killed_after_the_commit_the_rest_is_completed(desk: Desk, place: tuple[str, str, int]) -> None:
    plan_id = risky(desk)
    old = desk.head()
    kill_at(desk, plan_id, place)
    assert desk.head() != old
    recovery = desk.writer.recover()
    assert recovery is not None
    assert (recovery.outcome, recovery.commit) == (Outcome.COMPLETED, desk.head())
    assert desk.status() == "A  src/new.py"
    no_traces(desk)
    assert not desk.only("RESOLVED").live
    stored = desk.writer.plan(plan_id)
    assert (stored.state, stored.commit) == (PlanState.COMMITTED, desk.head())


@pytest.mark.parametrize(
    ("place", "outcome"),
    [((f"{APPLY}._swap", "before", 1), Outcome.UNDONE), ((f"{APPLY}._swap", "after", 1), Outcome.COMPLETED)],
)
def test_killed_while_staging_it_is_staged_or_undone(
    desk: Desk, place: tuple[str, str, int], outcome: Outcome
) -> None:
    plan_id = risky(desk)
    before = desk.state()
    kill_at(desk, plan_id, place, stage=True)
    recovery = desk.writer.recover()
    assert recovery is not None
    assert recovery.outcome is outcome
    no_traces(desk)
    if outcome is Outcome.UNDONE:
        assert desk.state() == before
    else:
        assert desk.head() == before["head"].decode().strip()
        assert {line[:2] for line in desk.status().splitlines()} == {"A ", "M "}


def test_before_the_journal_nothing_has_happened(desk: Desk) -> None:
    plan_id = risky(desk)
    before = desk.state()
    kill_at(desk, plan_id, (f"{APPLY}.write_journal", "before", 1))
    assert desk.writer.recover() is None
    assert desk.state() == before
    assert desk.writer.commit(plan_id).commit == desk.head()
    no_traces(desk)


def test_any_write_settles_what_it_finds_and_says_so(desk: Desk) -> None:
    plan_id = risky(desk)
    kill_at(desk, plan_id, (f"{APPLY}.move_in", "after", 1))
    done = desk.writer.record("fix", {"symptom_signature": "s", "fix_steps": ["t"]})
    assert any(plan_id in note for note in done.notes)
    assert next(claim for claim in desk.of("RESOLVED") if claim.fact == "Retry it.").live


def test_what_the_user_did_in_between_is_left_alone(desk: Desk) -> None:
    plan_id = risky(desk)
    claim = desk.only("RESOLVED")
    kill_at(desk, plan_id, (f"{APPLY}.move_in", "after", 1))
    desk.path_of(claim).write_text("mine\n")
    recovery = desk.writer.recover()
    assert recovery is not None
    assert recovery.kept == [f".potpie/{desk.path_of(claim).relative_to(desk.pot)}"]
    assert desk.path_of(claim).name in recovery.message
    assert desk.path_of(claim).read_text() == "mine\n"


def test_a_lock_that_the_user_removed_is_no_obstacle(desk: Desk) -> None:
    plan_id = risky(desk)
    before = desk.state()
    kill_at(desk, plan_id, (f"{APPLY}.require_exact", "before", 1))
    (desk.repository.git_dir / "index.lock").unlink()
    assert desk.repo.git("log", "-1", "--format=%H") == before["head"].decode().strip()
    assert desk.writer.recover().outcome is Outcome.UNDONE  # type: ignore[union-attr]
    assert desk.state() == before

    kill_at(desk, plan_id, (f"{APPLY}.find_commit", "after", 1))
    (desk.repository.git_dir / "index.lock").unlink()
    assert desk.writer.recover().outcome is Outcome.COMPLETED  # type: ignore[union-attr]
    assert desk.status() == "A  src/new.py"


def test_somebody_elses_lock_is_never_removed(desk: Desk) -> None:
    plan_id = risky(desk)
    kill_at(desk, plan_id, (f"{APPLY}.require_exact", "before", 1))
    lock = desk.repository.git_dir / "index.lock"
    lock.write_text("theirs")
    assert desk.writer.recover().outcome is Outcome.UNDONE  # type: ignore[union-attr]
    assert lock.read_text() == "theirs"


def test_a_first_commit_is_recovered_too(git_repo: GitRepo) -> None:
    from potpie_git.store.repository import Repository
    from potpie_git.write.setup import create_pot
    from tests.write.conftest import START

    create_pot(Repository.discover(git_repo.root), START)
    desk = Desk(git_repo)
    desk.now = desk.now.now(desk.now.tzinfo)
    plan_id = desk.propose(fixes("Retry it.")).plan_id
    before = desk.state()
    kill_at(desk, plan_id, (f"{APPLY}.require_exact", "before", 1))
    assert desk.writer.recover().outcome is Outcome.UNDONE  # type: ignore[union-attr]
    assert desk.state() == before
    kill_at(desk, plan_id, (f"{APPLY}.find_commit", "before", 1))
    assert desk.writer.recover().outcome is Outcome.COMPLETED  # type: ignore[union-attr]
    assert desk.status() == ""


def wait_for(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.02)


def test_a_git_that_outlives_its_killed_writer_is_waited_for(desk: Desk) -> None:
    plan_id = risky(desk)
    signs = desk.repo.root.parent
    desk.repo.hook(
        "pre-commit",
        f'#!/bin/sh\ntouch "{signs}/started"\nwhile [ ! -e "{signs}/go" ]; do sleep 0.05; done\n',
    )
    script = KILLED.replace("setattr(owner, name, dying)", "")
    arguments = [str(desk.repo.root), plan_id, "commit", f"{APPLY}._commit", "before", "1"]
    writer = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        stderr=subprocess.DEVNULL,
    )
    wait_for((signs / "started").exists)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    old = desk.head()
    assert desk.writer.recover() is None
    with pytest.raises(StillRunningError):
        desk.propose(depends())
    (signs / "go").touch()
    wait_for(lambda: desk.head() != old)
    recoveries = []
    wait_for(lambda: bool(recoveries.append(desk.writer.recover()) or recoveries[-1]))
    assert recoveries[-1].outcome is Outcome.COMPLETED
    assert desk.status() == "A  src/new.py"
    no_traces(desk)


class FullDisk:
    """Fails the n-th call that may write, like a disk that is full, and counts them."""

    WRITING = ("write_bytes", "write_text", "mkdir", "replace", "open")

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fails_at: int) -> None:
        self.calls = 0
        self.fails_at = fails_at
        for name in self.WRITING:
            self._patch(monkeypatch, Path, name)
        self._patch(monkeypatch, os, "link")
        self._patch(monkeypatch, os, "fsync")

    def _patch(self, monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
        original = getattr(owner, name)

        def failing(*arguments: object, **options: object) -> object:
            reads = name == "open" and (arguments[1:] or ("r",))[0] in {"r", "rb"}
            if not reads and self._inside_write():
                self.calls += 1
                if self.calls == self.fails_at:
                    raise OSError(errno.ENOSPC, "No space left on device", str(arguments[0]))
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, failing)

    @staticmethod
    def _inside_write() -> bool:
        frame = sys._getframe(2)
        return "potpie_git/write/" in frame.f_code.co_filename.replace(os.sep, "/")


def copied(desk: Desk, target: Path) -> Desk:
    """The same repository once more, with its plans."""
    shutil.copytree(desk.repo.root, target, symlinks=True)
    return Desk(GitRepo(target), now=desk.now)


@pytest.mark.parametrize("step", ["mkdir", "replace", "unlink"])
def test_killed_at_any_step_on_disk_it_is_completed_or_undone(desk: Desk, tmp_path: Path, step: str) -> None:
    plan_id = risky(desk)
    before = desk.state()
    outcomes = []
    for count in itertools.count(1):
        copy = copied(desk, tmp_path / f"copy{count}" / "repo")
        if run_killed(copy, plan_id, (f"pathlib:Path.{step}", "before", count)).returncode == 0:
            break
        recovery = copy.writer.recover()
        outcomes.append(recovery.outcome if recovery else None)
        if copy.head() == before["head"].decode().strip():
            assert copy.state() == before
        else:
            assert copy.status() == "A  src/new.py"
        no_journal(copy)
    assert len(outcomes) >= 3
    assert Outcome.UNDONE in outcomes or step == "unlink"


def test_a_full_disk_at_any_write_leaves_the_tree_as_it_was(desk: Desk, tmp_path: Path) -> None:
    plan_id = risky(desk)
    before = desk.state()
    refused = 0
    for count in itertools.count(1):
        copy = copied(desk, tmp_path / f"copy{count}" / "repo")
        with pytest.MonkeyPatch.context() as patching:
            disk = FullDisk(patching, count)
            try:
                done = copy.writer.commit(plan_id)
            except StorageError as error:
                said, done = error.message, None
        if disk.calls < count:
            break
        no_traces(copy)
        if done is None:
            refused += 1
            assert "No space left" in said
            assert copy.state() == before, count
        else:
            # there was another way to do it, or only the plan's own state could not be kept
            assert copy.status() == "A  src/new.py", count
    assert refused > 10


WRAPPER = """#!/bin/sh
count=$(cat "{counter}")
count=$((count + 1))
echo "$count" > "{counter}"
if [ "$count" = "{fails_at}" ]; then
    echo "fatal: unable to write new file: No space left on device" >&2
    exit 128
fi
exec "{git}" "$@"
"""


def test_a_git_that_fails_at_any_step_leaves_the_tree_as_it_was(desk: Desk, tmp_path: Path) -> None:
    git = shutil.which("git")
    plan_id = risky(desk)
    before = desk.state()
    refused = 0
    for count in itertools.count(1):
        copy = copied(desk, tmp_path / f"copy{count}" / "repo")
        folder = tmp_path / f"bin{count}"
        folder.mkdir()
        wrapper, counter = folder / "git", folder / "counter"
        counter.write_text("0")
        wrapper.write_text(WRAPPER.format(counter=counter, fails_at=count, git=git))
        wrapper.chmod(0o755)
        writer = copy.writer
        with pytest.MonkeyPatch.context() as patching:
            patching.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
            try:
                writer.commit(plan_id)
            except PotpieError:
                refused += 1
        if int(counter.read_text()) < count:
            break
        copy.writer.recover()
        no_traces(copy)
        if copy.head() == before["head"].decode().strip():
            assert copy.state() == before, count
        else:
            assert copy.status() == "A  src/new.py", count
    assert refused > 5
