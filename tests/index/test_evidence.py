"""What tells an answer from a passing resemblance: telling words, slips of the keyboard, and what no card mentions."""

import pytest

from potpie_git.domain.lexical import tokens
from potpie_git.index import MiniLM
from potpie_git.index.evidence import MOST_WORDS, alike, gather, rarity, weigh

CARDS = [
    frozenset(tokens(text))
    for text in (
        "Refunds stuck in pending, deadlock detected in the worker log",
        "Pagination for collection endpoints, next_cursor, limit at most 200",
    )
]


def nobody(word: str) -> int | None:
    return None


def test_a_word_is_the_more_telling_the_fewer_use_it() -> None:
    model = MiniLM()
    found = [rarity(model.commonness(word)) for word in ("the", "service", "cassandra", "dbt")]
    assert found == sorted(found)
    assert 0.0 <= found[0] < 0.1
    assert 0.9 < found[-1] <= 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cursr", "cursor"),
        ("matchmkr", "matchmaker"),
        ("qeue", "queue"),
        ("wieght", "weight"),
        ("volcno", "volcano"),
        ("volcano", "volcno"),
    ],
)
def test_a_slip_of_the_keyboard_is_the_word_that_was_meant(one: str, other: str) -> None:
    assert alike(one, other)


@pytest.mark.parametrize(("one", "other"), [("cat", "car"), ("swift", "shift-left"), ("kafka", "redis")])
def test_other_words_are_not(one: str, other: str) -> None:
    assert not alike(one, other)


def test_a_card_covers_what_it_says_and_slips_nearly() -> None:
    weights = weigh("deadlock cursr", nobody)
    evidence = gather(weights, 0.5, CARDS)
    first, second = (evidence.signals(0.5, card) for card in CARDS)
    assert first["coverage"] == pytest.approx(0.5)
    assert second["coverage"] == pytest.approx(0.4)
    assert 0 < first["stranger"] < 0.25


def test_the_most_telling_word_that_no_card_has_is_the_stranger() -> None:
    common = {"deadlock": 22_000, "kafka": 10_000, "team": 2136}.get
    evidence = gather(weigh("deadlock kafka team", common), 0.5, CARDS)
    assert evidence.stranger == pytest.approx(rarity(10_000))
    assert gather(weigh("deadlock", common), 0.5, CARDS).stranger == 0.0


def test_every_signal_moves_the_label() -> None:
    text = "deadlock in the worker"
    known = gather(weigh(text, nobody), 0.40, CARDS)
    assert known.strength(0.40, CARDS[0]) > known.strength(0.40, CARDS[1])
    assert known.strength(0.40, CARDS[0]) > known.strength(0.30, CARDS[0])
    better = gather(weigh(text, nobody), 0.60, CARDS)
    assert better.strength(0.40, CARDS[1]) > known.strength(0.40, CARDS[1])


def test_a_claim_with_every_word_of_the_question_is_never_weak() -> None:
    evidence = gather(weigh("deadlock", nobody), 0.05, CARDS)
    assert not evidence.weak(0.05, CARDS[0])
    assert evidence.weak(0.05, CARDS[1])


def test_a_pasted_log_is_judged_by_its_head() -> None:
    weights = weigh(" ".join(f"word{number}" for number in range(5000)), nobody)
    assert len(weights) == MOST_WORDS
