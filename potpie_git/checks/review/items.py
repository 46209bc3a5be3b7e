"""From changed files to changes: what belongs together is one change, whatever number of files carry it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from potpie_git.checks.places import shown_path
from potpie_git.checks.review.beside import Beside
from potpie_git.checks.review.material import Changed, Material
from potpie_git.checks.review.model import (
    Change,
    ChangeKind,
    FieldChange,
    InboxStep,
    Note,
    StateChange,
    Who,
    Withdrawal,
)
from potpie_git.checks.review.policy import weakenings
from potpie_git.checks.review.views import approval_view, cited, claim_view, field_changes, who
from potpie_git.domain.approval import Approval
from potpie_git.domain.claim import Claim
from potpie_git.domain.files import Entity, InboxItem, Policy, Tombstone
from potpie_git.domain.keys import claim_key
from potpie_git.domain.layout import FileKind, kind_of
from potpie_git.store.history.steps import Kind, Step

ENTITIES, POLICY, INBOX, APPROVALS, TOMBSTONES, OTHER = (
    "entities",
    "policy",
    "inbox",
    "approvals",
    "tombstones",
    "other_files",
)
_GROUP_BY_FILE: Final = {
    FileKind.ENTITY: ENTITIES,
    FileKind.POLICY: POLICY,
    FileKind.POT: POLICY,
    FileKind.ATTRIBUTES: POLICY,
    FileKind.INBOX: INBOX,
    FileKind.APPROVAL: APPROVALS,
    FileKind.TOMBSTONE: TOMBSTONES,
}
_ENTITY_KINDS: Final = {
    Kind.MERGED: ChangeKind.ENTITY_MERGED,
    Kind.TRANSITIONED: ChangeKind.ENTITY_TRANSITIONED,
    Kind.PATCHED: ChangeKind.ENTITY_PATCHED,
    Kind.AUTHORED: ChangeKind.ENTITY_CREATED,
}
# Said apart from the fields of an entity.
_APART: Final = ("transitions", "merged", "provenance")


@dataclass(frozen=True, slots=True)
class Draft:
    """A change before it is graded: `files` are the paths in the pot of every file that carries it."""

    kind: ChangeKind
    group: str
    name: str
    files: list[str]
    parts: dict[str, Any] = field(default_factory=dict)

    def finished(self, **graded: Any) -> Change:
        paths = [shown_path(path) for path in self.files]
        return Change(kind=self.kind, group=self.group, name=self.name, paths=paths, **self.parts, **graded)


def drafts(material: Material, beside: Beside) -> Iterator[Draft]:
    """Every change that the material tells of; each file is in exactly one."""
    yield from _withdrawals(material, beside)
    for changed, claim in material.asserted.values():
        yield _becomes(changed, claim, beside.of_new(claim))
    for changed, claim in material.replaced_by.values():
        yield _becomes(changed, claim, [])
    for changed, entity in material.entities:
        yield _entity(changed, entity, material)
    for changed, claim in material.aliases.values():
        yield _becomes(changed, claim, beside.of_new(claim))
    for changed, stone in material.stones.values():
        yield _stone_alone(changed, stone)
    for changed in material.others:
        yield _other(changed, beside)


def _becomes(changed: Changed, claim: Claim, notes: list[Note]) -> Draft:
    view = claim_view(claim, changed.path)
    parts = {"claims": [view], "by": view.by, "notes": notes}
    return Draft(ChangeKind.BECOMES, claim.subgraph, claim.subject, [changed.path], parts)


def _withdrawals(material: Material, beside: Beside) -> Iterator[Draft]:
    """Withdrawn claims, those of one statement and one reason together; what comes with them is taken along."""
    piles: dict[tuple[Any, ...], list[tuple[Changed, Claim]]] = defaultdict(list)
    for changed, claim in material.withdrawn.values():
        stamp = claim.invalidation
        assert stamp is not None
        piles[(*claim.statement, stamp.op, stamp.reason, stamp.superseded_by)].append((changed, claim))
    replacements: dict[str, int] = defaultdict(int)
    for key in piles:
        replacements[key[-1] or ""] += 1
    for pile in piles.values():
        yield _withdrawal(pile, material, beside)
    for claim_id in replacements:
        material.asserted.pop(claim_id, None)


def _withdrawal(pile: list[tuple[Changed, Claim]], material: Material, beside: Beside) -> Draft:
    first = pile[0][1]
    stamp = first.invalidation
    assert stamp is not None
    files = [changed.path for changed, _ in pile]
    for _, claim in pile:
        for held in (
            material.stones.pop(claim.id, None),
            material.replaced_by.pop(claim_key(claim.id), None),
        ):
            if held is not None:
                files.append(held[0].path)
    parts: dict[str, Any] = {
        "claims": [claim_view(claim, changed.path) for changed, claim in pile],
        "withdrawal": Withdrawal(
            op=stamp.op,
            valid_to=first.valid_to or stamp.provenance.recorded_at,
            reason=stamp.reason,
            evidence=cited(stamp.evidence),
            by=who(stamp.provenance),
        ),
        "by": who(stamp.provenance),
        "notes": beside.of_withdrawn(first),
    }
    kind = ChangeKind.STOPS
    if stamp.op == "supersede_claim":
        kind = ChangeKind.SUPERSEDED
        new = material.asserted.get(stamp.superseded_by or "")
        if new is not None:
            files.append(new[0].path)
            parts["replacement"] = claim_view(new[1], new[0].path)
            gone = {claim.id for _, claim in pile}
            parts["notes"] = [*beside.of_new(new[1], gone), *parts["notes"]]
        elif stamp.superseded_by and (found := beside.find(stamp.superseded_by, first)) is not None:
            parts["replacement"] = claim_view(found[1], found[0])
    return Draft(kind, first.subgraph, first.subject, files, parts)


def _entity(changed: Changed, entity: Entity, material: Material) -> Draft:
    done = {step.kind for step in changed.steps}
    kind = next(_ENTITY_KINDS[one] for one in _ENTITY_KINDS if one in done)
    files = [changed.path]
    alias = material.aliases.pop(entity.key, None) if entity.merged is not None else None
    if alias is not None:
        files.append(alias[0].path)
    states = list(_states(changed, entity))
    apart = {*_APART, *(("key", "type") if Kind.AUTHORED in done else ()), *(("state",) if states else ())}
    parts = {
        "entity_type": entity.type,
        "fields": [one for one in _edits(changed.steps) if one.name.partition(".")[0] not in apart],
        "states": states,
        "by": who(entity.provenance),
    }
    return Draft(kind, ENTITIES, entity.key, files, parts)


def _states(changed: Changed, entity: Entity) -> Iterator[StateChange]:
    """The steps along its lifecycle, and the merge, that this change adds to an entity."""
    for step in changed.steps:
        if step.kind in {Kind.TRANSITIONED, Kind.AUTHORED} and (step.after or {}).get("transitions"):
            known = len((step.before or {}).get("transitions") or ())
            for one in (entity.transitions or [])[known:]:
                yield StateChange(
                    from_state=one.from_state,
                    to_state=one.to_state,
                    reason=one.reason,
                    by=who(one.provenance),
                )
        if step.kind in {Kind.MERGED, Kind.AUTHORED} and entity.merged and (step.after or {}).get("merged"):
            merged = entity.merged
            yield StateChange(into=merged.into, reason=merged.reason, by=who(merged.provenance))


def _stone_alone(changed: Changed, stone: Tombstone) -> Draft:
    shown = {"text": stone.text, "reason": stone.reason, "claim": stone.claim, "op": stone.op}
    parts = {"fields": field_changes(None, shown), "by": who(stone.provenance)}
    return Draft(ChangeKind.TOMBSTONE, TOMBSTONES, stone.subject, [changed.path], parts)


def _other(changed: Changed, beside: Beside) -> Draft:
    step = changed.steps[-1] if changed.steps else None
    kind = kind_of(changed.path)
    record = step.record if step else None
    group = (
        record.subgraph if isinstance(record, Claim) else _GROUP_BY_FILE.get(kind, OTHER) if kind else OTHER
    )
    name = _name(changed, record)
    if step is None:
        return _without_steps(changed, group, name)
    if step.kind is Kind.UNREADABLE:
        parts = {"fault": str((step.after or {}).get("fault", ""))}
        return Draft(ChangeKind.UNREADABLE, group, name, [changed.path], parts)
    if step.kind is Kind.REMOVED:
        shown = {key: held for key, held in (step.before or {}).items() if key != "provenance"}
        return Draft(ChangeKind.REMOVED, group, name, [changed.path], {"fields": field_changes(shown, None)})
    if any(one.kind is Kind.EDITED for one in changed.steps):
        return Draft(ChangeKind.EDITED, group, name, [changed.path], {"fields": _edits(changed.steps)})
    return _plain(changed, step, group, name, beside)


def _without_steps(changed: Changed, group: str, name: str) -> Draft:
    """No record differs: another mode or kind of entry, comments, or layout."""
    files = [changed.path]
    if changed.odd is not None:
        return Draft(ChangeKind.UNREADABLE, group, name, files, {"fault": f"{changed.odd} stands here"})
    return Draft(ChangeKind.EDITED, group, name, files, {"fault": "only comments or layout differ"})


def _edits(steps: Iterable[Step]) -> list[FieldChange]:
    return [one for step in steps for one in field_changes(step.before, step.after)]


def _plain(changed: Changed, step: Step, group: str, name: str, beside: Beside) -> Draft:
    record = step.record
    files = [changed.path]
    if isinstance(record, Claim):
        return _becomes(changed, record, beside.of_new(record))
    if isinstance(record, InboxItem):
        return Draft(ChangeKind.INBOX, group, name, files, _inbox_parts(step, record))
    if isinstance(record, Approval):
        return Draft(ChangeKind.APPROVAL, group, name, files, {"approval": approval_view(record)})
    parts: dict[str, Any] = {"fields": field_changes(step.before, step.after)}
    if isinstance(record, Policy):
        if step.before is not None:
            old = Policy.model_validate({**record.to_data(), **_cleared(step), **dict(step.before)})
            parts["notes"] = list(weakenings(old, record))
        return Draft(ChangeKind.POLICY, group, name, files, parts)
    kind = ChangeKind.TOMBSTONE if isinstance(record, Tombstone) else ChangeKind.POT
    return Draft(kind, group, name, files, parts)


def _cleared(step: Step) -> dict[str, None]:
    return dict.fromkeys(name for name in (step.after or {}) if name not in (step.before or {}))


def _inbox_parts(step: Step, item: InboxItem) -> dict[str, Any]:
    past = (step.before or {}).get("events") or []
    now = [event.to_data() for event in item.events]
    known = len(past) if now[: len(past)] == past else 0
    events = [
        InboxStep(action=event.action, by=Who(user=event.by, at=event.at), note=event.note)
        for event in item.events[known:]
    ]
    apart = {"id", "events"} if step.before is None else {"events"}
    fields = [
        one for one in field_changes(step.before, step.after) if one.name.partition(".")[0] not in apart
    ]
    return {"inbox": events, "fields": fields, "by": events[-1].by if events else None}


def _name(changed: Changed, record: Any) -> str:
    if isinstance(record, Claim | Tombstone):
        return record.subject
    if isinstance(record, Entity):
        return record.key
    if isinstance(record, Approval):
        return record.statement.principal
    return record.title if isinstance(record, InboxItem) else shown_path(changed.path)
