"""Installs, removes and reports the hooks of one clone, wherever git looks for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from potpie_git.store.errors import storage_errors
from potpie_git.store.git import decode
from potpie_git.store.hooks.files import (
    block_state,
    install_block,
    install_stub,
    is_forwarder,
    is_ours,
    remove_block,
    remove_stub,
    stub_state,
    write_executable,
)
from potpie_git.store.hooks.place import HOOKS_PATH, HookPlace, PlaceKind, hook_place, own_folder
from potpie_git.store.hooks.report import HookReport, HookState
from potpie_git.store.hooks.stub import HOOKS, PREVIOUS_SUFFIX, PROBE, PYTHON_SETTING, forwarder, stub
from potpie_git.store.repository import Repository

_BEFORE_SETTING: Final = "potpie.hooksPathBefore"
_KEPT_SUFFIX: Final = ".before-block"
_INSTALL: Final = "git potpie hooks install"


def install(repo: Repository, *, here: bool = False) -> HookReport:
    """Install every hook where git looks, beside what is there; running it again changes nothing.

    A folder outside the repository serves other repositories too and is left alone, unless `here` says to give this
    clone a folder of its own that forwards to it. Raises `StorageError`.
    """
    place = hook_place(repo)
    if place.kind is PlaceKind.OUTSIDE:
        if not here:
            return status(repo, "install")
        _take_over(repo, place)
        place = hook_place(repo)
    for hook in HOOKS:
        if place.kind is PlaceKind.HUSKY:
            gate = own_folder(repo) / hook
            write_executable(gate, stub(hook))
            install_block(place.scripts / hook, hook, gate.with_name(hook + _KEPT_SUFFIX))
        else:
            install_stub(place.directory, hook)
    repo.git.user_run("config", "--local", PYTHON_SETTING, sys.executable)
    return status(repo, "install")


def uninstall(repo: Repository) -> HookReport:
    """Take every hook out and put back what was there, byte for byte. Raises `StorageError`."""
    place = hook_place(repo)
    own = own_folder(repo)
    for hook in HOOKS:
        if place.kind is PlaceKind.HUSKY:
            remove_block(place.scripts / hook, hook, own / f"{hook}{_KEPT_SUFFIX}")
        elif place.kind is not PlaceKind.OUTSIDE:
            remove_stub(place.directory, hook)
    _clear(own)
    if place.kind is PlaceKind.OWN:
        _give_back(repo)
    repo.git.user_run("config", "--local", "--unset-all", PYTHON_SETTING, check=False)
    return status(repo, "uninstall")


def status(repo: Repository, action: str = "status") -> HookReport:
    """Say for each hook whether git runs it, from where git says that it looks."""
    place = hook_place(repo)
    state: Callable[[str], HookState]
    if place.kind is PlaceKind.HUSKY:
        own = own_folder(repo)

        def state(hook: str) -> HookState:
            return block_state(place.scripts / hook, own / hook, hook)
    else:

        def state(hook: str) -> HookState:
            return stub_state(place.directory, hook)

    python = decode(repo.git.user_run("config", "--get", PYTHON_SETTING, check=False).stdout).strip() or None
    notes = [*_about_place(place), *_about_python(python)]
    report = HookReport(
        action,
        str(place.scripts),
        _manager(place),
        tuple(map(state, HOOKS)),
        python,
        tuple(notes),
    )
    if action == "uninstall" or report.healthy:
        return report
    return replace(report, next_action=f"{_INSTALL} --here" if place.kind is PlaceKind.OUTSIDE else _INSTALL)


def prove(repo: Repository) -> HookReport:
    """Like `status`, and let git itself run each installed hook, which only answers and judges nothing."""
    report = status(repo, "prove")
    proved = replace(report, hooks=tuple(_proved(repo, hook) for hook in report.hooks))
    return proved if proved.healthy else replace(proved, next_action=report.next_action or _INSTALL)


def _proved(repo: Repository, hook: HookState) -> HookState:
    if not hook.installed or hook.problem:
        return hook
    done = repo.git.user_run("hook", "run", hook.name, check=False, env={PROBE: "1"})
    said = decode(done.stdout + done.stderr)
    if done.status == 0 and f"potpie-git-hook {hook.name}" in said:
        return hook
    last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "it said nothing")
    return replace(hook, problem=f"git runs it, and it does not answer: {last}")


def _manager(place: HookPlace) -> str:
    return f"{place.kind.value}{f', chosen by {place.origin}' if place.origin else ''}"


def _about_place(place: HookPlace) -> list[str]:
    if place.kind is PlaceKind.OUTSIDE:
        where = f"{HOOKS_PATH} in {place.origin or 'the configuration'} sends it to {place.directory}"
        forward = "gives this clone a folder of its own, which runs ours and forwards to the hooks there"
        return [
            f"git does not run hooks of this repository: {where}, for every repository that it applies to.",
            f"`{_INSTALL} --here` {forward}.",
            f"Or take the setting out: `git config --global --unset {HOOKS_PATH}`.",
        ]
    if place.kind is PlaceKind.TREE:
        return ["The folder is in the working tree: commit the hooks if the whole team is to have them."]
    if place.kind is PlaceKind.HUSKY:
        return [
            "husky's scripts call the hooks of this clone where they are installed, and nothing elsewhere."
        ]
    return []


def _about_python(python: str | None) -> list[str]:
    if python is None or os.access(python, os.X_OK):
        return []
    return [f"The interpreter that was recorded is gone: {python}. Run `{_INSTALL}` with the one to use."]


def _take_over(repo: Repository, place: HookPlace) -> None:
    """Let git look in a folder of this clone that forwards to every hook of the folder outside."""
    own = own_folder(repo)
    with storage_errors(place.directory):
        found = sorted(place.directory.iterdir()) if place.directory.is_dir() else []
    for script in found:
        if script.is_file() and os.access(script, os.X_OK) and not script.suffix:
            name = f"{script.name}{PREVIOUS_SUFFIX}" if script.name in HOOKS else script.name
            write_executable(own / name, forwarder(str(script)))
    local = repo.git.user_run("config", "--local", "--get", HOOKS_PATH, check=False).stdout
    if local.strip():
        repo.git.user_run("config", "--local", _BEFORE_SETTING, decode(local.removesuffix(b"\n")))
    repo.git.user_run("config", "--local", HOOKS_PATH, str(own))


def _give_back(repo: Repository) -> None:
    before = decode(repo.git.user_run("config", "--local", "--get", _BEFORE_SETTING, check=False).stdout)
    if before.strip():
        repo.git.user_run("config", "--local", HOOKS_PATH, before.removesuffix("\n"))
        repo.git.user_run("config", "--local", "--unset-all", _BEFORE_SETTING)
    else:
        repo.git.user_run("config", "--local", "--unset-all", HOOKS_PATH, check=False)


def _clear(own: Path) -> None:
    """Remove what we put into our own folder, and the folder if nothing else is in it."""
    with storage_errors(own):
        if not own.is_dir():
            return
        for path in own.iterdir():
            if is_ours(path) or is_forwarder(path):
                path.unlink()
        if not any(own.iterdir()):
            own.rmdir()
