"""What every operation of a batch works with: the draft, the stamp, and a place to say what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from potpie_git.domain.claim import Actor, Claim, Provenance
from potpie_git.domain.mutation import ActorInput, Operation
from potpie_git.domain.plan import OperationGrade, PlanDiff
from potpie_git.domain.risk import operation_risk
from potpie_git.domain.times import format_time
from potpie_git.domain.validation.problem import Problem
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.pot_tree import PotTree
from potpie_git.write.draft import Draft
from potpie_git.write.evidence import EvidencePins
from potpie_git.write.issues import Issue, issue_of


@dataclass(frozen=True)
class Stamp:
    """Who writes, when, and as part of which mutation."""

    mutation: str
    now: datetime
    actor: Actor
    source_system: str | None = None

    @property
    def recorded_at(self) -> str:
        return format_time(self.now)


@dataclass
class Batch:
    """One payload on its way to a plan. `touched` are the subgraphs of the claims that the caller speaks of."""

    draft: Draft
    pins: EvidencePins
    stamp: Stamp
    issues: dict[Issue, None] = field(default_factory=dict)
    warnings: dict[tuple[str, int, str], dict[str, Any]] = field(default_factory=dict)
    contexts: list[OpContext] = field(default_factory=list)
    diff: PlanDiff = field(default_factory=PlanDiff)
    touched: set[str] = field(default_factory=set)
    asserted: list[tuple[OpContext, Claim]] = field(default_factory=list)
    keys: dict[str, dict[str, OpContext]] = field(default_factory=dict)

    @property
    def tree(self) -> PotTree:
        return self.draft.tree

    @cached_property
    def pot_id(self) -> str:
        return self.tree.pot().pot_id


class OpContext:
    """One operation being lowered."""

    def __init__(self, batch: Batch, index: int, operation: Operation) -> None:
        self.batch = batch
        self.index = index
        self.op = operation
        self.risk = operation_risk(operation)
        self.reasons: list[str] = []
        self.blocked = False

    @property
    def draft(self) -> Draft:
        return self.batch.draft

    @property
    def now(self) -> datetime:
        return self.batch.stamp.now

    def issue(self, code: str, message: str, hint: str, field: str | None = None) -> None:
        """Refuse the operation, and go on looking for what else is wrong."""
        self.add(Issue(code, message, hint, field, self.index))

    def problem(self, problem: Problem) -> None:
        self.add(issue_of(problem, self.index))

    def add(self, issue: Issue) -> None:
        self.blocked = True
        self.batch.issues.setdefault(issue)

    def warn(self, code: str, message: str, hint: str = "", **more: Any) -> None:
        """Say something that does not stop the operation."""
        warning = {"code": code, "op_index": self.index, "message": message, "hint": hint, **more}
        self.batch.warnings.setdefault((code, self.index, message), warning)

    def raise_risk(self, risk: Risk, reason: str) -> None:
        self.risk = max(self.risk, risk)
        if reason not in self.reasons:
            self.reasons.append(reason)

    def grade(self) -> OperationGrade:
        return OperationGrade(
            op_index=self.index, op=self.op.op, risk=self.risk.label, reasons=list(self.reasons)
        )

    def provenance(self, **overrides: Any) -> Provenance:
        """The stamp of what this operation writes, with what it says about its source."""
        op, stamp = self.op, self.batch.stamp
        fields = {
            "mutation": stamp.mutation,
            "recorded_at": stamp.recorded_at,
            "confidence": op.confidence,
            "actor": self.actor(),
            "source_system": op.source_system or stamp.source_system,
            "source_kind": op.source_kind,
            "source_event": op.source_event,
        }
        return Provenance.model_validate(fields | overrides)

    def actor(self) -> Actor | None:
        """The writer, as far as the operation does not name another harness or user. The surface is ours to say."""
        base, given = self.batch.stamp.actor, self.op.actor
        if self.op.op == "append_event" or not given:
            named = base
        elif isinstance(given, ActorInput):
            named = Actor(
                surface=base.surface, harness=given.harness or base.harness, user=given.user or base.user
            )
        else:
            named = Actor(surface=base.surface, harness=base.harness, user=given)
        return named if named.to_data() else None

    def validation_faults(self, error: ValidationError, prefix: str = "") -> None:
        """A model's refusal as failures of this operation."""
        for fault in error.errors(include_url=False):
            self.add(_fault(dict(fault), prefix, self.index))


_TIME_FIELDS = frozenset(
    {"valid_from", "valid_until", "observed_at", "valid_to", "occurred_at", "recorded_at"}
)


def _fault(fault: Mapping[str, Any], prefix: str, index: int) -> Issue:
    path = [str(part) for part in fault["loc"] if not _is_branch(part)]
    where = ".".join([*([prefix] if prefix else []), *path])
    message = str(fault["msg"]).removeprefix("Value error, ")
    if path and path[-1] in _TIME_FIELDS:
        return Issue("PG-S07", f"{where}: {message}", "Give the time with its offset.", where, index)
    text = f"{where}: {message[:1].lower()}{message[1:]}"
    return Issue("PG-S01", text, "See schema/ for the type of this field.", where, index)


def _is_branch(part: str | int) -> bool:
    """Pydantic names the tried branch of a union in a location; it is no field."""
    return isinstance(part, str) and ("[" in part or part == "constrained-str")
