"""Recall of search on the retrieval sets, by words, by meaning and by both: `python -m tests.bench.retrieval.run`.

Every set becomes a pot in a temporary repository, is synced and embedded with the bundled model, and is asked twice:
as a user asks it (`search`, which answers in items), and at the index alone (claims). With `--write` the figures go to
results.json and results.md beside this file.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from potpie_git import Pot
from potpie_git.domain.card import retrieval_card
from potpie_git.domain.lexical import bm25_scores
from potpie_git.domain.query import MatchMode
from potpie_git.domain.times import utc_now
from potpie_git.index import Index, IndexedClaims
from potpie_git.readers.orchestrator import ReadTrunk
from potpie_git.readers.request import ReadContext, ReadRequest
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import WorktreeSnapshot
from tests.bench.results import keep
from tests.bench.retrieval.measure import DEPTH, Ask, Found, measure
from tests.bench.retrieval.sets import SETS, RetrievalSet, pot_of

HERE = Path(__file__).parent
MODES = (MatchMode.LEXICAL, MatchMode.VECTOR, MatchMode.HYBRID)
Results = dict[str, dict[str, dict[str, dict[str, Any]]]]


def searcher(held: RetrievalSet, repository: Repository, mode: MatchMode) -> Ask:
    """`search` as a user runs it; by one half alone, the same trunk over an index that is asked so."""
    paths = {claim.id: held.paths[name] for name, claim in held.claims.items()}
    pot = Pot.open(repository.root)
    halved = IndexedClaims(Index.of(repository), WorktreeSnapshot(repository), mode=mode)
    trunk = ReadTrunk(halved, utc_now, ReadContext())

    def ask(text: str) -> list[Found]:
        request = ReadRequest(limit=DEPTH)
        envelope = pot.search(text, request) if mode is MatchMode.HYBRID else trunk.search(text, request)
        return [
            Found(
                {paths[held] for held in _claims_of(item.payload, item.claim_id) if held in paths}, item.weak
            )
            for item in envelope.items
        ]

    return ask


def _claims_of(payload: Mapping[str, Any], lead: str | None) -> set[str]:
    """The claims that an item shows: the one that speaks for it, and those of its relations."""
    return {str(relation.get("claim_id")) for relation in payload.get("relations", ())} | {str(lead)}


def index_asker(index: Index, mode: MatchMode) -> Ask:
    def ask(text: str) -> list[Found]:
        return [Found({hit.row.path}, hit.weak) for hit in index.search(text, limit=DEPTH, mode=mode).hits]

    return ask


def scanner(held: RetrievalSet) -> Ask:
    """What answers where there is no index: BM25 over all cards."""
    paths = list(held.paths.values())
    cards = [retrieval_card(claim) for claim in held.claims.values()]

    def ask(text: str) -> list[Found]:
        scored = sorted(
            zip(bm25_scores(text, cards), paths, strict=True), key=lambda pair: (-pair[0], pair[1])
        )
        return [Found({path}) for score, path in scored[:DEPTH] if score > 0]

    return ask


def measure_set(held: RetrievalSet) -> dict[str, dict[str, dict[str, Any]]]:
    """By where it is asked ("search" and "index") and by mode."""
    with pot_of(held) as repository:
        index = Index.of(repository)
        return {
            "search": {mode.value: measure(held, searcher(held, repository, mode)) for mode in MODES},
            "index": {
                "scan": measure(held, scanner(held)),
                **{mode.value: measure(held, index_asker(index, mode)) for mode in MODES},
            },
        }


_HEADER = (
    "| set | mode | recall@1 | recall@5 | and one hop | MRR | right, but weak | nothing-questions with weak answers "
    "alone, or none | questions of two steps |"
)
_TITLES = {
    "search": "As `search` answers: items, each with its claims and relations",
    "index": "At the index alone: claims; *scan* is what answers where there is no index",
}


def as_markdown(results: Results) -> str:
    lines = ["# Retrieval figures", "", "Made by `python -m tests.bench.retrieval.run --write`."]
    for place, title in _TITLES.items():
        lines += [
            "",
            f"{title}.",
            "",
            _HEADER,
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        lines += [
            _row(name, mode, got) for name, places in results.items() for mode, got in places[place].items()
        ]
    return "\n".join(lines) + "\n"


def _row(name: str, mode: str, got: Mapping[str, Any]) -> str:
    figures = ("recall_at_1", "recall_at_5", "recall_at_5_and_one_hop", "mrr")
    counts = (
        ("right_but_weak", "answered"),
        ("nothing_rejected", "nothing"),
        ("two_steps_answered", "two_steps"),
    )
    cells = [f"{got[figure]:.3f}" for figure in figures]
    cells += [f"{got[part]} of {got[whole]}" for part, whole in counts]
    return f"| {name} | {mode} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the figures beside this file")
    options = parser.parse_args(arguments)
    held = [RetrievalSet.load(path) for path in sorted(SETS.glob("*.json"))]
    results = {one.name: measure_set(one) for one in held}
    print(as_markdown(results))
    if options.write:
        keep(HERE, results, as_markdown(results))


if __name__ == "__main__":
    main()
