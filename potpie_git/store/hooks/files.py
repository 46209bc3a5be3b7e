"""Puts one hook in its place and takes it out again, keeping what stood there byte for byte."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from potpie_git.store.errors import storage_errors
from potpie_git.store.hooks.report import HookState
from potpie_git.store.hooks.stub import (
    BLOCK_BEGIN,
    BLOCK_END,
    FORWARDER_MARKER,
    MARKER,
    PREVIOUS_SUFFIX,
    block,
    stub,
)

_HEAD_BYTES: Final = 4096
_EXECUTABLE: Final = 0o755
_LEGACY_SUFFIX: Final = ".legacy"
_SHEBANG: Final = "#!/usr/bin/env sh\n"
# What a hook's script says of who made it.
_MANAGERS: Final = {
    "lefthook": b"lefthook",
    "pre-commit": b"hook-impl",
    "husky": b"husky",
    "git-lfs": b"git lfs",
}


def head(path: Path) -> bytes:
    """The beginning of a file; empty if there is none, or if it is a directory or a link into nothing."""
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return b""


def is_ours(path: Path) -> bool:
    return MARKER.encode() in head(path)


def is_forwarder(path: Path) -> bool:
    return FORWARDER_MARKER.encode() in head(path)


def describe(path: Path) -> str:
    """What a script that is not ours is called: by its manager, else by its name."""
    text = head(path)
    known = next((name for name, mark in _MANAGERS.items() if mark in text), None)
    return f"{known}'s hook" if known else f"the hook in {path.name}"


def is_there(path: Path) -> bool:
    """True for anything, a dangling link too."""
    return path.exists() or path.is_symlink()


def write_executable(path: Path, text: str | bytes) -> None:
    """Write a script in one step; whoever runs it meanwhile has the old one or the new one."""
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.{os.getpid()}.new")
        beside.write_bytes(text.encode() if isinstance(text, str) else text)
        beside.chmod(_EXECUTABLE)
        beside.replace(path)


def install_stub(directory: Path, hook: str) -> None:
    """Put our stub at `hook`; what stands there is kept beside it, and runs first."""
    path, previous, legacy = _paths(directory, hook)
    if is_there(path) and not is_ours(path):
        if is_ours(legacy):
            path = legacy
        elif is_there(previous) and not _may_replace(previous, path):
            return
        else:
            with storage_errors(path):
                path.replace(previous)
    write_executable(path, stub(hook))


def remove_stub(directory: Path, hook: str) -> None:
    """Take our stub away, and put back what stood there."""
    path, previous, legacy = _paths(directory, hook)
    with storage_errors(path):
        if is_ours(legacy):
            legacy.unlink()
            if is_there(previous) and _may_replace(previous, path):
                previous.unlink()
            elif is_there(previous):
                previous.replace(legacy)
        elif is_ours(path) or not is_there(path):
            path.unlink(missing_ok=True)
            if is_there(previous):
                previous.replace(path)


def stub_state(directory: Path, hook: str) -> HookState:
    path, previous, legacy = _paths(directory, hook)
    ours = is_ours(path) or (is_there(path) and is_ours(legacy))
    besides = describe(path) if is_there(path) and not is_ours(path) else None
    if besides is None and is_there(previous):
        besides = describe(previous)
    problem = None
    file = path if is_ours(path) else legacy
    if ours and not (os.access(path, os.X_OK) and os.access(file, os.X_OK)):
        problem = f"installed, but git does not run it: {file} is not executable"
    elif not ours and is_there(previous):
        problem = (
            f"replaced by {besides}; {previous.name} still holds what stood there before ours. "
            "Remove one of the two, then install again"
        )
    return HookState(hook, str(path), ours, besides, problem)


def _paths(directory: Path, hook: str) -> tuple[Path, Path, Path]:
    """The hook, what stood there before ours, and where the framework pre-commit keeps what stood before its own."""
    path = directory / hook
    return path, directory / f"{hook}{PREVIOUS_SUFFIX}", directory / f"{hook}{_LEGACY_SUFFIX}"


def _may_replace(previous: Path, path: Path) -> bool:
    """True if the kept script is an older one of the same manager, or the same."""
    old, new = head(previous), head(path)
    return old == new or any(mark in old and mark in new for mark in _MANAGERS.values())


def install_block(script: Path, hook: str, kept: Path) -> None:
    """Put our lines into a manager's script; its bytes without them are kept in `kept`."""
    with storage_errors(script):
        before = script.read_bytes() if script.exists() else None
        text = without_block(before) if before is not None else b""
        if before is None or not text:
            after = (_SHEBANG + block(hook)).encode()
        else:
            at = _insertion(text)
            after = text[:at] + block(hook).encode() + text[at:]
        if after == before:
            return
        if before is not None and BLOCK_BEGIN.encode() not in before:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(before)
        mode = script.stat().st_mode & 0o777 if before is not None else _EXECUTABLE
        write_executable(script, after)
        script.chmod(mode)


def remove_block(script: Path, hook: str, kept: Path) -> None:
    """Take our lines out again; a script that was ours alone goes with them."""
    with storage_errors(script):
        if has_block(script):
            text = without_block(script.read_bytes())
            original = kept.read_bytes() if kept.exists() else None
            if original is None and text in {b"", _SHEBANG.encode()}:
                script.unlink()
            else:
                mode = script.stat().st_mode & 0o777
                script.write_bytes(original if original is not None and _same(text, original) else text)
                script.chmod(mode)
        kept.unlink(missing_ok=True)


def _same(left: bytes, right: bytes) -> bool:
    """Equal but for a line feed that inserting the lines may have needed."""
    return left.rstrip(b"\n") == right.rstrip(b"\n")


def has_block(script: Path) -> bool:
    return script.is_file() and BLOCK_BEGIN.encode() in script.read_bytes()


def without_block(text: bytes) -> bytes:
    begin, end = (text.find(mark.encode()) for mark in (BLOCK_BEGIN, BLOCK_END))
    if begin < 0 or end < begin:
        return text
    after = text.find(b"\n", end)
    return text[:begin] + (text[after + 1 :] if after >= 0 else b"")


def _insertion(text: bytes) -> int:
    """Behind the line that sources husky 8's helper, which runs the script a second time; else behind the shebang."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if b"husky.sh" in line and line.lstrip()[:2] in {b". ", b"so"}:
            return sum(map(len, lines[: number + 1]))
    return len(lines[0]) if lines and lines[0].startswith(b"#!") else 0


def block_state(script: Path, gate: Path, hook: str) -> HookState:
    there = has_block(script)
    besides = "husky's script" if there and without_block(script.read_bytes()) not in _ALONE else None
    problem = None
    if there and not os.access(gate, os.X_OK):
        problem = f"{script} calls {gate}, which is not there; install again"
    return HookState(hook, str(script), there, besides, problem)


_ALONE: Final = frozenset({b"", _SHEBANG.encode()})
