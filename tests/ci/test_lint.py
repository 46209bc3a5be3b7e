"""The pipelines that ship are well formed, pinned, and safe to run on what strangers send."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from potpie_git import __version__
from tests.ci.conftest import GITHUB, Pipeline, github

SCRIPTS = Path(sys.executable).parent


def _lint(*command: str | Path) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", GITHUB)
def test_a_workflow_fits_the_schema_of_workflows(name: str) -> None:
    _lint(SCRIPTS / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", github(name).path)


def test_the_gitlab_pipeline_fits_the_schema_of_pipelines(gitlab_pipeline: Pipeline) -> None:
    _lint(SCRIPTS / "check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", gitlab_pipeline.path)


@pytest.mark.parametrize("name", GITHUB)
def test_an_auditor_of_workflows_finds_nothing(name: str) -> None:
    _lint(SCRIPTS / "zizmor", "--offline", "--persona", "auditor", github(name).path)


@pytest.mark.parametrize("name", GITHUB)
def test_the_scripts_of_a_workflow_are_sound_shell(name: str, tmp_path: Path) -> None:
    for number, (_, step) in enumerate(github(name).steps()):
        if "run" in step:
            script = tmp_path / f"{number}.sh"
            script.write_text(step["run"], encoding="utf-8")
            _lint(SCRIPTS / "shellcheck", "--shell=bash", "--enable=quote-safe-variables", script)


def test_the_scripts_of_the_gitlab_pipeline_are_sound_shell(
    gitlab_pipeline: Pipeline, tmp_path: Path
) -> None:
    data = gitlab_pipeline.data
    lines = [*data[".potpie"]["before_script"], *data["potpie"]["script"]]
    for name, text in (("potpie", "\n".join(lines)), ("note", data["potpie-note"]["script"][0])):
        script = tmp_path / f"{name}.sh"
        # A runner stops at the first command that fails.
        script.write_text(f"set -e\n{text}", encoding="utf-8")
        _lint(SCRIPTS / "shellcheck", "--shell=sh", script)


def test_the_python_in_the_gitlab_pipeline_compiles(gitlab_pipeline: Pipeline) -> None:
    text = gitlab_pipeline.data["potpie-note"]["script"][0]
    body = re.search(r"<<'PYTHON'\n(.*)PYTHON\n", text, re.DOTALL)
    assert body is not None
    compile(body[1], "note", "exec")


@pytest.mark.parametrize("name", GITHUB)
def test_what_a_workflow_uses_is_pinned(name: str) -> None:
    for _, step in github(name).steps():
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"])


def test_every_pipeline_installs_the_version_that_it_ships_with(gitlab_pipeline: Pipeline) -> None:
    texts = [text for name in GITHUB if "pip" in (text := github(name).text)] + [gitlab_pipeline.text]
    assert len(texts) > 2
    for text in texts:
        assert re.findall(r"POTPIE_VERSION: \"(.+)\"", text) == [__version__]
        assert '"potpie-git==$POTPIE_VERSION"' in text


@pytest.mark.parametrize("name", GITHUB)
def test_a_workflow_puts_nothing_of_an_event_into_a_script(name: str) -> None:
    for _, step in github(name).steps():
        assert "${{" not in step.get("run", "")


def test_the_check_can_only_read_and_knows_no_secret(check_workflow: Pipeline) -> None:
    data = check_workflow.data
    assert set(data["on"]) == {"pull_request", "merge_group"}
    assert data["permissions"] == {}
    assert [job["permissions"] for job in data["jobs"].values()] == [{"contents": "read"}]
    assert "secrets." not in check_workflow.text
    assert "github.token" not in check_workflow.text


CHECKING_OUT = [name for name in GITHUB if "actions/checkout" in github(name).text]


@pytest.mark.parametrize("name", CHECKING_OUT)
def test_the_tool_is_installed_before_anything_is_checked_out(name: str) -> None:
    names = [step.get("uses", step["name"]).partition("@")[0] for _, step in github(name).steps()]
    assert names.index("Install the tool") < names.index("actions/checkout")


@pytest.mark.parametrize("name", CHECKING_OUT)
def test_history_is_whole_and_no_credentials_are_left_behind(name: str) -> None:
    [checkout] = [step for _, step in github(name).steps() if "actions/checkout" in step.get("uses", "")]
    assert checkout["with"] == {"fetch-depth": "0", "persist-credentials": "false"}


def test_who_may_write_a_comment_never_sees_the_repository(comment_workflow: Pipeline) -> None:
    assert comment_workflow.data["permissions"] == {}
    writing = {
        name for name, job in comment_workflow.data["jobs"].items() if "write" in job["permissions"].values()
    }
    assert writing == {"comment"}
    steps = [step for name, step in comment_workflow.steps() if name in writing]
    assert [step.get("uses", "").partition("@")[0] for step in steps] == ["actions/download-artifact", ""]
    assert not re.search(r"\bgit |pip|python|eval|source ", steps[1]["run"])


def test_a_fork_cannot_choose_what_comments(comment_workflow: Pipeline) -> None:
    assert comment_workflow.data["on"] == {"workflow_run": {"workflows": ["potpie"], "types": ["completed"]}}
    for _, step in comment_workflow.steps():
        # Only the artifact of this very run is read.
        assert "run-id" not in step.get("with", {})


def test_no_pipeline_trusts_a_target_that_has_secrets(gitlab_pipeline: Pipeline) -> None:
    for text in [github(name).text for name in GITHUB]:
        assert "pull_request_target" not in text
    assert gitlab_pipeline.data[".potpie"]["variables"] == {"GIT_STRATEGY": "clone", "GIT_DEPTH": "0"}


def test_the_document_names_the_files_and_the_version_that_are_there(repository: Path) -> None:
    document = (repository / "docs" / "ci.md").read_text(encoding="utf-8")
    assert re.findall(r"potpie-git==([\d.]+\d)", document) == [__version__]
    for name in (
        "hooks/github/potpie.yml",
        "hooks/github/potpie-comment.yml",
        "hooks/gitlab/potpie.gitlab-ci.yml",
    ):
        assert name in document
        assert (repository / name).is_file()
    for block in re.findall(r"```yaml\n(.*?)```", document, re.DOTALL):
        assert yaml.safe_load(block)
