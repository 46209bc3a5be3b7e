"""Filled-in examples of every operation and record: each parses, validates and can be proposed as it stands.

Which fields a template has follows from what operations and records take; only the values are written down here. The
templates fit together: what one withdraws or patches, another asserts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.mutation import ALLOWED_FIELDS, REQUIRED_FIELDS, Operation
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import MUTATION_OPS, RECORD_ENUMS, RECORD_SCHEMAS, RECORD_TYPES

_FIX, _BUG, _SERVICE = "fix:9f3a1c77b2e0", "bug_pattern:refunds-api:partial-capture", "service:refunds-api"
_EVIDENCE = [{"source_ref": "github:pr:acme/payments:812", "authority": "external_system"}]
_FACT = "Retry the refund with the remaining captured amount."
_CARD = "Refund fails with 409 after a partial capture; refunds-api; retry with what is left"
_DECISION = "decision:4d1f0c9a77e3"

_VALUES: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "subject": _FIX,
        "predicate": "RESOLVED",
        "object": _BUG,
        "truth": "agent_claim",
        "confidence": 0.8,
        "evidence": _EVIDENCE,
        "fact": _FACT,
        "description": _CARD,
        "environment": "prod",
        "code_scope": {"service": "refunds-api", "language": "python"},
        "details": {"root_cause": "The captured amount was read from a stale cache."},
        "valid_from": "2025-03-01T10:00:00+01:00",
        "valid_until": "2035-03-01T10:00:00+01:00",
        "observed_at": "2025-03-02T09:30:00+01:00",
        "source_system": "github",
        "source_kind": "pull_request",
        "source_event": "github:pr:acme/payments:812:merged",
        "reason": "The gateway rejects retries since its last release.",
        "actor": {"harness": "claude", "user": "rae"},
        "external_ids": ["github:acme/refunds-api"],
        "to_state": "accepted",
        "patch": {"description": "Answers refund requests from the shop and calls the payment gateway."},
    }
)
# Fields that exclude one another or need something that stands already; a template has the other ones.
_LEFT_OUT: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "link_entities": frozenset({"value", "reinstates", "reason"}),
        "assert_claim": frozenset({"value", "reinstates", "reason"}),
        "append_event": frozenset(
            {"subject", "reinstates", "reason", "valid_from", "valid_until", "observed_at", "source_event"}
        ),
        "end_relation_validity": frozenset({"claim", "value"}),
        "retract_claim": frozenset({"claim", "value", "valid_until"}),
        "supersede_claim": frozenset({"claim", "value", "valid_until"}),
        "upsert_entity": frozenset({"to_state", "reason", "evidence"}),
        "patch_entity": frozenset({"expected_entity_version"}),
        "transition_state": frozenset({"expected_entity_version"}),
    }
)
_LINK = {"subject": _SERVICE, "predicate": "DEPENDS_ON", "object": "service:payment-gateway"}
_OF_OP: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "upsert_entity": {
            "subject": {
                "key": _SERVICE,
                "name": "Refunds API",
                "summary": "Pays customers back.",
                "properties": {"tier": "1"},
            },
            "description": "Answers refund requests from the shop and keeps their state.",
        },
        "link_entities": {
            **_LINK,
            "fact": "Refunds are sent through the payment gateway.",
            "description": "refunds-api calls the payment gateway; outage of the gateway stops refunds",
            "details": {"protocol": "https"},
        },
        "end_relation_validity": {
            **_LINK,
            "valid_until": "2025-09-30T00:00:00Z",
            "reason": "Refunds go through the ledger since October.",
        },
        "append_event": {
            "verb": "deployed",
            "occurred_at": "2025-03-02T09:30:00+01:00",
            "truth": "timeline_event",
            "actor": "person:rae",
            "targets": [_SERVICE],
            "mentions": [_BUG],
            "external_ids": ["github:acme/payments:pr-812"],
            "fact": "Refunds API 4.2 went to production.",
            "description": "deployment of refunds-api 4.2 with the partial capture fix",
            "details": {"version": "4.2"},
        },
        "supersede_claim": {
            "superseded_by": {
                "subject": "fix:0b7e52d1c4aa",
                "predicate": "RESOLVED",
                "object": _BUG,
                "environment": "prod",
                "fact": "Split the refund along the captures.",
                "description": "Refund fails with 409 after a partial capture; refunds-api; split the refund",
            }
        },
        "merge_duplicate_entities": {
            "subject": "service:refund-api",
            "object": _SERVICE,
            "reason": "Both names were used for one service.",
        },
        "patch_entity": {
            "subject": _SERVICE,
            "reason": "It calls the gateway itself now.",
        },
        "transition_state": {
            "subject": _DECISION,
            "from_state": "proposed",
            "reason": "The team agreed in the architecture meeting.",
        },
    }
)
_RECORD_VALUES: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "symptom_signature": "Refund fails with 409 after a partial capture",
        "fix_steps": ["Read the captured amount again.", "Retry the refund with what is left."],
        "root_cause": "The captured amount was read from a stale cache.",
        "verification_status": "unverified",
        "kind": "runtime_error",
        "attempted_failed_fixes": ["Retry the same refund after a minute."],
        "reproduction_steps": ["Capture a part of an order.", "Refund the whole order."],
        "summary": "Refunds of partly captured orders are rejected by the gateway.",
        "policy_kind": "error_handling",
        "prescription": "Every call to the gateway carries an idempotency key.",
        "code_scope": {"language": "python", "path": "src/gateway/*"},
        "justification_ref": "github:issue:acme/payments:77",
        "title": "Split refunds along the captures",
        "rationale": "The gateway rejects refunds that span captures, and will not change that.",
        "alternatives_rejected": ["Retry until the gateway accepts it."],
        "affects_refs": ["code:refunds-api:src/refunds.py"],
        "target_ref": _FIX,
        "notes": "Tried on staging with three orders.",
    }
)


def template_kinds() -> tuple[str, ...]:
    """Everything that has a template: operations, then record types."""
    return (*MUTATION_OPS, *RECORD_TYPES)


def template(kind: str) -> dict[str, Any]:
    """The filled-in example of an operation or a record type. Raises `InvalidInputError` for another name."""
    if kind in MUTATION_OPS:
        return _operation(kind)
    if kind in RECORD_TYPES:
        return _record(kind)
    raise InvalidInputError(
        f"there is no operation or record {kind!r}.{did_you_mean(kind, template_kinds())}",
        hint=f"Use one of: {', '.join(template_kinds())}.",
        code="unknown_kind",
    )


def _operation(op: str) -> dict[str, Any]:
    """The fields that the operation takes, those that it needs first."""
    allowed = ALLOWED_FIELDS[op] - _LEFT_OUT.get(op, frozenset())
    own = _OF_OP.get(op, {})
    ordered = [*REQUIRED_FIELDS[op], *(name for name in Operation.model_fields if name in allowed)]
    made: dict[str, Any] = {"op": op}
    for name in dict.fromkeys(ordered):
        made[name] = own[name] if name in own else _VALUES[name]
    return made


def _record(kind: str) -> dict[str, Any]:
    """A typed record with every field of its schema; free form with a summary and a field of its own."""
    schema = RECORD_SCHEMAS.get(RECORD_TYPES[kind].schema or "")
    made: dict[str, Any] = {"type": kind}
    if schema is None:
        made |= {
            "summary": "Refunds are paused while the gateway is in maintenance.",
            "title": "Refunds during maintenance",
        }
    else:
        for name in schema.fields:
            made[name] = RECORD_ENUMS[name][0] if name in RECORD_ENUMS else _RECORD_VALUES[name]
    return made | {"scope": {"service": "refunds-api"}, "evidence": _EVIDENCE}
