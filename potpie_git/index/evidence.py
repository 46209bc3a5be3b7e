"""How likely it is that a claim answers a question: several signals together, since no single score tells.

The coefficients are a logistic model's, fitted by `python -m tests.bench.retrieval.calibrate`; docs/retrieval.md has
what it was fitted on, and what it gives on questions that it was not fitted on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from potpie_git.domain.lexical import tokens

# Cards whose words are compared with the question's: what none of the best ones mentions, the pot does not know.
NEAREST = 20
# The head of a pasted log says what it is about.
MOST_WORDS = 60
# What a bias-free sum of the signals has to reach; below it an answer is labelled weak.
COEFFICIENTS: Final[Mapping[str, float]] = {
    "blended": 3.65,
    "best": 10.74,
    "coverage": 2.36,
    "stranger": -2.33,
    "mass": 4.13,
}
STRONG_FROM: Final = 10.9

# Word pieces are numbered by how common they are; the most common words begin here, and few come in one piece after.
_COMMONEST = 1900
_RAREST = 46_900
_UNKNOWN = 45_783
# Even the commonest word weighs something when coverage is counted.
_LEAST_WEIGHT = 0.15
# A word that is another but for one slip of the keyboard, or has its first letters, counts nearly as that word.
_SLIP = 0.8
_LEAST_SLIP_LENGTH = 4
_SAME_HEAD = 5

Commonness = Callable[[str], int | None]


def rarity(number: int | None) -> float:
    """How telling a word is, in [0, 1], by its number in the model's vocabulary; None is in no vocabulary."""
    place = max(_COMMONEST + 96, _UNKNOWN if number is None else number)
    return math.log((place - _COMMONEST) / 96) / math.log((_RAREST - _COMMONEST) / 96)


def weigh(text: str, commonness: Commonness) -> dict[str, float]:
    """The searchable words of a question, stemmed, with how telling each is."""
    found: dict[str, float] = {}
    for part in text.lower().split():
        for word in tokens(part):
            found.setdefault(word, _rarity_of(word, part, commonness))
        if len(found) >= MOST_WORDS:
            break
    return found


def _rarity_of(word: str, part: str, commonness: Commonness) -> float:
    plain = part.strip(".,;:?!()[]\"'")
    numbers = [number for number in (commonness(word), commonness(plain)) if number is not None]
    return rarity(min(numbers, default=None))


def alike(one: str, other: str) -> bool:
    """True if two stems are one word but for a slip (a letter more, less, other or swapped) or an ending."""
    if min(len(one), len(other)) < _LEAST_SLIP_LENGTH:
        return False
    if min(len(one), len(other)) >= _SAME_HEAD and one[:_SAME_HEAD] == other[:_SAME_HEAD]:
        return True
    if abs(len(one) - len(other)) > 1:
        return False
    place = 0
    while place < min(len(one), len(other)) and one[place] == other[place]:
        place += 1
    rest, others = one[place:], other[place:]
    swapped = rest[:2] == others[:2][::-1] and rest[2:] == others[2:]
    return rest[1:] == others[1:] or rest == others[1:] or rest[1:] == others or swapped


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the question and the best of the cards say about every candidate of one search.

    `weights` are the question's words, `variants` for each of them the words of the cards that are nearly the same,
    `best` is the best blended score, `stranger` the weight of the most telling word that no card has.
    """

    weights: Mapping[str, float]
    variants: Mapping[str, frozenset[str]]
    best: float
    stranger: float

    def signals(self, blended: float, card: frozenset[str]) -> dict[str, float]:
        """The signals of a candidate with this blended score and these words in its card."""
        met = {word: self._met(word, card) for word in self.weights}
        total = self.mass
        covered = sum((_LEAST_WEIGHT + weight) * met[word] for word, weight in self.weights.items())
        return {
            "blended": blended,
            "best": self.best,
            "coverage": covered / total if total else 0.0,
            "stranger": self.stranger,
            "mass": math.log1p(total),
        }

    @property
    def mass(self) -> float:
        """How much the question says: the same score of a longer question is harder to reach by chance."""
        return sum(_LEAST_WEIGHT + weight for weight in self.weights.values())

    def _met(self, word: str, held: frozenset[str]) -> float:
        if word in held:
            return 1.0
        return 0.0 if held.isdisjoint(self.variants[word]) else _SLIP

    def weak(self, blended: float, card: frozenset[str]) -> bool:
        """Whether the candidate says too little to be an answer; one with every word of the question never does."""
        return not self.complete(card) and self.strength(blended, card) < STRONG_FROM

    def complete(self, card: frozenset[str]) -> bool:
        """Whether the card has every word of the question."""
        return bool(self.weights) and card.issuperset(self.weights)

    def strength(self, blended: float, card: frozenset[str]) -> float:
        """The log-odds, up to a constant, that the candidate answers."""
        found = self.signals(blended, card)
        return sum(COEFFICIENTS[name] * held for name, held in found.items())


def gather(weights: Mapping[str, float], best: float, cards: Sequence[Iterable[str]]) -> Evidence:
    """The evidence of one search: its words, its best blended score, and the words of its best cards."""
    known = frozenset(word for card in cards[:NEAREST] for word in card)
    variants = {
        word: frozenset() if word in known else frozenset(one for one in known if alike(word, one))
        for word in weights
    }
    missing = (
        weight * (1 - _SLIP if variants[word] else 1) for word, weight in weights.items() if word not in known
    )
    return Evidence(weights, variants, best, max(missing, default=0.0))
