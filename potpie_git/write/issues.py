"""What is wrong with an operation, in the one shape in which every failure of a payload is reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from potpie_git.domain.validation.problem import Problem


@dataclass(frozen=True, slots=True)
class Issue:
    """One failure: a stable code, what is wrong, the remedy, and the operation and field that it is about."""

    code: str
    message: str
    hint: str
    field: str | None = None
    op_index: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "op_index": self.op_index,
            "field": self.field,
            "message": self.message,
            "hint": self.hint,
        }


def issue_of(problem: Problem, op_index: int | None) -> Issue:
    """A rule's problem as a failure of the operation that breaks it."""
    field = ".".join(str(part) for part in problem.field) or None
    return Issue(problem.code, problem.message, problem.hint, field, op_index)
