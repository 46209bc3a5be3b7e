"""Costs, taken in turns so that whatever else the machine does meets numerator and denominator alike."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.bench.processes import Cost


def measured(run: Callable[[], object]) -> Cost:
    """What a call costs in this process and in the children that it waits for."""
    begun, used = time.perf_counter(), _cpu()
    run()
    return Cost(time.perf_counter() - begun, _cpu() - used, 0.0)


def _cpu() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def compared(runs: Mapping[str, Callable[[], Cost]], rounds: int) -> dict[str, Any]:
    """Medians of every run, taken in turns after a round that warms up, and `ours` over `floor`."""
    found: dict[str, list[Cost]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            cost = run()
            if number:
                found[name].append(cost)
    medians = {
        name: {
            "wall_ms": round(1000 * statistics.median(one.wall for one in costs), 2),
            "cpu_ms": round(1000 * statistics.median(one.cpu for one in costs), 2),
        }
        for name, costs in found.items()
    }
    return medians | {
        "rounds": rounds,
        "ratio": round(medians["ours"]["wall_ms"] / medians["floor"]["wall_ms"], 2),
        "ratio_cpu": round(medians["ours"]["cpu_ms"] / medians["floor"]["cpu_ms"], 2),
    }
