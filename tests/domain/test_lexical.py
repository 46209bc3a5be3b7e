"""Ranking by words: how text becomes words, and which card comes first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potpie_git.domain.lexical import STOP_WORDS, bm25_scores, saturated, stem, tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The refunds are locked", ["refund", "lock"]),
        (
            "lock_refund_rows() in payments/legacy_soap.py",
            ["lock", "refund", "row", "payment", "legacy", "soap", "py"],
        ),
        ("PSP_TIMEOUT_MS=8000", ["psp", "timeout", "ms", "8000"]),
        ("Größe naïve CAFÉ", ["große", "naiv", "cafe"]),
        ("the of and", []),
        ("", []),
        ("x" * 65, []),
        ("日本語", ["日本語"]),
    ],
)
def test_text_becomes_words(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize(
    "family",
    [
        ("lock", "locks", "locked", "locking"),
        ("retry", "retries"),
        ("retried", "retri"),
        ("batch", "batches"),
        ("stop", "stopped", "stopping"),
        ("roll", "rolled", "rolling", "rolls"),
        ("cache", "caches", "cached", "caching"),
        ("index", "indexes", "indexed", "indexing"),
    ],
)
def test_inflections_of_a_word_are_one(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize(
    "word", ["bus", "this", "string", "red", "sed", "status", "class", "40p01", "v4s", "ring"]
)
def test_what_only_looks_inflected_stays(word: str) -> None:
    assert stem(word) == word


CARDS = [
    "Two refunds lock the order row and the wallet row in opposite order",
    "The product list displays an outdated amount",
    "Orders are listed twice",
]


def test_rare_words_weigh_more_than_common_ones() -> None:
    scores = bm25_scores("wallet order", CARDS)
    assert scores[0] > scores[2] > scores[1] == 0.0


def test_nothing_matches_nothing() -> None:
    assert bm25_scores("", CARDS) == bm25_scores("quantum", CARDS) == [0.0, 0.0, 0.0]
    assert bm25_scores("wallet", []) == []
    assert bm25_scores("wallet", ["", ""]) == [0.0, 0.0]
    assert bm25_scores(" ".join(STOP_WORDS), CARDS) == [0.0, 0.0, 0.0]


@given(st.text(), st.lists(st.text(), max_size=5))
def test_any_text_gets_a_score_for_every_card(question: str, cards: list[str]) -> None:
    scores = bm25_scores(question, cards)
    assert len(scores) == len(cards)
    assert all(score >= 0 for score in scores)
    assert all(0 <= saturated(score) < 1 for score in scores)


@given(st.text(min_size=1))
def test_a_card_with_the_same_words_scores_unless_there_are_none(text: str) -> None:
    (score,) = bm25_scores(text, [text])
    assert (score > 0) == bool(tokens(text))
