"""How quickly bulk writes go: `python -m tests.bench.bulk.run [--claims N] [--rounds N] [--chunk-size N] [--write]`.

In each round, one process applies the same claims with `graph bulk apply`, and another, the floor, writes the very
same files with plain Python and commits them once. Both start from a repository with an empty pot, on one file system,
one after the other. The best of the rounds counts, because others use the machine too; CPU times and peak memory are
those of the processes and their children. With `--write` the figures go to results.json and results.md beside this
file.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from potpie_git.write.bulk import DEFAULT_CHUNK
from tests.bench.pots import fresh
from tests.bench.processes import Cost, cost_of, environment, git
from tests.bench.results import keep

HERE = Path(__file__).parent
GOAL = 4.0
FLOOR = """
import json, subprocess, sys
from pathlib import Path

root, files = Path(sys.argv[1]), sys.argv[2]
with open(files, encoding="utf-8") as lines:
    for line in lines:
        path, text = json.loads(line)
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
subprocess.run(["git", "add", ".potpie"], cwd=root, check=True)
subprocess.run(["git", "commit", "-q", "-m", "claims"], cwd=root, check=True)
"""


def operation(number: int) -> dict[str, Any]:
    """One claim as an agent writes it, about a third of a fix and an object of its own."""
    return {
        "op": "assert_claim",
        "subject": f"fix:{number // 3:012x}",
        "predicate": "RESOLVED",
        "object": f"bug_pattern:service-{number % 97}:symptom-{number}",
        "fact": f"Retry refund {number} with the remaining captured amount of order {number * 7}.",
        "description": f"Refund fails with 409 after a partial capture; refunds-api; case {number}; retry the rest",
        "evidence": [{"source_ref": f"github:pr:acme/payments:{number}", "authority": "external_system"}],
        "confidence": 0.8,
        "code_scope": {"service": f"service-{number % 97}"},
        "valid_from": "2026-06-01T10:00:00+05:30",
    }


def bulk(root: Path, operations: Path, chunk: int, env: dict[str, str]) -> Cost:
    words = ["graph", "bulk", "apply", str(operations), "--chunk-size", str(chunk)]
    return cost_of([sys.executable, "-m", "potpie_git.cli.main", "-C", str(root), *words], env)


def files_of(root: Path, target: Path) -> int:
    """Write what the bulk run wrote to a list of [path, text]; returns how many files there are."""
    found = sorted(path for path in (root / ".potpie/claims").rglob("*") if path.is_file())
    with target.open("w", encoding="utf-8") as lines:
        for path in found:
            entry = [path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")]
            lines.write(json.dumps(entry) + "\n")
    return len(found)


def measure(claims: int, chunk: int, rounds: int, folder: Path) -> dict[str, Any]:
    env = environment(folder)
    operations, files = folder / "operations.ndjson", folder / "files.ndjson"
    operations.write_text("".join(json.dumps(operation(number)) + "\n" for number in range(claims)))
    ours: list[Cost] = []
    floor: list[Cost] = []
    for number in range(rounds):
        ours.append(bulk(fresh(folder / "bulk", env), operations, chunk, env))
        written = files_of(folder / "bulk", files)
        assert written == claims, f"{written} files for {claims} claims"
        target = fresh(folder / "floor", env)
        floor.append(cost_of([sys.executable, "-c", FLOOR, str(target), str(files)], env))
        assert git(target, env, "rev-parse", "HEAD:.potpie/claims") == git(
            folder / "bulk", env, "rev-parse", "HEAD:.potpie/claims"
        )
        print(f"round {number + 1}: {ours[-1]} against {floor[-1]}", file=sys.stderr)
    best, least = (
        Cost(*(min(getattr(one, name) for one in costs) for name in ("wall", "cpu", "memory")))
        for costs in (ours, floor)
    )
    return {
        "claims": claims,
        "chunk_size": chunk,
        "rounds": rounds,
        "bulk": asdict(best),
        "floor": asdict(least),
        "claims_per_second": round(claims / best.wall),
        "ratio_wall": round(best.wall / least.wall, 2),
        "ratio_cpu": round(best.cpu / least.cpu, 2),
        "goal": GOAL,
    }


def page(found: dict[str, Any]) -> str:
    """The figures as a page."""
    rows = "\n".join(
        f"| {label} | {found[name]['wall']:.2f} s | {found[name]['cpu']:.2f} s | {found[name]['memory']:.0f} MB |"
        for label, name in (("`graph bulk apply`", "bulk"), ("the floor", "floor"))
    )
    return (
        f"# Bulk writes\n\n`python -m tests.bench.bulk.run --write`: {found['claims']} claims in chunks of "
        f"{found['chunk_size']}, the best of {found['rounds']} rounds.\n\n"
        "The floor is a loop in plain Python that writes the same files and commits them once.\n\n"
        f"| | time | CPU time | peak memory |\n| --- | --- | --- | --- |\n{rows}\n\n"
        f"{found['claims_per_second']} claims a second; {found['ratio_wall']} times the floor on the clock "
        f"(goal: at most {found['goal']:g}), {found['ratio_cpu']} times its CPU time.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--claims", type=int, default=10_000)
    parser.add_argument("--chunk-size", type=int, default=DEFAULT_CHUNK)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given.claims, given.chunk_size, given.rounds, Path(folder))
    text = page(found)
    print(text)
    if given.write:
        keep(HERE, found, text)


if __name__ == "__main__":
    main()
