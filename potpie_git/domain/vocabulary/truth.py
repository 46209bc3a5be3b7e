"""Truth classes, evidence strengths, authorities, operations and their risk."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType

TRUTH_STRENGTH: Mapping[str, str] = MappingProxyType(
    {
        "authoritative_fact": "deterministic",
        "source_observation": "deterministic",
        "user_decision": "attested",
        "preference": "attested",
        "timeline_event": "attested",
        "agent_claim": "stated",
        "quality_finding": "inferred",
    }
)
DEFAULT_TRUTH = "agent_claim"
EVIDENCE_REQUIRED_FOR: frozenset[str] = frozenset({"authoritative_fact", "source_observation"})
STRENGTH_SCORE: Mapping[str, float] = MappingProxyType(
    {"deterministic": 1.0, "attested": 0.8, "stated": 0.6, "inferred": 0.45, "speculative": 0.2}
)

SOURCE_AUTHORITIES: tuple[str, ...] = (
    "repository_metadata",
    "authoritative_code",
    "external_system",
    "ci_run",
    "user_statement",
    "agent_observation",
)
WEAK_AUTHORITIES: frozenset[str] = frozenset({"agent_observation"})


class Risk(IntEnum):
    """How much a change can take away; ordered, so that the risk of a plan is the maximum over its operations."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2

    @property
    def label(self) -> str:
        return self.name.lower()

    @classmethod
    def from_label(cls, label: str) -> Risk:
        return cls[label.upper()]


OP_RISK: Mapping[str, Risk] = MappingProxyType(
    {
        "upsert_entity": Risk.LOW,
        "link_entities": Risk.LOW,
        "assert_claim": Risk.LOW,
        "append_event": Risk.LOW,
        "end_relation_validity": Risk.MEDIUM,
        "retract_claim": Risk.MEDIUM,
        "supersede_claim": Risk.HIGH,
        "merge_duplicate_entities": Risk.HIGH,
        "patch_entity": Risk.MEDIUM,
        "transition_state": Risk.MEDIUM,
    }
)
MUTATION_OPS: tuple[str, ...] = tuple(OP_RISK)
ASSERTING_OPS: frozenset[str] = frozenset({"assert_claim", "link_entities"})
WITHDRAWING_OPS: frozenset[str] = frozenset({"end_relation_validity", "retract_claim", "supersede_claim"})
REASON_REQUIRED_OPS: frozenset[str] = WITHDRAWING_OPS | {"merge_duplicate_entities", "transition_state"}
# A claim of this truth class binds people, so asserting one is graded above an ordinary claim.
BINDING_TRUTH = "user_decision"
