"""Fits the model that labels weak matches, and tells what it gives on a set that it was not fitted on.

`python -m tests.bench.retrieval.calibrate` prints the coefficients that stand in `potpie_git/index/evidence.py`. An
example is a question with the first right claim among the best five, or a question that the pot cannot answer with the
best claim; the two kinds weigh the same. The model is logistic, with a quadratic penalty on standardised coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from potpie_git.domain.card import retrieval_card
from potpie_git.domain.lexical import bm25_scores, saturated, tokens
from potpie_git.index import MiniLM
from potpie_git.index.evidence import COEFFICIENTS, NEAREST, STRONG_FROM, gather, weigh
from potpie_git.index.search import LEXICAL_WEIGHT
from tests.bench.retrieval.sets import SETS, RetrievalSet

DEPTH = 10
PENALTY = 2.0
_STEPS = 40
# The share of right answers that a threshold may cost on the set that it is chosen on.
_LOSSES = (0.03, 0.04, 0.05)
NAMES = tuple(COEFFICIENTS)


@dataclass(frozen=True)
class Example:
    """A question's candidates, best first: their signals, shape (n, 5), and the place of the right one, if any."""

    signals: np.ndarray
    answerable: bool
    right: int | None


def examples(held: RetrievalSet, model: MiniLM) -> list[Example]:
    """One example a question; a question whose answer is not among the best five is left out."""
    names = list(held.claims)
    cards = [retrieval_card(claim) for claim in held.claims.values()]
    words = [frozenset(tokens(card)) for card in cards]
    vectors = model.embed_cards(cards)
    found = []
    for question in held.questions:
        text = question["text"]
        blended = np.maximum(vectors @ model.embed_question(text), 0.0)
        blended += LEXICAL_WEIGHT * np.array([saturated(score) for score in bm25_scores(text, cards)])
        order = np.argsort(-blended, kind="stable")[:NEAREST]
        evidence = gather(
            weigh(text, model.commonness), float(blended[order[0]]), [words[place] for place in order]
        )
        signals = [
            list(evidence.signals(float(blended[place]), words[place]).values()) for place in order[:DEPTH]
        ]
        right = next((at for at, place in enumerate(order[:5]) if names[place] in question["expect"]), None)
        if right is not None or not question["expect"]:
            found.append(Example(np.array(signals), bool(question["expect"]), right))
    return found


def fit(held: Sequence[Example]) -> np.ndarray:
    """Coefficients of the signals, by iterated weighted least squares; the constant is left to the threshold."""
    rows = np.array([one.signals[one.right or 0] for one in held])
    answers = np.array([one.answerable for one in held], dtype=float)
    scale = rows.std(axis=0)
    inputs = np.c_[np.ones(len(rows)), (rows - rows.mean(axis=0)) / scale]
    weights = np.where(answers == 1, 0.5 / answers.mean(), 0.5 / (1 - answers.mean()))
    penalty = PENALTY * np.diag([0.0, *([1.0] * len(NAMES))])
    found = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-inputs @ found))
        slope = inputs.T @ (weights * (chance - answers)) + penalty @ found
        curve = (inputs.T * (weights * chance * (1 - chance))) @ inputs + penalty
        found -= np.linalg.solve(curve, slope)
    return np.asarray(found[1:] / scale)


def strengths(held: Sequence[Example], coefficients: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of right answers, and the best of every question that the pot cannot answer."""
    right = [float(one.signals[one.right] @ coefficients) for one in held if one.right is not None]
    wrong = [float((one.signals @ coefficients).max()) for one in held if not one.answerable]
    return np.sort(np.array(right)), np.array(wrong)


def outcome(held: Sequence[Example], coefficients: np.ndarray, threshold: float) -> str:
    right, wrong = strengths(held, coefficients)
    lost, told = int((right < threshold).sum()), int((wrong < threshold).sum())
    return f"{told} of {len(wrong)} recognised, {lost} of {len(right)} right answers labelled weak"


def transfer(fitted: Sequence[Example], asked: Sequence[Example]) -> list[str]:
    """What a model and a threshold that come from one set give on another."""
    coefficients = fit(fitted)
    right, _ = strengths(fitted, coefficients)
    return [
        f"  threshold for {loss:.0%}: {outcome(asked, coefficients, right[int(loss * len(right))])}"
        for loss in _LOSSES
    ]


def main() -> None:
    model = MiniLM()
    held: Mapping[str, list[Example]] = {
        path.stem: examples(RetrievalSet.load(path), model) for path in sorted(SETS.glob("*.json"))
    }
    for name, asked in held.items():
        others = [one for other, found in held.items() if other != name for one in found]
        print(f"fitted without {name}, asked on it:", *transfer(others, asked), sep="\n")
    everything = [one for found in held.values() for one in found]
    fitted = dict(zip(NAMES, fit(everything).round(2).tolist(), strict=True))
    print("fitted on all:", fitted)
    shipped = np.array([COEFFICIENTS[name] for name in NAMES])
    for name, asked in held.items():
        print(f"as shipped, {name}:", outcome(asked, shipped, STRONG_FROM))


if __name__ == "__main__":
    main()
