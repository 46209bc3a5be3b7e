"""How much each file of a change can take away, from content alone, with what an approval of it is bound to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from potpie_git.checks.files import JudgedFile
from potpie_git.domain.approval import ABSENT, content_digest
from potpie_git.domain.claim import Claim, Provenance
from potpie_git.domain.files import Entity, InboxItem, Tombstone
from potpie_git.domain.layout import FileKind, kind_of
from potpie_git.domain.risk import claim_change_risk, entity_change_risk, path_change_risk
from potpie_git.domain.vocabulary import Risk, subgraph_of
from potpie_git.store.codec import Decoded
from potpie_git.store.snapshot import READ_LIMIT

TOO_LARGE = ""
"""Stands for the digest of a file that is larger than any may be: no approval covers it."""


@dataclass(frozen=True, slots=True)
class GradedChange:
    """One changed file with its risk; with what a policy can have thresholds for: a claim's subgraph and predicate.

    A tombstone has those of its claim. `before` and `after` are digests of the file's bytes; `actors` are the people
    named by the stamps that the change adds.
    """

    path: str
    risk: Risk
    subgraph: str | None = None
    predicate: str | None = None
    before: str = ABSENT
    after: str = ABSENT
    actors: frozenset[str] = frozenset()


def grade(judged: JudgedFile, raw_before: bytes | None, raw_after: bytes | None) -> GradedChange:
    """The risk of one file's change; what cannot be read is graded as the worst."""
    before = judged.before.record if judged.before else None
    after = judged.after.record if judged.after else None
    return replace(
        _graded(judged),
        before=_digest(raw_before),
        after=_digest(raw_after),
        actors=frozenset(
            stamp.actor.user for stamp in _new_stamps(before, after) if stamp.actor and stamp.actor.user
        )
        | frozenset(_new_names(before, after)),
    )


def _graded(judged: JudgedFile) -> GradedChange:
    change = judged.change
    kind = kind_of(change.path)
    unread = change.before is not None and judged.before is None
    if change.after is None or (kind in {FileKind.CLAIM, FileKind.ENTITY} and judged.after is None):
        return GradedChange(change.path, Risk.HIGH)
    before, after = _record(judged.before), _record(judged.after)
    if isinstance(after, Claim):
        risk = Risk.HIGH if unread else claim_change_risk(before, after)
        return GradedChange(change.path, risk, after.subgraph, after.predicate)
    if isinstance(after, Entity):
        return GradedChange(change.path, Risk.HIGH if unread else entity_change_risk(before, after))
    risk = path_change_risk(change.path, change.before is not None)
    if isinstance(after, Tombstone):
        return GradedChange(change.path, risk, subgraph_of(after.predicate), after.predicate)
    return GradedChange(change.path, risk)


def founding_grade(graded: GradedChange) -> GradedChange:
    """The grade of a file in the commit that founds a pot: its own files take nothing away, there being no pot yet."""
    own = kind_of(graded.path) in {FileKind.POT, FileKind.POLICY, FileKind.ATTRIBUTES}
    return replace(graded, risk=Risk.LOW) if own else graded


def _record(decoded: Decoded[Any] | None) -> Any:
    return decoded.record if decoded else None


def _digest(raw: bytes | None) -> str:
    return TOO_LARGE if raw is not None and len(raw) > READ_LIMIT else content_digest(raw)


def _new_stamps(before: object, after: object) -> Iterator[Provenance]:
    """The stamps that a change adds to a record."""
    if isinstance(after, Claim):
        if before is None:
            yield after.provenance
        if after.invalidation is not None and not (isinstance(before, Claim) and before.invalidation):
            yield after.invalidation.provenance
    elif isinstance(after, Entity):
        yield after.provenance
        past = len(before.transitions or ()) if isinstance(before, Entity) else 0
        yield from (step.provenance for step in (after.transitions or ())[past:])
        if after.merged is not None:
            yield after.merged.provenance
    elif isinstance(after, Tombstone):
        yield after.provenance


def _new_names(before: object, after: object) -> Iterator[str]:
    """Who added events to an inbox item."""
    if isinstance(after, InboxItem):
        past = len(before.events) if isinstance(before, InboxItem) else 0
        yield from (event.by for event in after.events[past:] if event.by)
