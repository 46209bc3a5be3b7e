"""Entity types: what a key may name, how its identity is made, and which facts stay fresh for how long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Identity = Literal["slug_alias", "external_id", "content_hash"]


@dataclass(frozen=True, slots=True)
class EntityType:
    """One entity type. `key_pattern` shows the parts of its key; `ttl_hours` is how long its facts stay fresh."""

    name: str
    category: str
    key_prefix: str
    key_pattern: str
    identity: Identity
    fact_family: str
    source_of_truth: str
    ttl_hours: int
    summary: str
    scope: bool = False
    activity: bool = False
    public: bool = True
    lifecycle: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_CODE_TRUTH = "authoritative_code_truth"
_MEMORY = "canonicalized_memory"
_EXTERNAL = "authoritative_external_truth"
_INFERENCE = "soft_inference"
_WEEK, _FORTNIGHT, _MONTH, _QUARTER, _HALF_YEAR = 168, 336, 720, 2016, 4032

_POLICY_LIFECYCLE = {"active": ("deprecated",), "deprecated": (), "proposed": ("active", "deprecated")}
_DECISION_LIFECYCLE = {
    "accepted": ("deprecated", "superseded"),
    "deprecated": (),
    "proposed": ("accepted", "rejected"),
    "rejected": (),
    "superseded": ("deprecated",),
}


def _topology(
    name: str, prefix: str, pattern: str, identity: Identity, summary: str, *, scope: bool = False
) -> EntityType:
    return EntityType(
        name, "topology", prefix, pattern, identity, "topology", _CODE_TRUTH, _WEEK, summary, scope=scope
    )


_DECLARED = (
    _topology(
        "Repository", "repo", "repo:<host>/<org>/<name>", "slug_alias", "A source repository.", scope=True
    ),
    _topology(
        "Service", "service", "service:<slug>", "slug_alias", "A deployable unit that runs.", scope=True
    ),
    _topology(
        "Environment",
        "environment",
        "environment:<slug>",
        "slug_alias",
        "A place where services run, such as staging.",
        scope=True,
    ),
    _topology(
        "DataStore",
        "datastore",
        "datastore:<slug>",
        "slug_alias",
        "A database, queue, bucket or cache.",
        scope=True,
    ),
    _topology(
        "Cluster",
        "cluster",
        "cluster:<slug>",
        "slug_alias",
        "A group of hosts that runs workloads.",
        scope=True,
    ),
    _topology(
        "Dependency",
        "dependency",
        "dependency:<ecosystem>:<name>",
        "external_id",
        "A third-party package or service.",
    ),
    _topology(
        "APIContract",
        "api_contract",
        "api_contract:<service>:<method>:<path>",
        "external_id",
        "One endpoint that a service promises.",
    ),
    _topology(
        "Adapter", "adapter", "adapter:<domain>:<slug>", "slug_alias", "An implementation behind a port."
    ),
    _topology(
        "ConfigVariable",
        "config",
        "config:<service-or-env>:<name>",
        "slug_alias",
        "A setting that changes behaviour.",
    ),
    _topology(
        "DeploymentTarget",
        "deployment_target",
        "deployment_target:<environment>:<slug>",
        "slug_alias",
        "Where and how a service is rolled out.",
        scope=True,
    ),
    EntityType(
        "CodeAsset",
        "code",
        "code",
        "code:<repo-or-service>:<path-or-symbol>",
        "slug_alias",
        "code",
        _CODE_TRUTH,
        _WEEK,
        "A file, module or symbol.",
    ),
    EntityType(
        "Feature",
        "product",
        "feature",
        "feature:<slug>",
        "slug_alias",
        "product",
        _MEMORY,
        _QUARTER,
        "Something that users can do.",
    ),
    EntityType(
        "Team",
        "people",
        "team",
        "team:<slug>",
        "slug_alias",
        "ownership",
        _CODE_TRUTH,
        _WEEK,
        "A group that owns things.",
    ),
    EntityType(
        "Person",
        "people",
        "person",
        "person:<handle>",
        "slug_alias",
        "ownership",
        _CODE_TRUTH,
        _WEEK,
        "Somebody who writes, reviews or owns.",
    ),
    EntityType(
        "Activity",
        "timeline",
        "activity",
        "activity:<source>:<id>",
        "external_id",
        "timeline",
        _EXTERNAL,
        _FORTNIGHT,
        "Something that happened: a commit, a merge, a deployment, an incident.",
        activity=True,
    ),
    EntityType(
        "Period",
        "timeline",
        "period",
        "timeline:period:daily:<pot>:<yyyy-mm-dd>",
        "slug_alias",
        "timeline",
        _EXTERNAL,
        _FORTNIGHT,
        "A day of the timeline.",
    ),
    EntityType(
        "Preference",
        "memory",
        "preference",
        "preference:<slug>",
        "slug_alias",
        "preference",
        _MEMORY,
        _QUARTER,
        "How the team wants something done.",
    ),
    EntityType(
        "Policy",
        "memory",
        "policy",
        "policy:<slug>",
        "slug_alias",
        "preference",
        _MEMORY,
        _QUARTER,
        "A rule that binds.",
        lifecycle=_POLICY_LIFECYCLE,
    ),
    EntityType(
        "BugPattern",
        "memory",
        "bug_pattern",
        "bug_pattern:<slug>",
        "slug_alias",
        "bugs",
        _MEMORY,
        _QUARTER,
        "A symptom that comes back.",
    ),
    EntityType(
        "Fix",
        "memory",
        "fix",
        "fix:<hash>",
        "content_hash",
        "bugs",
        _MEMORY,
        _QUARTER,
        "What was done about a bug pattern.",
    ),
    EntityType(
        "Decision",
        "memory",
        "decision",
        "decision:<hash>",
        "content_hash",
        "decisions",
        _MEMORY,
        _HALF_YEAR,
        "A choice, with its rationale and what was rejected.",
        lifecycle=_DECISION_LIFECYCLE,
    ),
    EntityType(
        "Document",
        "evidence",
        "document",
        "document:<hash>",
        "content_hash",
        "evidence",
        _MEMORY,
        _MONTH,
        "A text worth finding again.",
        public=False,
    ),
    EntityType(
        "Observation",
        "evidence",
        "observation",
        "observation:<hash>",
        "content_hash",
        "evidence",
        _INFERENCE,
        _MONTH,
        "A signal that somebody saw.",
        public=False,
    ),
    EntityType(
        "QualityIssue",
        "hygiene",
        "quality",
        "quality:<hash>",
        "content_hash",
        "evidence",
        _INFERENCE,
        _MONTH,
        "A flaw of the memory itself.",
        public=False,
    ),
)

ENTITY_TYPES: Mapping[str, EntityType] = MappingProxyType({entity.name: entity for entity in _DECLARED})
ENTITY_TYPE_BY_PREFIX: Mapping[str, EntityType] = MappingProxyType(
    {entity.key_prefix: entity for entity in _DECLARED}
)
SCOPE_TYPES: frozenset[str] = frozenset(entity.name for entity in _DECLARED if entity.scope)
ACTIVITY_TYPES: frozenset[str] = frozenset(entity.name for entity in _DECLARED if entity.activity)
PATCHABLE_ENTITY_FIELDS: tuple[str, ...] = ("name", "title", "summary", "description")
