"""What a change of one governed file means: a claim asserted or withdrawn, an entity patched, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from potpie_git.domain.approval import Approval, withdrawal_only
from potpie_git.domain.claim import Claim, Provenance
from potpie_git.domain.errors import InvalidFileError
from potpie_git.domain.files import Entity, InboxItem, Tombstone
from potpie_git.domain.layout import FileKind, kind_of
from potpie_git.store.codec import decode


class Kind(StrEnum):
    """What happened. `edited` and `removed` are what the rules refuse, seen where somebody went around them."""

    ASSERTED = "asserted"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    AUTHORED = "authored"
    PATCHED = "patched"
    TRANSITIONED = "transitioned"
    MERGED = "merged"
    TOMBSTONED = "tombstoned"
    APPROVED = "approved"
    NOTED = "noted"
    CONFIGURED = "configured"
    EDITED = "edited"
    REMOVED = "removed"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Step:
    """One meaning of one file's change.

    `before` and `after` hold the fields that changed; a new record has no `before`. `record` is the newer side (the
    older of a removed file, None of an unreadable one), `mutation` the one that the record's own stamp names.
    """

    kind: Kind
    record: Any = None
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    mutation: str | None = None
    mentioned: frozenset[str] = field(default_factory=frozenset)


def steps(path: str, before: bytes | None, after: bytes | None) -> list[Step]:
    """The steps that lead from one content of `path` to another; either may be absent."""
    try:
        old = _record(path, before)
        new = _record(path, after)
    except InvalidFileError as error:
        return [Step(Kind.UNREADABLE, after={"fault": error.message})]
    if new is None:
        return [Step(Kind.REMOVED, old, _data(old), None)]
    if isinstance(new, Claim):
        return list(_claim_steps(old, new))
    if isinstance(new, Entity):
        return list(_entity_steps(old, new))
    return list(_plain_steps(old, new))


def _record(path: str, raw: bytes | None) -> Any:
    if raw is None:
        return None
    if kind_of(path) in {FileKind.ATTRIBUTES, None}:
        return {"text": raw.decode("utf-8", "replace")}
    return decode(path, raw).record


def _data(record: Any) -> dict[str, Any]:
    if record is None:
        return {}
    return dict(record) if isinstance(record, dict) else record.model_dump(mode="json", exclude_none=True)


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields that differ, as they were and as they are."""
    names = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    return (
        {name: old[name] for name in names if name in old},
        {name: new[name] for name in names if name in new},
    )


def _claim_steps(old: Claim | None, new: Claim) -> Iterator[Step]:
    withdrawal = new.withdrawal_stamp()
    if old is None:
        asserted = {name: held for name, held in _data(new).items() if name not in withdrawal}
        yield Step(Kind.ASSERTED, new, None, asserted, new.provenance.mutation)
    else:
        before, after = _changed(_data(old), _data(new))
        # A first withdrawal is the only change that the rules allow.
        if old.live:
            for name in withdrawal:
                after.pop(name, None)
        if before or after:
            yield Step(Kind.EDITED, new, before, after)
    if new.invalidation is not None and (old is None or old.live):
        superseded = new.invalidation.op == "supersede_claim"
        kind = Kind.SUPERSEDED if superseded else Kind.WITHDRAWN
        yield Step(kind, new, {}, withdrawal, new.invalidation.provenance.mutation)


def _entity_steps(old: Entity | None, new: Entity) -> Iterator[Step]:
    before, after = _changed(_data(old), _data(new))
    if old is None:
        yield Step(Kind.AUTHORED, new, None, after, new.provenance.mutation)
        return
    for kind, names, stamp in (
        (Kind.MERGED, ("merged",), new.merged.provenance if new.merged else None),
        (Kind.TRANSITIONED, ("state", "transitions"), _last_transition(new)),
    ):
        if any(name in before or name in after for name in names):
            yield Step(
                kind, new, _take(before, names), _take(after, names), stamp.mutation if stamp else None
            )
    # The recording stamp follows every change, and is no change of its own.
    was_stamp, stamp_now = _take(before, ("provenance",)), _take(after, ("provenance",))
    if before or after:
        yield Step(Kind.PATCHED, new, before, after, _mutation_of(stamp_now) or _mutation_of(was_stamp))


def _last_transition(entity: Entity) -> Provenance | None:
    return entity.transitions[-1].provenance if entity.transitions else None


def _take(held: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: held.pop(name) for name in names if name in held}


def _mutation_of(stamped: Mapping[str, Any]) -> str | None:
    provenance = stamped.get("provenance")
    return provenance.get("mutation") if isinstance(provenance, dict) else None


def _approval_kind(old: Any, new: Approval) -> Kind:
    if old is None:
        return Kind.APPROVED
    return Kind.WITHDRAWN if isinstance(old, Approval) and withdrawal_only(old, new) else Kind.EDITED


def _plain_steps(old: Any, new: Any) -> Iterator[Step]:
    before, after = _changed(_data(old), _data(new))
    if not (before or after):
        return
    past = None if old is None else before
    if isinstance(new, Tombstone):
        yield Step(Kind.TOMBSTONED if old is None else Kind.EDITED, new, past, after, new.provenance.mutation)
    elif isinstance(new, Approval):
        yield Step(_approval_kind(old, new), new, past, after)
    elif isinstance(new, InboxItem):
        named = {event.mutation for event in new.events} | {event.plan for event in new.events}
        yield Step(Kind.NOTED, new, past, after, mentioned=frozenset(filter(None, named)))
    else:
        yield Step(Kind.CONFIGURED, new, past, after)
