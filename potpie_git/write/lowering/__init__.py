"""Operations become records: one module for each family of operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from potpie_git.write.context import OpContext
from potpie_git.write.lowering.assertions import lower_assertion
from potpie_git.write.lowering.entities import lower_patch, lower_transition, lower_upsert
from potpie_git.write.lowering.events import lower_event
from potpie_git.write.lowering.merges import lower_merge
from potpie_git.write.lowering.supersession import lower_supersession
from potpie_git.write.lowering.withdrawals import lower_withdrawal

LOWERINGS: Mapping[str, Callable[[OpContext], None]] = MappingProxyType(
    {
        "upsert_entity": lower_upsert,
        "link_entities": lower_assertion,
        "assert_claim": lower_assertion,
        "append_event": lower_event,
        "end_relation_validity": lower_withdrawal,
        "retract_claim": lower_withdrawal,
        "supersede_claim": lower_supersession,
        "merge_duplicate_entities": lower_merge,
        "patch_entity": lower_patch,
        "transition_state": lower_transition,
    }
)
