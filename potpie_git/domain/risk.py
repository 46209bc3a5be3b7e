"""Risk: how much a change can take away, graded per operation and, from content alone, per file."""

from __future__ import annotations

from potpie_git.domain.claim import Claim
from potpie_git.domain.files import Entity
from potpie_git.domain.layout import FileKind, kind_of
from potpie_git.domain.mutation import Operation
from potpie_git.domain.vocabulary import BINDING_TRUTH, OP_RISK, Risk


def operation_risk(operation: Operation) -> Risk:
    """The risk of an operation before tombstones are looked at."""
    if operation.reinstates is not None:
        return Risk.HIGH
    graded = OP_RISK[operation.op]
    return max(graded, Risk.MEDIUM) if operation.truth == BINDING_TRUTH else graded


def claim_change_risk(before: Claim | None, after: Claim | None) -> Risk:
    """The risk of one claim file's change."""
    if after is None:
        return Risk.HIGH
    if before is None:
        if after.reinstates is not None or after.predicate in {"SUPERSEDES", "ALIAS_OF"}:
            return Risk.HIGH
        return Risk.MEDIUM if after.truth == BINDING_TRUTH else Risk.LOW
    superseded = after.invalidation is not None and after.invalidation.op == "supersede_claim"
    return Risk.HIGH if superseded else Risk.MEDIUM


def entity_change_risk(before: Entity | None, after: Entity) -> Risk:
    """The risk of one entity file's change: a merge, a patch or a transition, or what was authored anew."""
    if after.merged is not None and (before is None or before.merged != after.merged):
        return Risk.HIGH
    return Risk.LOW if before is None and not after.transitions else Risk.MEDIUM


def path_change_risk(path: str, existed: bool) -> Risk:
    """The risk of a change of a file that is neither claim nor entity, by its place and whether it was there before."""
    kind = kind_of(path)
    if kind in {FileKind.POLICY, FileKind.POT, FileKind.ATTRIBUTES, None}:
        return Risk.HIGH
    if kind is FileKind.ENTITY:
        return Risk.MEDIUM if existed else Risk.LOW
    if kind is FileKind.TOMBSTONE:
        return Risk.MEDIUM
    return Risk.LOW
