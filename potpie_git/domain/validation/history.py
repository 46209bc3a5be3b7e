"""Rules over one file's before and after (family PG-H): a claim is withdrawn, never edited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from potpie_git.domain.approval import Approval, withdrawal_only
from potpie_git.domain.claim import Claim
from potpie_git.domain.files import Entity, InboxItem, Policy, Pot, Tombstone
from potpie_git.domain.validation.problem import Problem
from potpie_git.domain.vocabulary import ENTITY_TYPES, PATCHABLE_ENTITY_FIELDS

_RESTORE = "Restore the committed file (`git checkout HEAD -- PATH`)"
_WITHDRAW = f"{_RESTORE}; to change what it says, withdraw it and assert another claim with `git potpie graph propose`."


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]


def claim_edit_problems(before: Claim, after: Claim) -> list[Problem]:
    """What an edit of a committed claim breaks; a first withdrawal stamp alone breaks nothing."""
    problems = []
    for name in _changed(before.asserted(), after.asserted()):
        problems.append(Problem("PG-H02", f"the asserted part was edited: {name}", _WITHDRAW, _place(name)))
    if before.id != after.id:
        problems.append(Problem("PG-H02", "the asserted part was edited: id", _WITHDRAW, ("id",)))
    for name in _changed(before.recording_stamp(), after.recording_stamp()):
        problems.append(
            Problem(
                "PG-H03",
                f"the recording stamp was edited: {name}",
                f"{_RESTORE}; a stamp never changes.",
                ("provenance", name),
            )
        )
    if not before.live:
        for name in _changed(before.withdrawal_stamp(), after.withdrawal_stamp()):
            verb = "edited" if name in after.withdrawal_stamp() else "removed"
            problems.append(
                Problem(
                    "PG-H04",
                    f"the withdrawal was {verb}: {name}",
                    f"{_RESTORE}; what was withdrawn comes back only as a new claim that reinstates it.",
                    (name,) if verb == "edited" else ("id",),
                )
            )
    return problems


def _place(name: str) -> tuple[str, ...]:
    stamped = name in {"confidence", "source_system", "source_kind", "source_event"}
    return ("provenance", name) if stamped else (name,)


def entity_edit_problems(before: Entity, after: Entity) -> list[Problem]:
    """An entity may be patched, moved along its lifecycle and merged; its identity and past stay."""
    problems = []
    for name in ("key", "type"):
        if getattr(before, name) != getattr(after, name):
            problems.append(Problem("PG-H06", f"an entity's {name} was changed", f"{_RESTORE}.", (name,)))
    past = [step.to_data() for step in before.transitions or ()]
    now = [step.to_data() for step in after.transitions or ()]
    if now[: len(past)] != past:
        problems.append(
            Problem(
                "PG-H06",
                "past transitions were changed",
                f"{_RESTORE}; append a transition.",
                ("transitions",),
            )
        )
    if before.state is not None and before.state != after.state and len(now) == len(past):
        declared = ENTITY_TYPES.get(before.type)
        allowed = ", ".join(declared.lifecycle.get(before.state, ())) if declared else ""
        problems.append(
            Problem(
                "PG-H06",
                f"state went from {before.state} to {after.state} without a transition",
                f"Use transition_state; from {before.state} it can go to: {allowed or 'nothing'}.",
                ("state",),
            )
        )
    if before.merged is not None and before.merged != after.merged:
        problems.append(Problem("PG-H06", "a merge was changed or removed", f"{_RESTORE}.", ("merged",)))
    return problems


def patchable(name: str) -> bool:
    """True if `patch_entity` may change this field."""
    return name in PATCHABLE_ENTITY_FIELDS


def fixed_edit_problems(before: Tombstone | Pot, after: Tombstone | Pot) -> list[Problem]:
    """A tombstone never changes; a pot may only be renamed or move to newer versions."""
    if isinstance(before, Pot) and isinstance(after, Pot):
        if before.pot_id != after.pot_id:
            return [Problem("PG-H07", "pot_id was changed", f"{_RESTORE}; it names this pot.", ("pot_id",))]
        return []
    names = _changed(before.to_data(), after.to_data())
    return [Problem("PG-H07", f"a tombstone was edited: {name}", f"{_RESTORE}.", (name,)) for name in names]


def inbox_edit_problems(before: InboxItem, after: InboxItem) -> list[Problem]:
    """An inbox item only ever gains events."""
    past = [event.to_data() for event in before.events]
    now = [event.to_data() for event in after.events]
    fixed_before = {name: held for name, held in before.to_data().items() if name != "events"}
    fixed_after = {name: held for name, held in after.to_data().items() if name != "events"}
    if now[: len(past)] == past and fixed_before == fixed_after:
        return []
    return [
        Problem(
            "PG-H07", "an inbox item's past was edited", f"{_RESTORE}; append an event instead.", ("events",)
        )
    ]


def policy_edit_problems(before: Policy, after: Policy) -> list[Problem]:
    """A policy changes only under a version above all before it."""
    if before == after or after.version > before.version:
        return []
    verb = "went back" if after.version < before.version else "was not raised"
    return [
        Problem(
            "PG-P03",
            f"the policy changed and its version {verb} ({before.version}, then {after.version})",
            f"Write version: {before.version + 1}.",
            ("version",),
        )
    ]


def approval_edit_problems(before: Approval, after: Approval) -> list[Problem]:
    """An approval is taken back by one added withdrawal, and never edited otherwise."""
    if before == after or withdrawal_only(before, after):
        return []
    return [
        Problem(
            "PG-A09",
            "an approval record was edited",
            f"{_RESTORE}; `git potpie approve --withdraw` takes an approval back.",
        )
    ]
