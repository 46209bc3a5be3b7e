"""What reading a long history costs: `python -m tests.bench.timeline.run [--commits N] [--rounds N] [--write]`.

Builds a repository with `git fast-import`, with a pot that holds one event, and reads it with the installed program,
each time in a process of its own. In every round each read is followed by the `git log` that prints the same fields of
the same window (`log`), by the start of an interpreter that imports the libraries of the command line and of the models
(`start`), without which no answer of this program begins, and by the same read in this process, which has started
already, as a server has (`warm`). Medians over the rounds; CPU times are those of a process and its children. With
`--write` the figures go to results.json and results.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from potpie_git.cli.main import run as answer
from tests.bench.processes import Cost, cost_of, environment, git
from tests.bench.results import keep

HERE = Path(__file__).parent
PROGRAM = str(Path(sys.executable).parent / "potpie-git")
GOAL = 2.0
# A commit every forty-five minutes, the last one now.
EVERY = 2_700
AREAS, PARTS, FILES, PEOPLE = 211, 17, 1_009, 37
FIELDS = "--format=%H%x00%P%x00%cI%x00%aN%x00%aE%x00%s%x00%b"
LOG = ("log", "-z", FIELDS, "--use-mailmap", "--name-only", "--diff-merges=first-parent")
START = "import typer, pydantic\nclass Model(pydantic.BaseModel):\n    field: int"
EVENT = {
    "op": "append_event", "verb": "released", "occurred_at": "2026-06-01T10:00:00Z", "actor": "person:rae",
    "targets": ["service:payments"], "fact": "Release 12 went out.", "subject": "activity:release:12",
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A read, what git is asked for the same window, and what the window is, in words."""

    name: str
    words: tuple[str, ...]
    log: tuple[str, ...]
    told: str


def cases(since: str) -> list[Case]:
    timeline = ("timeline", "recent")
    owners = ("graph", "read", "--subgraph", "code_topology", "--view", "ownership_by_path")
    return [
        Case("default", timeline, (*LOG, "-n20"), "the newest 20 commits"),
        Case("month", (*timeline, "--since", since, "-n", "1000"), (*LOG, f"--since={since}", "-n1000"),
             "a month, every commit of it printed"),
        Case("everything", (*timeline, "--since", "2000-01-01"), (*LOG, "--since=2000-01-01"),
             "the whole history; git prints all of it, the timeline its newest 20"),
        Case("path", (*timeline, "--path", "src/area5"), (*LOG, "--full-diff", "-n20", "--", "src/area5"),
             "the newest 20 commits that touched a folder"),
        Case("owners", (*owners, "--path", "src/area5/part5/file5.py"), ("log", "-n1", "-p", "--", "CODEOWNERS"),
             "the owners of a file; git is asked when CODEOWNERS last changed, and how"),
    ]  # fmt: skip


def build(root: Path, commits: int, env: dict[str, str]) -> None:
    """A history of so many commits over some fifty thousand files, CODEOWNERS, and a pot."""
    root.mkdir()
    git(root, env, "init", "-q", "-b", "work")
    importer = subprocess.Popen(
        ["git", "fast-import", "--quiet"], cwd=root, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert importer.stdin is not None
    begin = int(time.time()) - commits * EVERY
    for number in range(commits):
        importer.stdin.write(commit(number, begin + number * EVERY))
    importer.stdin.close()
    assert importer.wait() == 0
    git(root, env, "reset", "-q", "--hard")
    owners = "".join(f"/src/area{area}/ @acme/team{area % 9}\n" for area in range(AREAS))
    (root / "CODEOWNERS").write_text(f"* @acme/core\n{owners}")
    subprocess.run([PROGRAM, "init", "--no-hooks"], cwd=root, env=env, check=True, capture_output=True)
    git(root, env, "add", "--all")
    git(root, env, "commit", "-q", "-m", "owners and a pot")
    said = subprocess.run(
        [PROGRAM, "graph", "mutate", json.dumps(EVENT)], cwd=root, env=env, capture_output=True, text=True
    )
    assert said.returncode == 0, said.stderr


def commit(number: int, moment: int) -> bytes:
    """One commit for `git fast-import`: a file of some area, and of every fifth a page of documentation."""
    who = f"Dev {number % PEOPLE} <dev{number % PEOPLE}@example.com> {moment} +0200"
    message = f"Change {number} of area {number % AREAS} (#{number})\n\nWhy it was done, in a sentence.\n"
    body = f"line {number}\n"
    places = [f"src/area{number % AREAS}/part{number % PARTS}/file{number % FILES}.py"]
    places += [f"docs/page{number % 97}.md"] if number % 5 == 0 else []
    files = "".join(f"M 100644 inline {place}\ndata {len(body)}\n{body}\n" for place in places)
    head = f"commit refs/heads/work\nauthor {who}\ncommitter {who}\n"
    return f"{head}data {len(message)}\n{message}\n{files}".encode()


def median(costs: list[Cost]) -> Cost:
    return Cost(
        *(statistics.median(getattr(cost, name) for cost in costs) for name in ("wall", "cpu", "memory"))
    )


def warm_cost(words: list[str]) -> float:
    """Seconds on the clock that the same read takes in a process that has started."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        begun = time.perf_counter()
        status = answer(words)
        taken = time.perf_counter() - begun
    assert status == 0, words
    return taken


def measure(commits: int, rounds: int, folder: Path) -> dict[str, Any]:
    env = environment(folder)
    os.environ.update(env)
    root = folder / "repository"
    build(root, commits, env)
    month = str(min(960, commits - 1))
    since = git(root, env, "log", "-1", f"--skip={month}", "--format=%cI").strip()
    found: dict[str, dict[str, list[Cost]]] = {case.name: {"ours": [], "log": []} for case in cases(since)}
    start: list[Cost] = []
    warm: dict[str, list[float]] = {case.name: [] for case in cases(since)}
    for _ in range(rounds + 1):
        for case in cases(since):
            found[case.name]["ours"].append(cost_of([PROGRAM, "-C", str(root), *case.words], env))
            found[case.name]["log"].append(cost_of(["git", "-C", str(root), *case.log], env))
            start.append(cost_of([sys.executable, "-c", START], env))
            warm[case.name].append(warm_cost(["-C", str(root), *case.words]))
    return {
        "commits": commits,
        "rounds": rounds,
        "goal": GOAL,
        "start": figures(median(start[len(found) :])),
        "cases": {
            case.name: row(
                median(found[case.name]["ours"][1:]),
                median(found[case.name]["log"][1:]),
                median(start[len(found) :]),
                statistics.median(warm[case.name][1:]),
            )
            | {"window": case.told, "command": " ".join(case.words)}
            for case in cases("DATE")
        },
    }


def figures(cost: Cost) -> dict[str, float]:
    return {"wall_ms": round(cost.wall * 1000, 1), "cpu_ms": round(cost.cpu * 1000, 1)}


def row(ours: Cost, log: Cost, start: Cost, warm: float) -> dict[str, Any]:
    return {
        "ours": figures(ours),
        "log": figures(log),
        "warm_ms": round(warm * 1000, 1),
        "ratio_to_log": round(ours.wall / log.wall, 2),
        "ratio_to_start_and_log": round(ours.wall / (start.wall + log.wall), 2),
        "ratio_to_start_and_log_cpu": round(ours.cpu / (start.cpu + log.cpu), 2),
        "warm_ratio_to_log": round(warm / log.wall, 2),
    }


def page(found: dict[str, Any]) -> str:
    """The figures as a page."""
    rows = "\n".join(_line(held) for held in found["cases"].values())
    return f"""# History, read cold

`python -m tests.bench.timeline.run --write`: {found["commits"]} commits, medians of {found["rounds"]} rounds, every
read in a process of its own.

| command | window | time | `git log` | ÷ `git log` | ÷ (start + `git log`) | same in CPU time | warm | ÷ `git log` |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

`git log` prints the same fields of the same window, with the paths that each commit touched. *Start* is an interpreter
that imports typer and pydantic and makes one model, {found["start"]["wall_ms"]:.0f} ms, which no answer of this program
can do without. *Warm* is the same answer from a process that has started already, as the MCP server has.

The goal is {found["goal"]:g}. Against `git log` alone a process in Python cannot meet it where git has little to do:
the newest twenty commits take git less time than an interpreter takes to start, whatever the length of the history.
"""


def _line(held: dict[str, Any]) -> str:
    cells = (
        f"`{held['command']}`",
        held["window"],
        f"{held['ours']['wall_ms']:.0f} ms",
        f"{held['log']['wall_ms']:.0f} ms",
        f"{held['ratio_to_log']:g}",
        f"{held['ratio_to_start_and_log']:g}",
        f"{held['ratio_to_start_and_log_cpu']:g}",
        f"{held['warm_ms']:.0f} ms",
        f"{held['warm_ratio_to_log']:g}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--commits", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given.commits, given.rounds, Path(folder))
    text = page(found)
    print(text)
    if given.write:
        keep(HERE, found, text)


if __name__ == "__main__":
    main()
