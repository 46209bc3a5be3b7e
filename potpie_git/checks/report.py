"""What a check says: every finding, how much was looked at, and the exit status that follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from potpie_git.checks.grading import GradedChange
from potpie_git.domain.errors import ExitCode
from potpie_git.domain.findings import Finding, Severity
from potpie_git.domain.vocabulary import Risk

# With one of these the verdict is not "refused" but "not known".
UNJUDGED: Final = frozenset({"PG-R01", "PG-R02"})
_APPROVALS: Final = "PG-A"
# A record that was tampered with is no missing approval.
_TAMPERED: Final = "PG-A09"


class CheckKind(StrEnum):
    """What was judged: the next commit, a whole tree, what a range would land, or a commit's message."""

    STAGED = "staged"
    TREE = "tree"
    RANGE = "range"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Findings of one check, sorted by path and line, and the risk of each changed file.

    `before` and `after` say in words what was compared. `counted` says what stands behind each approval that counts,
    by its path in the pot.
    """

    kind: CheckKind
    before: str
    after: str
    files_checked: int
    findings: tuple[Finding, ...]
    grades: tuple[GradedChange, ...] = ()
    counted: Mapping[str, str] = field(default_factory=dict)

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity is Severity.ERROR]

    @property
    def risk(self) -> Risk:
        """The highest risk of any file's change."""
        return max((graded.risk for graded in self.grades), default=Risk.LOW)

    @property
    def exit_code(self) -> ExitCode:
        """Clean, refused, only approvals missing, or not to be judged."""
        codes = {finding.code for finding in self.errors}
        if not codes:
            return ExitCode.OK
        if codes & UNJUDGED:
            return ExitCode.UNAVAILABLE
        if _TAMPERED not in codes and all(code.startswith(_APPROVALS) for code in codes):
            return ExitCode.APPROVAL
        return ExitCode.FAILED

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "before": self.before,
            "after": self.after,
            "files_checked": self.files_checked,
            "risk": self.risk.label,
            "errors": len(self.errors),
            "warnings": sum(finding.severity is Severity.WARNING for finding in self.findings),
            "findings": [finding.as_dict() for finding in self.findings],
        }


def sorted_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once, by path, line and code; approvals come last, because they mend nothing that stands before."""
    return tuple(
        sorted(
            set(findings),
            key=lambda finding: (
                finding.code.startswith("PG-A"),
                finding.path,
                finding.line,
                finding.code,
                finding.message,
            ),
        )
    )
