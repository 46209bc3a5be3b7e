"""What the writer hands back."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from potpie_git.domain.plan import Plan


class _Result(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Verification(_Result):
    """What was read back after a commit: how many records were looked at, and which are not as planned."""

    ok: bool
    checked: int
    missing: list[str] = Field(default_factory=list)


class CommitResult(_Result):
    """What became of a plan. `files` are paths in the repository; `pending` says which approvals are still missing."""

    plan: Plan
    commit: str | None = None
    staged: bool = False
    files: list[str] = Field(default_factory=list)
    pending: list[str] = Field(default_factory=list)
    verification: Verification | None = None
    notes: list[str] = Field(default_factory=list)


class RecordedClaim(_Result):
    """One claim of a record: `created`, or `unchanged` where the same assertion stands already."""

    id: str
    subject: str
    predicate: str
    object: str | None = None
    value: str | None = None
    path: str
    status: Literal["created", "unchanged"]


class RecordResult(CommitResult):
    """What became of a record: its entity, its claims, and the commit."""

    record_type: str
    subject: str
    claims: list[RecordedClaim] = Field(default_factory=list)
