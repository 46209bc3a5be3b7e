"""What the gate costs, in small pots and large: `python -m tests.bench.gate.run [--sizes N …] [--rounds N] [--write]`.

*Hook*: one claim is staged, and the pre-commit hook judges it. The floor is a Python that imports every module that the
hook has loaded when it is done. The two run in turns; what is reported is the median of the differences.

*Range*: a branch adds 900 claims to the largest pot and retracts 100 of those that were there; `check --range` and
`review` judge it, over a floor of the same kind. With `--write` the figures go to results.json and results.md beside
this file.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from potpie_git.domain.claim import Claim, Evidence, Invalidation, Provenance, new_claim
from potpie_git.domain.layout import POT_DIRECTORY, claim_path, tombstone_path
from potpie_git.domain.validation.relations import tombstone_for
from potpie_git.store.codec import encode
from tests.bench.pots import fresh, import_into
from tests.bench.processes import cost_of, environment, git, imports_of
from tests.bench.results import keep

HERE = Path(__file__).parent
SIZES = (100, 10_000, 100_000)
GOAL_MS = 60.0
COLUMNS = ("ms", "floor_ms", "over_floor_ms", "cpu_over_floor_ms")
ADDED, RETRACTED = 900, 100
AT = "2026-06-02T08:15:00Z"
HOOK = "from potpie_git.hook import main\nmain(['pre-commit'])"
CHECK = "from potpie_git.cli.main import main\nmain(['check', '--range', 'main..work'])"
REVIEW = "from potpie_git.cli.main import main\nmain(['review', 'main..work', '--format', 'markdown'])"
LISTING = ("diff-index", "--cached", "--raw", "-z", "HEAD")


def claim(number: int) -> Claim:
    """One fix as an agent writes it."""
    service = number % 97
    return new_claim(
        subject=f"fix:{number // 3:012x}",
        predicate="RESOLVED",
        object=f"bug_pattern:service-{service}:symptom-{number}",
        truth="agent_claim",
        fact=f"Retry refund {number} with the remaining captured amount of order {number * 7}.",
        description=f"Refund fails with 409 after a partial capture; refunds-api; case {number}; retry the rest",
        evidence=[Evidence(source_ref=f"github:pr:acme/payments:{number}", authority="external_system")],
        code_scope={"service": f"service-{service}"},
        valid_from="2026-06-01T10:00:00+05:30",
        provenance=Provenance(mutation="m-00000000000000000000000000", recorded_at=AT),
    )


def retracted(number: int) -> Iterator[tuple[str, bytes]]:
    """The files of a claim that was withdrawn: itself with a stamp, and its tombstone."""
    held = claim(number)
    why = f"Case {number} was never retried."
    stamp = Invalidation(op="retract_claim", reason=why, provenance=Provenance(recorded_at=AT))
    done = held.model_copy(update={"valid_to": AT, "invalidation": stamp})
    yield claim_path(held), encode(done)
    stone = tombstone_for(held, "retract_claim", why, Provenance(recorded_at=AT))
    yield tombstone_path(stone), encode(stone)


def pot_of(root: Path, env: dict[str, str], size: int) -> Path:
    """A repository with `size` claims on main, checked out on a branch `work` with one more claim staged."""
    fresh(root, env)
    git(root, env, "branch", "-m", "main")
    held = (claim(number) for number in range(size))
    import_into(root, env, "main", ((claim_path(one), encode(one)) for one in held))
    git(root, env, "reset", "-q", "--hard")
    git(root, env, "gc", "-q")
    git(root, env, "switch", "-q", "-c", "work")
    one = claim(size)
    place = root / POT_DIRECTORY / claim_path(one)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(encode(one))
    git(root, env, "add", POT_DIRECTORY)
    return root


def changed(root: Path, env: dict[str, str], size: int) -> None:
    """Let the branch `work` add claims and retract others, in one commit."""
    added = (claim(number) for number in range(size, size + ADDED))
    withdrawn = (file for number in range(RETRACTED) for file in retracted(number * size // RETRACTED))
    files = [*((claim_path(one), encode(one)) for one in added), *withdrawn]
    git(root, env, "reset", "-q", "--hard")
    import_into(root, env, "work", files)
    git(root, env, "reset", "-q", "--hard")


def milliseconds(seconds: Iterable[float]) -> float:
    """The median."""
    return round(1000 * statistics.median(seconds), 1)


def over_the_floor(program: str, root: Path, env: dict[str, str], rounds: int) -> dict[str, float]:
    """What a program takes, what importing its modules takes, and by how much the first is more.

    The machine's pace changes while it is measured, so each run is compared with the floor's run right after it.
    """
    words, least = ([sys.executable, "-c", text] for text in (program, imports_of(program, root, env)))
    pairs = [(cost_of(words, env, root, accept=(0, 1, 4)), cost_of(least, env, root)) for _ in range(rounds)]

    return {
        "ms": milliseconds(ours.wall for ours, _ in pairs),
        "floor_ms": milliseconds(floor.wall for _, floor in pairs),
        "over_floor_ms": milliseconds(ours.wall - floor.wall for ours, floor in pairs),
        "cpu_over_floor_ms": milliseconds(ours.cpu - floor.cpu for ours, floor in pairs),
    }


def profile_of(program: str, root: Path, env: dict[str, str], most: int = 8) -> list[str]:
    """The functions of the product that most time passes in, with what they call: name, seconds."""
    code = (
        "import cProfile, contextlib, io, pstats, sys, json\n"
        "run = cProfile.Profile()\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    run.runcall(exec, sys.argv[1])\n"
        "held = [(cost[3], place) for place, cost in pstats.Stats(run).stats.items() if 'potpie_git' in place[0]]\n"
        "print(json.dumps([[f'{file.rpartition(\"potpie_git/\")[2]}:{name}', took] for took, (file, _, name) in "
        "sorted(held, reverse=True)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, program], cwd=root, env=env, capture_output=True, check=True, text=True
    )
    listed = [
        (name, took) for name, took in json.loads(done.stdout) if name.startswith(("checks/", "store/"))
    ]
    return [f"`{name}`: {took:.2f} s" for name, took in listed[:most]]


def measure(sizes: Sequence[int], rounds: int, folder: Path) -> dict[str, Any]:
    env = environment(folder)
    found: dict[str, Any] = {"rounds": rounds, "goal_ms": GOAL_MS, "hook": {}}
    for size in sizes:
        root = pot_of(folder / f"pot-{size}", env, size)
        listing = [cost_of(["git", *LISTING], env, root).wall for _ in range(rounds)]
        found["hook"][str(size)] = over_the_floor(HOOK, root, env, rounds) | {"git_ms": milliseconds(listing)}
        print(size, found["hook"][str(size)], file=sys.stderr)
    changed(root, env, size)
    for name, program in (("check", CHECK), ("review", REVIEW)):
        found[name] = over_the_floor(program, root, env, max(3, rounds // 4)) | {"claims": size}
        found[f"{name}_profile"] = profile_of(program, root, env)
    return found


def page(found: dict[str, Any]) -> str:
    """The figures as a page."""
    rows = [
        f"| {int(size):,} | {' | '.join(str(got[name]) for name in (*COLUMNS, 'git_ms'))} |"
        for size, got in found["hook"].items()
    ]
    lines = [
        "# The gate",
        "",
        f"`python -m tests.bench.gate.run --write`; medians of {found['rounds']} rounds, milliseconds.",
        "",
        "The pre-commit hook with one new claim staged. The floor is a Python that imports what the hook has loaded.",
        "It runs right after each run of the hook, and the differences are medians of such pairs. What grows with the",
        "pot is git: it reads its index to list what is staged, here alone in the last column.",
        "",
        f"| claims | hook | floor | over the floor (goal: at most {GOAL_MS:g}) | the same in CPU time | git alone |",
        "| --- | --- | --- | --- | --- | --- |",
        *rows,
        "",
        f"A range that adds {ADDED} claims and retracts {RETRACTED}, in a pot of {found['check']['claims']:,}:",
        "",
        "| command | time | floor | over the floor | the same in CPU time |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in ("check", "review"):
        lines.append(f"| `{name}` | {' | '.join(str(found[name][column]) for column in COLUMNS)} |")
    for name in ("check", "review"):
        lines += [
            "",
            f"Where `{name}` spends its time, under a profiler that slows it, callees included:",
            "",
        ]
        lines += [f"- {one}" for one in found[f"{name}_profile"]]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given.sizes, given.rounds, Path(folder))
    text = page(found)
    print(text)
    if given.write:
        keep(HERE, found, text)


if __name__ == "__main__":
    main()
