"""upsert_entity, patch_entity and transition_state."""

from __future__ import annotations

from typing import Any

from potpie_git.domain.files import Entity, Transition
from potpie_git.domain.keys import type_name_of
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import ENTITY_TYPES, PATCHABLE_ENTITY_FIELDS
from potpie_git.write.context import OpContext
from potpie_git.write.lowering.endpoints import resolve
from potpie_git.write.lowering.entity_files import changed_entity, new_entity, put_entity

# Fewer words than this do not say what somebody would search for.
MIN_DESCRIPTION_WORDS = 5
_TEXTS = ("name", "summary", "description")


def lower_upsert(ctx: OpContext) -> None:
    """Author an entity, or add what its file lacks; what is there already is patched, not upserted."""
    op = ctx.op
    assert op.subject is not None
    key = resolve(ctx, op.subject, "subject", author=False)
    if key is None or not _state_fits(ctx, key):
        return
    given = _authored(ctx)
    entity = ctx.draft.entity(key)
    if entity is None or ctx.draft.entity_version(key) is None:
        _create(ctx, key, entity, given)
        return
    _complete(ctx, entity, given)


def _authored(ctx: OpContext) -> dict[str, Any]:
    op = ctx.op
    assert op.subject is not None
    given = {name: held for name in (*_TEXTS, "properties") if (held := getattr(op.subject, name))}
    if op.description:
        given["description"] = op.description
    if op.external_ids:
        given["external_ids"] = op.external_ids
    if op.to_state:
        given["state"] = op.to_state
    return given


def _create(ctx: OpContext, key: str, draft: Entity | None, given: dict[str, Any]) -> None:
    """A new file, or one that this batch has begun."""
    if draft is not None:
        put_entity(ctx, changed_entity(ctx, draft, **given))
    elif given:
        put_entity(ctx, new_entity(ctx, key, **given))
    else:
        ctx.warn(
            "nothing_authored",
            f"nothing is said about {key}, so it gets no file",
            "Entities exist because claims name them; give a name, a summary or a description to author one.",
        )


def _complete(ctx: OpContext, entity: Entity, given: dict[str, Any]) -> None:
    """Add to a file what it lacks."""
    differs = [name for name in _TEXTS if name in given and getattr(entity, name) not in (None, given[name])]
    properties = entity.properties or {}
    wanted = given.get("properties", {})
    differs += [f"properties.{name}" for name in wanted if properties.get(name, wanted[name]) != wanted[name]]
    if differs:
        ctx.issue(
            "entity_exists",
            f"{entity.key} is described already, and its {', '.join(differs)} differs",
            "Use patch_entity to change what is there, and transition_state for a lifecycle state.",
            "subject",
        )
        return
    added = {name: held for name, held in given.items() if name not in {"properties", "external_ids"}}
    if entity.state is not None and added.pop("state", entity.state) != entity.state:
        hint = "Use transition_state to move it."
        ctx.warn("entity_kept", f"{entity.key} is in state {entity.state}, and stays there", hint)
    if wanted:
        added["properties"] = {**properties, **wanted}
    if "external_ids" in given:
        added["external_ids"] = list(dict.fromkeys([*(entity.external_ids or ()), *given["external_ids"]]))
    if any(getattr(entity, name) != held for name, held in added.items()):
        put_entity(ctx, changed_entity(ctx, entity, **added))


def lower_patch(ctx: OpContext) -> None:
    """Change what was authored about an entity."""
    op = ctx.op
    assert op.subject is not None
    key = resolve(ctx, op.subject, "subject", author=False)
    if key is None:
        return
    patch = dict(op.patch or {})
    for name in patch:
        if name not in PATCHABLE_ENTITY_FIELDS:
            near = did_you_mean(name, PATCHABLE_ENTITY_FIELDS)
            hint = f"Patch one of: {', '.join(PATCHABLE_ENTITY_FIELDS)}."
            ctx.issue("not_patchable", f"{name} cannot be patched.{near}", hint, f"patch.{name}")
        elif not patch[name].strip():
            ctx.issue(
                "malformed_field", f"{name} is blank", "Say something, or leave it out.", f"patch.{name}"
            )
    _require_searchable(ctx, patch.get("description"))
    entity = _existing(ctx, key)
    if entity is None or ctx.blocked or not _version_holds(ctx, key):
        return
    if any(getattr(entity, name) != held for name, held in patch.items()):
        put_entity(ctx, changed_entity(ctx, entity, **patch))
    else:
        ctx.warn("unchanged", f"{key} says so already")


def lower_transition(ctx: OpContext) -> None:
    """Move an entity along its type's lifecycle."""
    op = ctx.op
    assert op.subject is not None
    assert op.to_state is not None
    assert op.reason is not None
    key = resolve(ctx, op.subject, "subject", author=False)
    if key is None or not _state_fits(ctx, key) or not _version_holds(ctx, key):
        return
    entity = ctx.draft.entity(key)
    state = entity.state if entity else None
    if op.from_state is not None and op.from_state != state:
        ctx.issue(
            "state_moved",
            f"{key} is in state {state or 'none'}, not {op.from_state}",
            "Look again, then give the state that it is in.",
            "from_state",
        )
        return
    allowed = ENTITY_TYPES[type_name_of(key)].lifecycle.get(state, ()) if state else (op.to_state,)
    if op.to_state not in allowed:
        ctx.issue(
            "PG-S13",
            f"{key} cannot go from {state} to {op.to_state}",
            f"From {state} it can go to: {', '.join(allowed) or 'nothing'}.",
            "to_state",
        )
        return
    step = Transition(
        from_state=state, to_state=op.to_state, reason=op.reason, provenance=ctx.provenance()
    ).to_data()
    if entity is None:
        put_entity(ctx, new_entity(ctx, key, state=op.to_state, transitions=[step]))
    else:
        steps = [*(one.to_data() for one in entity.transitions or ()), step]
        put_entity(ctx, changed_entity(ctx, entity, state=op.to_state, transitions=steps))


def _state_fits(ctx: OpContext, key: str) -> bool:
    """True if the operation names no state, or one that the entity's type has."""
    state = ctx.op.to_state
    if state is None:
        return True
    type_name = type_name_of(key)
    lifecycle = ENTITY_TYPES[type_name].lifecycle
    if state in lifecycle:
        return True
    if lifecycle:
        near = did_you_mean(state, lifecycle)
        message, hint = f"{type_name} has no state {state!r}.{near}", f"Use one of: {', '.join(lifecycle)}."
    else:
        message, hint = f"a {type_name} has no lifecycle", "Only decisions and policies have one."
    ctx.issue("PG-S13", message, hint, "to_state")
    return False


def _existing(ctx: OpContext, key: str) -> Entity | None:
    entity = ctx.draft.entity(key)
    if entity is None:
        ctx.issue(
            "entity_not_found",
            f"nothing was authored about {key} yet",
            "Use upsert_entity; patch_entity changes what is there.",
            "subject",
        )
    return entity


def _version_holds(ctx: OpContext, key: str) -> bool:
    expected, actual = ctx.op.expected_entity_version, ctx.draft.entity_version(key)
    if expected is None or expected == actual:
        return True
    ctx.issue(
        "entity_moved",
        f"{key} is at version {actual or 'none'}, not {expected}",
        "Read it again, then patch what is there now.",
        "expected_entity_version",
    )
    return False


def _require_searchable(ctx: OpContext, description: str | None) -> None:
    if description is None or len(description.split()) >= MIN_DESCRIPTION_WORDS:
        return
    ctx.issue(
        "description_too_short",
        f"the description has {len(description.split())} words, and a search needs at least {MIN_DESCRIPTION_WORDS}",
        "Write what somebody would search for: symptoms, synonyms, scope.",
        "patch.description",
    )
