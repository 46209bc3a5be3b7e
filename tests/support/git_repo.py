"""Temporary git repositories for tests, made with the real git."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class GitRepo:
    """A repository that a test makes: `root` is its working tree, or the repository itself if it is bare."""

    root: Path

    @classmethod
    def init(cls, root: Path, *options: str) -> GitRepo:
        root.mkdir(parents=True, exist_ok=True)
        repo = cls(root)
        repo.git("init", "--quiet", "--initial-branch=main", *options)
        return repo

    def run(
        self, *args: str, stdin: bytes | None = None, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git and return whatever came of it; `env` replaces the environment."""
        return subprocess.run(["git", *args], cwd=self.root, input=stdin, env=env, capture_output=True)

    def git(self, *args: str, stdin: bytes | None = None) -> str:
        """Run git, which has to succeed, and return its output without the last newline."""
        done = self.run(*args, stdin=stdin)
        assert done.returncode == 0, f"git {' '.join(args)}: {done.stderr.decode(errors='replace')}"
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file of the working tree, with its directories."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def add(self, *paths: str) -> None:
        self.git("add", "--", *(paths or (".",)))

    def commit(self, message: str = "change", *, files: dict[str, str | bytes] | None = None) -> str:
        """Write `files`, stage everything, commit (also an empty commit), and return the commit's id."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Create a branch and switch to it."""
        self.git("switch", "--quiet", "--create", name, start)

    def switch(self, name: str) -> None:
        self.git("switch", "--quiet", name)

    def merge(self, *branches: str) -> bool:
        """Merge without fast-forward; True if git found no conflict."""
        return self.run("merge", "--quiet", "--no-ff", "--no-edit", *branches).returncode == 0

    def clone(self, target: Path, *options: str) -> GitRepo:
        """Clone through a transport, so that `--depth` and `--filter` mean what they say."""
        self.git("config", "uploadpack.allowFilter", "true")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        self.git("clone", "--quiet", *options, f"file://{self.root}", str(target))
        return GitRepo(target)

    def worktree(self, target: Path, *options: str) -> GitRepo:
        self.git("worktree", "add", "--quiet", *options, str(target))
        return GitRepo(target)

    def hook(self, name: str, script: str) -> None:
        """Install an executable hook."""
        hook = self.root / self.git("rev-parse", "--git-path", f"hooks/{name}")
        hook.parent.mkdir(parents=True, exist_ok=True)
        hook.write_text(script, encoding="utf-8")
        hook.chmod(0o755)

    def blob(self, content: str | bytes) -> str:
        """Store a blob and return its id."""
        data = content.encode() if isinstance(content, str) else content
        return self.git("hash-object", "-w", "-t", "blob", "--stdin", stdin=data)

    def raw_tree(self, *entries: tuple[str, str | bytes, str]) -> str:
        """Store a tree of (mode, name, id) entries exactly as they are, however wrong, and return its id."""
        raw = b"".join(
            mode.encode()
            + b" "
            + (name.encode() if isinstance(name, str) else name)
            + b"\0"
            + bytes.fromhex(oid)
            for mode, name, oid in entries
        )
        return self.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)

    def commit_tree(self, tree: str, *parents: str) -> str:
        """Store a commit of a tree and return its id; no ref moves."""
        options = [option for parent in parents for option in ("-p", parent)]
        return self.git("commit-tree", *options, "-m", "tree", tree)
