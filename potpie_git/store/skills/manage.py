"""Installs, removes and looks at instruction files in a working tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from potpie_git.domain.errors import InvalidInputError, RefusedError
from potpie_git.domain.text import did_you_mean
from potpie_git.store.errors import storage_errors
from potpie_git.store.skills.catalogue import TARGETS, Target
from potpie_git.store.skills.text import (
    State,
    stamped,
    state_of_block,
    state_of_file,
    with_block,
    without_block,
)

_ALWAYS: Final = "agents-md"


class EditedSkillError(RefusedError):
    """A file holds what somebody made of it; it is not written over unasked."""

    code = "skill_edited"


@dataclass(frozen=True, slots=True)
class SkillFile:
    """One file: its target, its path from the root, how it stands, and whether it was changed just now."""

    target: str
    path: str
    state: State
    changed: bool = False


def status(root: Path, names: Sequence[str] = ()) -> list[SkillFile]:
    """How every file of these targets (none: all) stands. Raises `InvalidInputError`, `StorageError`."""
    return [
        SkillFile(target.name, path, _state(target, _read(root, path), text))
        for target in _targets(names)
        for path, text in target.files().items()
    ]


def install(root: Path, names: Sequence[str] = (), *, force: bool = False) -> list[SkillFile]:
    """Write the files of these targets, or of AGENTS.md and of every host that shows here; again is safe.

    All or none: raises `EditedSkillError` naming what somebody edited, unless `force` gives it up.
    """
    targets = _targets(names) if names else [one for one in TARGETS.values() if _is_wanted(root, one)]

    def written(target: Target, held: bytes | None, text: str) -> bytes:
        if not target.block:
            return stamped(text)
        made = with_block(held, text)
        if made is None:
            raise EditedSkillError(
                f"the markers in {target.path} do not fit together",
                hint="Delete the lines `<!-- potpie-git:… -->` and what stands between them, then install again.",
            )
        return made

    return _change(root, targets, written, force=force)


def remove(root: Path, names: Sequence[str] = (), *, force: bool = False) -> list[SkillFile]:
    """Take the files of these targets (none: all) out, leaving every other byte as it was.

    All or none: raises `EditedSkillError` naming what somebody edited, unless `force` gives it up.
    """

    def left(target: Target, held: bytes | None, text: str) -> bytes | None:
        return without_block(held) if target.block and held is not None else None

    return _change(root, _targets(names), left, force=force)


def _change(
    root: Path,
    targets: Sequence[Target],
    make: Callable[[Target, bytes | None, str], bytes | None],
    *,
    force: bool,
) -> list[SkillFile]:
    before = [
        (target, path, text, _read(root, path)) for target in targets for path, text in target.files().items()
    ]
    if not force:
        _refuse_edited(
            path for target, path, text, held in before if _state(target, held, text) is State.EDITED
        )
    after = [(target, path, text, held, make(target, held, text)) for target, path, text, held in before]
    for _, path, _, held, made in after:
        if made != held:
            _write(root, path, made)
    return [
        SkillFile(target.name, path, _state(target, made, text), made != held)
        for target, path, text, held, made in after
    ]


def _refuse_edited(paths: Iterable[str]) -> None:
    edited = list(paths)
    if edited:
        raise EditedSkillError(
            f"edited by somebody: {', '.join(edited)}",
            hint="Keep the edits and leave it, or give them up with --force.",
            detail={"paths": edited},
        )


def _targets(names: Sequence[str]) -> list[Target]:
    for name in names:
        if name not in TARGETS:
            raise InvalidInputError(
                f"there is no target {name!r}.{did_you_mean(name, TARGETS)}",
                hint=f"The targets are: {', '.join(TARGETS)}.",
                code="usage",
            )
    return [TARGETS[name] for name in dict.fromkeys(names or TARGETS)]


def _is_wanted(root: Path, target: Target) -> bool:
    return target.name == _ALWAYS or any((root / sign).exists() for sign in target.signs)


def _state(target: Target, held: bytes | None, text: str) -> State:
    return state_of_block(held, text) if target.block else state_of_file(held, text)


def _place(root: Path, path: str) -> Path:
    """Where a file really is. Raises `RefusedError` if a link leads out of the working tree, or into git's folder."""
    with storage_errors(root / path):
        place, inside = (root / path).resolve(), root.resolve()
    if not place.is_relative_to(inside) or place.is_relative_to(inside / ".git"):
        raise RefusedError(
            f"{path} leads out of the working tree", hint="Replace the link by a file or folder of its own."
        )
    return place


def _read(root: Path, path: str) -> bytes | None:
    place = _place(root, path)
    with storage_errors(place):
        try:
            return place.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None


def _write(root: Path, path: str, content: bytes | None) -> None:
    """Put a file's new content there in one step, keeping its mode; None takes it away, with folders left empty."""
    place = _place(root, path)
    with storage_errors(place):
        if content is None:
            place.unlink()
            _tidy(root.resolve(), place.parent)
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_name(f".{place.name}.{os.getpid()}.new")
        try:
            beside.write_bytes(content)
            if place.exists():
                beside.chmod(place.stat().st_mode & 0o777)
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)


def _tidy(root: Path, folder: Path) -> None:
    while folder != root and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
