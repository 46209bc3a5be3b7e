"""The workflow that turns a forge's reviews into approvals: linted, and its scripts run against a stub of a forge."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from potpie_git.domain.version import __version__
from potpie_git.store.resources import resource_dir
from tests.approvals.conftest import KeyMaker, public_line
from tests.approvals.team import ADA, BEN, Founder, Team, errors
from tests.approvals.world import email

SCRIPTS = Path(sys.executable).parent
NAMES = ("potpie-approve.yml", "potpie-reviewed.yml")
SERVER = "https://forge.example"
SLUG = "acme/payments"


def workflow(name: str) -> dict[str, Any]:
    held = yaml.load((resource_dir("hooks") / "github" / name).read_text(), yaml.BaseLoader)
    assert isinstance(held, dict)
    return held


def step(start: str) -> str:
    [found] = [
        each for each in workflow(NAMES[0])["jobs"]["approve"]["steps"] if each["name"].startswith(start)
    ]
    script = found["run"]
    assert isinstance(script, str)
    return script


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_is_well_formed_and_safe(name: str, tmp_path: Path) -> None:
    path = resource_dir("hooks") / "github" / name
    for command in (
        [SCRIPTS / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", path],
        [SCRIPTS / "zizmor", "--offline", "--persona", "auditor", path],
    ):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    for number, each in enumerate(
        job_step for job in workflow(name)["jobs"].values() for job_step in job["steps"]
    ):
        assert "${{" not in each.get("run", "")
        if "run" in each:
            script = tmp_path / f"{number}.sh"
            script.write_text(each["run"])
            shell = [SCRIPTS / "shellcheck", "--shell=bash", "--enable=quote-safe-variables", script]
            done = subprocess.run([str(word) for word in shell], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout


def test_the_job_runs_as_the_default_branch_has_it_with_the_version_it_ships_with() -> None:
    data = workflow(NAMES[0])
    assert data["on"] == {"workflow_run": {"workflows": ["potpie reviewed"], "types": ["completed"]}}
    assert workflow(NAMES[1])["name"] == "potpie reviewed"
    job = data["jobs"]["approve"]
    assert job["env"]["POTPIE_VERSION"] == __version__
    assert "head_repository.full_name == github.repository" in job["if"]
    assert workflow(NAMES[1])["permissions"] == {}


class Forge:
    """A runner of the job, and a forge whose API is two files."""

    def __init__(self, team: Team, home: Path) -> None:
        self.team, self.home = team, home
        home.mkdir()
        (home / "bin").mkdir()
        (home / "potpie/bin").mkdir(parents=True)
        for name in ("git-potpie", "potpie-git"):
            (home / "potpie/bin" / name).symlink_to(SCRIPTS / name)
        stub = home / "bin/gh"
        stub.write_text(
            "#!/bin/sh\n"
            "for last; do :; done\n"
            'case "$*" in *reviews*) file=reviews ;; *) file=pulls ;; esac\n'
            f'jq --compact-output "$last" "{home}/$file.api"\n'
        )
        stub.chmod(0o755)
        self.clone = team.origin.clone(home / "clone")
        self.clone.git(
            "config",
            "--global",
            f"url.{team.origin.root}.insteadOf",
            f"{SERVER.replace('//', '//x-access-token:t@')}/{SLUG}",
        )

    def reviews(self, *given: tuple[str, str], commit: str) -> None:
        """What the API answers: (login, state) in the order of time."""
        (self.home / "pulls.api").write_text(
            json.dumps([{"number": 7, "head": {"sha": commit, "ref": "topic"}, "base": {"ref": "main"}}])
        )
        made = [
            {
                "id": number,
                "user": {"login": login, "id": len(login)},
                "state": state,
                "commit_id": commit,
                "html_url": f"{SERVER}/{SLUG}/pull/7#pullrequestreview-{number}",
                "submitted_at": f"2026-07-01T08:0{number}:00Z",
            }
            for number, (login, state) in enumerate(given)
        ]
        (self.home / "reviews.api").write_text(json.dumps(made))

    def run(self, **env: str) -> subprocess.CompletedProcess[str]:
        """The job's two scripts, one after the other."""
        done = None
        shutil.rmtree(self.home / "events", ignore_errors=True)
        self.clone.git("fetch", "--quiet", "origin")
        self.clone.git("switch", "--quiet", "--detach", "origin/main")
        self.clone.run("branch", "--quiet", "-D", "potpie-approve")
        (self.home / "output").touch()
        for start in ("Fetch the approving", "Approve"):
            done = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", step(start)],
                cwd=self.clone.root,
                env={
                    **os.environ,
                    "PATH": f"{self.home}/bin:{os.environ['PATH']}",
                    "RUNNER_TEMP": str(self.home),
                    "GITHUB_OUTPUT": str(self.home / "output"),
                    "GITHUB_REPOSITORY": SLUG,
                    "GITHUB_REPOSITORY_OWNER": "acme",
                    "GITHUB_SERVER_URL": SERVER,
                    "BRANCH": "topic",
                    "TOKEN": "t",
                    "KEY": "",
                    **env,
                },
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stdout + done.stderr
        assert done is not None
        return done


@pytest.fixture
def needs_jq() -> None:
    if shutil.which("jq") is None:
        pytest.skip("THE REVIEW WORKFLOW IS NOT RUN: there is no jq on PATH; runners of the forge have one")


@pytest.mark.usefixtures("needs_jq")
def test_the_job_writes_an_approval_for_each_standing_review_and_pushes_it(
    found_team: Founder, make_key: KeyMaker, tmp_path: Path
) -> None:
    key = make_key("the-job")
    team = found_team(
        approvers=[
            {"name": ADA, "emails": [email(ADA)], "accounts": ["github:ada-gh"]},
            {"name": BEN, "emails": [email(BEN)], "accounts": ["github:ben-github"]},
        ],
        mode="signature",
        attestation={"forges": ["github"], "keys": [public_line(key)]},
    )
    author = team.branch()
    author.supersede(0, "Split the refund.")
    author.push("topic")
    forge = Forge(team, tmp_path / "runner")
    topic = author.repo.git("rev-parse", "HEAD")
    forge.reviews(
        ("ada-gh", "APPROVED"),
        ("ben-github", "APPROVED"),
        ("ada-gh", "COMMENTED"),
        ("ben-github", "CHANGES_REQUESTED"),
        ("eve", "APPROVED"),
        commit=topic,
    )
    said = forge.run(KEY=key.read_text().strip())
    assert "makes no approval" in said.stdout, "nobody lists eve"
    author.fetch("topic")
    assert author.repo.git("log", "--format=%an %s", "origin/main..topic").split("\n")[:-1] == [
        "potpie approve Approve 4 changes of high risk for main"
    ]
    assert errors(team.judged(author)) == ["PG-A01"]
    forge.reviews(("ada-gh", "APPROVED"), ("ben-github", "APPROVED"), commit=topic)
    forge.run(KEY=key.read_text().strip())
    author.fetch("topic")
    assert errors(team.judged(author)) == []
    assert author.repo.git("rev-list", "--count", "origin/main..topic") == "3", "no review is recorded twice"
