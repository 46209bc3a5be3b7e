"""What a rule reports about a governed file, in one shape for the writer, the hook and CI."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(BaseModel):
    """One finding: a stable code, where it is (repository path, 1-based line), what is wrong and the remedy."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    code: str
    severity: Severity = Severity.ERROR
    path: str
    line: int = 1
    message: str
    hint: str = ""

    def as_dict(self) -> dict[str, Any]:
        return self.model_dump(mode="json")


def has_errors(findings: Iterable[Finding]) -> bool:
    """True if any finding is an error (warnings and notes never fail a check)."""
    return any(finding.severity is Severity.ERROR for finding in findings)
