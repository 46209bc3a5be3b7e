"""Where git really looks for hooks, and who keeps that folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from potpie_git.store.repository import Repository

HOOKS_PATH: Final = "core.hooksPath"
_OWN_FOLDER: Final = "hooks"


class PlaceKind(StrEnum):
    """Whose folder it is: git's own, ours, a tracked one, husky's, or one outside this repository."""

    GIT = "git's own folder"
    OWN = "a folder of this clone"
    TREE = "a folder of the working tree"
    HUSKY = "husky"
    OUTSIDE = "a folder outside this repository"


@dataclass(frozen=True, slots=True)
class HookPlace:
    """`directory` is where git looks; `scripts` is where a person's scripts stand, which husky 9 keeps apart.

    `origin` is the configuration file that chose the folder, with its scope; empty for git's default.
    """

    kind: PlaceKind
    directory: Path
    scripts: Path
    origin: str


def own_folder(repo: Repository) -> Path:
    """The folder for hooks in this clone's state, which all its work trees share."""
    return repo.shared_state_dir / _OWN_FOLDER


def hook_place(repo: Repository) -> HookPlace:
    """Ask git, with the user's own configuration, where it looks for hooks."""
    answer = repo.git.user_run("rev-parse", "--git-path", "hooks").stdout
    named = os.fsdecode(answer.removesuffix(b"\n"))
    directory = Path(os.path.normpath(repo.root / named))
    real = directory.resolve()
    origin = _origin(repo)
    if real == own_folder(repo).resolve():
        kind = PlaceKind.OWN
    elif _is_inside(real, repo.common_dir.resolve()) or _is_inside(real, repo.git_dir.resolve()):
        kind = PlaceKind.GIT
    elif not _is_inside(real, repo.root.resolve()):
        kind = PlaceKind.OUTSIDE
    elif _husky_folder(directory) is not None:
        return HookPlace(PlaceKind.HUSKY, directory, _husky_folder(directory) or directory, origin)
    else:
        kind = PlaceKind.TREE
    return HookPlace(kind, directory, directory, origin)


def _husky_folder(directory: Path) -> Path | None:
    """The folder of husky's scripts: `.husky` itself (8), or the one around `.husky/_` (9)."""
    if directory.name == "_" and (directory / "h").is_file():
        return directory.parent
    return directory if (directory / "_" / "husky.sh").is_file() else None


def _origin(repo: Repository) -> str:
    shown = repo.git.user_run("config", "--show-scope", "--show-origin", "--get", HOOKS_PATH, check=False)
    scope, _, rest = os.fsdecode(shown.stdout).strip().partition("\t")
    source = rest.partition("\t")[0].removeprefix("file:")
    return f"{source} ({scope})" if scope else ""


def _is_inside(path: Path, folder: Path) -> bool:
    return path.is_relative_to(folder)
