"""Repositories that hold a pot, and commits that may be refused."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from potpie_git.store import hooks
from potpie_git.store.repository import Repository
from tests.support.git_repo import GitRepo


@dataclass(frozen=True)
class Answer:
    """What came of a git command: its status, and all that it printed."""

    status: int
    said: str

    @property
    def refused(self) -> bool:
        return self.status != 0


@dataclass(frozen=True)
class PotRepo(GitRepo):
    """A repository whose files are given as bytes by repository path, as the samples make them."""

    @classmethod
    def at(cls, root: Path, *, gated: bool = True) -> PotRepo:
        """A new repository on the unborn branch `main`; `gated` installs the hooks."""
        made = cls(GitRepo.init(root).root)
        if gated:
            hooks.install(made.repository)
        return made

    @property
    def repository(self) -> Repository:
        return Repository.discover(self.root)

    def put(self, *parts: Mapping[str, bytes]) -> None:
        """Write files into the working tree."""
        for files in parts:
            for path, content in files.items():
                self.write(path, content)

    def stage(self, *parts: Mapping[str, bytes]) -> None:
        """Write files and stage everything."""
        self.put(*parts)
        self.git("add", "--all")

    def attempt(self, *args: str, env: dict[str, str] | None = None, stdin: bytes | None = None) -> Answer:
        """Run git and say what came of it."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.root,
            env=env,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return Answer(done.returncode, done.stdout.decode("utf-8", "replace"))

    def try_commit(self, *parts: Mapping[str, bytes], options: tuple[str, ...] = ()) -> Answer:
        """Stage these files with everything else, and commit through the hooks."""
        self.stage(*parts)
        return self.attempt("commit", "--quiet", "-m", "change", *options)

    def land(self, *parts: Mapping[str, bytes]) -> str:
        """Commit these files past the hooks, and return the commit's id."""
        self.stage(*parts)
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def commits(self) -> int:
        listed = self.run("rev-list", "--count", "HEAD")
        return int(listed.stdout) if listed.returncode == 0 else 0
