"""Semantic operations: what a caller speaks. Parsing only; what an operation may do is judged when it is proposed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import MUTATION_OPS

MAX_OPERATIONS = 10_000


class _Input(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=False, defer_build=True)


class Endpoint(_Input):
    """An end of a claim: a key, or a type (with a name) whose key is minted; the rest authors an entity file."""

    key: str | None = None
    type: str | None = None
    name: str | None = None
    summary: str | None = None
    description: str | None = None
    properties: dict[str, str | list[str]] | None = None

    @property
    def authored(self) -> bool:
        """True if the caller says something about the entity, so that it gets a file."""
        return any((self.name, self.summary, self.description, self.properties))


class EvidenceInput(_Input):
    source_ref: str
    authority: str | None = None
    quote: str | None = None
    note: str | None = None


class ActorInput(_Input):
    surface: str | None = None
    harness: str | None = None
    user: str | None = None


class Operation(_Input):
    """One operation, flat. Which fields an `op` needs is in `REQUIRED_FIELDS`; which it takes, in `ALLOWED_FIELDS`."""

    op: str
    claim: str | None = None
    subject: Endpoint | None = None
    predicate: str | None = None
    object: Endpoint | None = None
    value: str | None = None
    truth: str | None = None
    confidence: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)] | None = None
    evidence: list[EvidenceInput] | None = None
    fact: str | None = None
    description: str | None = None
    environment: str | None = None
    code_scope: dict[str, str | list[str]] | None = None
    details: dict[str, str | list[str] | list[dict[str, str]]] | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    observed_at: str | None = None
    source_system: str | None = None
    source_kind: str | None = None
    source_event: str | None = None
    reinstates: str | None = None
    reason: str | None = None
    superseded_by: str | Operation | None = None
    patch: dict[str, str] | None = None
    expected_entity_version: str | None = None
    from_state: str | None = None
    to_state: str | None = None
    external_ids: list[str] | None = None
    verb: str | None = None
    occurred_at: str | None = None
    actor: str | ActorInput | None = None
    targets: list[Endpoint] | None = None
    mentions: list[Endpoint] | None = None

    @field_validator("subject", "object", mode="before")
    @classmethod
    def _endpoint(cls, given: Any) -> Any:
        return {"key": given} if isinstance(given, str) else given

    @field_validator("targets", "mentions", mode="before")
    @classmethod
    def _endpoints(cls, given: Any) -> Any:
        if isinstance(given, list):
            return [{"key": item} if isinstance(item, str) else item for item in given]
        return given

    @field_validator("evidence", mode="before")
    @classmethod
    def _references(cls, given: Any) -> Any:
        if isinstance(given, list):
            return [{"source_ref": item} if isinstance(item, str) else item for item in given]
        return given

    @field_validator("code_scope", mode="before")
    @classmethod
    def _paths(cls, given: Any) -> Any:
        return {"path": given} if isinstance(given, list) else given

    @field_validator("superseded_by", mode="before")
    @classmethod
    def _replacement(cls, given: Any) -> Any:
        return {"op": "assert_claim", **given} if isinstance(given, Mapping) else given


_CLAIM_FIELDS = frozenset(
    {
        "subject",
        "predicate",
        "object",
        "value",
        "truth",
        "confidence",
        "evidence",
        "fact",
        "description",
        "environment",
        "code_scope",
        "details",
        "valid_from",
        "valid_until",
        "observed_at",
        "source_system",
        "source_kind",
        "source_event",
        "reinstates",
        "reason",
        "actor",
    }
)
_TARGET_FIELDS = frozenset({"claim", "subject", "predicate", "object", "value", "environment"})
_WITHDRAWAL_FIELDS = _TARGET_FIELDS | {
    "reason",
    "valid_until",
    "evidence",
    "actor",
    "description",
    "source_event",
}
ALLOWED_FIELDS: Mapping[str, frozenset[str]] = {
    "upsert_entity": frozenset(
        {"subject", "description", "external_ids", "to_state", "actor", "source_system", "evidence", "reason"}
    ),
    "link_entities": _CLAIM_FIELDS,
    "assert_claim": _CLAIM_FIELDS,
    "append_event": _CLAIM_FIELDS - {"predicate", "object", "value"}
    | {"verb", "occurred_at", "targets", "mentions", "external_ids"},
    "end_relation_validity": _WITHDRAWAL_FIELDS,
    "retract_claim": _WITHDRAWAL_FIELDS,
    "supersede_claim": _WITHDRAWAL_FIELDS | {"superseded_by"},
    "merge_duplicate_entities": frozenset(
        {"subject", "object", "reason", "external_ids", "actor", "evidence"}
    ),
    "patch_entity": frozenset({"subject", "patch", "expected_entity_version", "reason", "actor", "evidence"}),
    "transition_state": frozenset(
        {"subject", "from_state", "to_state", "reason", "expected_entity_version", "actor", "evidence"}
    ),
}
REQUIRED_FIELDS: Mapping[str, tuple[str, ...]] = {
    "upsert_entity": ("subject",),
    "link_entities": ("subject", "predicate", "object"),
    "assert_claim": ("subject", "predicate"),
    "append_event": ("verb", "occurred_at"),
    "end_relation_validity": ("reason",),
    "retract_claim": ("reason",),
    "supersede_claim": ("reason", "superseded_by"),
    "merge_duplicate_entities": ("subject", "object", "reason", "external_ids"),
    "patch_entity": ("subject", "patch"),
    "transition_state": ("subject", "to_state", "reason"),
}


def parse_payload(payload: Any) -> tuple[list[Operation | None], list[dict[str, Any]]]:
    """Operations of a payload, `{operations: [...]}` or one operation alone, with every failure to parse them.

    Each failure is `{code, op_index, field, message, hint}`; the operation at a failed index is None.
    """
    if isinstance(payload, Mapping) and "operations" in payload:
        extra = sorted(set(payload) - {"operations", "idempotency_key", "source_system", "actor"})
        if extra:
            return [], [
                _issue(
                    "unknown_field",
                    None,
                    extra[0],
                    f"a payload has no field {extra[0]!r}",
                    "Send {operations: [...]} alone.",
                )
            ]
        given = payload["operations"]
    elif isinstance(payload, Mapping) and "op" in payload:
        given = [payload]
    else:
        hint = "Send one operation with an `op`, or {operations: [...]}; wrappers do not nest."
        return [], [_issue("malformed_payload", None, None, "the payload holds no operations", hint)]
    if not isinstance(given, list) or not given:
        return [], [
            _issue(
                "malformed_payload",
                None,
                "operations",
                "operations is not a list with at least one item",
                "Send a list.",
            )
        ]
    if len(given) > MAX_OPERATIONS:
        message = f"{len(given)} operations are more than {MAX_OPERATIONS} in one batch"
        return [], [
            _issue("too_many_operations", None, "operations", message, "Use `git potpie graph bulk apply`.")
        ]
    operations: list[Operation | None] = []
    issues: list[dict[str, Any]] = []
    for index, item in enumerate(given):
        operation, found = _parse_one(item, index)
        operations.append(operation)
        issues += found
    return operations, issues


def _parse_one(item: Any, index: int) -> tuple[Operation | None, list[dict[str, Any]]]:
    if not isinstance(item, Mapping):
        return None, [
            _issue(
                "malformed_operation",
                index,
                None,
                "an operation is not an object",
                "Send an object with an `op`.",
            )
        ]
    name = item.get("op")
    if not isinstance(name, str) or name not in MUTATION_OPS:
        near = did_you_mean(str(name), MUTATION_OPS) if name else ""
        hint = f"Use one of: {', '.join(MUTATION_OPS)}."
        return None, [_issue("unknown_op", index, "op", f"{name!r} is not an operation.{near}", hint)]
    issues = [
        _issue(
            "unknown_field",
            index,
            field,
            f"{name} takes no field {field!r}.{did_you_mean(str(field), ALLOWED_FIELDS[name])}",
            f"It takes: {', '.join(sorted(ALLOWED_FIELDS[name]))}.",
        )
        for field in item
        if field != "op" and field not in ALLOWED_FIELDS[name]
    ]
    missing = [field for field in REQUIRED_FIELDS[name] if item.get(field) in (None, "", [], {})]
    issues += [_missing(name, index, field) for field in missing]
    known = {field: held for field, held in item.items() if field == "op" or field in ALLOWED_FIELDS[name]}
    try:
        operation = Operation.model_validate(known)
    except ValidationError as error:
        return None, issues + [_pydantic_issue(index, fault) for fault in _told(error, known)]
    return (operation if not issues else None), issues


def _missing(name: str, index: int, field: str) -> dict[str, Any]:
    if field == "reason":
        return _issue(
            "reason_required",
            index,
            field,
            f"{name} needs a reason",
            "Say why, in a sentence for the reviewer.",
        )
    return _issue(
        "missing_field",
        index,
        field,
        f"{name} needs {field}",
        f"Add {field}; see `git potpie graph mutation-template --kind {name}`.",
    )


def _told(error: ValidationError, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Pydantic's faults without those of the branch of a union that the caller did not take."""
    taken, other = (
        ("Operation", "str") if isinstance(given.get("superseded_by"), Mapping) else ("str", "Operation")
    )
    faults = []
    for fault in error.errors(include_url=False):
        place = fault["loc"]
        if place[:1] == ("superseded_by",) and len(place) > 1:
            if place[1] == other:
                continue
            place = tuple(part for part in place if part != taken)
        faults.append({**fault, "loc": place})
    return faults


def _pydantic_issue(index: int, fault: Mapping[str, Any]) -> dict[str, Any]:
    where = ".".join(str(part) for part in fault["loc"])
    code = "unknown_field" if fault["type"] == "extra_forbidden" else "malformed_field"
    if where == "confidence":
        code = "confidence_out_of_range"
    return _issue(code, index, where, f"{where}: {fault['msg']}", "See `git potpie graph mutation-template`.")


def _issue(code: str, index: int | None, field: str | None, message: str, hint: str) -> dict[str, Any]:
    return {"code": code, "op_index": index, "field": field, "message": message, "hint": hint}


def parse_json_payload(text: str | bytes) -> Any:
    """A payload's JSON with duplicate keys refused. Raises `ValueError` with line and column."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for key, held in pairs:
            if key in seen:
                raise ValueError(f"the key {key!r} stands twice in one object")
            seen[key] = held
        return seen

    try:
        return json.loads(text, object_pairs_hook=unique)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
