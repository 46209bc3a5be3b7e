"""A change as a reviewer reads it, before any format: labels of our own, and what others wrote kept apart from them.

`label`, `tag`, `phrase` and `words` are this program's; every other text is quoted and has to be made safe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from potpie_git.checks.review.model import (
    WARNING_NOTES,
    Change,
    ChangeKind,
    CitedEvidence,
    Note,
    Review,
    ReviewedClaim,
    RiskLabel,
    Verdict,
    Withdrawal,
)
from potpie_git.checks.review.phrases import NEEDS, NOTE_TAGS, OPERATIONS, TAGS, counted, who_words
from potpie_git.domain.findings import Finding
from potpie_git.domain.vocabulary import PREDICATES, SYSTEM_PREDICATES, phrase_of

# Of these only one side is there.
_ONE_SIDED: Final = frozenset(
    {ChangeKind.ENTITY_CREATED, ChangeKind.REMOVED, ChangeKind.INBOX, ChangeKind.TOMBSTONE}
)
_SHORT: Final = 80
_ONE_LINE: Final = 60


@dataclass(frozen=True, slots=True)
class Fact:
    """A short text of others behind a label."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A text of others, of any length."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Triple:
    """What a claim joins. `phrase` is empty for a predicate that the vocabulary does not know."""

    subject: str
    phrase: str
    object: str
    environment: str | None = None


@dataclass(frozen=True, slots=True)
class Versus:
    """A text as it was and as it is."""

    label: str
    name: str
    before: str | None
    after: str | None

    @property
    def short(self) -> bool:
        """True if both sides fit on one line."""
        texts = [text for text in (self.before, self.after) if text is not None]
        return all("\n" not in text for text in texts) and sum(map(len, texts)) <= _ONE_LINE


@dataclass(frozen=True, slots=True)
class Side:
    """One of two claims that follow each other. `joins` is there if they do not join the same."""

    joins: Triple | None
    text: str | None
    facts: tuple[Fact | Quote, ...]


@dataclass(frozen=True, slots=True)
class Succession:
    """What stood, and what stands instead."""

    old: Side
    new: Side


@dataclass(frozen=True, slots=True)
class Callout:
    """A note: whether it warns, its tag, what it says in our words, and what it quotes."""

    warns: bool
    tag: str
    words: str
    parts: tuple[Fact | Quote, ...] = ()


Part: TypeAlias = Fact | Quote | Versus | Succession | Callout


@dataclass(frozen=True, slots=True)
class Card:
    """One change. Its `subject` is quoted: a name, or what a claim joins.

    `needs` is ours; `codes` are those of the findings on its files.
    """

    kind: ChangeKind
    tag: str
    risk: RiskLabel
    subject: str | Triple
    needs: str
    codes: tuple[str, ...]
    parts: tuple[Part, ...]
    paths: tuple[str, ...] = field(default=())


def card_of(change: Change) -> Card:
    needed = change.approvals_needed
    return Card(
        kind=change.kind,
        tag=TAGS[change.kind],
        risk=change.risk,
        subject=_triple(change.claims[0]) if change.claims else change.name,
        needs=NEEDS[change.approval_state].format(counted(needed, "approval")),
        codes=tuple(dict.fromkeys(finding.code for finding in change.findings)),
        parts=tuple(_parts(change)),
        paths=tuple(change.paths),
    )


def missing_words(verdict: Verdict) -> list[tuple[str, str, int]]:
    """What is missing: each code and message (quoted) once, with the number of files that it is said of."""
    return [(code, message, count) for (code, message), count in Counter(
        (finding.code, finding.message) for finding in verdict.missing
    ).items()]  # fmt: skip


def hints(verdict: Verdict) -> list[str]:
    """What the check advises about missing approvals (quoted), each advice once."""
    return list(dict.fromkeys(finding.hint for finding in verdict.missing if finding.hint))


def other_findings(review: Review) -> list[Finding]:
    """Findings beyond what the verdict says of approvals."""
    return [finding for finding in review.findings if finding not in review.verdict.missing]


def _parts(change: Change) -> Iterator[Part]:
    if change.replacement is not None:
        yield from _succession(change, change.replacement)
    elif change.claims:
        yield from _claims(change)
    yield from _reason(change.withdrawal)
    if change.entity_type is not None:
        yield Fact("type", change.entity_type)
    yield from _states(change)
    yield from _given(change)
    if change.fault:
        yield Quote("what stands there", change.fault)
    yield from _fields(change)
    yield from (_callout(note) for note in change.notes)
    if change.by is not None and not change.claims and not change.states and not change.inbox:
        yield Fact("by", who_words(change.by))


def _claims(change: Change) -> Iterator[Part]:
    for claim in change.claims:
        yield from _says(claim)
        if claim.reinstate_reason:
            yield Quote("brought back because", claim.reinstate_reason)
        yield from _standing(claim)


def _says(claim: ReviewedClaim) -> Iterator[Quote]:
    if claim.text and claim.text not in {claim.object, claim.value}:
        yield Quote("says", claim.text)
    if claim.description:
        yield Quote("description", claim.description)


def _succession(change: Change, new: ReviewedClaim) -> Iterator[Part]:
    old = change.claims[0]
    same = _triple(old) == _triple(new)
    yield Succession(_side(old, same), _side(new, same))
    if len(change.claims) > 1:
        yield Fact("replaced as well", ", ".join(claim.id for claim in change.claims[1:]))


def _side(claim: ReviewedClaim, same: bool) -> Side:
    return Side(None if same else _triple(claim), claim.text, tuple(_standing(claim)))


def _triple(claim: ReviewedClaim) -> Triple:
    known = claim.predicate in PREDICATES or claim.predicate in SYSTEM_PREDICATES
    end = claim.object or claim.value or ""
    return Triple(claim.subject, phrase_of(claim.predicate) if known else "", end, claim.environment)


def _standing(claim: ReviewedClaim) -> Iterator[Fact | Quote]:
    """What a claim rests on, and who wrote it."""
    sure = f", confidence {claim.confidence:g}" if claim.confidence is not None else ""
    yield Fact("truth", f"{claim.truth} ({claim.strength}){sure}")
    yield from _cited("based on", claim.evidence)
    for label, held in (
        ("valid from", claim.valid_from),
        ("valid until", claim.valid_until),
        ("observed", claim.observed_at),
    ):
        if held:
            yield Fact(label, held)
    for name, text in claim.fields.items():
        yield (
            Quote("detail", f"{name}: {text}")
            if "\n" in text or len(text) > 80
            else Fact("detail", f"{name}: {text}")
        )
    yield Fact("written by", who_words(claim.by))
    yield Fact("claim", claim.id)


def _cited(label: str, evidence: list[CitedEvidence]) -> Iterator[Fact | Quote]:
    for item in evidence:
        yield Fact(label, item.ref + (f" ({item.authority})" if item.authority else ""))
        for text in (item.quote, item.note):
            if text:
                yield Quote("quoted there" if text is item.quote else "with the note", text)


def _reason(withdrawal: Withdrawal | None) -> Iterator[Part]:
    if withdrawal is None:
        return
    meaning = OPERATIONS.get(withdrawal.op)
    yield Quote(f"why ({meaning})" if meaning else "why", withdrawal.reason)
    yield Fact("withdrawn by", who_words(withdrawal.by))
    yield Fact("valid to", withdrawal.valid_to)
    yield from _cited("shown by", withdrawal.evidence)


def _states(change: Change) -> Iterator[Part]:
    for step in change.states:
        if step.into is not None:
            yield Fact("is a duplicate of", step.into)
        else:
            yield Versus("state", "", step.from_state, step.to_state)
        yield Quote("why", step.reason)
        yield Fact("by", who_words(step.by))


def _given(change: Change) -> Iterator[Part]:
    for event in change.inbox:
        yield Fact("step", f"{event.action}, by {who_words(event.by)}")
        if event.note:
            yield Quote("note", event.note)
    given = change.approval
    if given is None:
        return
    yield Fact("approver", given.principal)
    for label, held in (
        ("plan", given.plan),
        ("range", given.range),
        ("for", given.ref),
        ("risk", given.risk),
        ("expires", given.expires),
        ("attested by", given.attested_by),
        ("counts as", given.counts_as),
    ):
        if held:
            yield Fact(label, held)
    yield Fact("form", "signed" if given.signed else "sign-off")
    if given.withdrawn:
        yield Quote("taken back because", given.withdrawn)
    if given.covers:
        yield Quote("covers", "\n".join(given.covers))


def _fields(change: Change) -> Iterator[Part]:
    for one in change.fields:
        if change.kind not in _ONE_SIDED:
            yield Versus("field", one.name, one.before, one.after)
        elif len(text := one.after or one.before or "") <= _SHORT and "\n" not in text:
            yield Fact("field", f"{one.name}: {text}")
        else:
            yield Quote("field", f"{one.name}: {text}")


def _callout(note: Note) -> Callout:
    parts: list[Fact | Quote] = []
    for label, short in (("claim", note.claim), ("joins", note.statement)):
        if short:
            parts.append(Fact(label, short))
    if note.quote:
        parts.append(Quote("it says" if note.claim else "which", note.quote))
    if note.reason:
        parts.append(Quote("withdrawn because", note.reason))
    if note.by is not None:
        parts.append(Fact("by", who_words(note.by)))
    alike = f" (alike: {note.similarity:.0%})" if note.similarity is not None else ""
    return Callout(note.kind in WARNING_NOTES, NOTE_TAGS[note.kind], f"{note.message}{alike}", tuple(parts))
