"""Matching a question with texts by words alone: what is served where no index is, or none can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from potpie_git.domain.lexical import bm25_scores, saturated, tokens

# A text with a smaller share of the question's words than this answers it by chance, as a rule.
WEAK_BELOW: Final = 0.34


@dataclass(frozen=True, slots=True)
class Match:
    """A text by its place in the list, with how well it matches in [0, 1]; weak if it shares few of the words."""

    index: int
    similarity: float
    weak: bool


def match_texts(question: str, texts: Sequence[str]) -> list[Match]:
    """The texts that share a word with the question, the best first."""
    words = set(tokens(question))
    found = []
    for index, score in enumerate(bm25_scores(question, texts)):
        if score > 0.0:
            share = len(words & set(tokens(texts[index]))) / len(words)
            found.append((-score, Match(index, round(saturated(score), 4), share < WEAK_BELOW)))
    found.sort(key=lambda pair: (pair[0], pair[1].index))
    return [match for _, match in found]
