"""A plan: exact file edits, computed against named versions, that commits once or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from potpie_git.domain.findings import Finding
from potpie_git.domain.vocabulary import Risk


class PlanState(StrEnum):
    VALIDATED = "validated"
    INVALID = "invalid"
    CONFLICT = "conflict"
    REVIEW_REQUIRED = "review_required"
    APPROVED = "approved"
    COMMITTED = "committed"
    EXPIRED = "expired"
    ABANDONED = "abandoned"
    ERROR = "error"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


class FileEdit(_Model):
    """One file of the plan: its path in the pot, the blob it was computed against (None: absent) and its new text."""

    path: str
    before: str | None = None
    after: str
    op_index: int | None = None


class OperationGrade(_Model):
    """What an operation was found to be: its risk and why it is above the ordinary."""

    op_index: int
    op: str
    risk: str
    reasons: list[str] = Field(default_factory=list)


class PlanDiff(_Model):
    """What the plan changes, in the terms of the graph. Claims are listed by id, entities by key, relations as text.

    `claims_unchanged` are assertions that stand already, each with its file; nothing is written for them.
    """

    entity_upserts: list[str] = Field(default_factory=list)
    edge_upserts: list[str] = Field(default_factory=list)
    edge_deletes: list[str] = Field(default_factory=list)
    invalidations: list[dict[str, Any]] = Field(default_factory=list)
    claims_asserted: list[str] = Field(default_factory=list)
    claims_retracted: list[str] = Field(default_factory=list)
    claims_unchanged: dict[str, str] = Field(default_factory=dict)
    claim_keys: list[str] = Field(default_factory=list)


class Plan(_Model):
    """A stored plan. `base_versions` maps each touched subgraph to the git tree id it was computed against.

    `author` is who proposed it, as `Name <address>`: the author of its commit, whoever commits it.
    """

    plan_id: str
    mutation_id: str
    state: PlanState
    created_at: str
    expires_at: str
    head: str | None = None
    branch: str | None = None
    author: str | None = None
    base_versions: dict[str, str | None] = Field(default_factory=dict)
    risk: str = Risk.LOW.label
    grades: list[OperationGrade] = Field(default_factory=list)
    edits: list[FileEdit] = Field(default_factory=list)
    diff: PlanDiff = Field(default_factory=PlanDiff)
    warnings: list[dict[str, Any]] = Field(default_factory=list)
    issues: list[dict[str, Any]] = Field(default_factory=list)
    operations: list[dict[str, Any]] = Field(default_factory=list)
    message: str | None = None
    idempotency_key: str | None = None
    commit: str | None = None
    committed_at: str | None = None

    @property
    def risk_level(self) -> Risk:
        return Risk.from_label(self.risk)


class CommitGate(Protocol):
    """Decides whether a plan may be committed on a ref: who judges approvals implements it, the writer asks it."""

    def missing(self, repository: Any, plan: Plan, ref: str | None) -> Sequence[Finding]:
        """What keeps `plan` from being committed on `ref` (full name; None: detached); empty if nothing does.

        Findings name what is missing and the next command.
        """
