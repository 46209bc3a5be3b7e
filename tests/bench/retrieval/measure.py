"""How well a way of asking answers the questions of a set."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from tests.bench.retrieval.sets import RetrievalSet

DEPTH = 10


@dataclass(frozen=True)
class Found:
    """One place of an answer: the paths of the claims that it shows, and whether it is labelled weak."""

    paths: Set[str]
    weak: bool = False


Ask = Callable[[str], Sequence[Found]]


@dataclass
class Tally:
    """What became of the questions of one set.

    `ranks` are the places of the first right answers, 0 where there is none among the first ten; `lost` counts right
    answers among the first five that are labelled weak, `rejected` the questions about nothing in the pot to which all
    that came back was weak, if anything came.
    """

    ranks: list[int] = field(default_factory=list)
    kinds: dict[str, list[int]] = field(default_factory=dict)
    reached: int = 0
    lost: int = 0
    nothing: int = 0
    rejected: int = 0

    def report(self) -> dict[str, Any]:
        asked = len(self.ranks)
        two_steps = self.kinds.get("multihop", [])
        return {
            "recall_at_1": round(sum(rank == 1 for rank in self.ranks) / asked, 3),
            "recall_at_5": round(sum(0 < rank <= 5 for rank in self.ranks) / asked, 3),
            "recall_at_5_and_one_hop": round(self.reached / asked, 3),
            "mrr": round(sum(1 / rank for rank in self.ranks if rank) / asked, 3),
            "right_but_weak": self.lost,
            "answered": asked,
            "nothing_rejected": self.rejected,
            "nothing": self.nothing,
            "two_steps_answered": sum(rank > 0 for rank in two_steps),
            "two_steps": len(two_steps),
            "first_by_kind": {
                kind: f"{sum(rank == 1 for rank in ranks)}/{len(ranks)}"
                for kind, ranks in sorted(self.kinds.items())
            },
        }


def measure(held: RetrievalSet, ask: Ask) -> dict[str, Any]:
    """Recall at 1 and 5, mean reciprocal rank, right answers labelled weak, nothing-questions with weak items alone."""
    tally = Tally()
    for question in held.questions:
        found = ask(question["text"])[:DEPTH]
        if not question["expect"]:
            tally.nothing += 1
            tally.rejected += all(one.weak for one in found)
            continue
        right = {held.paths[name] for name in question["expect"]}
        rank = next((place for place, one in enumerate(found, 1) if one.paths & right), 0)
        tally.ranks.append(rank)
        tally.kinds.setdefault(question["kind"], []).append(rank)
        shown = {path for one in found[:5] for path in one.paths}
        tally.reached += not right.isdisjoint(held.one_hop(shown))
        tally.lost += 0 < rank <= 5 and found[rank - 1].weak
    return tally.report()
