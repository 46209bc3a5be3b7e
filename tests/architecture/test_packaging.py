"""What an installation gets: pinned dependencies, both console scripts, and the shipped folders inside the wheel."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import import_module
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PIN = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9.+!]+)")
SHIPPED = {"example": ".potpie-example", "hooks": "hooks", "schema": "schema"}


@pytest.fixture(scope="module")
def project(repository: Path) -> dict:
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def pins(repository: Path) -> dict[str, str]:
    """Versions by canonical name; every line that is not a comment must be a bare `name==version`."""
    lines = (repository / "constraints.txt").read_text(encoding="utf-8").splitlines()
    matches = [PIN.fullmatch(line) for line in lines if line and not line.startswith("#")]
    assert None not in matches, "constraints.txt holds something other than exact pins"
    return {canonicalize_name(match["name"]): match["version"] for match in matches if match}


def test_every_declared_dependency_is_pinned_within_its_bounds(project: dict, pins: dict[str, str]) -> None:
    declared = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    requirements = [Requirement(line) for line in declared]
    outside = [
        str(requirement)
        for requirement in requirements
        if requirement.name != project["name"]
        and not requirement.specifier.contains(pins.get(canonicalize_name(requirement.name), "0"))
    ]
    assert len(requirements) > 10
    assert outside == []


def test_every_runtime_dependency_has_a_lower_bound(project: dict) -> None:
    bounds = {">=", "==", "~="}
    loose = [
        line
        for line in project["dependencies"]
        if not bounds & {specifier.operator for specifier in Requirement(line).specifier}
    ]
    assert loose == []


def test_both_console_scripts_are_one_program(project: dict) -> None:
    targets = dict(project["scripts"])
    assert targets.pop("potpie-git-hook") == "potpie_git.hook:main"
    assert set(targets) == {"potpie-git", "git-potpie"}
    (target,) = set(targets.values())
    module, _, function = target.partition(":")
    assert callable(getattr(import_module(module), function))


@pytest.fixture(scope="module")
def unpacked_wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, unpacked as an installer would."""
    target = tmp_path_factory.mktemp("wheel")
    build = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=repository,
        capture_output=True,
        text=True,
    )
    assert build.returncode == 0, build.stdout + build.stderr
    (wheel,) = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target / "site")
    return target / "site"


LIST_SHIPPED = """
import json, sys
from potpie_git.store.resources import resource_dir
print(json.dumps({name: str(resource_dir(name)) for name in sys.argv[1:]}))
"""


def test_an_installed_wheel_finds_every_shipped_file(
    unpacked_wheel: Path, committed_paths: list[str], tmp_path: Path
) -> None:
    output = subprocess.run(
        [sys.executable, "-c", LIST_SHIPPED, *SHIPPED],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(unpacked_wheel)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = {name: Path(path) for name, path in json.loads(output.stdout).items()}

    for name, folder in SHIPPED.items():
        assert found[name].is_relative_to(unpacked_wheel)
        shipped = {
            path.relative_to(found[name]).as_posix() for path in found[name].rglob("*") if path.is_file()
        }
        expected = {
            path.removeprefix(f"{folder}/") for path in committed_paths if path.startswith(f"{folder}/")
        }
        assert expected, f"{folder} is empty"
        assert shipped == expected


def test_a_wheel_holds_the_package_and_nothing_beside_it(unpacked_wheel: Path) -> None:
    top = {path.name for path in unpacked_wheel.iterdir() if not path.name.endswith(".dist-info")}
    assert top == {"potpie_git"}
    assert (unpacked_wheel / "potpie_git" / "py.typed").is_file()


def test_a_wheel_holds_what_the_package_reads_beside_its_modules(
    unpacked_wheel: Path, committed_paths: list[str]
) -> None:
    data = [path for path in committed_paths if path.startswith("potpie_git/") and not path.endswith(".py")]
    assert "potpie_git/store/skills/texts/potpie-recall.md" in data
    assert [path for path in data if not (unpacked_wheel / path).is_file()] == []
