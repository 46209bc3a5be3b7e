"""Hybrid search: cards near the question by meaning and cards that share its words, scored together.

The score is cosine + 0.5 · bm25 / (bm25 + 25), scaled to [0, 1]; docs/retrieval.md has the measurements behind the
numbers here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from potpie_git.domain.card import retrieval_card
from potpie_git.domain.lexical import saturated, tokens
from potpie_git.domain.query import MatchMode
from potpie_git.index import evidence
from potpie_git.index.embedder import Embedder, EmbedderUnavailableError
from potpie_git.index.reader import IndexReader
from potpie_git.index.schema import IndexedRow

if TYPE_CHECKING:
    import numpy as np

LEXICAL_WEIGHT = 0.5
# By meaning alone: where nothing in the pot answers, the best cosine stays below this as a rule.
WEAK_COSINE_BELOW = 0.30
# Where something answers, an item below this is weak unless it is near the best.
LOW_BESIDE_AN_ANSWER = 0.36
NEAR_THE_BEST = 0.8
# By words alone an item is weak if its BM25 is low and it has less than half of the question's words.
WEAK_BM25_BELOW = 4.5
HALF_OF_THE_WORDS = 0.5
# A card that shares no word with the question and points elsewhere is no answer at all.
UNRELATED_BELOW = 0.15
# What a card without a vector is taken to have, so that it competes while vectors are still being made.
UNKNOWN_COSINE = 0.30
# Vectors of fewer cards than this share would decide by chance what is found.
LEAST_EMBEDDED = 0.5
# Up to here every row that passes the filter is scored; beyond, the nearest and the best by words are.
_EXACT_ROWS = 1000
# The head of a pasted log says what it is about; the embedder reads about a quarter of this.
MOST_CHARACTERS = 4000
# Up to here one query gives the cosine of every card.
_ALL_VECTORS = 4096
_OVERFETCH = 4
_LEAST_CANDIDATES = 100

Admit = Callable[[IndexedRow], bool]


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that matched: blended score in [0, 1], cosine and BM25 (None where unknown or not asked for)."""

    row: IndexedRow
    score: float
    similarity: float | None
    bm25: float
    matched_by: MatchMode
    weak: bool


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, how they were matched, and what the caller should tell."""

    hits: tuple[Hit, ...]
    match_mode: MatchMode
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Candidate:
    row: IndexedRow
    cosine: float | None = None
    bm25: float = 0.0

    def score(self, hybrid: bool) -> float:
        """The blended score before scaling; by words alone, what words can give at most is 1."""
        if not hybrid:
            return saturated(self.bm25)
        cosine = UNKNOWN_COSINE if self.cosine is None else self.cosine
        return max(0.0, cosine) + LEXICAL_WEIGHT * saturated(self.bm25)


@dataclass(frozen=True, slots=True)
class Question:
    """A text to search by: its words, and its vector if it could be embedded; then also how telling each word is."""

    text: str
    words: frozenset[str]
    vector: np.ndarray | None
    weights: Mapping[str, float] = field(default_factory=dict)


def ask(reader: IndexReader, text: str, embedder: Embedder | None, mode: MatchMode) -> tuple[Question, str]:
    """The question, and why it is asked by words alone although it might have been embedded (or nothing)."""
    text = text[:MOST_CHARACTERS]
    words = frozenset(tokens(text))
    if mode is MatchMode.LEXICAL:
        return Question(text, words, None), ""
    if embedder is None:
        return Question(text, words, None), "this installation has no embedder: searched by words"
    if reader.vectors_note:
        return Question(text, words, None), f"searched by words: {reader.vectors_note}"
    if reader.vector_count < LEAST_EMBEDDED * reader.state.rows:
        done = f"{reader.vector_count} of {reader.state.rows}"
        return Question(text, words, None), f"searched by words: {done} cards have a vector so far"
    try:
        vector = embedder.embed_question(text)
        return Question(text, words, vector, evidence.weigh(text, embedder.commonness)), ""
    except EmbedderUnavailableError as error:
        return Question(text, words, None), f"searched by words: {error.message}"


def search(
    reader: IndexReader,
    question: Question,
    *,
    limit: int,
    where: str | None = None,
    admit: Admit = lambda row: True,
    mode: MatchMode = MatchMode.HYBRID,
) -> SearchResult:
    """The `limit` best rows that pass the filter and that `admit` accepts.

    Rows of files that are gone may crowd the candidates, so more are fetched until enough were admitted or none are
    left. Raises `IndexDamagedError`.
    """
    hybrid = question.vector is not None
    # A filter leaves few of the nearest cards; where it leaves few rows at all, every one of them is scored.
    few = where is not None and reader.count(where, _EXACT_ROWS + 1) <= _EXACT_ROWS
    most = _EXACT_ROWS if few else max(_LEAST_CANDIDATES, _OVERFETCH * limit)
    judged: dict[tuple[str, str], bool] = {}
    while True:
        found, exhausted = _candidates(reader, question, where, most, few, mode)
        ranked = sorted(found, key=lambda held: (-held.score(hybrid), held.row.path))
        # The nearest cards tell how good the best ones are, however few are asked for.
        admitted = _first_admitted(ranked, max(limit, evidence.NEAREST), admit, judged)
        if len(admitted) >= limit or exhausted:
            break
        most *= _OVERFETCH
    matched = _mode_of(hybrid, mode)
    label = _by_evidence if matched is MatchMode.HYBRID else _by_threshold
    related = [held for held in admitted if held.bm25 > 0 or (held.cosine or 0.0) >= UNRELATED_BELOW]
    hits = (
        _hit(held, weak, matched)
        for held, weak in zip(related, label(related, question, matched), strict=True)
    )
    return SearchResult(tuple(islice(hits, limit)), matched)


def _mode_of(hybrid: bool, asked: MatchMode) -> MatchMode:
    if not hybrid:
        return MatchMode.LEXICAL
    return MatchMode.VECTOR if asked is MatchMode.VECTOR else MatchMode.HYBRID


def _first_admitted(
    ranked: Iterable[_Candidate], limit: int, admit: Admit, judged: dict[tuple[str, str], bool]
) -> list[_Candidate]:
    admitted: list[_Candidate] = []
    for held in ranked:
        key = (held.row.blob, held.row.path)
        if key not in judged:
            judged[key] = admit(held.row)
        if judged[key]:
            admitted.append(held)
            if len(admitted) == limit:
                break
    return admitted


def _candidates(
    reader: IndexReader, question: Question, where: str | None, most: int, few: bool, mode: MatchMode
) -> tuple[list[_Candidate], bool]:
    """Rows worth scoring with their scores, and whether there are no more."""
    held: dict[tuple[str, str], _Candidate] = {}
    by_words = [] if mode is MatchMode.VECTOR else reader.by_words(question.text, where, most)
    for found in by_words:
        held[found.row.blob, found.row.path] = _Candidate(found.row, bm25=found.bm25)
    if question.vector is None:
        return list(held.values()), len(by_words) < most
    whole = reader.vector_count <= _ALL_VECTORS
    nearest = reader.by_meaning(question.vector, _ALL_VECTORS if whole else most) if whole or not few else {}
    for row in reader.rows(where) if few else reader.rows_of_cards(list(nearest)[:most], where):
        held.setdefault((row.blob, row.path), _Candidate(row))
    unknown = set() if whole else {candidate.row.card_digest for candidate in held.values()} - nearest.keys()
    cosines = nearest | reader.cosines(question.vector, unknown)
    for candidate in held.values():
        candidate.cosine = cosines.get(candidate.row.card_digest)
    exhausted = few or (len(by_words) < most and len(nearest) < most)
    return list(held.values()), exhausted


def weak_by_evidence(
    weights: Mapping[str, float], scored: Sequence[tuple[float, frozenset[str]]]
) -> list[bool]:
    """Whether each is weak, given as blended score and words of its card, best first: by all that they say together."""
    if not scored:
        return []
    found = evidence.gather(weights, scored[0][0], [words for _, words in scored])
    if all(found.weak(score, words) for score, words in scored):
        return [True for _ in scored]
    # Where something answers, what falls far behind it does not.
    enough = min(LOW_BESIDE_AN_ANSWER, NEAR_THE_BEST * found.best)
    return [score < enough and not found.complete(words) for score, words in scored]


def weak_by_words(bm25: float, words: frozenset[str], question: Question) -> bool:
    """Whether a card with these words is weak where words alone are compared."""
    share = len(question.words & words) / max(1, len(question.words))
    return bm25 < WEAK_BM25_BELOW and share < HALF_OF_THE_WORDS


def _by_evidence(related: list[_Candidate], question: Question, mode: MatchMode) -> Iterable[bool]:
    return weak_by_evidence(
        question.weights, [(held.score(hybrid=True), _words(held.row)) for held in related]
    )


def _by_threshold(related: list[_Candidate], question: Question, mode: MatchMode) -> Iterator[bool]:
    """Whether each is weak, by its cosine or its words alone."""
    if mode is MatchMode.LEXICAL:
        for held in related:
            yield weak_by_words(held.bm25, _words(held.row), question)
        return
    best = related[0].score(hybrid=True) if related else 0.0
    enough = min(WEAK_COSINE_BELOW, NEAR_THE_BEST * best) if best >= WEAK_COSINE_BELOW else WEAK_COSINE_BELOW
    for held in related:
        yield held.score(hybrid=True) < enough


def _hit(held: _Candidate, weak: bool, mode: MatchMode) -> Hit:
    score = held.score(mode is not MatchMode.LEXICAL)
    scaled = score / (1 + LEXICAL_WEIGHT) if mode is MatchMode.HYBRID else score
    return Hit(held.row, round(min(1.0, scaled), 4), held.cosine, held.bm25, _matched_by(held), weak)


def _words(row: IndexedRow) -> frozenset[str]:
    return frozenset(tokens(retrieval_card(row.claim())))


def _matched_by(held: _Candidate) -> MatchMode:
    near = held.cosine is not None and held.cosine >= UNRELATED_BELOW
    if near and held.bm25 > 0:
        return MatchMode.HYBRID
    return MatchMode.LEXICAL if held.bm25 > 0 else MatchMode.VECTOR
