"""What the index and the commands cost: `python -m tests.bench.speed.run [PART...] [--rounds N] [--write]`.

Parts: search, rebuild, sync, read, write; all of them by default. Every figure is a ratio of two medians that were
measured in turns, so that whatever else the machine does meets both sides; CPU times are those of the processes and
their children. Pots of 100 to 100,000 claims are written by `git fast-import`; their cards get vectors that are made
of words, which cost a search what the model's cost. With `--write` the figures of the parts that ran go to
results.json and results.md beside this file; with `--folder` pots are kept there for the next run.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.processes import environment
from tests.bench.results import keep
from tests.bench.speed import cold, warm
from tests.bench.speed.page import GOALS, page
from tests.bench.speed.pots import Pot, build

HERE = Path(__file__).parent
SIZES = (100, 1_000, 10_000, 100_000)


def measure(parts: list[str], rounds: int, folder: Path) -> dict[str, Any]:
    """The figures of `parts`."""
    env = environment(folder)

    def pot(size: int) -> Pot:
        return build(folder / f"pot-{size}", env, size)

    def every_size(part: Callable[[Pot], dict[str, Any]]) -> dict[str, Any]:
        return {str(size): part(pot(size)) for size in SIZES}

    known: dict[str, Callable[[], dict[str, Any]]] = {
        "search": lambda: every_size(lambda held: cold.search(held, rounds)),
        "rebuild": lambda: {"10000": warm.rebuild(pot(10_000), rounds, folder)},
        "sync": lambda: {
            "in_process": warm.sync(pot(100_000), pot(1_000), rounds),
            "listing": warm.listing(pot(100_000), rounds),
            "command": cold.sync(pot(100_000), pot(1_000), rounds),
        },
        "read": lambda: {"100000": warm.read(pot(100_000), pot(10_000), 5 * rounds)},
        "write": lambda: every_size(lambda held: cold.write(held, rounds, folder)),
    }
    found = {}
    for part in parts:
        found[part] = known[part]()
        print(part, json.dumps(found[part]), file=sys.stderr)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[[], *GOALS], metavar="PART")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    parts = given.parts or list(GOALS)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(parts, given.rounds, given.folder or Path(folder))
    target = HERE / "results.json"
    if given.write and target.exists():
        found = json.loads(target.read_text(encoding="utf-8")) | found
    print(page(found))
    if given.write:
        keep(HERE, found, page(found))


if __name__ == "__main__":
    main()
