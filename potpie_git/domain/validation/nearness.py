"""When a new claim says nearly what was withdrawn: a question of words, answered without a model.

Two texts are near if they share enough words. They are not near, however many they share, if one denies the other, if
both give numbers and the numbers differ, or if each names its own object: those are corrections, and a correction is
a new claim. The thresholds were chosen on tests/bench/tombstones, whose results say what they cost.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from potpie_git.domain.claim import Claim, value_digest, value_text
from potpie_git.domain.files import Tombstone
from potpie_git.domain.lexical import stem, tokens
from potpie_git.domain.text import humanise, normalise_value

# Dice coefficients of word sets: with the subject or the object in common, and without.
NEAR_IN_SCOPE = 0.4
NEAR_ELSEWHERE = 0.5

_NEGATIONS = frozenset(
    stem(word)
    for word in (
        "not no never cannot cant dont doesnt didnt isnt arent wasnt werent wont none neither nor nothing".split()
    )
)
_DIGITS = {
    **{
        word: str(number)
        for number, word in enumerate(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen".split()
        )
    },
    **{
        word: str(10 * number)
        for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
    },
    "once": "1",
    "twice": "2",
    "hundred": "100",
    "thousand": "1000",
}
_NUMBERS = {stem(word): digits for word, digits in _DIGITS.items()} | _DIGITS


@dataclass(frozen=True, slots=True)
class Words:
    """A text as it is compared: its words, the numbers among them, and whether it denies something."""

    words: frozenset[str]
    numbers: frozenset[str]
    negated: bool


def words_of(text: str) -> Words:
    found = frozenset(_NUMBERS.get(word, word) for word in tokens(text))
    numbers = frozenset(word for word in found if any(char.isdigit() for char in word))
    # What counts as a stop word for a search may be the word that denies.
    negated = any(stem(word) in _NEGATIONS for word in normalise_value(text).split())
    return Words(found, numbers, negated)


def says_another_thing(one: Words, other: Words) -> bool:
    """True if two texts differ by a denial or by their numbers, so that neither repeats the other."""
    if one.negated != other.negated:
        return True
    both = one.numbers and other.numbers
    return bool(both) and not (one.numbers <= other.numbers or other.numbers <= one.numbers)


class WithdrawnValues:
    """Tombstones, arranged so that the ones near a claim are found without comparing it with each."""

    def __init__(self, stones: Iterable[Tombstone]) -> None:
        self._groups: dict[tuple[str, str, str, str], list[Tombstone]] = defaultdict(list)
        for stone in stones:
            if stone.text:
                self._groups[_group(stone)].append(stone)
        self._arranged: dict[tuple[str, str, str, str], _Group] = {}

    def near(self, claim: Claim) -> list[tuple[Tombstone, float]]:
        """Tombstones of the claim's predicate, types and environment whose text is alike, most alike first.

        A tombstone of the very value is none of them: that one refuses the claim.
        """
        place = (claim.predicate, claim.subject_type, claim.object_type, claim.environment or "")
        stones = self._groups.get(place)
        if not stones:
            return []
        text = value_text(claim)
        if not text:
            return []
        if place not in self._arranged:
            self._arranged[place] = _Group(stones)
        digest, words = value_digest(claim), words_of(text)
        found = [
            (stone, alike)
            for stone, said, alike in self._arranged[place].alike(words)
            if stone.value_digest != digest and _is_near(claim, words, stone, said, alike)
        ]
        return sorted(found, key=lambda pair: (-pair[1], pair[0].claim))


class _Group:
    """Tombstones of one kind with an inverted list of their words."""

    def __init__(self, stones: list[Tombstone]) -> None:
        self._stones = [(stone, words_of(stone.text or "")) for stone in stones]
        self._holding: dict[str, list[int]] = defaultdict(list)
        for index, (_, said) in enumerate(self._stones):
            for word in said.words:
                self._holding[word].append(index)

    def alike(self, said: Words) -> Iterable[tuple[Tombstone, Words, float]]:
        shared = Counter(index for word in said.words for index in self._holding.get(word, ()))
        least = min(NEAR_IN_SCOPE, NEAR_ELSEWHERE)
        for index, count in shared.items():
            stone, held = self._stones[index]
            alike = 2 * count / (len(said.words) + len(held.words))
            if alike >= least:
                yield stone, held, alike


def near_tombstones(claim: Claim, tombstones: Iterable[Tombstone]) -> list[tuple[Tombstone, float]]:
    """`WithdrawnValues.near` for a single claim."""
    return WithdrawnValues(tombstones).near(claim)


def _group(stone: Tombstone) -> tuple[str, str, str, str]:
    return (stone.predicate, stone.subject_type, stone.object_type or "", stone.environment or "")


def _is_near(claim: Claim, said: Words, stone: Tombstone, held: Words, alike: float) -> bool:
    in_scope = claim.subject == stone.subject or (claim.object is not None and claim.object == stone.object)
    if alike < (NEAR_IN_SCOPE if in_scope else NEAR_ELSEWHERE):
        return False
    return not (says_another_thing(said, held) or _names_another_object(claim, said, stone, held))


def _names_another_object(claim: Claim, said: Words, stone: Tombstone, held: Words) -> bool:
    """True if each text names the object of its own claim, and the new one does not name the old object."""
    if claim.object is None or stone.object is None or claim.object == stone.object:
        return False
    new, old = words_of(humanise(claim.object)).words, words_of(humanise(stone.object)).words
    own, theirs = new - old, old - new
    return bool(said.words & own) and bool(held.words & theirs) and not said.words & theirs
