"""What stands beside a claim of the change: rivals, denials, withdrawn values, and others that say the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from potpie_git.checks.neighbours import Neighbours
from potpie_git.checks.review.model import Note, NoteKind
from potpie_git.checks.review.views import said, statement_words, who
from potpie_git.domain.claim import Claim, value_digest, value_text
from potpie_git.domain.errors import InvalidFileError
from potpie_git.domain.files import Tombstone
from potpie_git.domain.keys import entity_type_of
from potpie_git.domain.layout import TOMBSTONES, claim_directory
from potpie_git.domain.text import slug
from potpie_git.domain.validation.nearness import WithdrawnValues, Words, words_of
from potpie_git.domain.validation.relations import is_singleton
from potpie_git.domain.vocabulary import SYSTEM_PREDICATES, subgraph_of
from potpie_git.store.codec import decode
from potpie_git.store.snapshot import Snapshot

# A service has one of these at a time and place, though the rules allow several while one follows the other.
_USUALLY_ONE: Final = frozenset({"DEFINED_IN", "DEPLOYED_WITH", "HOSTED_ON"})
_OUTCOMES: Final = {"RESOLVED": "ATTEMPTED_FIX_FAILED", "ATTEMPTED_FIX_FAILED": "RESOLVED"}
_REFUTING: Final = {
    "didnt_work": "says that the fix did not work, and this claim says that it did",
    "partial": "says that the fix worked only in part, and this claim says that it did",
}
# How many words two texts share (Dice) before one can deny the other rather than speak of something else.
_ABOUT_THE_SAME: Final = 0.5
_MOST_NEAR: Final = 3


class Beside:
    """Looks up, in the snapshot after the change, what a claim of the change meets there.

    `known` holds the claims of the change by their path in the pot, which need not be read again.
    """

    def __init__(self, after: Snapshot, known: Mapping[str, Claim]) -> None:
        self._after = after
        self._known = known
        self._neighbours = Neighbours(after, complete=False)
        self._words: dict[str, Words] = {}

    def of_new(self, claim: Claim, replaces: Iterable[str] = ()) -> list[Note]:
        """Notes on a claim that becomes true; `replaces` are ids of claims that give way to it."""
        if not claim.live:
            return []
        others = self._others(claim)
        denials = list(self._denials(claim, others))
        denied = {note.claim for note in denials}
        return [
            *self._withdrawn(claim, frozenset(replaces)),
            *self._rivals(claim, others),
            *self._outcomes(claim),
            *denials,
            *_corroboration(claim, [other for other in others if other.id not in denied]),
            *_uncited(claim),
        ]

    def of_withdrawn(self, claim: Claim) -> list[Note]:
        """Notes on other claims that go on making the statement that is withdrawn; its replacement may be one."""
        instead = claim.invalidation.superseded_by if claim.invalidation else None
        others = (other for other in self._others(claim) if other.id != instead)
        same = [other for other in others if other.statement == claim.statement]
        message = "the statement stands all the same: other claims make it too, and stay"
        return [_about(NoteKind.STILL_STANDS, message, other) for other in same]

    def find(self, claim_id: str, like: Claim) -> tuple[str, Claim] | None:
        """A claim by its id, with its path in the pot; looked for beside `like` first."""
        facts = self._neighbours.find(claim_id, like.subject, like.predicate)
        claim = self._neighbours.claim_at(facts.path) if facts else None
        return (facts.path, claim) if facts and claim else None

    def _others(self, claim: Claim) -> list[Claim]:
        return self._standing(claim.subject, claim.predicate, claim.id)

    def _standing(self, subject: str, predicate: str, but: str = "") -> list[Claim]:
        """Claims that stand, of one subject and predicate; only files whose names can be theirs are read."""
        folder = claim_directory(subgraph_of(predicate), subject)
        head = f"{slug(subject)}.{predicate}."
        names = [name for name in self._neighbours.names(folder) if name.startswith(head)]
        claims = (self._claim(f"{folder}/{name}") for name in names)
        return [
            claim
            for claim in claims
            if claim is not None and claim.live and claim.subject == subject and claim.id != but
        ]

    def _claim(self, path: str) -> Claim | None:
        return self._known.get(path) or self._neighbours.claim_at(path)

    def _withdrawn(self, claim: Claim, replaces: frozenset[str]) -> Iterator[Note]:
        exact = [
            stone for stone in self._neighbours.tombstones(value_digest(claim)) if stone.claim != claim.id
        ]
        reinstated = [stone for stone in exact if stone.claim == claim.reinstates]
        if reinstated:
            for stone in reinstated:
                yield _stone(NoteKind.REINSTATES, "brings back a value that was withdrawn", stone)
        elif exact:
            yield _stone(NoteKind.REPEATS_WITHDRAWN, "says again what was withdrawn", exact[-1])
        for stone, alike in self._values.near(claim)[:_MOST_NEAR]:
            if stone.claim not in replaces:
                note = _stone(NoteKind.NEAR_WITHDRAWN, "comes close to a value that was withdrawn", stone)
                yield note.model_copy(update={"similarity": round(alike, 2)})

    @cached_property
    def _values(self) -> WithdrawnValues:
        return WithdrawnValues(self._stones())

    def _stones(self) -> Iterator[Tombstone]:
        """Tombstones of predicates that the change asserts, as far as they can be read; the check names the others."""
        predicates = {claim.predicate for claim in self._known.values() if claim.live}
        lines = [f"\npredicate: {predicate}\n".encode() for predicate in predicates]
        plain = [entry for entry in self._after.entries(TOMBSTONES) if entry.mode.startswith("100")]
        for entry, raw in self._after.read_many(plain):
            # Most of a large pot's are about something else, and looking costs less than parsing.
            if not any(line in raw for line in lines):
                continue
            try:
                record = decode(entry.path, raw).record
            except InvalidFileError:
                continue
            if isinstance(record, Tombstone):
                yield record

    def _rivals(self, claim: Claim, others: Iterable[Claim]) -> Iterator[Note]:
        single = is_singleton(claim.predicate)
        if not single and claim.predicate not in _USUALLY_ONE:
            return
        message = "only one can stand, and this one stands too" if single else "this one stands beside it"
        for other in others:
            if other.environment == claim.environment and other.object != claim.object:
                yield _about(NoteKind.CONTRADICTS, message, other)

    def _outcomes(self, claim: Claim) -> Iterator[Note]:
        """A fix that is said to work and to have failed, and a verification that denies what a fix claims."""
        opposite = _OUTCOMES.get(claim.predicate)
        if opposite is not None:
            for other in self._standing(claim.subject, opposite):
                if (other.object, other.environment) == (claim.object, claim.environment):
                    yield _about(
                        NoteKind.CONTRADICTS, "the same fix is said to have the opposite outcome", other
                    )
        outcome = (claim.details or {}).get("outcome")
        refutes = _REFUTING.get(outcome) if isinstance(outcome, str) else None
        if claim.predicate == "VERIFIED" and refutes and claim.object and entity_type_of(claim.object):
            for other in self._standing(claim.object, "RESOLVED"):
                yield _about(NoteKind.REFUTES, refutes, other)

    def _denials(self, claim: Claim, others: Iterable[Claim]) -> Iterator[Note]:
        place = (claim.object, claim.environment)
        text = value_text(claim)
        if not text:
            return
        for other in others:
            if (other.object, other.environment) != place or not value_text(other):
                continue
            one, two = self._words_of(claim), self._words_of(other)
            if not one.words or not two.words or _shared(one, two) < _ABOUT_THE_SAME:
                continue
            if one.negated != two.negated:
                yield _about(NoteKind.DENIES, "one of the two denies what the other says", other)
            elif _other_numbers(one, two):
                yield _about(NoteKind.DIFFERS, "the two give different numbers", other)

    def _words_of(self, claim: Claim) -> Words:
        if claim.id not in self._words:
            self._words[claim.id] = words_of(value_text(claim))
        return self._words[claim.id]


def _shared(one: Words, other: Words) -> float:
    """How much of their words, numbers apart, two texts have in common (Dice)."""
    left, right = one.words - one.numbers, other.words - other.numbers
    both = len(left) + len(right)
    return 2 * len(left & right) / both if both else 0.0


def _other_numbers(one: Words, other: Words) -> bool:
    return bool(one.numbers and other.numbers) and not (
        one.numbers <= other.numbers or other.numbers <= one.numbers
    )


def _corroboration(claim: Claim, others: Iterable[Claim]) -> Iterator[Note]:
    same = [other for other in others if other.statement == claim.statement]
    if same:
        sources = {source for other in same for source in other.sources}
        mine = "another source" if claim.sources - sources else "the same source"
        yield _about(NoteKind.CORROBORATES, f"says from {mine} what stands already", same[0])


def _uncited(claim: Claim) -> Iterator[Note]:
    if not claim.evidence and claim.predicate not in SYSTEM_PREDICATES:
        yield Note(kind=NoteKind.NO_EVIDENCE, message="cites nothing")


def _about(kind: NoteKind, message: str, other: Claim) -> Note:
    return Note(
        kind=kind,
        message=message,
        claim=other.id,
        statement=statement_words(other),
        quote=said(other),
        by=who(other.provenance),
    )


def _stone(kind: NoteKind, message: str, stone: Tombstone) -> Note:
    joined = f"{stone.subject} {stone.predicate} {stone.object or ''}".strip()
    return Note(
        kind=kind,
        message=message,
        claim=stone.claim,
        statement=joined,
        quote=stone.text,
        reason=stone.reason,
        by=who(stone.provenance),
    )
