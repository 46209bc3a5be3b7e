"""Committing: exactly the plan's files, through git with the user's hooks and identity, or nothing at all."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import pytest

from potpie_git.domain.errors import ConflictError, LockedError, PotpieError, RefusedError, StorageError
from potpie_git.domain.plan import PlanState
from potpie_git.domain.trailers import parse_trailers
from potpie_git.store.codec import file_findings
from potpie_git.write.apply import CommitRefusedError
from tests.support.git_repo import GitRepo
from tests.write.conftest import Desk, depends, fixes, retract


def committed_files(desk: Desk) -> set[str]:
    return set(desk.repo.git("show", "--format=", "--name-only", "HEAD").splitlines())


def test_a_commit_holds_the_plans_files_and_its_trailers(desk: Desk) -> None:
    plan = desk.propose(
        fixes("Retry it."), message="Payments: what we learnt\n\nIn detail.\n\nSigned-off-by: Rae <r@x>"
    )
    done = desk.writer.commit(plan.plan_id, verify=True)
    assert done.commit == desk.head()
    assert committed_files(desk) == set(done.files)
    assert done.verification.ok
    assert done.verification.checked == 1
    message = desk.repo.git("log", "-1", "--format=%B")
    assert message.startswith("Payments: what we learnt\n\nIn detail.\n\n")
    assert {(one.token, one.value) for one in parse_trailers(message)} == {
        ("Signed-off-by", "Rae <r@x>"),
        ("Potpie-Plan", plan.plan_id),
        ("Potpie-Mutation", plan.mutation_id),
        ("Potpie-Risk", "low"),
    }
    keys = desk.repo.git("log", "-1", "--format=%(trailers:key=Potpie-Plan,valueonly)").strip()
    assert keys == plan.plan_id
    assert desk.status() == ""


def test_a_message_says_what_was_done_and_why(desk: Desk) -> None:
    desk.write(depends("pay", "ledger"))
    assert desk.repo.git("log", "-1", "--format=%s") == "Assert service:pay DEPENDS_ON service:ledger"
    desk.write(retract(desk.only("DEPENDS_ON"), "Never\n\nPotpie-Risk: none"))
    message = desk.repo.git("log", "-1", "--format=%B")
    assert message.startswith("Retract service:pay DEPENDS_ON service:ledger\n\n")
    assert "Never Potpie-Risk: none" in message
    assert [one.value for one in parse_trailers(message) if one.token == "Potpie-Risk"] == ["medium"]


def test_whatever_else_was_staged_stays_staged(desk: Desk) -> None:
    desk.repo.write("src/new.py", "new\n")
    desk.repo.write("src/pay.py", "staged\n")
    desk.repo.add("src/new.py", "src/pay.py")
    desk.repo.write("src/pay.py", "worked on\n")
    desk.repo.write("loose.txt", "loose\n")
    desk.repo.git("add", "--intent-to-add", "loose.txt")
    before = desk.repo.git("status", "--porcelain=v2")
    done = desk.write(fixes("Retry it."))
    assert committed_files(desk) == set(done.files)
    assert desk.repo.git("status", "--porcelain=v2") == before
    assert desk.repo.git("show", ":src/pay.py") == "staged"
    assert (desk.repo.root / "src/pay.py").read_text() == "worked on\n"


def test_an_unsettled_stash_stays_as_it_is(desk: Desk) -> None:
    desk.repo.commit("one", files={"f": "one\n"})
    desk.repo.write("f", "stashed\n")
    desk.repo.git("stash")
    desk.repo.commit("two", files={"f": "two\n"})
    assert desk.repo.run("stash", "pop").returncode != 0
    before = desk.repo.git("status", "--porcelain=v2")
    done = desk.write(fixes("Retry it."))
    assert committed_files(desk) == set(done.files)
    assert desk.repo.git("status", "--porcelain=v2") == before


def test_staging_stops_before_the_commit(desk: Desk) -> None:
    head = desk.head()
    done = desk.write(fixes("Retry it."), stage=True, verify=True)
    assert (done.commit, done.staged) == (None, True)
    assert done.verification.ok
    assert desk.head() == head
    assert desk.status() == f"A  {done.files[0]}"
    assert done.plan.state is PlanState.COMMITTED
    desk.repo.git("commit", "-q", "-m", "by hand")
    assert desk.status() == ""


def test_what_is_only_staged_is_built_on_only_by_staging(desk: Desk) -> None:
    desk.write(fixes("Retry it."), stage=True)
    claim = desk.only("RESOLVED")
    assert desk.propose(fixes("Retry it.")).edits == []
    plan = desk.propose(retract(claim))
    assert [warning["code"] for warning in plan.warnings] == ["staged_file"]
    with pytest.raises(ConflictError) as conflict:
        desk.writer.commit(plan.plan_id)
    assert conflict.value.code == "uncommitted_changes"
    desk.writer.commit(plan.plan_id, stage=True)
    assert not desk.only("RESOLVED").live


def test_something_else_staged_for_a_file_of_the_plan_is_a_conflict(desk: Desk) -> None:
    desk.write(fixes("Retry it."))
    claim = desk.only("RESOLVED")
    path = str(desk.path_of(claim).relative_to(desk.repo.root))
    text = desk.path_of(claim).read_text()
    desk.path_of(claim).write_text(text + "# staged\n")
    desk.repo.add(path)
    desk.path_of(claim).write_text(text)
    plan = desk.propose(retract(claim))
    state = desk.state()
    with pytest.raises(ConflictError) as conflict:
        desk.writer.commit(plan.plan_id)
    assert conflict.value.detail["files"] == [path]
    assert desk.state() == state


def test_the_users_hooks_run_and_see_exactly_the_plans_files(desk: Desk) -> None:
    seen = desk.repo.root.parent / "seen"
    desk.repo.hook("pre-commit", f'#!/bin/sh\ngit diff --cached --name-only > "{seen}"\n')
    desk.repo.hook("commit-msg", '#!/bin/sh\necho "Reviewed-by: hook" >> "$1"\n')
    desk.repo.write("other.txt", "x")
    desk.repo.add("other.txt")
    done = desk.write(fixes("Retry it."))
    assert seen.read_text().split() == done.files
    assert "Reviewed-by: hook" in desk.repo.git("log", "-1", "--format=%B")


@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg", "prepare-commit-msg"])
def test_a_refusing_hook_leaves_nothing_behind_and_is_quoted(desk: Desk, hook: str) -> None:
    desk.write(fixes("Wait."))
    desk.repo.write("other.txt", "x")
    desk.repo.add("other.txt")
    desk.repo.hook(hook, "#!/bin/sh\necho 'house rule 7 is broken' >&2\nexit 3\n")
    plan = desk.propose(retract(desk.only("RESOLVED")), depends())
    state = desk.state()
    with pytest.raises(CommitRefusedError) as refused:
        desk.writer.commit(plan.plan_id)
    assert "house rule 7 is broken" in refused.value.detail["output"]
    assert "house rule 7 is broken" in refused.value.message
    assert desk.state() == state
    assert desk.writer.plan(plan.plan_id).state is PlanState.ERROR
    (desk.repo.root / ".git/hooks" / hook).unlink()
    assert desk.writer.commit(plan.plan_id).commit == desk.head()


def test_what_a_hook_adds_goes_along_and_leaves_the_tree_clean(desk: Desk) -> None:
    desk.repo.hook("pre-commit", "#!/bin/sh\necho made > made.txt\ngit add made.txt\n")
    done = desk.write(fixes("Retry it."))
    assert committed_files(desk) == {*done.files, "made.txt"}
    assert desk.status() == ""


def test_a_first_commit_takes_the_pots_own_files_along(git_repo: GitRepo) -> None:
    from potpie_git.store.repository import Repository
    from potpie_git.write.setup import create_pot
    from tests.write.conftest import START

    create_pot(Repository.discover(git_repo.root), START)
    desk = Desk(git_repo)
    done = desk.write(fixes("Retry it."))
    assert set(done.files[:3]) == {".potpie/pot.yaml", ".potpie/policy.yaml", ".potpie/.gitattributes"}
    assert done.plan.risk == "low"
    assert git_repo.git("rev-list", "--count", "HEAD") == "1"
    assert desk.status() == ""


def test_a_refused_first_commit_leaves_an_unborn_branch(git_repo: GitRepo) -> None:
    from potpie_git.store.repository import Repository
    from potpie_git.write.setup import create_pot
    from tests.write.conftest import START

    create_pot(Repository.discover(git_repo.root), START)
    desk = Desk(git_repo)
    git_repo.hook("pre-commit", "#!/bin/sh\nexit 1\n")
    plan = desk.propose(fixes("Retry it."))
    state = desk.state()
    with pytest.raises(CommitRefusedError):
        desk.writer.commit(plan.plan_id)
    assert desk.state() == state


def test_a_detached_head_and_a_linked_work_tree_are_written_to(desk: Desk, tmp_path: Path) -> None:
    linked = Desk(desk.repo.worktree(tmp_path / "linked", "--detach"))
    main_head = desk.head()
    done = linked.write(fixes("Retry it."))
    assert linked.head() == done.commit
    assert linked.repo.run("symbolic-ref", "--quiet", "HEAD").returncode == 1
    assert desk.head() == main_head
    assert desk.status() == linked.status() == ""
    assert desk.repo.git("config", "--get", "core.bare") == "false"
    plan_of = linked.writer.plan(done.plan.plan_id)
    assert plan_of.state is PlanState.COMMITTED
    with pytest.raises(PotpieError):
        desk.writer.plan(done.plan.plan_id)


def test_a_separate_git_directory_and_odd_names_are_fine(tmp_path: Path) -> None:
    from potpie_git.store.repository import Repository
    from potpie_git.write.setup import create_pot
    from tests.write.conftest import START

    root = tmp_path / "wörk space"
    root.mkdir()
    subprocess.run(
        ["git", "init", "-q", "-b", "main", f"--separate-git-dir={tmp_path / 'gît dir'}", str(root)],
        check=True,
    )
    repo = GitRepo(root)
    create_pot(Repository.discover(root), START)
    repo.commit("Start")
    desk = Desk(repo)
    desk.write(fixes("Retry it."))
    assert desk.status() == ""


@pytest.fixture
def other_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on another file system than the tests' own."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("this machine has no second file system to write to")
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


def test_a_git_directory_on_another_disk_is_written_to_and_recovered(
    other_disk: Path, tmp_path: Path
) -> None:
    from potpie_git.store.repository import Repository
    from potpie_git.write import apply
    from potpie_git.write.setup import create_pot
    from tests.write.conftest import START

    root = tmp_path / "here"
    root.mkdir()
    git_dir = other_disk / "git"
    subprocess.run(
        ["git", "init", "-q", "-b", "main", f"--separate-git-dir={git_dir}", str(root)], check=True
    )
    repo = GitRepo(root)
    create_pot(Repository.discover(root), START)
    repo.commit("Start")
    repo.branch("work")
    desk = Desk(repo)
    desk.write(fixes("Retry it."))
    assert desk.status() == ""
    plan = desk.propose(retract(desk.only("RESOLVED")), depends())
    state = desk.state()
    repo.hook("pre-commit", "#!/bin/sh\nexit 1\n")
    with pytest.raises(CommitRefusedError):
        desk.writer.commit(plan.plan_id)
    assert desk.state() == state
    (git_dir / "hooks/pre-commit").unlink()
    assert desk.writer.commit(plan.plan_id).commit == desk.head()
    assert desk.status() == ""
    assert apply.work_folder(desk.repository) == desk.pot / ".writing"
    assert not (desk.pot / ".writing").exists()


@pytest.mark.parametrize("under_way", ["merge", "rebase", "cherry-pick", "revert"])
def test_during_an_unfinished_operation_nothing_is_written(desk: Desk, under_way: str) -> None:
    desk.repo.commit("one", files={"f": "one\n"})
    desk.repo.branch("side", "HEAD~1")
    desk.repo.commit("two", files={"f": "two\n"})
    command = {
        "merge": ["merge", "work"],
        "rebase": ["rebase", "work"],
        "cherry-pick": ["cherry-pick", "work"],
    }
    if under_way == "revert":
        desk.repo.commit("three", files={"f": "three\n"})
        assert desk.repo.run("revert", "--no-edit", "HEAD~1").returncode != 0
    else:
        assert desk.repo.run(*command[under_way]).returncode != 0
    plan = desk.propose(fixes("Retry it."))
    state = desk.state()
    with pytest.raises(ConflictError) as conflict:
        desk.writer.commit(plan.plan_id)
    assert conflict.value.code == "operation_in_progress"
    assert under_way in conflict.value.message
    assert "--abort" in conflict.value.hint
    assert desk.state() == state
    assert desk.writer.plan(plan.plan_id).state is PlanState.VALIDATED


@pytest.mark.parametrize("place", [".gitignore", ".git/info/exclude"])
def test_an_ignored_pot_is_refused_before_anything_is_written(desk: Desk, place: str) -> None:
    (desk.repo.root / place).write_text(".potpie/claims\n")
    plan = desk.propose(fixes("Retry it."))
    state = desk.state()
    with pytest.raises(RefusedError) as refused:
        desk.writer.commit(plan.plan_id)
    assert refused.value.code == "ignored_pot"
    assert "check-ignore" in refused.value.hint
    assert desk.state() == state


def test_an_unknown_user_is_told_how_to_say_who_they_are(
    desk: Desk, isolated_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (isolated_environment / "gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    plan = desk.propose(fixes("Retry it."))
    state = desk.state()
    with pytest.raises(RefusedError) as refused:
        desk.writer.commit(plan.plan_id)
    assert refused.value.code == "no_identity"
    assert "user.name" in refused.value.hint
    assert desk.state() == state
    assert desk.writer.commit(plan.plan_id, stage=True).staged


def test_failing_to_sign_leaves_nothing_behind(desk: Desk) -> None:
    desk.repo.git("config", "commit.gpgSign", "true")
    desk.repo.git("config", "gpg.program", "/bin/false")
    plan = desk.propose(fixes("Retry it."))
    state = desk.state()
    with pytest.raises(CommitRefusedError):
        desk.writer.commit(plan.plan_id)
    assert desk.state() == state


def test_bytes_that_a_filter_would_rewrite_are_refused(desk: Desk) -> None:
    desk.repo.git("config", "filter.shout.clean", "tr a-z A-Z")
    (desk.repo.root / ".git/info/attributes").write_text("*.yaml filter=shout\n")
    plan = desk.propose(fixes("Retry it."))
    state = desk.state()
    with pytest.raises(RefusedError) as refused:
        desk.writer.commit(plan.plan_id)
    assert refused.value.code == "content_rewritten"
    assert desk.state() == state


@pytest.mark.parametrize("setting", ["true", "input"])
def test_line_ends_are_never_converted(desk: Desk, setting: str) -> None:
    desk.repo.git("config", "core.autocrlf", setting)
    done = desk.write(fixes("Retry it.\nTwice."))
    raw = desk.repo.run("show", f"HEAD:{done.files[0]}").stdout
    assert b"\r" not in raw
    assert raw == (desk.repo.root / done.files[0]).read_bytes()
    assert desk.status() == ""


def test_links_in_the_pot_are_never_written_through(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (desk.pot / "claims").symlink_to(outside)
    with pytest.raises(PotpieError):
        desk.write(fixes("Retry it."))
    assert list(outside.iterdir()) == []


def test_another_programs_lock_is_waited_for(desk: Desk) -> None:
    plan = desk.propose(fixes("Retry it."))
    lock = desk.repo.root / ".git/index.lock"
    lock.touch()
    threading.Timer(0.4, lock.unlink).start()
    assert desk.writer.commit(plan.plan_id).commit == desk.head()


def test_a_lock_that_stays_is_named_and_nothing_is_written(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter(range(0, 10_000, 3))
    monkeypatch.setattr("potpie_git.store.locks.time.monotonic", lambda: float(next(moments)))
    plan = desk.propose(fixes("Retry it."))
    state = desk.state()
    lock = desk.repo.root / ".git/index.lock"
    lock.write_text("somebody else's")
    with pytest.raises(LockedError) as locked:
        desk.writer.commit(plan.plan_id)
    assert str(lock) in locked.value.message
    assert lock.read_text() == "somebody else's"
    assert desk.state() == state
    lock.unlink()
    assert desk.writer.commit(plan.plan_id).commit == desk.head()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
def test_a_lock_that_a_full_disk_leaves_empty_is_taken_away(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_a_full_disk(descriptor: int, mode: str) -> IO[bytes]:
        os.close(descriptor)
        return Path("/dev/full").open(mode)

    plan = desk.propose(fixes("Retry it."))
    state = desk.state()
    with monkeypatch.context() as patch:
        patch.setattr(
            "potpie_git.write.indexlock.os", SimpleNamespace(**{**vars(os), "fdopen": on_a_full_disk})
        )
        with pytest.raises(StorageError, match="No space left"):
            desk.writer.commit(plan.plan_id)
    assert not (desk.repo.root / ".git/index.lock").exists()
    assert desk.state() == state
    assert desk.writer.commit(plan.plan_id).commit == desk.head()


def test_while_a_plan_is_written_the_user_cannot_commit_into_it(desk: Desk) -> None:
    desk.repo.hook(
        "pre-commit", "#!/bin/sh\nenv -u GIT_INDEX_FILE git add src/other.py 2> attempt.txt\nexit 0\n"
    )
    desk.repo.write("src/other.py", "x\n")
    desk.write(fixes("Retry it."))
    assert "index.lock" in (desk.repo.root / "attempt.txt").read_text()
    assert "?? src/other.py" in desk.status()


def test_a_commit_that_slips_in_is_not_undone(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody moves HEAD between our reading it and git's: our commit would take theirs back, so it is dropped."""
    from potpie_git.write import apply

    original = apply.require_exact

    def slip_in(*arguments: object) -> None:
        original(*arguments)
        tree = desk.repo.git("rev-parse", "HEAD^{tree}")
        theirs = desk.repo.git("commit-tree", "-p", "HEAD", "-m", "theirs", tree)
        desk.repo.git("update-ref", "HEAD", theirs)

    monkeypatch.setattr(apply, "require_exact", slip_in)
    plan = desk.propose(fixes("Retry it."))
    with pytest.raises(ConflictError):
        desk.writer.commit(plan.plan_id)
    assert desk.repo.git("log", "-1", "--format=%s") == "theirs"
    assert desk.status() == ""
    assert desk.claims() == {}


def test_a_record_overtaken_by_a_commit_is_proposed_anew(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from potpie_git.write import apply

    original, calls = apply.require_fit, []

    def overtake(*arguments: object) -> None:
        original(*arguments)
        calls.append(1)
        if len(calls) < 3:
            desk.repo.commit("theirs", files={"x.txt": str(len(calls))})

    monkeypatch.setattr(apply, "require_fit", overtake)
    done = desk.writer.record("fix", {"symptom_signature": "s", "fix_steps": ["t"]})
    assert done.commit == desk.head()
    assert len(calls) == 3
    assert desk.repo.git("rev-list", "--count", "HEAD") == "4"


def test_every_file_of_an_accepted_plan_passes_every_check(desk: Desk) -> None:
    done = desk.write(fixes("Retry it."), depends("a") | {"object": {"key": "service:b", "name": "B"}})
    done_too = desk.write(retract(desk.only("RESOLVED")))
    for path in (*done.files, *done_too.files):
        raw = (desk.repo.root / path).read_bytes()
        assert file_findings(path.removeprefix(".potpie/"), raw)[1] == []


def test_the_lock_is_waited_for_and_then_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from potpie_git.store.locks import write_lock
    from potpie_git.write import writer

    monkeypatch.setattr(writer, "LOCK_TIMEOUT", 0.05)
    with write_lock(desk.repository), pytest.raises(LockedError) as locked:
        desk.propose(fixes("Retry it."))
    assert "process" in locked.value.message
