"""People with clones of their own around one bare origin, all working through the installed program and its hooks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import run

SCRIPTS = Path(sys.executable).parent


@dataclass(frozen=True)
class Answer:
    """What came of a command: exit status, standard output, and everything that it said."""

    status: int
    out: str
    said: str

    @property
    def refused(self) -> bool:
        return self.status != 0

    @property
    def result(self) -> Any:
        """The document of a command that was run with a JSON format."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Clone(GitRepo):
    """One person's clone. Git finds the program on PATH, as it does for a user."""

    def do(self, *args: str, stdin: str = "") -> Answer:
        """Run git, or the program where that is the command, and say what came of it."""
        if args[0] == "potpie":
            told = run(self.root, *args[1:], stdin=stdin)
            return Answer(told.returncode, told.stdout, told.stdout + told.stderr)
        done = subprocess.run(
            ["git", *args],
            cwd=self.root,
            env={**os.environ, "PATH": f"{SCRIPTS}:{os.environ['PATH']}"},
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        return Answer(done.returncode, done.stdout, done.stdout + done.stderr)

    def must(self, *args: str, stdin: str = "") -> Answer:
        """Run git, which has to succeed."""
        answer = self.do(*args, stdin=stdin)
        assert answer.status == 0, f"git {' '.join(args)}: {answer.status}\n{answer.said}"
        return answer

    def potpie(self, *args: str) -> Any:
        """The result of a command of the program that has to succeed."""
        return self.must("potpie", "--json", *args).result["result"]

    def update(self) -> None:
        """Bring `main` up to date with the origin's."""
        self.must("fetch", "--quiet", "--prune", "origin")
        self.must("switch", "--quiet", "main")
        self.must("merge", "--quiet", "--ff-only", "origin/main")

    def start(self, branch: str) -> None:
        """Begin a branch on what `main` is now."""
        self.update()
        self.must("switch", "--quiet", "--create", branch)


@dataclass(frozen=True)
class CI(Clone):
    """The clone that judges. It has no hooks, and trusts nothing that a branch brings."""

    def check(self, branch: str, base: str = "origin/main") -> Answer:
        """The verdict on a pushed branch."""
        self.must("fetch", "--quiet", "--prune", "origin")
        return self.do("potpie", "check", "--range", f"{base}..origin/{branch}", "--format", "json")

    def codes(self, branch: str, base: str = "origin/main") -> set[str]:
        """The codes of the errors of that verdict."""
        found = self.check(branch, base).result["findings"]
        return {finding["code"] for finding in found if finding["severity"] == "error"}

    def review(self, branch: str) -> dict[str, Any]:
        """What a pushed branch would land, claim by claim."""
        self.must("fetch", "--quiet", "--prune", "origin")
        made = self.must("potpie", "review", f"origin/main..origin/{branch}", "--format", "json").result
        assert isinstance(made, dict)
        return made


@dataclass(frozen=True)
class Team:
    """Clones of one origin: an agent writes, a reviewer approves and lands, CI judges; a maintainer is there as well.

    `claim` is the file of a claim that stands on `main`, in the agent's clone.
    """

    origin: GitRepo
    agent: Clone
    reviewer: Clone
    ci: CI
    maintainer: Clone
    claim: Path

    @classmethod
    def at(cls, root: Path, claim: str) -> Team:
        """The team whose clones stand in `root`; their remote is the origin beside them."""
        origin = GitRepo(root / "origin.git")
        agent, reviewer, maintainer = (Clone(root / name) for name in ("ann", "rey", "mara"))
        ci = CI(root / "ci")
        for clone in (agent, reviewer, ci, maintainer):
            clone.git("remote", "set-url", "origin", f"file://{origin.root}")
        return cls(origin, agent, reviewer, ci, maintainer, agent.root / claim)

    def approve(self, who: Clone, branch: str) -> Answer:
        """Somebody fetches a pushed branch, approves what it lands, and pushes the approval to it."""
        who.must("fetch", "--quiet", "origin")
        who.must("switch", "--quiet", branch)
        who.must("merge", "--quiet", "--ff-only", f"origin/{branch}")
        return who.do("potpie", "--json", "approve", "--yes", "--push")

    def land(self, branch: str) -> Answer:
        """The reviewer merges a pushed branch into `main`, and pushes it through the hooks."""
        self.reviewer.update()
        merged = self.reviewer.do("merge", "--no-ff", "--no-edit", f"origin/{branch}")
        return merged if merged.refused else self.reviewer.do("push", "--quiet", "origin", "main")


def record(clone: Clone, prescription: str, service: str = "refunds") -> str:
    """Record a preference and commit it; the path of its claim's file in the repository."""
    words = (
        "-d",
        "policy_kind=refunds",
        "-d",
        f"prescription={prescription}",
        "--scope",
        f"service:{service}",
    )
    made = clone.potpie("record", "preference", *words)
    [path] = [path for path in made["files"] if path.removeprefix(".potpie/").startswith("claims/")]
    return f".potpie/{path.removeprefix('.potpie/')}"


def _clone(origin: GitRepo, root: Path, name: str) -> Clone:
    made = Clone(origin.clone(root / name.lower()).root)
    made.git("config", "user.name", name)
    made.git("config", "user.email", f"{name.lower()}@example.com")
    return made


def _found(root: Path) -> str:
    """Make the origin and its clones; the path of the claim that was landed."""
    origin = GitRepo.init(root / "origin.git", "--bare")
    founder = _clone(origin, root, "Mara")
    founder.must("switch", "--quiet", "--orphan", "main")
    founder.potpie("init", "--name", "payments")
    policy = founder.root / ".potpie" / "policy.yaml"
    listed = "  - name: Rey\n    emails:\n      - rey@example.com\nbots:"
    policy.write_text(policy.read_text(encoding="utf-8").replace("bots:", listed, 1), encoding="utf-8")
    founder.must("add", "--all")
    founder.must("commit", "--quiet", "--message", "The project's memory")
    claim = record(founder, "Retry the refund with the remaining captured amount.")
    founder.must("push", "--quiet", "origin", "main")
    for name in ("Ann", "Rey"):
        _clone(origin, root, name).potpie("hooks", "install")
    _clone(origin, root, "CI")
    return claim


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The origin and its clones, made once; and the path of the claim that stands on `main`.

    `main` is protected, the policy lists the reviewer and a maintainer, and the clones that write have the hooks.
    """
    root = tmp_path_factory.mktemp("founded")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(root))
        patch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        return root, _found(root)


@pytest.fixture
def team(founded: tuple[Path, str], tmp_path: Path) -> Team:
    root, claim = founded
    return Team.at(Path(shutil.copytree(root, tmp_path / "team", symlinks=True)), claim)
