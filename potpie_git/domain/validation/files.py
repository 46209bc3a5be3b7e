"""Rules that one entity, tombstone or inbox item must keep on its own (family PG-S)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from potpie_git.domain.files import Entity, InboxItem, Pot, Tombstone
from potpie_git.domain.keys import is_claim_id, key_problem, type_name_of
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.times import TimeFormatError, parse_time
from potpie_git.domain.validation.policy import policy_problems
from potpie_git.domain.validation.problem import Problem
from potpie_git.domain.vocabulary import CONTRACT_VERSION, ENTITY_TYPES, ONTOLOGY_VERSION

_DIGEST = re.compile(r"[0-9a-f]{32}$")
_INBOX_ID = re.compile(r"i-[0-9a-z]{6,40}$")
_POT_ID = re.compile(r"[a-z0-9][a-z0-9-]{2,63}$")

__all__ = ["entity_problems", "inbox_problems", "policy_problems", "pot_problems", "tombstone_problems"]


def entity_problems(entity: Entity) -> list[Problem]:
    """Every rule that an entity file breaks on its own."""
    problems = []
    fault = key_problem(entity.key)
    if fault:
        problems.append(Problem("PG-S03", fault[0], fault[1], ("key",)))
    elif entity.type != type_name_of(entity.key):
        problems.append(
            Problem(
                "PG-S03",
                f"type {entity.type!r} does not match the key, which says {type_name_of(entity.key)}.",
                f"Write {type_name_of(entity.key)}, or another key.",
                ("type",),
            )
        )
    problems += _state_problems(entity)
    merged = entity.merged
    if merged and (type_name_of(merged.into) != entity.type or merged.into == entity.key):
        problems.append(
            Problem(
                "PG-S14",
                f"{entity.key} cannot be merged into {merged.into}",
                "Merge two distinct entities of one type.",
                ("merged", "into"),
            )
        )
    return problems


def _state_problems(entity: Entity) -> Iterator[Problem]:
    declared = ENTITY_TYPES.get(entity.type)
    lifecycle = declared.lifecycle if declared else {}
    if entity.state is None:
        return
    if not lifecycle:
        yield Problem("PG-S13", f"a {entity.type} has no lifecycle", "Drop state.", ("state",))
    elif entity.state not in lifecycle:
        near = did_you_mean(entity.state, lifecycle)
        yield Problem(
            "PG-S13",
            f"{entity.type} has no state {entity.state!r}.{near}",
            f"Use one of: {', '.join(lifecycle)}.",
            ("state",),
        )
    for index, step in enumerate(entity.transitions or ()):
        allowed = lifecycle.get(step.from_state or "", ())
        if step.from_state is not None and step.to_state not in allowed:
            yield Problem(
                "PG-S13",
                f"{entity.type} cannot go from {step.from_state} to {step.to_state}",
                f"From {step.from_state} it can go to: {', '.join(allowed) or 'nothing'}.",
                ("transitions", index, "to_state"),
            )
    if entity.transitions and entity.transitions[-1].to_state != entity.state:
        yield Problem(
            "PG-S13",
            "state is not what the last transition says",
            "Use transition_state to change it.",
            ("state",),
        )


def tombstone_problems(tombstone: Tombstone) -> list[Problem]:
    problems = []
    if not _DIGEST.match(tombstone.value_digest):
        problems.append(
            Problem(
                "PG-S19",
                "value_digest is not 32 hex digits",
                "Let the withdrawal write it.",
                ("value_digest",),
            )
        )
    if not is_claim_id(tombstone.claim):
        problems.append(Problem("PG-S19", "claim is no claim id", "Let the withdrawal write it.", ("claim",)))
    if not tombstone.reason.strip():
        problems.append(
            Problem("PG-S19", "a tombstone needs a reason", "Say why it was withdrawn.", ("reason",))
        )
    return problems


def inbox_problems(item: InboxItem) -> list[Problem]:
    problems = []
    if not _INBOX_ID.match(item.id):
        problems.append(
            Problem(
                "PG-S20", f"inbox id {item.id!r} is malformed", "Use `git potpie graph inbox add`.", ("id",)
            )
        )
    if not item.events or item.events[0].action != "add":
        problems.append(
            Problem("PG-S20", "an inbox item starts with an add event", "Restore it.", ("events",))
        )
    for index, event in enumerate(item.events):
        try:
            parse_time(event.at)
        except TimeFormatError as error:
            problems.append(Problem("PG-S07", str(error), "Give the offset.", ("events", index, "at")))
        if event.action == "mark-applied" and not (event.plan or event.mutation):
            problems.append(
                Problem("PG-S20", "mark-applied names a plan or a mutation", "Add which.", ("events", index))
            )
    return problems


def pot_problems(pot: Pot) -> list[Problem]:
    problems = []
    if not _POT_ID.match(pot.pot_id):
        problems.append(
            Problem(
                "PG-S21", f"pot_id {pot.pot_id!r} is not a slug", "Use lower case, digits, '-'.", ("pot_id",)
            )
        )
    for name, held, known in (
        ("contract_version", pot.contract_version, CONTRACT_VERSION),
        ("ontology_version", pot.ontology_version, ONTOLOGY_VERSION),
    ):
        if held != known:
            problems.append(
                Problem(
                    "PG-S21",
                    f"{name} is {held}, and this program knows {known}",
                    "Install the version of potpie-git that wrote it.",
                    (name,),
                )
            )
    return problems
