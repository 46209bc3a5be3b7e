"""Commands in processes of their own, against the least that such a process could do."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.index import storage
from tests.bench.bulk.run import operation
from tests.bench.processes import Cost, cost_of, git, imports_of
from tests.bench.speed.denominators import GIVEN_VECTOR, HYBRID_QUERY, START
from tests.bench.speed.figures import compared
from tests.bench.speed.pots import Pot

PROGRAM = str(Path(sys.executable).parent / "potpie-git")
QUESTION = "why is the refund rounded twice behind the proxy"


def python(program: str, *words: str) -> list[str]:
    return [sys.executable, "-c", program, *words]


def search(pot: Pot, rounds: int) -> dict[str, Any]:
    """A first `search`, over one hybrid query through the lightest reader."""
    pointer = storage.read_pointer(pot.index.directory)
    tables = [
        str(pot.index.directory / folder / f"{name}.lance")
        for folder, name in ((pointer.claims, storage.CLAIMS), (pointer.vectors, storage.VECTORS))
    ]
    ours = [PROGRAM, "-C", str(pot.root), "--json", "search", QUESTION]
    said = json.loads(subprocess.run(ours, env=pot.env, capture_output=True, check=True).stdout)
    assert said["result"]["match_mode"] == "hybrid", said["result"]["match_mode"]
    runs: dict[str, Callable[[], Cost]] = {
        "ours": lambda: cost_of(ours, pot.env),
        "floor": lambda: cost_of(python(HYBRID_QUERY, *tables, QUESTION), pot.env),
        "given_vector": lambda: cost_of(python(GIVEN_VECTOR, *tables, QUESTION), pot.env),
    }
    return compared(runs, rounds)


def sync(large: Pot, small: Pot, rounds: int) -> dict[str, Any]:
    """`index sync --no-vectors` after one claim was committed, in the large pot over the small one."""
    numbers = count(max(large.unused(), small.unused()))

    def once(pot: Pot) -> Cost:
        pot.add(next(numbers))
        return cost_of([PROGRAM, "-C", str(pot.root), "index", "sync", "--no-vectors"], pot.env)

    return compared({"ours": lambda: once(large), "floor": lambda: once(small)}, rounds)


def write(pot: Pot, rounds: int, folder: Path) -> dict[str, Any]:
    """`graph propose` and `graph commit`, over interpreters with the imports and one `git commit` of the same files.

    `mutate` does both in one process. The floor commits in a clone of its own, so that neither repository grows by
    the other's commits.
    """
    clone = folder / f"clone-{pot.size}"
    shutil.rmtree(clone, ignore_errors=True)
    shutil.copytree(pot.root, clone, symlinks=True, ignore=shutil.ignore_patterns("potpie"))
    writer = _Writer(pot, clone)
    committed: list[Cost] = []

    def git_commit() -> Cost:
        committed.append(writer.git_commit())
        return committed[-1]

    runs: dict[str, Callable[[], Cost]] = {
        "ours": writer.propose_and_commit,
        "floor": lambda: _sum(writer.start("propose"), writer.start("commit"), git_commit()),
        "least": lambda: _sum(writer.least(), writer.least(), committed[-1]),
        "mutate": writer.mutate,
        "mutate_floor": lambda: _sum(writer.start("mutate"), writer.git_commit()),
    }
    return compared(runs, rounds)


def _sum(*costs: Cost) -> Cost:
    return Cost(
        sum(one.wall for one in costs), sum(one.cpu for one in costs), max(one.memory for one in costs)
    )


class _Writer:
    """Writes one new claim after the other, by the product in one repository and by git in its clone."""

    def __init__(self, pot: Pot, clone: Path) -> None:
        self._pot = pot
        self._clone = clone
        self._number = pot.unused()
        self._imports = {
            "propose": self._imported("propose", self._payload()),
            "commit": self._imported("commit", self._proposed()[1]),
            "mutate": self._imported("mutate", self._payload()),
        }
        self._copied = git(pot.root, pot.env, "rev-parse", "HEAD").strip()

    def _imported(self, command: str, word: str) -> str:
        program = f"from potpie_git.cli.main import main\nmain(['graph', {command!r}, {word!r}])"
        return imports_of(program, self._pot.root, self._pot.env)

    def start(self, command: str) -> Cost:
        """An interpreter that imports what a command has loaded when it is done."""
        return cost_of(python(self._imports[command]), self._pot.env)

    def least(self) -> Cost:
        return cost_of(python(START), self._pot.env)

    def _payload(self) -> str:
        self._number += 1
        return json.dumps(operation(self._number))

    def _proposed(self) -> tuple[Cost, str]:
        plan = self._clone.parent / "plan.json"
        words = [PROGRAM, "-C", str(self._pot.root), "--json", "graph", "propose", self._payload()]
        with plan.open("wb") as out:
            cost = cost_of(words, self._pot.env, out=out)
        return cost, str(json.loads(plan.read_text())["result"]["plan_id"])

    def propose_and_commit(self) -> Cost:
        proposed, plan = self._proposed()
        words = [PROGRAM, "-C", str(self._pot.root), "graph", "commit", plan]
        return _sum(proposed, cost_of(words, self._pot.env))

    def mutate(self) -> Cost:
        words = [PROGRAM, "-C", str(self._pot.root), "graph", "mutate", self._payload()]
        return cost_of(words, self._pot.env)

    def git_commit(self) -> Cost:
        """`git add` and `git commit` of the files that the product wrote last, as bytes that are there already."""
        env = self._pot.env
        words = ("diff", "--name-only", "-z", self._copied, "HEAD", "--", POT_DIRECTORY)
        listed = git(self._pot.root, env, *words)
        self._copied = git(self._pot.root, env, "rev-parse", "HEAD").strip()
        paths = [path for path in listed.split("\0") if path]
        assert paths, "nothing was written"
        for path in paths:
            place = self._clone / path
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._pot.root / path, place)
        added = cost_of(["git", "add", "--", *paths], env, self._clone)
        return _sum(added, cost_of(["git", "commit", "-q", "-m", "Claims", "--", *paths], env, self._clone))
