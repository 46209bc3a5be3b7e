"""JSON Schemas of every governed file, derived from the models and the vocabulary (JSON Schema 2020-12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from potpie_git.domain.approval import Approval
from potpie_git.domain.claim import SCOPE_DIMENSIONS, Claim
from potpie_git.domain.files import Entity, InboxItem, Policy, Pot, Tombstone
from potpie_git.domain.keys import MAX_KEY_BYTES
from potpie_git.domain.layout import FileKind
from potpie_git.domain.mutation import REQUIRED_FIELDS, Operation
from potpie_git.domain.vocabulary import (
    ENTITY_TYPE_BY_PREFIX,
    ENTITY_TYPES,
    MUTATION_OPS,
    PREDICATES,
    SOURCE_AUTHORITIES,
    SYSTEM_PREDICATES,
    TRUTH_STRENGTH,
    WITHDRAWING_OPS,
)

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILE_MODELS: Mapping[FileKind, type[BaseModel]] = {
    FileKind.CLAIM: Claim,
    FileKind.ENTITY: Entity,
    FileKind.TOMBSTONE: Tombstone,
    FileKind.APPROVAL: Approval,
    FileKind.INBOX: InboxItem,
    FileKind.POT: Pot,
    FileKind.POLICY: Policy,
}
_TIME_PATTERN = r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s*([Zz]|[+-]\d{2}:?\d{2})$"
_TIME_FIELDS = frozenset(
    {"valid_from", "valid_until", "observed_at", "valid_to", "recorded_at", "created_at", "at", "revoked"}
)
_CLAIM_ID_PATTERN = r"^c-[0-9a-f]{32}$"


def _key_schema() -> dict[str, Any]:
    prefixes = "|".join(sorted({*ENTITY_TYPE_BY_PREFIX, "timeline:period", "claim"}))
    return {"type": "string", "pattern": f"^({prefixes}):.+$", "maxLength": MAX_KEY_BYTES}


def _field_rules() -> dict[str, dict[str, Any]]:
    """What the vocabulary says about fields of a name, wherever they stand."""
    return {
        "predicate": {"enum": [*PREDICATES, *SYSTEM_PREDICATES]},
        "truth": {"enum": list(TRUTH_STRENGTH)},
        "authority": {"enum": list(SOURCE_AUTHORITIES)},
        "type": {"enum": list(ENTITY_TYPES)},
        "subject": _key_schema(),
        "object": _key_schema(),
        "key": _key_schema(),
        "id": {"type": "string"},
        **{name: {"type": "string", "pattern": _TIME_PATTERN} for name in _TIME_FIELDS},
    }


def file_schema(kind: FileKind) -> dict[str, Any]:
    """The schema of one kind of file. Raises `KeyError` for a kind that is no YAML record."""
    model = FILE_MODELS[kind]
    schema = model.model_json_schema(mode="validation")
    rules = _field_rules()
    for part in (schema, *schema.get("$defs", {}).values()):
        for name, held in part.get("properties", {}).items():
            _narrow(held, rules.get(name, {}))
    if model is Claim:
        _claim_rules(schema)
    ordered = {"$schema": DIALECT, "$id": f"potpie-git/{kind.value}.schema.json", **schema}
    narrowed: dict[str, Any] = _without_nulls(ordered)
    return narrowed


def operation_schema() -> dict[str, Any]:
    """The schema of one operation, as callers may write it: an endpoint or a reference may be its key alone."""
    schema = Operation.model_json_schema(mode="validation")
    parts = schema["$defs"]
    parts["Endpoint"] = {"anyOf": [{"type": "string", "description": "A key."}, parts["Endpoint"]]}
    parts["EvidenceInput"] = {
        "anyOf": [{"type": "string", "description": "A reference."}, parts["EvidenceInput"]]
    }
    own = parts["Operation"]["properties"]
    own["op"] = {
        "enum": list(MUTATION_OPS),
        "description": "; ".join(f"{name} needs {', '.join(REQUIRED_FIELDS[name])}" for name in MUTATION_OPS),
    }
    replacement = "The assertion that stands instead; its op may be left out."
    own["superseded_by"] = {"anyOf": [{"type": "string"}, {"type": "object", "description": replacement}]}
    for name, known in (("predicate", PREDICATES), ("truth", TRUTH_STRENGTH)):
        own[name] = {"enum": list(known)}
    narrowed: dict[str, Any] = _without(_without_nulls(schema), "title", "default")
    return narrowed


def _without(node: Any, *annotations: str) -> Any:
    """A schema without some of its annotations; properties of that name are kept."""
    if isinstance(node, list):
        return [_without(item, *annotations) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        name: {key: _without(part, *annotations) for key, part in held.items()}
        if name == "properties"
        else _without(held, *annotations)
        for name, held in node.items()
        if name not in annotations
    }


def _narrow(held: dict[str, Any], rule: Mapping[str, Any]) -> None:
    """Add a rule to a property; an optional one is `anyOf [text, null]` in pydantic's output."""
    if not rule or held.get("type") == "array":
        return
    held.update(rule)


def _claim_rules(schema: dict[str, Any]) -> None:
    properties = schema["properties"]
    properties["id"]["pattern"] = _CLAIM_ID_PATTERN
    for option in properties["code_scope"].get("anyOf", ()):
        if option.get("type") == "object":
            option["propertyNames"] = {"enum": list(SCOPE_DIMENSIONS)}
    schema["$defs"]["Invalidation"]["properties"]["op"]["enum"] = sorted(
        WITHDRAWING_OPS | {"merge_duplicate_entities"}
    )
    schema["oneOf"] = [{"required": ["object"]}, {"required": ["value"]}]
    schema["dependentRequired"] = {
        "valid_to": ["invalidation"],
        "invalidation": ["valid_to"],
        "reinstates": ["reinstate_reason"],
        "reinstate_reason": ["reinstates"],
    }


def _without_nulls(node: Any) -> Any:
    """Absent fields are left out of a file and never written as null, so no schema offers null."""
    if isinstance(node, list):
        return [_without_nulls(item) for item in node]
    if not isinstance(node, dict):
        return node
    options = node.get("anyOf")
    kept = {
        name: _without_nulls(held) for name, held in node.items() if not (name == "default" and held is None)
    }
    if options and {"type": "null"} in options:
        left = [_without_nulls(option) for option in options if option != {"type": "null"}]
        kept.pop("anyOf")
        if len(left) == 1:
            return {**left[0], **kept}
        kept["anyOf"] = left
    return kept
