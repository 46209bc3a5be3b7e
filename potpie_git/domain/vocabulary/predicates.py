"""Predicates: which entity types they join, the subgraph where their claims are filed, and how they behave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from potpie_git.domain.vocabulary.entities import ACTIVITY_TYPES, ENTITY_TYPES, SCOPE_TYPES

# In a pair, "@Scope" stands for any entity type with scope, "@Activity" for any activity, "*" for any type.
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Predicate:
    """One predicate. `singleton`: one live object per subject and environment; `family`: predicates that compete."""

    name: str
    category: str
    subgraph: str
    pairs: tuple[Pair, ...]
    phrase: str
    singleton: bool = False
    family: str | None = None
    exclusive_family: str | None = None
    public: bool = True

    def accepts(self, subject_type: str, object_type: str | None) -> bool:
        """True if a claim of this predicate may join these types (no object type: a value claim)."""
        return any(
            _matches(left, subject_type) and (object_type is None or _matches(right, object_type))
            for left, right in self.pairs
        )

    def subject_types(self) -> tuple[str, ...]:
        return tuple(name for name in ENTITY_TYPES if any(_matches(left, name) for left, _ in self.pairs))

    def object_types(self, subject_type: str | None = None) -> tuple[str, ...]:
        pairs = [pair for pair in self.pairs if subject_type is None or _matches(pair[0], subject_type)]
        return tuple(name for name in ENTITY_TYPES if any(_matches(right, name) for _, right in pairs))


def _matches(pattern: str, type_name: str) -> bool:
    if pattern == "*":
        return type_name in ENTITY_TYPES
    if pattern == "@Scope":
        return type_name in SCOPE_TYPES
    if pattern == "@Activity":
        return type_name in ACTIVITY_TYPES
    return pattern == type_name


_INFRA, _CODE, _DEBUG, _DECISIONS, _RECENT = (
    "infra_topology",
    "code_topology",
    "debugging",
    "decisions",
    "recent_changes",
)

_DECLARED = (
    Predicate("DEFINED_IN", "topology", _INFRA, (("Service", "Repository"),), "is defined in"),
    Predicate(
        "DEPLOYED_TO",
        "topology",
        _INFRA,
        (("Service", "Environment"),),
        "is deployed to",
        family="deployment_target",
    ),
    Predicate("DEPENDS_ON", "topology", _INFRA, (("Service", "Service"),), "depends on"),
    Predicate(
        "USES",
        "topology",
        _INFRA,
        (("Service", "DataStore"), ("Service", "Dependency")),
        "uses",
        family="datastore_binding",
    ),
    Predicate(
        "USES_ADAPTER",
        "topology",
        _INFRA,
        (("Service", "Adapter"),),
        "uses the adapter",
        family="adapter_binding",
    ),
    Predicate(
        "CONFIGURES",
        "topology",
        _INFRA,
        (("Service", "ConfigVariable"), ("Adapter", "ConfigVariable")),
        "is configured by",
        family="config_binding",
    ),
    Predicate(
        "DEPLOYED_WITH",
        "topology",
        _INFRA,
        (("Service", "DeploymentTarget"),),
        "is deployed with",
        family="deployment_mechanism",
    ),
    Predicate("EXPOSES", "topology", _INFRA, (("Service", "APIContract"),), "exposes"),
    Predicate(
        "HOSTED_ON",
        "topology",
        _INFRA,
        (("Environment", "Cluster"), ("DeploymentTarget", "Cluster")),
        "is hosted on",
        family="deployment_target",
    ),
    Predicate(
        "PROVIDES", "topology", "features", (("Repository", "Feature"), ("Service", "Feature")), "provides"
    ),
    Predicate(
        "IMPLEMENTED_IN",
        "topology",
        "features",
        (("Feature", "Repository"), ("Feature", "Service"), ("Feature", "CodeAsset")),
        "is implemented in",
    ),
    Predicate(
        "OWNED_BY",
        "ownership",
        _CODE,
        (("Service", "Team"), ("Service", "Person"), ("Repository", "Team"), ("Repository", "Person")),
        "is owned by",
        singleton=True,
        family="owner_binding",
        exclusive_family="owner_binding",
    ),
    Predicate("MEMBER_OF", "people", _CODE, (("Person", "Team"),), "is a member of"),
    Predicate(
        "TOUCHED", "timeline", _RECENT, (("@Activity", "@Scope"), ("@Activity", "CodeAsset")), "touched"
    ),
    Predicate(
        "PERFORMED", "timeline", _RECENT, (("Person", "@Activity"), ("Team", "@Activity")), "performed"
    ),
    Predicate("AUTHORED", "timeline", _RECENT, (("Person", "@Activity"), ("Team", "@Activity")), "authored"),
    Predicate("IN_PERIOD", "timeline", _RECENT, (("@Activity", "Period"),), "happened in"),
    Predicate("MENTIONS", "timeline", _RECENT, (("@Activity", "*"),), "mentions"),
    Predicate(
        "POLICY_APPLIES_TO",
        "memory",
        _DECISIONS,
        (
            ("Preference", "@Scope"),
            ("Preference", "CodeAsset"),
            ("Policy", "@Scope"),
            ("Policy", "CodeAsset"),
        ),
        "applies to",
        family="policy_binding",
    ),
    Predicate(
        "REPRODUCES",
        "memory",
        _DEBUG,
        (("BugPattern", "@Scope"), ("BugPattern", "CodeAsset")),
        "reproduces in",
    ),
    Predicate("RESOLVED", "memory", _DEBUG, (("Fix", "BugPattern"),), "resolved", family="fix_outcome"),
    Predicate(
        "ATTEMPTED_FIX_FAILED",
        "memory",
        _DEBUG,
        (("Fix", "BugPattern"),),
        "was tried and failed on",
        family="fix_outcome",
    ),
    Predicate(
        "VERIFIED", "memory", _DEBUG, (("@Activity", "Fix"), ("Person", "Fix"), ("Team", "Fix")), "verified"
    ),
    Predicate("DECIDED", "memory", _DECISIONS, (("Decision", "@Scope"),), "was decided for"),
    Predicate(
        "AFFECTS",
        "memory",
        _DECISIONS,
        (("Decision", "@Scope"), ("Decision", "CodeAsset"), ("Decision", "*")),
        "affects",
    ),
    Predicate("RELATED_TO", "generic", "admin", (("*", "*"),), "is related to", public=False),
)

PREDICATES: Mapping[str, Predicate] = MappingProxyType({predicate.name: predicate for predicate in _DECLARED})

# Written by the system, never asserted by a caller. SUPERSEDES joins two claims, ALIAS_OF two entities of one type.
SYSTEM_PREDICATES: Mapping[str, str] = MappingProxyType(
    {"SUPERSEDES": "supersedes", "ALIAS_OF": "is an alias of"}
)
SYSTEM_SUBGRAPH = "admin"


def subgraph_of(predicate: str) -> str:
    """The subgraph in which a predicate's claims are filed."""
    declared = PREDICATES.get(predicate)
    return declared.subgraph if declared else SYSTEM_SUBGRAPH


def phrase_of(predicate: str) -> str:
    """The predicate as words between a subject and an object."""
    declared = PREDICATES.get(predicate)
    return (
        declared.phrase if declared else SYSTEM_PREDICATES.get(predicate, predicate.lower().replace("_", " "))
    )
