"""The installed program, run as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.nursery import Nursery

SCRIPTS = Path(sys.executable).parent
PROGRAM = SCRIPTS / "potpie-git"
_nursery = Nursery()


def run(
    cwd: Path, *args: str, stdin: str | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `potpie-git` with `args` and return whatever came of it; `env` adds to the environment.

    With an environment of its own it is started as the console script, otherwise it is forked off a nursery.
    """
    done = None if env else _nursery.run(cwd, args, stdin or "")
    return done or subprocess.run(
        [str(PROGRAM), *args],
        cwd=cwd,
        input=stdin if stdin is not None else "",
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def ok(cwd: Path, *args: str, stdin: str | None = None) -> str:
    """Run a command that has to succeed, and return its standard output."""
    done = run(cwd, *args, stdin=stdin)
    assert done.returncode == 0, f"{args}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def document(
    cwd: Path, *args: str, stdin: str | None = None, env: dict[str, str] | None = None
) -> dict[str, Any]:
    """Run a command with `--json` and return its one document, whatever its exit status."""
    done = run(cwd, "--json", *args, stdin=stdin, env=env)
    assert done.stdout.count("\n") == 1, f"{args}: {done.stdout!r}\n{done.stderr}"
    held = json.loads(done.stdout)
    assert isinstance(held, dict)
    return held


def result(cwd: Path, *args: str, stdin: str | None = None) -> Any:
    """The result of a command that has to succeed, from its JSON document."""
    held = document(cwd, *args, stdin=stdin)
    assert held["error"] is None, held["error"]
    return held["result"]
