"""Record types: the typed shapes that a caller may hand over instead of operations, and how they are lowered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class RecordSchema:
    """Fields of a typed record: names that must be given, names that may be, and values taken by default."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)

    @property
    def fields(self) -> tuple[str, ...]:
        return self.required + self.optional


@dataclass(frozen=True, slots=True)
class RecordType:
    """A record type: the entity it anchors on, the predicate it emits, its schema and the include that reads it."""

    name: str
    anchor: str
    summary: str
    emits: str | None = None
    schema: str | None = None
    include: str | None = None


RECORD_SCHEMAS: Mapping[str, RecordSchema] = MappingProxyType(
    {
        "fix": RecordSchema(
            ("symptom_signature", "fix_steps"),
            ("root_cause", "verification_status", "kind", "scope_kind", "attempted_failed_fixes"),
            {"verification_status": "unverified"},
        ),
        "bug_pattern": RecordSchema(
            ("kind", "symptom_signature", "summary"), ("scope_kind", "reproduction_steps")
        ),
        "preference": RecordSchema(
            ("policy_kind", "prescription"),
            ("code_scope", "strength", "audience", "justification_ref"),
            {"strength": "soft", "audience": "team"},
        ),
        "decision": RecordSchema(
            ("title", "summary", "rationale"), ("alternatives_rejected", "affects_refs")
        ),
        "verification": RecordSchema(("target_ref", "outcome"), ("notes",)),
    }
)
# Fields that hold several texts; every other field holds one.
RECORD_LIST_FIELDS: frozenset[str] = frozenset(
    {"fix_steps", "attempted_failed_fixes", "reproduction_steps", "alternatives_rejected", "affects_refs"}
)
RECORD_ENUMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "outcome": ("worked", "didnt_work", "partial"),
        "strength": ("hard", "strong", "soft"),
        "audience": ("team", "service", "project", "global"),
        "scope_kind": ("service", "component", "feature", "module", "language", "framework", "global"),
    }
)

_DECLARED = (
    RecordType(
        "preference",
        "Preference",
        "How the team wants something done.",
        "POLICY_APPLIES_TO",
        "preference",
        "coding_preferences",
    ),
    RecordType(
        "policy", "Policy", "A rule that binds.", "POLICY_APPLIES_TO", "preference", "coding_preferences"
    ),
    RecordType(
        "bug_pattern", "BugPattern", "A symptom that comes back.", "REPRODUCES", "bug_pattern", "prior_bugs"
    ),
    RecordType("fix", "Fix", "What resolved a bug, and what did not.", "RESOLVED", "fix", "prior_bugs"),
    RecordType(
        "verification",
        "Activity",
        "Whether a fix worked when it was tried.",
        "VERIFIED",
        "verification",
        "prior_bugs",
    ),
    RecordType(
        "decision", "Decision", "A choice, why, and what was rejected.", "DECIDED", "decision", "decisions"
    ),
    RecordType("investigation", "Document", "What was looked into and what came of it."),
    RecordType("diagnostic_signal", "Observation", "A signal worth watching for."),
    RecordType("workflow", "Document", "How something is done here."),
    RecordType("feature_note", "Document", "A note about a feature."),
    RecordType("service_note", "Document", "A note about a service."),
    RecordType("runbook_note", "Document", "What to do when something happens."),
    RecordType("integration_note", "Document", "A note about a system that we talk to."),
    RecordType("incident_summary", "Document", "What happened in an incident."),
    RecordType("doc_reference", "Document", "A document that stands elsewhere.", include="docs"),
)
RECORD_TYPES: Mapping[str, RecordType] = MappingProxyType({record.name: record for record in _DECLARED})
FREE_FORM_ANCHOR = "Document"
