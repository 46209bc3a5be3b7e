"""The pipelines that ship with the program, parsed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from potpie_git.store.resources import resource_dir

GITHUB = sorted(path.name for path in (resource_dir("hooks") / "github").glob("*.yml"))
GITLAB = "potpie.gitlab-ci.yml"


@dataclass(frozen=True)
class Pipeline:
    """One pipeline's file, its text and what it holds."""

    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def data(self) -> dict[str, Any]:
        # The key `on` is no boolean here.
        held = yaml.load(self.text, yaml.BaseLoader)
        assert isinstance(held, dict)
        return held

    def steps(self) -> list[tuple[str, dict[str, Any]]]:
        """Every step of a GitHub workflow with the name of its job."""
        return [(name, step) for name, job in self.data["jobs"].items() for step in job["steps"]]

    def step(self, name: str) -> dict[str, Any]:
        [found] = [step for _, step in self.steps() if step["name"].startswith(name)]
        return found


def github(name: str) -> Pipeline:
    return Pipeline(resource_dir("hooks") / "github" / name)


@pytest.fixture
def repository() -> Path:
    return Path(__file__).resolve().parents[2]


@pytest.fixture
def check_workflow() -> Pipeline:
    return github("potpie.yml")


@pytest.fixture
def comment_workflow() -> Pipeline:
    return github("potpie-comment.yml")


@pytest.fixture
def gitlab_pipeline() -> Pipeline:
    return Pipeline(resource_dir("hooks") / "gitlab" / GITLAB)
