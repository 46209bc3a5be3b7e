"""The environment that git runs in: without redirections, and for plumbing without anything that steers it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from potpie_git.store.errors import GitMissingError

# They choose the user's own configuration files, identity and installation, as HOME and PATH do.
_KEPT: Final = {
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
}
_KEPT_PREFIXES: Final = ("GIT_AUTHOR_", "GIT_COMMITTER_")

# `git rev-parse --local-env-vars` without the configuration: what makes git work on another repository, index or
# object store than that of the directory it runs in. Git sets some of them for hooks, and in a linked worktree they
# would turn a nested `git init` against the main repository.
_REDIRECTS: Final = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
}

_PLUMBING: Final = {
    "LC_ALL": "C",
    # No protocol at all, in two dialects: reading a partial clone must not go to the network behind our back.
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
PLUMBING_CONFIG: Final = {
    "advice.graftFileDeprecated": "false",
    "color.ui": "false",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "gc.auto": "0",
    "log.mailmap": "false",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
}


def plumbing_environment(*, keep_index: bool = False) -> dict[str, str]:
    """The environment of plumbing commands: the caller's, without whatever steers git, and with our own settings.

    `keep_index` leaves GIT_INDEX_FILE in place.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    if keep_index and "GIT_INDEX_FILE" in os.environ:
        kept["GIT_INDEX_FILE"] = os.environ["GIT_INDEX_FILE"]
    return kept | _PLUMBING | config_variables(PLUMBING_CONFIG)


def config_variables(settings: Mapping[str, str]) -> dict[str, str]:
    """Environment variables that give git `settings`, above every configuration file."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def user_environment() -> dict[str, str]:
    """The environment of commands that act for the user: the caller's, without redirections to another repository."""
    return {name: value for name, value in os.environ.items() if name not in _REDIRECTS}


def git_executable() -> str:
    """Absolute path of the git program; raises `GitMissingError`."""
    path, exec_path = os.environ.get("PATH", os.defpath), os.environ.get("GIT_EXEC_PATH", "")
    found = _find_git(path, exec_path)
    if found is None:
        raise GitMissingError("no git program was found", detail={"PATH": path})
    return found


def find_program(name: str) -> str | None:
    """Absolute path of a program on PATH; None if there is none. Relative entries of PATH are skipped."""
    return _find(name, os.environ.get("PATH", os.defpath))


@cache
def _find_git(path: str, exec_path: str) -> str | None:
    """Search PATH, then the directory that a running git names to its hooks."""
    return _find("git", os.pathsep.join((path, exec_path)))


@cache
def _find(name: str, path: str) -> str | None:
    """Search the absolute directories of `path`: a relative one would let a checkout bring a program of its own."""
    for folder in map(Path, path.split(os.pathsep)):
        program = folder / (f"{name}.exe" if os.name == "nt" else name)
        if folder.is_absolute() and program.is_file() and os.access(program, os.X_OK):
            return str(program)
    return None
