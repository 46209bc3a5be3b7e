"""What a rule is: declared once, and the source of findings' severities, of `explain` and of docs/rules.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from potpie_git.domain.findings import Severity

# A file of an example: its bytes, or its git mode and bytes where the mode is the point.
Content: TypeAlias = "bytes | tuple[str, bytes]"
# By path in the repository.
Files: TypeAlias = Mapping[str, Content]


@dataclass(frozen=True, slots=True)
class Trees:
    """An example as two trees of a whole repository; `before` None stands for a tree that is judged on its own.

    `as_range` judges it as a change that lands on a protected branch: with approvals, and policy from `before`.
    `parted` is then the tree that both come from; without it the change comes from `before` itself.
    """

    before: Files | None
    after: Files
    as_range: bool = False
    parted: Files | None = None


@dataclass(frozen=True, slots=True)
class Commands:
    """An example that needs a repository's history.

    `script` is run by a POSIX shell in an empty directory; then BASE..HEAD of `revisions` is judged in `directory`.
    """

    script: str
    directory: str
    revisions: str


@dataclass(frozen=True, slots=True)
class Message:
    """An example that is a commit's message."""

    text: str


Case: TypeAlias = Trees | Commands | Message


@dataclass(frozen=True, slots=True)
class Example:
    """What a document shows, and the whole case behind it, built when somebody asks for it.

    A case of approvals needs keys and sign-offs, which the tests of the verifier make: there it is None.
    """

    shown: str
    case: Callable[[], Case] | None = field(default=None, repr=False)


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
