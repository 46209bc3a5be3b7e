"""Installing, proving and removing hooks, wherever git looks for them and whatever is there already."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from potpie_git.checks.rules.samples import claim, edited, file, pot, retracted
from potpie_git.store import hooks
from potpie_git.store.hooks.stub import HOOKS, block, stub
from potpie_git.store.repository import Repository
from tests.support.git_repo import GitRepo
from tests.support.pots import PotRepo

BAD = edited(claim(), "truth: agent_claim", "truth: fact")


def _contents(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Mode and bytes (or target) of everything below a folder."""
    return {
        path.relative_to(folder).as_posix(): (
            stat.S_IMODE(path.lstat().st_mode),
            str(path.readlink()) if path.is_symlink() else path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


@pytest.fixture
def repo(tmp_path: Path) -> PotRepo:
    """A pot on the unprotected branch `work`, without our hooks."""
    made = PotRepo.at(tmp_path / "repo", gated=False)
    made.land(pot())
    made.branch("work")
    return made


@pytest.mark.parametrize("name", HOOKS)
def test_the_stub_is_clean_shell(name: str, tmp_path: Path) -> None:
    for text in (stub(name), "#!/bin/sh\n" + block(name)):
        script = tmp_path / "script"
        script.write_text(text)
        subprocess.run(["sh", "-n", str(script)], check=True)
        assert "\r" not in text
        assert "/" + sys.executable.strip("/") not in text


def test_install_is_idempotent_and_uninstall_restores_every_byte(repo: PotRepo) -> None:
    folder = repo.root / ".git"
    (folder / "hooks/pre-commit").write_bytes(b"#!/bin/sh\r\n# CR LF, and no end of line")
    (folder / "hooks/pre-commit").chmod(0o700)
    (folder / "hooks/commit-msg").write_text("not executable\n")
    (folder / "hooks/pre-push").symlink_to("../../scripts/push hook")
    before = _contents(folder / "hooks")
    configuration = (folder / "config").read_bytes()
    first = hooks.install(repo.repository)
    installed = _contents(folder / "hooks")
    assert first.healthy, first.text
    assert hooks.install(repo.repository) == first
    assert _contents(folder / "hooks") == installed
    removed = hooks.uninstall(repo.repository)
    assert not any(hook.installed for hook in removed.hooks)
    assert _contents(folder / "hooks") == before
    assert (folder / "config").read_bytes() == configuration


def test_git_itself_runs_every_hook(repo: PotRepo) -> None:
    assert not hooks.prove(repo.repository).healthy
    hooks.install(repo.repository)
    report = hooks.prove(repo.repository)
    assert report.healthy, report.text
    assert report.python == sys.executable
    assert [hook.name for hook in report.hooks] == list(HOOKS)


def test_proving_runs_nothing_else(repo: PotRepo, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    repo.hook("pre-commit", f"#!/bin/sh\ntouch '{mark}'\n")
    hooks.install(repo.repository)
    assert hooks.prove(repo.repository).healthy
    assert not mark.exists()


def test_a_hook_that_does_not_answer_is_named(
    repo: PotRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks.install(repo.repository)
    # where the console script is not on PATH either
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    repo.git("config", "potpie.python", str(tmp_path / "gone"))
    report = hooks.prove(repo.repository)
    assert not report.healthy
    assert "does not answer" in report.text
    assert "interpreter that was recorded is gone" in report.text
    assert report.next_action == "git potpie hooks install"


def test_a_hook_that_lost_its_mode_is_named(repo: PotRepo) -> None:
    hooks.install(repo.repository)
    (repo.root / ".git/hooks/pre-push").chmod(0o644)
    report = hooks.status(repo.repository)
    assert not report.healthy
    assert "not executable" in report.text
    assert hooks.install(repo.repository).healthy


def test_a_hand_written_hook_runs_first_with_its_arguments_and_its_say(repo: PotRepo, tmp_path: Path) -> None:
    log = tmp_path / "log"
    repo.hook(
        "pre-commit",
        f"#!/bin/sh\necho \"pre-commit $0 $# $PWD\" >>'{log}'\nexit $(cat '{tmp_path}/status')\n",
    )
    repo.hook("commit-msg", f'#!/bin/sh\necho "commit-msg $(cat "$1")" >>\'{log}\'\n')
    hooks.install(repo.repository)
    (tmp_path / "status").write_text("0\n")
    assert repo.try_commit(file(claim())).status == 0
    first, second = log.read_text().splitlines()
    assert first.startswith("pre-commit .git/hooks/pre-commit")
    assert first.endswith(f" 0 {repo.root}")
    assert second == "commit-msg change"
    assert repo.try_commit(BAD).refused
    (tmp_path / "status").write_text("3\n")
    answer = repo.try_commit({"a.txt": b"a"})
    assert answer.refused
    assert "potpie" not in answer.said


def test_both_pre_push_hooks_read_what_git_says(repo: PotRepo, tmp_path: Path) -> None:
    remote = GitRepo.init(tmp_path / "remote.git", "--bare")
    repo.git("remote", "add", "origin", str(remote.root))
    log = tmp_path / "refs"
    repo.hook("pre-push", f"#!/bin/sh\necho \"$1\" >'{log}'\ncat >>'{log}'\n")
    hooks.install(repo.repository)
    repo.git("push", "--quiet", "origin", "work")
    commit = repo.git("rev-parse", "HEAD")
    assert log.read_text() == f"origin\nrefs/heads/work {commit} refs/heads/work {'0' * 40}\n"
    repo.land(BAD)
    answer = repo.attempt("push", "origin", "work")
    assert answer.refused
    assert "PG-S05" in answer.said


def test_a_hook_that_reads_nothing_does_not_break_the_pipe(repo: PotRepo, tmp_path: Path) -> None:
    remote = GitRepo.init(tmp_path / "remote.git", "--bare")
    repo.git("remote", "add", "origin", str(remote.root))
    repo.hook("pre-push", "#!/bin/sh\nexit 0\n")
    hooks.install(repo.repository)
    for number in range(200):
        repo.git("update-ref", f"refs/heads/branch-{number}", "HEAD")
    assert repo.attempt("push", "--quiet", "--all", "origin").status == 0


def test_the_hooks_path_of_the_clone_is_used_and_left_as_it_was(repo: PotRepo) -> None:
    script = repo.write("tools/git hooks/pre-commit", "#!/bin/sh\necho old hook\n")
    script.chmod(0o755)
    repo.git("config", "core.hooksPath", "tools/git hooks")
    before = _contents(repo.root / "tools")
    report = hooks.install(repo.repository)
    assert report.healthy, report.text
    assert report.manager.startswith("a folder of the working tree")
    assert hooks.prove(repo.repository).healthy
    answer = repo.try_commit(BAD)
    assert answer.refused
    assert "old hook" in answer.said
    assert repo.git("config", "core.hooksPath") == "tools/git hooks"
    hooks.uninstall(repo.repository)
    assert _contents(repo.root / "tools") == before


def test_a_linked_worktree_shares_the_hooks(repo: PotRepo, tmp_path: Path) -> None:
    linked = PotRepo(repo.worktree(tmp_path / "linked", "--detach").root)
    report = hooks.install(linked.repository)
    assert report.healthy
    assert report.directory == str(repo.root / ".git/hooks")
    assert hooks.prove(repo.repository).healthy
    assert repo.try_commit(BAD).refused
    assert linked.try_commit(BAD).refused


def test_a_global_hooks_path_is_reported_and_left_alone(repo: PotRepo, tmp_path: Path) -> None:
    shared = tmp_path / "everybody"
    shared.mkdir()
    repo.git("config", "--global", "core.hooksPath", str(shared))
    report = hooks.install(repo.repository)
    assert not report.healthy
    assert "git does not run hooks of this repository" in report.text
    assert str(shared) in report.text
    assert "(global)" in report.manager
    assert "git config --global --unset core.hooksPath" in report.text
    assert report.next_action == "git potpie hooks install --here"
    assert list(shared.iterdir()) == []
    assert repo.try_commit(BAD).status == 0


def test_a_folder_of_ones_own_forwards_to_the_global_hooks(repo: PotRepo, tmp_path: Path) -> None:
    shared, log = tmp_path / "every body's", tmp_path / "log"
    shared.mkdir()
    for name in ("pre-commit", "prepare-commit-msg"):
        script = shared / name
        script.write_text(f"#!/bin/sh\necho {name} $# >>'{log}'\n")
        script.chmod(0o755)
    repo.git("config", "--global", "core.hooksPath", str(shared))
    before = _contents(repo.root / ".git")
    report = hooks.install(repo.repository, here=True)
    assert report.healthy, report.text
    assert hooks.prove(repo.repository).healthy
    assert repo.try_commit(BAD).refused
    assert log.read_text() == "pre-commit 0\n"
    repo.git("reset", "--quiet", "--hard")
    assert repo.try_commit(file(claim())).status == 0
    assert log.read_text().splitlines()[1:] == ["pre-commit 0", "prepare-commit-msg 2"]
    hooks.uninstall(repo.repository)
    assert repo.git("config", "core.hooksPath") == str(shared)
    after = _contents(repo.root / ".git")
    assert {name for name in after if "hooks" in name} == {name for name in before if "hooks" in name}
    assert after["config"] == before["config"]


def test_a_local_hooks_path_outside_is_given_back(repo: PotRepo, tmp_path: Path) -> None:
    repo.git("config", "core.hooksPath", str(tmp_path))
    assert hooks.install(repo.repository, here=True).healthy
    hooks.uninstall(repo.repository)
    assert repo.git("config", "core.hooksPath") == str(tmp_path)


def _as_a_desktop_client(**variables: str) -> dict[str, str]:
    """The environment of a program that no login shell started: no PATH to speak of, no virtual environment."""
    kept = {name: os.environ[name] for name in ("HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")}
    return kept | variables


def test_a_client_without_path_uses_the_recorded_interpreter(repo: PotRepo) -> None:
    hooks.install(repo.repository)
    repo.stage(BAD)
    git = shutil.which("git")
    assert git is not None
    for environment in (_as_a_desktop_client(), _as_a_desktop_client(PATH="")):
        done = subprocess.run(
            [git, "commit", "-m", "x"], cwd=repo.root, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 1
        assert "PG-S05" in done.stderr


def test_where_the_interpreter_is_gone_the_console_script_serves(repo: PotRepo, tmp_path: Path) -> None:
    hooks.install(repo.repository)
    repo.git("config", "potpie.python", str(tmp_path / "gone/bin/python"))
    scripts = tmp_path / "bin"
    scripts.mkdir()
    script = scripts / "potpie-git-hook"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m potpie_git.hook "$@"\n')
    script.chmod(0o755)
    repo.stage(BAD)
    answer = repo.attempt("commit", "-m", "x", env={**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}"})
    assert answer.refused
    assert "PG-S05" in answer.said


@pytest.mark.parametrize("broken", ["gone", "empty"])
def test_where_the_program_is_gone_the_message_says_what_to_do(
    repo: PotRepo, tmp_path: Path, broken: str
) -> None:
    hooks.install(repo.repository)
    python = tmp_path / "python"
    if broken == "empty":
        # an interpreter in which the program is not installed any more
        python.write_text("#!/bin/sh\nexit 97\n")
        python.chmod(0o755)
    repo.git("config", "potpie.python", str(python))
    plain = {**os.environ, "PATH": "/usr/bin:/bin"}
    repo.stage({"a.txt": b"a"})
    assert repo.attempt("commit", "-q", "-m", "x", env=plain).status == 0
    repo.stage(file(claim()))
    answer = repo.attempt("commit", "-m", "x", env=plain)
    assert answer.refused
    assert str(python) in answer.said
    assert "git potpie hooks install" in answer.said


def test_where_the_program_is_gone_a_push_is_judged_by_what_it_brings(repo: PotRepo, tmp_path: Path) -> None:
    """Not by what happens to be checked out."""
    remote = GitRepo.init(tmp_path / "remote.git", "--bare")
    repo.git("remote", "add", "origin", str(remote.root))
    repo.git("checkout", "--quiet", "--orphan", "bare")
    repo.git("rm", "--quiet", "-rf", ".")
    repo.land({"a.txt": b"a"})
    hooks.install(repo.repository)
    repo.git("config", "potpie.python", str(tmp_path / "gone"))
    plain = {**os.environ, "PATH": "/usr/bin:/bin"}
    for what in ("work", "HEAD^{/chang}:refs/heads/y", "bare:refs/heads/z"):
        repo.git("switch", "--quiet", "work" if "y" in what or "z" in what else "bare")
        answer = repo.attempt("push", "-q", "origin", what, env=plain)
        assert answer.refused == (what != "bare:refs/heads/z"), what
        assert ("git potpie hooks install" in answer.said) == answer.refused
    assert remote.git("for-each-ref", "--format=%(refname)") == "refs/heads/z"


def test_nothing_in_a_checkout_is_imported(repo: PotRepo, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    hooks.install(repo.repository)
    for name in ("potpie_git/__init__.py", "re.py", "pydantic.py", "yaml.py", "sitecustomize.py"):
        repo.write(name, f"open({str(mark)!r}, 'w').close()\n")
    assert repo.try_commit(BAD).refused
    assert not mark.exists()


def test_spaces_other_scripts_and_line_ends_do_no_harm(tmp_path: Path) -> None:
    made = PotRepo.at(tmp_path / "Ein Verzeichnis – ключ 'q' \"d\"", gated=False)
    made.git("config", "--global", "core.autocrlf", "true")
    made.git("config", "--global", "core.eol", "crlf")
    made.land(pot())
    made.branch("work")
    made.hook("pre-commit", "#!/bin/sh\necho old\n")
    python = tmp_path / "Ein Ort mit Leerzeichen – ключ"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    hooks.install(made.repository)
    made.git("config", "potpie.python", str(python))
    assert hooks.prove(made.repository).healthy
    answer = made.try_commit(BAD)
    assert answer.refused
    assert "old" in answer.said
    assert "PG-S05" in answer.said
    message = tmp_path / "message"
    message.write_bytes("Rücknahme\r\n\r\nText\r\n".encode())
    made.stage(file(claim()))
    assert made.attempt("commit", "-q", "-F", str(message)).status == 0


def test_a_foreign_hook_in_place_of_ours_is_named_and_not_lost(repo: PotRepo) -> None:
    repo.hook("pre-commit", "#!/bin/sh\necho first\n")
    hooks.install(repo.repository)
    repo.hook("pre-commit", "#!/bin/sh\necho second\n")
    report = hooks.status(repo.repository)
    assert not report.healthy
    before = _contents(repo.root / ".git/hooks")
    report = hooks.install(repo.repository)
    assert not report.healthy
    assert "pre-commit.before-potpie still holds" in report.text
    assert {
        name: held for name, held in _contents(repo.root / ".git/hooks").items() if "pre-commit" in name
    } == {name: held for name, held in before.items() if "pre-commit" in name}


def test_a_checkout_and_a_merge_leave_a_mark(repo: PotRepo) -> None:
    hooks.install(repo.repository)
    state = repo.root / ".git/potpie"
    state.mkdir(exist_ok=True)
    repo.switch("main")
    assert (state / "tree-moved").read_bytes() == b""
    (state / "tree-moved").unlink()
    repo.switch("work")
    repo.land(file(claim()))
    repo.switch("main")
    (state / "tree-moved").unlink()
    repo.git("merge", "--quiet", "work")
    assert (state / "tree-moved").exists()


def test_a_template_without_hooks_is_no_obstacle(tmp_path: Path) -> None:
    made = GitRepo.init(tmp_path / "bare template", "--template=")
    assert not (made.root / ".git/hooks").exists()
    assert hooks.install(Repository.discover(made.root)).healthy


def test_the_report_is_whole(repo: PotRepo) -> None:
    repo.hook("pre-commit", "#!/bin/sh\nexit 0\n")
    result = hooks.install(repo.repository).result
    assert result["healthy"] is True
    assert result["directory"] == str(repo.root / ".git/hooks")
    assert [hook["name"] for hook in result["hooks"]] == list(HOOKS)
    assert result["hooks"][0]["previous"] == "the hook in pre-commit.before-potpie"


def test_a_retraction_commits_through_all_hooks(repo: PotRepo) -> None:
    hooks.install(repo.repository)
    assert repo.try_commit(file(claim())).status == 0
    answer = repo.try_commit(retracted(claim()))
    assert (answer.status, answer.said) == (0, "")
