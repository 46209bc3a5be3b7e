"""The read side's vocabulary: subgraphs, includes, intents, views, ranking and nudges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from potpie_git.domain.vocabulary.entities import ENTITY_TYPES
from potpie_git.domain.vocabulary.predicates import PREDICATES, SYSTEM_PREDICATES


@dataclass(frozen=True, slots=True)
class Subgraph:
    name: str
    entities: tuple[str, ...]
    predicates: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class View:
    """A named read. `required_any_scope`: one of these must be given; `filters`: the only ones that it takes."""

    subgraph: str
    name: str
    include: str
    shape: str
    summary: str
    required_any_scope: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    inline_relations: tuple[str, ...] = ()
    ranking_inputs: tuple[str, ...] = ()
    traversal: bool = False

    @property
    def key(self) -> str:
        return f"{self.subgraph}.{self.name}"


_SUBGRAPHS = (
    Subgraph(
        "debugging",
        ("BugPattern", "Fix", "Activity", "Service", "CodeAsset"),
        ("REPRODUCES", "RESOLVED", "ATTEMPTED_FIX_FAILED", "VERIFIED"),
        "Bugs seen before, what resolved them and what did not.",
    ),
    Subgraph(
        "recent_changes",
        ("Activity", "Period", "Person", "Team", "Service", "CodeAsset"),
        ("TOUCHED", "PERFORMED", "AUTHORED", "IN_PERIOD", "MENTIONS"),
        "What happened lately, by whom and to what.",
    ),
    Subgraph(
        "infra_topology",
        (
            "Service",
            "Repository",
            "Environment",
            "DataStore",
            "Cluster",
            "Dependency",
            "APIContract",
            "Adapter",
            "ConfigVariable",
            "DeploymentTarget",
        ),
        (
            "DEFINED_IN",
            "DEPLOYED_TO",
            "DEPENDS_ON",
            "USES",
            "USES_ADAPTER",
            "CONFIGURES",
            "DEPLOYED_WITH",
            "EXPOSES",
            "HOSTED_ON",
            "OWNED_BY",
            "PROVIDES",
        ),
        "What runs where, and what it needs.",
    ),
    Subgraph(
        "decisions",
        ("Preference", "Policy", "Decision", "Repository", "Service", "CodeAsset"),
        ("POLICY_APPLIES_TO", "DECIDED", "AFFECTS"),
        "What was decided, and how the team wants things done.",
    ),
    Subgraph(
        "features",
        ("Feature", "Repository", "Service", "CodeAsset"),
        ("PROVIDES", "IMPLEMENTED_IN"),
        "What users can do, and where it is implemented.",
    ),
    Subgraph(
        "code_topology",
        ("Repository", "Service", "CodeAsset", "Team", "Person"),
        ("OWNED_BY", "MEMBER_OF", "DEFINED_IN"),
        "Who owns what.",
    ),
    Subgraph(
        "knowledge",
        ("Document", "Observation", "Repository", "Service", "CodeAsset"),
        ("RELATED_TO", "MENTIONS", "AFFECTS"),
        "Documents, notes and observations.",
    ),
    Subgraph(
        "admin",
        tuple(ENTITY_TYPES),
        (*PREDICATES, *SYSTEM_PREDICATES),
        "Everything, for inspection.",
    ),
)
SUBGRAPHS: Mapping[str, Subgraph] = MappingProxyType({subgraph.name: subgraph for subgraph in _SUBGRAPHS})

INCLUDES: tuple[str, ...] = (
    "coding_preferences",
    "decisions",
    "docs",
    "features",
    "infra_topology",
    "owners",
    "prior_bugs",
    "raw_graph",
    "timeline",
)

INTENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "feature": ("coding_preferences", "features", "infra_topology", "decisions", "owners", "docs"),
        "debugging": ("prior_bugs", "infra_topology", "timeline"),
        "review": ("coding_preferences", "decisions", "timeline", "owners"),
        "operations": ("infra_topology", "timeline", "owners"),
        "planning": ("infra_topology", "decisions", "timeline", "docs"),
        "docs": ("docs", "decisions"),
        "onboarding": ("infra_topology", "coding_preferences", "docs", "owners"),
        "refactor": ("infra_topology", "coding_preferences", "timeline"),
        "test": ("coding_preferences", "timeline"),
        "security": ("infra_topology", "prior_bugs", "decisions"),
        "unknown": ("infra_topology", "timeline", "decisions"),
    }
)

_ALL_RANKING = ("semantic_similarity", "strength", "recency", "scope_overlap", "corroboration")
_VIEWS = (
    View(
        "decisions",
        "preferences_for_scope",
        "coding_preferences",
        "entity_relations",
        "Which preferences and policies apply to this scope.",
        ("repo", "scope", "service", "path", "query", "language"),
        ("repo", "scope", "service", "path", "file_path", "language", "framework", "audience", "query"),
        ("POLICY_APPLIES_TO",),
        _ALL_RANKING,
    ),
    View(
        "debugging",
        "prior_occurrences",
        "prior_bugs",
        "entity_relations",
        "Whether this symptom was seen before: fixes, failed attempts, verifications.",
        ("query", "service", "repo"),
        ("query", "service", "repo", "since", "until", "time_window", "path", "file_path"),
        ("REPRODUCES", "RESOLVED", "ATTEMPTED_FIX_FAILED", "VERIFIED"),
        ("semantic_similarity", "recency", "scope_overlap", "corroboration"),
    ),
    View(
        "recent_changes",
        "timeline",
        "timeline",
        "events",
        "What changed recently, and who did it.",
        (),
        ("scope", "query", "since", "until", "time_window", "service", "repo", "path", "file_path"),
        ("TOUCHED", "PERFORMED", "MENTIONS"),
        ("semantic_similarity", "recency", "scope_overlap"),
    ),
    View(
        "infra_topology",
        "service_neighborhood",
        "infra_topology",
        "entity_relations",
        "What a service needs, exposes and runs on, by environment.",
        ("service", "anchor_entity_key"),
        (
            "service",
            "anchor_entity_key",
            "depth",
            "direction",
            "environment",
            "include_unqualified_environment",
            "query",
        ),
        (
            "DEPENDS_ON",
            "USES",
            "USES_ADAPTER",
            "CONFIGURES",
            "DEPLOYED_WITH",
            "DEPLOYED_TO",
            "DEFINED_IN",
            "HOSTED_ON",
            "OWNED_BY",
            "EXPOSES",
        ),
        (),
        traversal=True,
    ),
    View(
        "features",
        "feature_context",
        "features",
        "entity_relations",
        "What a feature is, who provides it and where it is implemented.",
        ("scope", "service", "repo", "anchor_entity_key", "query"),
        ("scope", "service", "repo", "anchor_entity_key", "query"),
        ("PROVIDES", "IMPLEMENTED_IN"),
        ("recency", "scope_overlap"),
        traversal=True,
    ),
    View(
        "admin",
        "inspection_slice",
        "raw_graph",
        "raw_graph",
        "Every live claim, for inspection.",
    ),
    View(
        "decisions",
        "active_decisions",
        "decisions",
        "flat_claims",
        "Decisions that stand for a scope, with rationale and rejected alternatives.",
        ("scope", "query", "service", "repo", "path"),
        ("scope", "query", "service", "repo", "path", "file_path"),
        ("DECIDED", "AFFECTS"),
        ("semantic_similarity", "recency"),
    ),
    View(
        "code_topology",
        "ownership_by_path",
        "owners",
        "entity_relations",
        "Who owns a path, a service or a repository.",
        ("scope", "path", "repo", "service", "anchor_entity_key"),
        ("scope", "path", "file_path", "repo", "service", "anchor_entity_key"),
        ("OWNED_BY", "MEMBER_OF"),
        (),
    ),
    View(
        "knowledge",
        "document_context",
        "docs",
        "flat_claims",
        "Documents, runbooks and notes for a scope.",
        ("scope", "query", "service", "repo", "path"),
        ("scope", "query", "service", "repo", "path", "file_path"),
        (),
        ("semantic_similarity",),
    ),
)
VIEWS: Mapping[str, View] = MappingProxyType({view.key: view for view in _VIEWS})
VIEW_BY_INCLUDE: Mapping[str, View] = MappingProxyType({view.include: view for view in _VIEWS})

RANKING_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "semantic_similarity": 1.3,
        "strength": 1.2,
        "scope_overlap": 1.1,
        "recency": 1.0,
        "corroboration": 0.8,
        "coverage_quality": 0.5,
    }
)
MISSING_FACTOR = 0.5
MISSING_COVERAGE_QUALITY = 0.75
HALF_LIFE_DAYS = 30.0
FRESH_HALF_LIFE_FACTOR = 0.5
HISTORICAL_HALF_LIFE_FACTOR = 4.0
COVERAGE_QUALITY: Mapping[str, float] = MappingProxyType(
    {"complete": 1.0, "partial": 0.65, "sparse": 0.4, "empty": 0.1}
)
MAX_TRAVERSAL_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Nudge:
    """What an event of an agent's session reads, what it turns into a query, or what it asks the agent to do."""

    event: str
    reads: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    instructs: str | None = None


_NUDGES = (
    Nudge("session_start", ("decisions.active_decisions", "decisions.preferences_for_scope")),
    Nudge(
        "pre_edit",
        ("decisions.preferences_for_scope", "debugging.prior_occurrences"),
        ("debugging.prior_occurrences",),
    ),
    Nudge("pre_deploy", ("infra_topology.service_neighborhood",)),
    Nudge(
        "test_failed",
        ("debugging.prior_occurrences", "recent_changes.timeline"),
        ("debugging.prior_occurrences",),
    ),
    Nudge("test_passed", instructs="record the bug pattern and its fix"),
    Nudge("stop", instructs="record durable learnings"),
)
NUDGES: Mapping[str, Nudge] = MappingProxyType({nudge.event: nudge for nudge in _NUDGES})
