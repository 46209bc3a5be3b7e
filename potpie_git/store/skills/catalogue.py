"""The skills that ship, and the places where agents' hosts look for instructions.

SKILL.md is the open Agent Skills format (front matter with name and description, the name being its folder's);
AGENTS.md is the file that most hosts read; `.cursor/rules/*.mdc` is Cursor's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill: its name, and when an agent should reach for it."""

    name: str
    description: str

    @property
    def body(self) -> str:
        return _shipped(f"{self.name}.md")


SKILLS: Final[Mapping[str, Skill]] = {
    skill.name: skill
    for skill in (
        Skill(
            "potpie-recall",
            "Reads this repository's memory of bugs, fixes, decisions, preferences and owners. Use before starting on "
            "a task, when a test fails or an error appears, and before choosing how to build something.",
        ),
        Skill(
            "potpie-record",
            "Writes down what was learnt (a fix, a failed attempt, a decision, a preference) and withdraws what no "
            "longer holds. Use after a fix works, when the user decides something, or when a claim proves wrong.",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Target:
    """A place that hosts read. `signs` are paths that show that somebody uses such a host here.

    `path` gives the file of a skill, from the repository's root; a target with `block` is one shared file, in which our
    lines stand between markers.
    """

    name: str
    about: str
    signs: tuple[str, ...]
    path: str
    front: Callable[[Skill], str] = lambda skill: ""
    block: bool = False

    def files(self) -> dict[str, str]:
        """What this target holds when it is installed: text by path."""
        if self.block:
            return {self.path: _shipped("agents.md")}
        return {
            self.path.format(skill=skill.name): self.front(skill) + skill.body for skill in SKILLS.values()
        }


def _skill_front(skill: Skill) -> str:
    return f"---\nname: {skill.name}\ndescription: {skill.description}\n---\n\n"


def _rule_front(skill: Skill) -> str:
    return f"---\ndescription: {skill.description}\nalwaysApply: false\n---\n\n"


TARGETS: Final[Mapping[str, Target]] = {
    target.name: target
    for target in (
        Target("agents-md", "AGENTS.md, which most hosts read at the start", (), "AGENTS.md", block=True),
        Target(
            "claude",
            "Claude Code's skills",
            (".claude", "CLAUDE.md"),
            ".claude/skills/{skill}/SKILL.md",
            _skill_front,
        ),
        Target(
            "agents",
            "the folder of skills that several hosts share",
            (".agents",),
            ".agents/skills/{skill}/SKILL.md",
            _skill_front,
        ),
        Target(
            "cursor", "Cursor's rules", (".cursor", ".cursorrules"), ".cursor/rules/{skill}.mdc", _rule_front
        ),
    )
}


def _shipped(name: str) -> str:
    return files("potpie_git.store.skills").joinpath("texts", name).read_text(encoding="utf-8")
