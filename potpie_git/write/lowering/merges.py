"""merge_duplicate_entities: an alias and a merge record; no claim is rewritten."""

from __future__ import annotations

from potpie_git.domain.claim import Claim, Evidence, new_claim
from potpie_git.domain.files import MergeRecord
from potpie_git.domain.keys import type_name_of
from potpie_git.write.context import OpContext
from potpie_git.write.lowering.claims import put_claim
from potpie_git.write.lowering.endpoints import resolve
from potpie_git.write.lowering.entity_files import changed_entity, new_entity, put_entity


def lower_merge(ctx: OpContext) -> None:
    """The subject is a duplicate of the object: reads take the two for one, under the object's key."""
    op = ctx.op
    assert op.subject is not None
    assert op.object is not None
    duplicate = resolve(ctx, op.subject, "subject", author=False)
    kept = resolve(ctx, op.object, "object", author=False)
    if duplicate is None or kept is None or not _fit(ctx, duplicate, kept):
        return
    pinned = ctx.batch.pins.pin(op.evidence or (), ctx.index)
    for issue in pinned.issues:
        ctx.add(issue)
    if _merged_already(ctx, duplicate, kept):
        return
    put_claim(ctx, _alias(ctx, duplicate, kept, pinned.evidence), by_caller=False)
    assert op.reason is not None
    record = MergeRecord(
        into=kept, reason=op.reason, external_ids=op.external_ids, provenance=ctx.provenance()
    ).to_data()
    entity = ctx.draft.entity(duplicate)
    if entity is None:
        put_entity(ctx, new_entity(ctx, duplicate, merged=record))
    else:
        put_entity(ctx, changed_entity(ctx, entity, merged=record))


def _alias(ctx: OpContext, duplicate: str, kept: str, evidence: list[Evidence]) -> Claim:
    return new_claim(
        subject=duplicate,
        predicate="ALIAS_OF",
        object=kept,
        fact=ctx.op.reason,
        evidence=evidence or None,
        provenance=ctx.provenance(),
    )


def _fit(ctx: OpContext, duplicate: str, kept: str) -> bool:
    """True if the two are distinct entities of one type, and the kept one is not itself the duplicate's duplicate."""
    if duplicate == kept:
        hint = "Name the duplicate as subject and the entity to keep as object."
        ctx.issue("merge_of_one", f"{duplicate} cannot be merged with itself", hint, "object")
        return False
    if type_name_of(duplicate) != type_name_of(kept):
        ctx.issue(
            "PG-S14",
            f"{duplicate} is a {type_name_of(duplicate)}, and {kept} a {type_name_of(kept)}",
            "Merge two entities of one type.",
            "object",
        )
        return False
    seen, at = {duplicate}, kept
    while (entity := ctx.draft.entity(at)) is not None and entity.merged is not None:
        if entity.merged.into in seen:
            hint = f"{kept} already leads to {duplicate}; nothing is left to merge."
            ctx.issue("merge_cycle", f"{kept} was itself merged into {entity.merged.into}", hint, "object")
            return False
        seen.add(at)
        at = entity.merged.into
    return True


def _merged_already(ctx: OpContext, duplicate: str, kept: str) -> bool:
    entity = ctx.draft.entity(duplicate)
    if entity is None or entity.merged is None:
        return False
    if entity.merged.into == kept:
        ctx.warn("unchanged", f"{duplicate} was merged into {kept} already: {entity.merged.reason}")
    else:
        hint = f"Merge {entity.merged.into} into {kept} instead."
        ctx.issue("already_merged", f"{duplicate} was merged into {entity.merged.into}", hint, "subject")
    return True
