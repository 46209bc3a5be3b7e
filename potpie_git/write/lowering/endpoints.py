"""The ends of a claim: keys that the caller gave or that are minted, and what is authored beside them."""

from __future__ import annotations

from potpie_git.domain.files import Entity
from potpie_git.domain.keys import KeyFormatError, key_problem, mint_key, type_name_of
from potpie_git.domain.mutation import Endpoint
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import ENTITY_TYPES
from potpie_git.write.context import OpContext
from potpie_git.write.lowering.entity_files import author_inline


def resolve(ctx: OpContext, given: Endpoint, field: str, *, author: bool = True) -> str | None:
    """The key of an endpoint; None, with the failures said, if it has none that could be used.

    What the endpoint says about an entity that has no file yet is written to one, unless `author` is off.
    """
    key = _given_key(ctx, given, field) if given.key is not None else _minted_key(ctx, given, field)
    if key is None:
        return None
    _note_merge(ctx, key)
    if author and given.authored:
        author_inline(ctx, key, given)
    return key


def _given_key(ctx: OpContext, given: Endpoint, field: str) -> str | None:
    assert given.key is not None
    fault = key_problem(given.key)
    if fault:
        ctx.issue("PG-S03", f"{field}: {fault[0]}", fault[1], field)
        return None
    held = type_name_of(given.key)
    if given.type is not None and given.type != held:
        hint = f"Write {held}, or another key; a key's prefix gives its type."
        ctx.issue(
            "type_mismatch", f"{field}: {given.key!r} is a {held}, not a {given.type}", hint, f"{field}.type"
        )
        return None
    return given.key


def _minted_key(ctx: OpContext, given: Endpoint, field: str) -> str | None:
    if given.type is None:
        hint = "Give its key (such as service:payments), or its type and a name."
        ctx.issue("endpoint_incomplete", f"{field} has neither a key nor a type", hint, field)
        return None
    declared = ENTITY_TYPES.get(given.type)
    if declared is None:
        near = did_you_mean(given.type, ENTITY_TYPES)
        hint = f"Use one of: {', '.join(ENTITY_TYPES)}."
        ctx.issue(
            "unknown_type", f"{field}: {given.type!r} is not an entity type.{near}", hint, f"{field}.type"
        )
        return None
    try:
        return _mint(given, declared.identity == "content_hash")
    except KeyFormatError as error:
        ctx.issue(
            "endpoint_incomplete", f"{field}: {error}", f"Give the key, as {declared.key_pattern}.", field
        )
        return None


def _mint(given: Endpoint, by_content: bool) -> str:
    assert given.type is not None
    if by_content:
        said = {
            name: held
            for name in ("name", "summary", "description", "properties")
            if (held := getattr(given, name))
        }
        if not said:
            raise KeyFormatError(f"a {given.type} key is a digest of its content: give a name or a summary")
        return mint_key(given.type, content=said)
    parts = (given.name or "").split(":")
    wanted = ENTITY_TYPES[given.type].key_pattern.count("<")
    if len([part for part in parts if part.strip()]) < wanted and wanted > 1:
        raise KeyFormatError(
            f"a {given.type} key has {wanted} parts, and the name {given.name or ''!r} gives fewer"
        )
    return mint_key(given.type, *parts)


def _note_merge(ctx: OpContext, key: str) -> None:
    entity: Entity | None = ctx.draft.entity(key)
    if entity is not None and entity.merged is not None:
        ctx.warn(
            "merged_entity",
            f"{key} was merged into {entity.merged.into}; readers see the two as one",
            f"Write about {entity.merged.into} from now on.",
        )
