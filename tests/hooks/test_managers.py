"""Beside the hook managers that people use: their hooks still run, and their folders are theirs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from potpie_git.checks.rules.samples import claim, edited, file, pot
from potpie_git.store import hooks
from tests.support.git_repo import GitRepo
from tests.support.pots import PotRepo

BAD = edited(claim(), "truth: agent_claim", "truth: fact")

# The shape of what husky 9 puts into `.husky/_`: a runner, and one line a hook that calls it.
HUSKY_9_RUNNER = """\
#!/usr/bin/env sh
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n
[ ! -f "$s" ] && exit 0
sh -e "$s" "$@"
c=$?
[ $c != 0 ] && echo "husky - $n script failed (code $c)"
exit $c
"""
HUSKY_9_STUB = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"'
# The shape of husky 8's helper, which runs the script that sources it a second time.
HUSKY_8_HELPER = """\
#!/usr/bin/env sh
if [ -z "$husky_skip_init" ]; then
  readonly hook_name="$(basename -- "$0")"
  readonly husky_skip_init=1
  export husky_skip_init
  sh -e "$0" "$@"
  exitCode="$?"
  if [ $exitCode != 0 ]; then echo "husky - $hook_name hook exited with code $exitCode (error)"; fi
  exit $exitCode
fi
"""
HUSKY_8_HEAD = '#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n\n'


@pytest.fixture
def repo(tmp_path: Path) -> PotRepo:
    """A pot on the unprotected branch `work`, without our hooks."""
    made = PotRepo.at(tmp_path / "repo", gated=False)
    made.land(pot())
    made.branch("work")
    return made


def _husky(repo: PotRepo, version: int, **scripts: str) -> None:
    if version == 9:
        repo.write(".husky/_/h", HUSKY_9_RUNNER).chmod(0o755)
        for name in hooks.HOOKS:
            repo.write(f".husky/_/{name}", HUSKY_9_STUB).chmod(0o755)
        repo.write(".husky/_/.gitignore", "*")
        repo.git("config", "core.hooksPath", ".husky/_")
    else:
        repo.write(".husky/_/husky.sh", HUSKY_8_HELPER)
        repo.write(".husky/_/.gitignore", "*")
        repo.git("config", "core.hooksPath", ".husky")
    for name, body in scripts.items():
        head = HUSKY_8_HEAD if version == 8 else ""
        repo.write(f".husky/{name.replace('_', '-')}", head + body).chmod(0o755 if version == 8 else 0o644)
    repo.git("add", "--all")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "husky")


def _tracked(repo: PotRepo) -> str:
    return repo.git("status", "--porcelain", "--", ".husky")


@pytest.mark.parametrize("version", [8, 9])
def test_beside_husky(repo: PotRepo, tmp_path: Path, version: int) -> None:
    log = tmp_path / "log"
    _husky(repo, version, pre_commit=f"echo husky-pre-commit >>'{log}'\n", commit_msg=f"cat \"$1\" >>'{log}'")
    path = repo.git("config", "core.hooksPath")
    report = hooks.install(repo.repository)
    assert report.healthy, report.text
    assert report.manager.startswith("husky")
    assert hooks.prove(repo.repository).healthy, hooks.prove(repo.repository).text
    assert not log.exists()
    answer = repo.attempt("commit", "-q", "--allow-empty", "-m", "plain")
    assert (answer.status, log.read_text()) == (0, "husky-pre-commit\nplain\n"), answer.said
    answer = repo.try_commit(BAD)
    assert answer.refused
    assert "PG-S05" in answer.said
    assert answer.said.count("refused by potpie-git") == 1
    assert repo.git("config", "core.hooksPath") == path
    repo.git("reset", "--quiet")
    hooks.uninstall(repo.repository)
    assert _tracked(repo) == ""
    assert repo.try_commit(BAD).status == 0


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("body", ["exit 4\n", "false\necho never\n"])
def test_husky_keeps_its_say(repo: PotRepo, version: int, body: str) -> None:
    _husky(repo, version, pre_commit=body)
    hooks.install(repo.repository)
    answer = repo.try_commit(BAD)
    assert answer.refused
    assert "potpie" not in answer.said


@pytest.mark.parametrize("version", [8, 9])
def test_a_script_that_ends_itself_does_not_pass_the_gate_by(repo: PotRepo, version: int) -> None:
    _husky(repo, version, pre_commit="echo formatted\nexit 0\n")
    hooks.install(repo.repository)
    answer = repo.try_commit(BAD)
    assert answer.refused
    assert "formatted" in answer.said
    assert "PG-S05" in answer.said


@pytest.mark.parametrize("version", [8, 9])
def test_what_huskys_script_stages_is_judged(repo: PotRepo, version: int) -> None:
    """A formatter that rewrites claims, and stages what it wrote."""
    _husky(
        repo, version, pre_commit="sed -i 's/agent_claim/fact/' .potpie/claims/*/*/*.yaml\ngit add .potpie\n"
    )
    hooks.install(repo.repository)
    answer = repo.try_commit(file(claim()))
    assert answer.refused
    assert "PG-S05" in answer.said


@pytest.mark.parametrize("version", [8, 9])
def test_both_read_the_refs_of_a_push(repo: PotRepo, tmp_path: Path, version: int) -> None:
    remote = GitRepo.init(tmp_path / "remote.git", "--bare")
    repo.git("remote", "add", "origin", str(remote.root))
    log = tmp_path / "refs"
    _husky(repo, version, pre_push=f"cat >'{log}'\n")
    hooks.install(repo.repository)
    assert repo.attempt("push", "-q", "origin", "work").status == 0
    assert log.read_text().startswith("refs/heads/work ")
    repo.stage(BAD)
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "bad")
    assert "PG-S05" in repo.attempt("push", "origin", "work").said


@pytest.mark.parametrize("version", [8, 9])
def test_a_colleague_without_the_hooks_commits_as_before(repo: PotRepo, tmp_path: Path, version: int) -> None:
    _husky(repo, version, pre_commit="echo husky\n")
    hooks.install(repo.repository)
    repo.git("add", ".husky")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "hooks of the team")
    other = PotRepo(repo.clone(tmp_path / "colleague").root)
    for name in ("_/h", "_/husky.sh", *(f"_/{hook}" for hook in hooks.HOOKS)):
        source = repo.root / ".husky" / name
        if source.exists():
            other.write(f".husky/{name}", source.read_bytes()).chmod(0o755)
    other.git("config", "core.hooksPath", repo.git("config", "core.hooksPath"))
    answer = other.try_commit(BAD)
    assert answer.status == 0, answer.said
    assert "husky" in answer.said
    assert hooks.install(other.repository).healthy
    assert _tracked(other) == "", "the lines are the same on every machine"


# The shape of what lefthook and the framework pre-commit generate.
LEFTHOOK = '#!/bin/sh\n# lefthook\necho lefthook runs "pre-commit"\n'
FRAMEWORK = """\
#!/usr/bin/env bash
# File generated by pre-commit: https://pre-commit.com
ARGS=(hook-impl --config=.pre-commit-config.yaml --hook-type=pre-commit)
if [ -n "$PRE_COMMIT_RUNNING_LEGACY" ]; then echo "bug: runs itself" >&2; exit 9; fi
if [ -x .git/hooks/pre-commit.legacy ]; then
    PRE_COMMIT_RUNNING_LEGACY=1 .git/hooks/pre-commit.legacy "$@" || exit $?
fi
echo framework
"""


@pytest.mark.parametrize(("script", "name"), [(LEFTHOOK, "lefthook"), (FRAMEWORK, "pre-commit")])
def test_a_generated_hook_is_kept_and_named(repo: PotRepo, script: str, name: str) -> None:
    repo.hook("pre-commit", script)
    report = hooks.install(repo.repository)
    assert report.healthy
    assert f"installed, after {name}'s hook" in report.text
    answer = repo.try_commit(BAD)
    assert answer.refused
    assert "PG-S05" in answer.said
    hooks.uninstall(repo.repository)
    assert (repo.root / ".git/hooks/pre-commit").read_text() == script


def _framework_install(repo: PotRepo) -> None:
    """What `pre-commit install` does: another's hook becomes NAME.legacy, which its own then runs."""
    place = repo.root / ".git/hooks/pre-commit"
    if place.exists() and "File generated by pre-commit" not in place.read_text():
        place.rename(place.with_name("pre-commit.legacy"))
    repo.hook("pre-commit", FRAMEWORK)


def test_the_framework_installed_after_us_runs_us(repo: PotRepo) -> None:
    hooks.install(repo.repository)
    _framework_install(repo)
    assert hooks.status(repo.repository).healthy
    assert hooks.install(repo.repository).healthy
    answer = repo.try_commit(BAD)
    assert answer.refused
    assert answer.said.count("refused by potpie-git") == 1
    hooks.uninstall(repo.repository)
    assert not (repo.root / ".git/hooks/pre-commit.legacy").exists()
    assert repo.try_commit(BAD).status == 0


def test_the_framework_installed_again_does_not_run_itself(repo: PotRepo) -> None:
    _framework_install(repo)
    hooks.install(repo.repository)
    _framework_install(repo)
    answer = repo.try_commit({"a.txt": b"a"})
    assert answer.status == 0, answer.said
    assert "bug" not in answer.said
    assert repo.try_commit(BAD).refused
    hooks.uninstall(repo.repository)
    kept = sorted(
        path.name for path in (repo.root / ".git/hooks").iterdir() if path.name.startswith("pre-commit")
    )
    assert [name for name in kept if not name.endswith(".sample")] == ["pre-commit"]


def test_a_hand_written_hook_survives_ours_and_the_framework(repo: PotRepo) -> None:
    repo.hook("pre-commit", "#!/bin/sh\necho by hand\n")
    hooks.install(repo.repository)
    _framework_install(repo)
    answer = repo.try_commit(BAD)
    assert answer.refused
    assert "by hand" in answer.said
    assert "PG-S05" in answer.said
    hooks.uninstall(repo.repository)
    assert (repo.root / ".git/hooks/pre-commit.legacy").read_text() == "#!/bin/sh\necho by hand\n"


def test_lefthook_generated_anew_is_named_and_taken_in_again(repo: PotRepo) -> None:
    repo.hook("pre-commit", LEFTHOOK)
    hooks.install(repo.repository)
    repo.hook("pre-commit", LEFTHOOK + "# another version\n")
    assert not hooks.status(repo.repository).healthy
    assert hooks.install(repo.repository).healthy
    assert repo.try_commit(BAD).refused
    hooks.uninstall(repo.repository)
    assert (repo.root / ".git/hooks/pre-commit").read_text() == LEFTHOOK + "# another version\n"


def test_the_framework_tells_the_refs_of_a_push_by_variables(repo: PotRepo) -> None:
    base = repo.git("rev-parse", "HEAD")
    bad = repo.land(BAD)
    told = {
        "PRE_COMMIT_FROM_REF": base,
        "PRE_COMMIT_TO_REF": bad,
        "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/work",
        "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/work",
        "PRE_COMMIT_REMOTE_NAME": "origin",
    }
    done = subprocess.run(
        [sys.executable, "-m", "potpie_git.hook", "pre-push"],
        cwd=repo.root,
        env={**os.environ, **told},
        input="",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "PG-S05" in done.stderr
