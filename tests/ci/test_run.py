"""The pipelines' own scripts, run on a clone as a runner runs them, with the installed program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from potpie_git.checks.rules.samples import claim, edited, file, pot, retracted
from tests.ci.conftest import Pipeline
from tests.support.git_repo import GitRepo
from tests.support.pots import PotRepo

SCRIPTS = Path(sys.executable).parent
OTHER = claim(subject="fix:aaaa1c77b2e0", fact="Say @rae <b>hello</b>.")


class Runner:
    """What a runner gives a job: a clone of the whole history, files to write to, and an environment."""

    def __init__(self, origin: GitRepo, home: Path) -> None:
        self.home = home
        home.mkdir()
        self.clone = origin.clone(home / "clone")
        self.files = {name: home / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_PATH")}
        for held in self.files.values():
            held.touch()

    def run(
        self, script: str, env: Mapping[str, str], cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        given = {name: str(held) for name, held in self.files.items()} | {"RUNNER_TEMP": str(self.home)}
        return subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=cwd or self.clone.root,
            env={**os.environ, "PATH": f"{SCRIPTS}:{os.environ['PATH']}", **given, **env},
            capture_output=True,
            text=True,
        )

    def read(self, name: str) -> str:
        return self.files[name].read_text(encoding="utf-8")


@pytest.fixture
def origin(tmp_path: Path) -> PotRepo:
    """A pot on `main`, with a branch for every kind of change."""
    made = PotRepo.at(tmp_path / "origin", gated=False)
    made.land(pot(claim()))
    for branch, files in (
        ("fine", file(OTHER)),
        ("unapproved", retracted(claim())),
        ("edited", edited(claim(), "remaining", "whole")),
    ):
        made.branch(branch, "main")
        made.land(files)
    made.switch("main")
    return made


@pytest.fixture
def runner(origin: PotRepo, tmp_path: Path) -> Runner:
    return Runner(origin, tmp_path / "runner")


@pytest.mark.parametrize(
    ("branch", "status", "annotations"),
    [("fine", 0, []), ("unapproved", 4, ["PG-A01"] * 2), ("edited", 1, ["PG-A01", "PG-H02"])],
)
def test_github_checks_and_summarises(
    branch: str, status: int, annotations: list[str], runner: Runner, check_workflow: Pipeline
) -> None:
    head = runner.clone.git("rev-parse", f"origin/{branch}")
    runner.clone.git("checkout", "--quiet", "--detach", head)
    for target in ("main", "refs/heads/main"):
        env = {"TARGET": target, "HEAD": head}
        assert runner.run(check_workflow.step("Review")["run"], env).returncode == 0
        checked = runner.run(check_workflow.step("Check")["run"], env)
        assert checked.returncode == status, checked.stderr
        shown = [line.partition("title=")[2][:6] for line in checked.stdout.splitlines()]
        assert sorted(shown) == annotations
        assert all(line.startswith("::error file=.potpie/") for line in checked.stdout.splitlines())
    assert "## Project memory: review of" in runner.read("GITHUB_STEP_SUMMARY")


def test_github_reads_no_policy_and_runs_no_hook_of_the_change(
    origin: PotRepo, tmp_path: Path, check_workflow: Pipeline
) -> None:
    origin.switch("unapproved")
    policy = origin.root / ".potpie" / "policy.yaml"
    policy.write_text(
        policy.read_text().replace("medium: 1", "medium: 0").replace("version: 1", "version: 2")
    )
    origin.put(
        {"potpie_git/__init__.py": b"raise SystemExit(0)\n", "sitecustomize.py": b"raise SystemExit(0)\n"}
    )
    origin.land({})
    runner = Runner(origin, tmp_path / "runner")
    head = runner.clone.git("rev-parse", "origin/unapproved")
    runner.clone.git("checkout", "--quiet", "--detach", head)
    checked = runner.run(check_workflow.step("Check")["run"], {"TARGET": "main", "HEAD": head})
    assert checked.returncode == 4
    assert "PG-A01" in checked.stdout


_FAKE_GH = '''#!{python}
"""Stands for the program `gh`: notes how it was called, and answers from a file."""
import json, pathlib, sys
home = pathlib.Path({home!r})
args = sys.argv[1:]
body = next((arg for arg in args if arg.startswith("body=@")), None)
text = pathlib.Path(body[6:]).read_text(encoding="utf-8") if body else None
with (home / "calls").open("a") as calls:
    calls.write(json.dumps([args, text]) + chr(10))
answers = json.loads((home / "answers").read_text())
for piece, answer in answers.items():
    if any(piece in arg for arg in args) and "--method" not in args:
        print(answer)
'''


@pytest.fixture
def forge(runner: Runner, tmp_path: Path) -> dict[str, Any]:
    """Answers of a stand-in for `gh`, by a piece of the address that is asked for; its calls are in `calls`."""
    home = tmp_path / "forge"
    home.mkdir()
    program = home / "gh"
    program.write_text(_FAKE_GH.format(python=sys.executable, home=str(home)), encoding="utf-8")
    program.chmod(0o755)
    held: dict[str, Any] = {"home": home, "env": {"PATH": f"{home}:{SCRIPTS}:{os.environ['PATH']}"}}
    return held


def _answers(forge: dict[str, Any], answers: dict[str, str]) -> None:
    (forge["home"] / "answers").write_text(json.dumps(answers))


def _calls(forge: dict[str, Any]) -> list[tuple[list[str], str | None]]:
    return [tuple(json.loads(line)) for line in (forge["home"] / "calls").read_text().splitlines()]


_COMMON = {
    "GITHUB_REPOSITORY": "acme/payments",
    "GH_TOKEN": "t",
    "GITHUB_SERVER_URL": "https://forge.example",
}


@pytest.mark.parametrize(
    ("answer", "number", "target"), [("7 main\n6 next", "7", "main"), ("", "", ""), ("9 a-b/c", "9", "a-b/c")]
)
def test_the_pull_request_is_found_by_its_head(
    answer: str, number: str, target: str, runner: Runner, forge: dict[str, Any], comment_workflow: Pipeline
) -> None:
    _answers(forge, {"/pulls?": answer})
    done = runner.run(comment_workflow.step("Find")["run"], {**_COMMON, **forge["env"], "HEAD": "0" * 40})
    assert done.returncode == 0, done.stderr
    assert runner.read("GITHUB_OUTPUT") == f"number={number}\ntarget={target}\n"


def test_a_pull_request_of_a_fork_is_reviewed_and_commented_on(
    origin: PotRepo, runner: Runner, forge: dict[str, Any], comment_workflow: Pipeline
) -> None:
    # The clone of the default branch was made before the pull request's last commit.
    origin.switch("fine")
    head = origin.land(file(claim(subject="fix:bbbb1c77b2e0", fact="Say it again, differently.")))
    origin.git("update-ref", "refs/pull/7/head", head)
    script = comment_workflow.step("Fetch the pull request")["run"]
    # The forge is this machine's disk.
    remote = "https://x-access-token:$GH_TOKEN@${GITHUB_SERVER_URL#https://}/$GITHUB_REPOSITORY"
    assert remote in script
    script = script.replace(remote, "$ORIGIN")
    env = {**_COMMON, **forge["env"], "HEAD": head, "NUMBER": "7", "TARGET": "main"}
    done = runner.run(script, {**env, "ORIGIN": f"file://{origin.root}"})
    assert done.returncode == 0, done.stderr
    review = runner.home / "review"
    assert (review / "review.html").read_text().startswith("<!doctype html>")
    assert OTHER.subject in (review / "review.markdown").read_text()

    post = comment_workflow.step("Write the comment")["run"]
    job = runner.home / "comment"
    shutil.copytree(review, job / "review")
    for answer, method, place in (
        ("", "POST", "issues/7/comments"),
        ("41\n42", "PATCH", "issues/comments/41"),
    ):
        (forge["home"] / "calls").unlink(missing_ok=True)
        _answers(forge, {"issues/7/comments?": answer})
        assert runner.run(post, env, cwd=job).returncode == 0
        args, body = _calls(forge)[-1]
        assert (args[args.index("--method") + 1], args[args.index("--method") + 2]) == (
            method,
            f"repos/acme/payments/{place}",
        )
        assert body is not None
        assert body.startswith("<!-- potpie-review -->\n## Project memory")
        assert "`Say" not in body
        assert "Say @rae <b>hello</b>." in body


def test_gitlab_checks_and_keeps_the_review(
    origin: PotRepo, tmp_path: Path, gitlab_pipeline: Pipeline
) -> None:
    data = gitlab_pipeline.data
    setup = [line for line in data[".potpie"]["before_script"] if "venv" not in line and "pip" not in line]
    for branch, status in (("fine", 0), ("unapproved", 4), ("edited", 1)):
        runner = Runner(origin, tmp_path / branch)
        runner.clone.git("checkout", "--quiet", "--detach", f"origin/{branch}")
        runner.clone.git("update-ref", "-d", "refs/remotes/origin/main")
        env = {
            "CI_PROJECT_DIR": str(runner.clone.root),
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_COMMIT_SHA": runner.clone.git("rev-parse", "HEAD"),
        }
        done = runner.run("\n".join([*setup, *data["potpie"]["script"]]), env)
        assert done.returncode == status, done.stderr
        for name in data["potpie"]["artifacts"]["paths"]:
            assert (runner.clone.root / name).stat().st_size > 500


class _Notes(BaseHTTPRequestHandler):
    """The notes of one merge request."""

    def do_GET(self) -> None:
        self._answer(self.server.notes)  # type: ignore[attr-defined]

    def do_POST(self) -> None:
        self._write("POST")

    def do_PUT(self) -> None:
        self._write("PUT")

    def _write(self, method: str) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.calls.append((method, self.path, self.headers["PRIVATE-TOKEN"], body["body"]))  # type: ignore[attr-defined]
        self._answer({})

    def _answer(self, data: object) -> None:
        raw = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.mark.parametrize(
    ("notes", "method", "place"),
    [
        ([{"id": 3, "body": "hello"}], "POST", "/notes"),
        ([{"id": 3, "body": "hello"}, {"id": 4, "body": "<!-- potpie-review -->\nold"}], "PUT", "/notes/4"),
    ],
)
def test_gitlab_keeps_one_note(
    notes: list[dict[str, object]], method: str, place: str, tmp_path: Path, gitlab_pipeline: Pipeline
) -> None:
    (tmp_path / "potpie-review.md").write_text("## Überblick\n", encoding="utf-8")
    server = HTTPServer(("127.0.0.1", 0), _Notes)
    server.notes, server.calls = notes, []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = {
        "CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}/api/v4",
        "CI_PROJECT_ID": "5",
        "CI_MERGE_REQUEST_IID": "7",
        "POTPIE_NOTE_TOKEN": "token",
        "PATH": f"{SCRIPTS}:{os.environ['PATH']}",
    }
    try:
        script = gitlab_pipeline.data["potpie-note"]["script"][0]
        done = subprocess.run(
            ["sh", "-e", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True
        )
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 0, done.stderr
    [call] = server.calls  # type: ignore[attr-defined]
    assert call[0] == method
    assert call[1] == f"/api/v4/projects/5/merge_requests/7{place}"
    assert call[2:] == ("token", "<!-- potpie-review -->\n## Überblick\n")
