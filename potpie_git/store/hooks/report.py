"""What `hooks install`, `uninstall` and `status` found and did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class HookState:
    """One hook: the file that git runs for it, whether that leads to ours, and what else runs there.

    `previous` says what runs besides: a hook that was there before, or a hook manager; None for nothing.
    """

    name: str
    path: str
    installed: bool
    previous: str | None = None
    problem: str | None = None

    @property
    def sentence(self) -> str:
        if self.problem:
            return self.problem
        if not self.installed:
            return f"not installed{f'; git runs {self.previous}' if self.previous else ''}"
        return f"installed{f', after {self.previous}' if self.previous else ''}"


@dataclass(frozen=True, slots=True)
class HookReport:
    """The hooks of one clone. `directory` is where git looks for them; `manager` names who keeps that folder."""

    action: str
    directory: str
    manager: str
    hooks: tuple[HookState, ...]
    python: str | None
    notes: tuple[str, ...] = ()
    next_action: str | None = None

    @property
    def healthy(self) -> bool:
        """True if git runs every one of our hooks."""
        return bool(self.hooks) and all(hook.installed and not hook.problem for hook in self.hooks)

    @property
    def result(self) -> dict[str, Any]:
        return {
            "action": self.action,
            "directory": self.directory,
            "manager": self.manager,
            "python": self.python,
            "healthy": self.healthy,
            "hooks": [
                {
                    "name": hook.name,
                    "path": hook.path,
                    "installed": hook.installed,
                    "previous": hook.previous,
                    "problem": hook.problem,
                }
                for hook in self.hooks
            ],
            "notes": list(self.notes),
        }

    @property
    def text(self) -> str:
        lines = [f"git looks for hooks in {self.directory} ({self.manager})"]
        width = max((len(hook.name) for hook in self.hooks), default=0)
        lines += [f"  {hook.name:{width}}  {hook.sentence}" for hook in self.hooks]
        return "\n".join([*lines, *_paragraphs(self.notes)])


def _paragraphs(notes: Sequence[str]) -> list[str]:
    return ["", *notes] if notes else []
