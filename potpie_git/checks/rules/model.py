"""What a rule is: declared once, and the source of findings' severities, of `explain` and of docs/rules.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from potpie_git.checks.rules.cases import Case, Scene
from potpie_git.domain.findings import Severity


@dataclass(frozen=True, slots=True)
class Example:
    """What a document shows, and the whole case behind it, built when somebody asks for it."""

    shown: str
    case: Callable[[], Case] = field(repr=False)


def played(scene: Scene) -> Example:
    """A scene as an example, shown step by step."""
    return Example(scene.shown, lambda: scene)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `explanation` says why it is there and what to do; both examples hold in the engine."""

    code: str
    title: str
    explanation: str
    bad: Example
    good: Example
    severity: Severity = Severity.ERROR

    @property
    def family(self) -> str:
        """The letter after `PG-`."""
        return self.code[3]

    def as_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity.value,
            "family": self.family,
            "title": self.title,
            "explanation": self.explanation,
            "bad": self.bad.shown,
            "good": self.good.shown,
        }
