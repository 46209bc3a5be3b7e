"""Recall of search on the retrieval sets, by words, by meaning and by both: `python -m tests.bench.retrieval.run`.

Every set becomes a pot in a temporary repository, is synced and embedded with the bundled model, and is asked through
the index as `search` asks it. With `--write` the figures go to results.json and results.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from potpie_git.domain.card import retrieval_card
from potpie_git.domain.claim import Claim, new_claim
from potpie_git.domain.layout import POT_DIRECTORY, claim_path
from potpie_git.domain.lexical import bm25_scores
from potpie_git.domain.query import MatchMode
from potpie_git.index import Index, MiniLM
from potpie_git.store.codec import encode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import WorktreeSnapshot

HERE = Path(__file__).parent
SETS = HERE / "sets"
DEPTH = 10
# One question's answers: paths best first, and those of them that are labelled weak.
Answer = tuple[list[str], set[str]]
Ask = Callable[[str], Answer]


@dataclass(frozen=True)
class RetrievalSet:
    """Claims by the set's own ids, and questions with the ids that answer them (none for some)."""

    name: str
    claims: Mapping[str, Claim]
    questions: Sequence[Mapping[str, Any]]

    @classmethod
    def load(cls, path: Path) -> RetrievalSet:
        data = json.loads(path.read_text(encoding="utf-8"))
        claims = {held["id"]: _claim(held) for held in data["claims"]}
        return cls(data["name"], claims, data["questions"])

    @property
    def paths(self) -> dict[str, str]:
        return {name: claim_path(claim) for name, claim in self.claims.items()}

    def one_hop(self, paths: Sequence[str]) -> set[str]:
        """`paths` and the claims that an edge joins to them: what a fix resolves, what verifies it."""
        by_path = {claim_path(claim): claim for claim in self.claims.values()}
        found = [by_path[path] for path in paths]
        subjects, objects = {claim.subject for claim in found}, {claim.object for claim in found}
        joined = {
            path for path, claim in by_path.items() if claim.object in subjects or claim.subject in objects
        }
        return {*paths, *joined}


def _claim(held: Mapping[str, Any]) -> Claim:
    fields = {name: value for name, value in held.items() if name not in {"id", "code_scope"}}
    if held.get("code_scope"):
        fields["code_scope"] = {"path": held["code_scope"]}
    return new_claim(provenance={"recorded_at": "2026-01-01T00:00:00Z"}, **fields)


@contextmanager
def indexed(held: RetrievalSet) -> Iterator[Index]:
    """The set as a pot in a temporary repository, synced and embedded."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(["git", "init", "--quiet", folder], check=True, env=clean)
        for claim in held.claims.values():
            file = root / POT_DIRECTORY / claim_path(claim)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(encode(claim))
        repo = Repository.discover(root)
        index = Index.of(repo)
        index.sync(WorktreeSnapshot(repo))
        index.embed_pending()
        yield index


def asker(index: Index, mode: MatchMode) -> Ask:
    def ask(text: str) -> Answer:
        hits = index.search(text, limit=DEPTH, mode=mode).hits
        return [hit.row.path for hit in hits], {hit.row.path for hit in hits if hit.weak}

    return ask


def scanner(held: RetrievalSet) -> Ask:
    """What answers where there is no index: BM25 over all cards."""
    paths = list(held.paths.values())
    cards = [retrieval_card(claim) for claim in held.claims.values()]

    def ask(text: str) -> Answer:
        scored = sorted(
            zip(bm25_scores(text, cards), paths, strict=True), key=lambda pair: (-pair[0], pair[1])
        )
        return [path for score, path in scored[:DEPTH] if score > 0], set()

    return ask


def measure(held: RetrievalSet, ask: Ask) -> dict[str, Any]:
    """Recall at 1 and 5, mean reciprocal rank, right answers labelled weak, nothing-questions with weak items alone."""
    ranks: list[int] = []
    weak = rejected = nothing = reached = 0
    kinds: dict[str, list[int]] = {}
    started = time.perf_counter()
    for question in held.questions:
        paths, weak_paths = ask(question["text"])
        if not question["expect"]:
            nothing += 1
            rejected += set(paths) <= weak_paths
            continue
        right = {held.paths[name] for name in question["expect"]}
        rank = next((place for place, path in enumerate(paths, 1) if path in right), 0)
        ranks.append(rank)
        reached += not right.isdisjoint(held.one_hop(paths[:5]))
        kinds.setdefault(question["kind"], []).append(rank)
        weak += 0 < rank <= 5 and paths[rank - 1] in weak_paths
    asked = len(ranks)
    return {
        "recall_at_1": round(sum(rank == 1 for rank in ranks) / asked, 3),
        "recall_at_5": round(sum(0 < rank <= 5 for rank in ranks) / asked, 3),
        "recall_at_5_and_one_hop": round(reached / asked, 3),
        "mrr": round(sum(1 / rank for rank in ranks if rank) / asked, 3),
        "right_but_weak": weak,
        "answered": asked,
        "nothing_rejected": rejected,
        "nothing": nothing,
        "first_by_kind": {
            kind: f"{sum(rank == 1 for rank in held_ranks)}/{len(held_ranks)}"
            for kind, held_ranks in sorted(kinds.items())
        },
        "ms_a_question": round(1000 * (time.perf_counter() - started) / len(held.questions), 1),
    }


def measure_all() -> dict[str, dict[str, Any]]:
    results: dict[str, dict[str, Any]] = {}
    MiniLM().embed_question("loads the model's files once, so that no mode pays for it")
    for path in sorted(SETS.glob("*.json")):
        held = RetrievalSet.load(path)
        with indexed(held) as index:
            results[held.name] = {
                "scan": measure(held, scanner(held)),
                **{
                    mode.value: measure(held, asker(index, mode))
                    for mode in (MatchMode.LEXICAL, MatchMode.VECTOR, MatchMode.HYBRID)
                },
            }
    return results


def as_markdown(results: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [
        "# Retrieval figures",
        "",
        "Made by `python -m tests.bench.retrieval.run --write`.",
        "",
        "| set | mode | recall@1 | recall@5 | and one hop | MRR | right, but weak | nothing-questions rejected |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, modes in results.items():
        for mode, got in modes.items():
            names = ("recall_at_1", "recall_at_5", "recall_at_5_and_one_hop", "mrr")
            figures = " | ".join(f"{got[figure]:.3f}" for figure in names)
            labels = f"{got['right_but_weak']} of {got['answered']} | {got['nothing_rejected']} of {got['nothing']}"
            lines.append(f"| {name} | {mode} | {figures} | {labels} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the figures beside this file")
    options = parser.parse_args(arguments)
    results = measure_all()
    print(as_markdown(results))
    if options.write:
        # Times belong to the machine, not to the method.
        kept = {
            name: {
                mode: {key: value for key, value in got.items() if key != "ms_a_question"}
                for mode, got in modes.items()
            }
            for name, modes in results.items()
        }
        (HERE / "results.json").write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
        (HERE / "results.md").write_text(as_markdown(results), encoding="utf-8")


if __name__ == "__main__":
    main()
