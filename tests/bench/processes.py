"""Processes that are measured, and the least that they are measured against."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import IO

CHECKOUT = Path(__file__).parents[2]
# Runs a program, and then lists the modules that were loaded for it, those that others are made of first.
LISTED = """
import contextlib, io, json, sys
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    exec(sys.argv[1])
print(json.dumps([name for name, module in sys.modules.items() if getattr(module, "__spec__", None)]))
"""


@dataclass(frozen=True)
class Cost:
    """What a process and its children took: seconds on the clock and of the processors, and megabytes at most."""

    wall: float
    cpu: float
    memory: float


def environment(home: Path) -> dict[str, str]:
    """The caller's environment without its settings for git, and with compiled modules, as an installation has them."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    identity = {"NAME": "Rae", "EMAIL": "rae@example.com"}
    return (
        kept
        | {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONPATH": str(CHECKOUT),
        }
        | {f"GIT_{role}_{key}": text for role in ("AUTHOR", "COMMITTER") for key, text in identity.items()}
    )


def cost_of(
    argv: list[str],
    env: dict[str, str],
    root: Path | None = None,
    accept: Collection[int] = (0,),
    out: IO[bytes] | None = None,
) -> Cost:
    """What it costs to run `argv` (in `root`). Any status but those in `accept` ends the benchmark."""
    begun = time.perf_counter()
    process = subprocess.Popen(argv, env=env, cwd=root, stdout=out or subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in accept:
        raise SystemExit(f"{argv[:4]} ended with {process.returncode}")
    return Cost(time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def git(root: Path, env: dict[str, str], *words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=root, env=env, check=True, capture_output=True, text=True
    ).stdout


def imports_of(program: str, root: Path, env: dict[str, str]) -> str:
    """A program that does nothing but import what `program` has loaded when it is done."""
    done = subprocess.run(
        [sys.executable, "-c", LISTED, program], cwd=root, env=env, capture_output=True, check=True, text=True
    )
    names = [name for name in json.loads(done.stdout.splitlines()[-1]) if name != "__main__"]
    return "import importlib\n" + "\n".join(f"importlib.import_module({name!r})" for name in names)
