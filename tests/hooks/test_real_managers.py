"""With the real husky, lefthook and pre-commit, where this machine has them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from potpie_git.checks.rules.samples import claim, edited, file, pot
from potpie_git.store import hooks
from tests.support.git_repo import GitRepo
from tests.support.pots import PotRepo

pytestmark = pytest.mark.slow
PROJECT = Path(__file__).resolve().parents[2]
BAD = edited(claim(), "truth: agent_claim", "truth: fact")


def _tool(name: str) -> str:
    """The path of a program beside this interpreter, or on PATH; skips the test without one."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not on this machine")
    return found


@pytest.fixture
def repo(tmp_path: Path) -> PotRepo:
    """A pot on the unprotected branch `work`, without our hooks."""
    made = PotRepo.at(tmp_path / "repo", gated=False)
    made.land(pot(), {".gitignore": b"node_modules/\n"})
    made.branch("work")
    return made


def _run(repo: PotRepo, *command: str, **variables: str) -> None:
    done = subprocess.run(
        command,
        cwd=repo.root,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def npm_packages(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Folders of node modules that hold husky, by its version."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not on this machine")
    folders = {}
    for version in (8, 9):
        folder = tmp_path_factory.mktemp(f"husky{version}")
        options = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder))
        done = subprocess.run([npm, "install", *options, f"husky@{version}"], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"npm cannot fetch husky {version}: {done.stderr.strip()[-200:]}")
        folders[version] = folder / "node_modules"
    return folders


def _husky(repo: PotRepo, modules: Path, version: int) -> None:
    (repo.root / "node_modules").symlink_to(modules)
    node = _tool("node")
    if version == 8:
        _run(repo, node, "node_modules/husky/lib/bin.js", "install")
        _run(repo, node, "node_modules/husky/lib/bin.js", "add", ".husky/pre-commit", "echo husky runs")
    else:
        _run(repo, node, "node_modules/husky/bin.js")
        repo.write(".husky/pre-commit", "echo husky runs\n")
    repo.git("add", "--all")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "husky")


@pytest.mark.parametrize("version", [8, 9])
def test_husky(repo: PotRepo, npm_packages: dict[int, Path], version: int) -> None:
    _husky(repo, npm_packages[version], version)
    path = repo.git("config", "core.hooksPath")
    assert hooks.install(repo.repository).healthy
    report = hooks.prove(repo.repository)
    assert report.healthy, report.text
    answer = repo.try_commit(BAD)
    assert answer.refused
    assert "husky runs" in answer.said
    assert "PG-S05" in answer.said
    # what `npm install` does again on every machine
    node = _tool("node")
    _run(
        repo,
        node,
        f"node_modules/husky/{'lib/bin.js' if version == 8 else 'bin.js'}",
        *(["install"] if version == 8 else []),
    )
    assert hooks.prove(repo.repository).healthy
    assert repo.git("config", "core.hooksPath") == path
    repo.git("reset", "--quiet")
    hooks.uninstall(repo.repository)
    assert repo.git("status", "--porcelain", "--", ".husky") == ""
    assert "husky runs" in repo.try_commit(BAD).said


def test_lefthook(repo: PotRepo) -> None:
    lefthook = _tool("lefthook")
    repo.write("lefthook.yml", "pre-commit:\n  jobs:\n    - run: echo lefthook runs\n")
    environment = {"PATH": f"{Path(lefthook).parent}:{os.environ['PATH']}"}
    _run(repo, lefthook, "install", **environment)
    before = (repo.root / ".git/hooks/pre-commit").read_bytes()
    report = hooks.install(repo.repository)
    assert report.healthy
    assert "lefthook's hook" in report.text
    assert hooks.prove(repo.repository).healthy
    repo.stage(BAD)
    answer = repo.attempt("commit", "-m", "change", env={**os.environ, **environment})
    assert answer.refused
    assert "lefthook runs" in answer.said
    assert "PG-S05" in answer.said
    hooks.uninstall(repo.repository)
    assert (repo.root / ".git/hooks/pre-commit").read_bytes() == before


def _local(manifest: list[dict[str, Any]]) -> str:
    """A configuration that runs the manifest's hooks from this interpreter's environment."""
    local = [{**hook, "language": "system"} for hook in manifest]
    return yaml.safe_dump({"repos": [{"repo": "local", "hooks": local}]})


@pytest.fixture
def framework(repo: PotRepo) -> PotRepo:
    """A repository in which the framework runs the hooks of our manifest."""
    program = _tool("pre-commit")
    manifest = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    repo.write(".pre-commit-config.yaml", _local(manifest))
    kinds = ("pre-commit", "pre-merge-commit", "commit-msg", "pre-push")
    _run(repo, program, "install", *(f"--hook-type={kind}" for kind in kinds))
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--no-verify", "-m", "framework")
    return repo


def _with_our_programs() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def test_the_manifest_is_valid() -> None:
    done = subprocess.run(
        [_tool("pre-commit"), "validate-manifest", str(PROJECT / ".pre-commit-hooks.yaml")],
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout


def test_the_framework_runs_our_manifest(framework: PotRepo, tmp_path: Path) -> None:
    environment = _with_our_programs()
    framework.stage(BAD)
    answer = framework.attempt("commit", "-m", "change", env=environment)
    assert answer.refused
    assert "PG-S05" in answer.said
    framework.git("reset", "--quiet", "--hard")
    framework.stage(file(claim()))
    answer = framework.attempt("commit", "-m", "change\n\nPotpie-Plan: ../x", env=environment)
    assert answer.refused
    assert "PG-C03" in answer.said
    assert framework.attempt("commit", "-m", "change", env=environment).status == 0, answer.said
    remote = GitRepo.init(tmp_path / "remote.git", "--bare")
    framework.git("remote", "add", "origin", str(remote.root))
    answer = framework.attempt("push", "-q", "origin", "work", env=environment)
    assert answer.status == 0, answer.said
    framework.land(edited(claim(), "truth: agent_claim", "truth: user_decision"))
    answer = framework.attempt("push", "origin", "work", env=environment)
    assert answer.refused
    assert "PG-H02" in answer.said or "PG-S10" in answer.said


def test_the_framework_beside_our_stubs(framework: PotRepo) -> None:
    assert hooks.install(framework.repository).healthy
    framework.stage(BAD)
    answer = framework.attempt("commit", "-m", "change", env=_with_our_programs())
    assert answer.refused
    assert "PG-S05" in answer.said
    _run(framework, _tool("pre-commit"), "install")
    assert hooks.status(framework.repository).healthy
    framework.git("reset", "--quiet", "--hard")
    framework.stage(file(claim()))
    answer = framework.attempt("commit", "-m", "change", env=_with_our_programs())
    assert answer.status == 0, answer.said
