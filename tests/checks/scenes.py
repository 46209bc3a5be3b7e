"""Plays the scenes of the rules' examples: real commits, real keys, and the check of their landing."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from potpie_git.checks.report import CheckReport
from potpie_git.checks.rules.cases import SCENE_REF, Approve, Files, Scene
from potpie_git.checks.rules.samples import file, policy
from potpie_git.checks.runs import check_range
from potpie_git.domain.approval import Approval, content_digest, new_nonce
from potpie_git.domain.layout import APPROVALS, approval_path
from potpie_git.domain.times import format_time
from potpie_git.store.codec import encode, repository_path
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot, diff
from tests.support.git_repo import GitRepo


def play(scene: Scene, folder: Path) -> CheckReport:
    """The verdict on the last commit of a scene, as it would land."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip(
            "THE RULES' APPROVALS ARE NOT PLAYED: there is no ssh-keygen on PATH; install openssh-client"
        )
    stage = _Stage(scene, folder, GitRepo.init(folder / "repo"))
    base = stage.commit("Founder", "Found the pot", {**scene.before(), **file(stage.policy)})
    for step in scene.steps:
        if isinstance(step, Approve):
            stage.approve(base, step)
        else:
            beside = f"\n\nCo-authored-by: {person(step.co_author)}\n" if step.co_author else ""
            stage.commit(step.by, f"Change{beside}", step.files())
    return check_range(Repository.discover(stage.repo.root), f"{base}..HEAD", SCENE_REF)


def person(name: str) -> str:
    return f"{name} <{name.lower()}@example.com>"


@dataclass
class _Stage:
    """A repository, and the keys of everybody who ever needs one."""

    scene: Scene
    folder: Path
    repo: GitRepo

    @property
    def policy(self) -> object:
        approvers = [
            {"name": name, "emails": [f"{name.lower()}@example.com"], "keys": [self.public(name)]}
            for name in self.scene.approvers
        ]
        return policy(mode=self.scene.mode, approvers=approvers)

    def key(self, name: str) -> Path:
        key = self.folder / f"key-{name}"
        if not key.exists():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
        return key

    def public(self, name: str) -> str:
        return self.key(name).with_suffix(".pub").read_text().strip()

    def commit(self, by: str, message: str, files: Files) -> str:
        for path, content in files.items():
            assert isinstance(content, bytes)
            self.repo.write(path, content)
        self.repo.git("add", "--all")
        who = {"NAME": by, "EMAIL": f"{by.lower()}@example.com"}
        named = {f"GIT_{role}_{part}": text for role in ("AUTHOR", "COMMITTER") for part, text in who.items()}
        done = self.repo.run("commit", "--quiet", "--message", message, env={**os.environ, **named})
        assert done.returncode == 0, done.stderr
        return self.repo.git("rev-parse", "HEAD")

    def approve(self, base: str, step: Approve) -> None:
        """What `git potpie approve` would do, but for what the step says otherwise."""
        made = Approval.model_validate({"statement": {**self.statement(base, step.by), **step.said}})
        if step.signed:
            command = ["ssh-keygen", "-Y", "sign", "-f", str(self.key(step.by)), "-n", step.namespace]
            signed = subprocess.run(
                command, input=made.statement.canonical(), check=True, capture_output=True
            )
            made = made.model_copy(update={"signature": signed.stdout.decode()})
        record = {repository_path(approval_path(made)): encode(made)}
        self.commit(step.by, f"Approve\n\nSigned-off-by: {person(step.by)}\n", record)

    def statement(self, base: str, name: str) -> Mapping[str, object]:
        repository = Repository.discover(self.repo.root)
        before, after = (
            TreeSnapshot(repository, commit) for commit in (base, self.repo.git("rev-parse", "HEAD"))
        )
        now = datetime.now(UTC)
        return {
            "store": "acme-payments",
            "ref": SCENE_REF,
            "range": f"{base}..HEAD",
            "risk": "high",
            "principal": name.lower(),
            "signed_off_by": person(name),
            "authors": ["rae@example.com"],
            "nonce": new_nonce(),
            "issued": format_time(now - timedelta(minutes=1)),
            "expires": format_time(now + timedelta(days=14)),
            "changes": [
                (
                    each.path,
                    content_digest(before.read(each.path) if each.before else None),
                    content_digest(after.read(each.path) if each.after else None),
                )
                for each in diff(before, after)
                if not each.path.startswith(f"{APPROVALS}/")
            ],
        }
