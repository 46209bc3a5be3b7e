"""Entity files: written only where somebody authors something, and never overwritten by the way."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from potpie_git.domain.files import Entity
from potpie_git.domain.keys import type_name_of
from potpie_git.domain.mutation import Endpoint
from potpie_git.domain.validation.files import entity_problems
from potpie_git.write.context import OpContext

_TEXTS = ("name", "summary", "description")


def author_inline(ctx: OpContext, key: str, given: Endpoint) -> None:
    """Write what an endpoint says about an entity, if nothing was authored about it before."""
    entity = ctx.draft.entity(key)
    if entity is None:
        fields = {name: getattr(given, name) for name in (*_TEXTS, "properties")}
        put_entity(ctx, new_entity(ctx, key, **fields))
        return
    differs = [
        name
        for name in _TEXTS
        if getattr(given, name) is not None and getattr(given, name) != getattr(entity, name)
    ]
    if differs:
        ctx.warn(
            "entity_kept",
            f"{key} is described already, and its {', '.join(differs)} stays as it is",
            "Use upsert_entity to add what is missing, and patch_entity to change what is there.",
        )


def new_entity(ctx: OpContext, key: str, **fields: Any) -> Entity | None:
    """An entity record; None, with the failures said, if a field has the wrong form."""
    return build_entity(
        ctx,
        {
            "key": key,
            "type": type_name_of(key),
            **{name: held for name, held in fields.items() if held not in (None, "", {}, [])},
            "provenance": ctx.provenance(),
        },
    )


def changed_entity(ctx: OpContext, entity: Entity, **fields: Any) -> Entity | None:
    """`entity` with some fields changed, under this operation's stamp."""
    return build_entity(ctx, {**entity.to_data(), **fields, "provenance": ctx.provenance().to_data()})


def build_entity(ctx: OpContext, data: dict[str, Any]) -> Entity | None:
    try:
        return Entity.model_validate(data)
    except ValidationError as error:
        ctx.validation_faults(error)
        return None


def put_entity(ctx: OpContext, entity: Entity | None) -> None:
    """Judge an entity record and write it."""
    if entity is None:
        return
    for problem in entity_problems(entity):
        ctx.problem(problem)
    ctx.draft.put(entity, ctx.index)
    if entity.key not in ctx.batch.diff.entity_upserts:
        ctx.batch.diff.entity_upserts.append(entity.key)
