"""Ranking by words: the tokens of a text and BM25 over a handful of cards. Pure functions, no I/O.

The index has its own full-text search; this is what answers where there is no index, and it reads text the same way:
words and identifiers are split at everything that is not a letter or a digit, lower-cased, freed of accents and of
inflections, and stop words are left out.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

# Short on purpose: question words ("how", "which", "who") carry meaning here, and leaving them out lost recall.
STOP_WORDS: frozenset[str] = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
    "this to was will with".split()
)
# Saturation of term frequency and weight of document length (Robertson and Zaragoza 2009, usual values).
K1 = 1.2
B = 0.75
MAX_TOKEN_LENGTH = 64
_WORD = re.compile(r"[^\W_]+")
_VOWEL = re.compile(r"[aeiouy]")


def tokens(text: str) -> list[str]:
    """The searchable words of `text`, in order, with repeats."""
    folded = text.lower()
    if not folded.isascii():
        parts = unicodedata.normalize("NFKD", folded)
        folded = "".join(char for char in parts if not unicodedata.combining(char))
    words = _WORD.findall(folded)
    return [stem(word) for word in words if word not in STOP_WORDS and len(word) <= MAX_TOKEN_LENGTH]


def stem(word: str) -> str:
    """`word` without plural and verb endings; words with digits and short words stay as they are."""
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    word = _without_plural(word)
    for ending in ("ing", "ed"):
        head = word[: -len(ending)]
        if word.endswith(ending) and len(head) >= 3 and _VOWEL.search(head):
            word = head[:-1] if head[-1] == head[-2] and head[-1] not in "lsz" else head
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def bm25_scores(question: str, cards: Sequence[str]) -> list[float]:
    """The BM25 score of each card for `question`, in the order of `cards`; 0.0 where no word matches.

    The statistics are those of `cards` alone, so scores compare within one call.
    """
    wanted = set(tokens(question))
    if not wanted or not cards:
        return [0.0] * len(cards)
    counts = [Counter(tokens(card)) for card in cards]
    lengths = [count.total() for count in counts]
    weights = _inverse_frequencies(wanted, counts)
    mean_length = sum(lengths) / len(lengths) or 1.0
    return [
        _score(count, weights, K1 * (1 - B + B * length / mean_length))
        for count, length in zip(counts, lengths, strict=True)
    ]


def _inverse_frequencies(wanted: Iterable[str], counts: Sequence[Counter[str]]) -> dict[str, float]:
    weights = {}
    for word in wanted:
        holding = sum(1 for count in counts if word in count)
        if holding:
            weights[word] = math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))
    return weights


def _score(count: Counter[str], weights: dict[str, float], norm: float) -> float:
    total = 0.0
    for word, weight in weights.items():
        frequency = count.get(word, 0)
        if frequency:
            total += weight * frequency * (K1 + 1) / (frequency + norm)
    return total


def saturated(bm25: float) -> float:
    """A BM25 score, which has no bound, as a number in [0, 1): a half at 25, which few questions reach."""
    return bm25 / (bm25 + 25.0)
