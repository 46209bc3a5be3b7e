"""CODEOWNERS: where the file stands, what its rules mean, and who owns a path by them. Parsing only, no git."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

# Where the file may stand, in the order in which hosts look for it.
LOCATIONS: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
# GitHub ignores a larger file; nobody's rules are that long.
MAX_SIZE: Final = 3 * 1024 * 1024
_SECTION: Final = re.compile(r"\^?\[(?P<name>[^\]]+)\](?:\[\d+\])?(?P<owners>\s.*)?$")
_EVERYTHING: Final = frozenset({"*", "**", "/**", "**/*", "/**/*"})


@dataclass(frozen=True)
class Rule:
    """One line: a pattern and its owners, which may be none. `section` is GitLab's heading above it, or empty."""

    pattern: str
    owners: tuple[str, ...]
    line: int
    section: str = ""

    @property
    def is_default(self) -> bool:
        """True if the rule covers the whole repository."""
        return self.pattern in _EVERYTHING

    @cached_property
    def _compiled(self) -> Pattern:
        return Pattern(self.pattern)

    def matches(self, path: str) -> bool:
        """True if the rule covers `path` (POSIX, from the repository's root, no leading slash)."""
        return self._compiled.matches(path)


@dataclass(frozen=True)
class CodeOwners:
    """The rules of one file, in its order."""

    location: str
    rules: tuple[Rule, ...] = field(default=())

    def rules_for(self, path: str) -> list[Rule]:
        """The rules that decide about `path`: the last that matches, in each section. A rule may name no owner."""
        path = path.strip("/")
        last: dict[str, Rule] = {}
        for rule in self.rules:
            if rule.matches(path):
                last[rule.section] = rule
        return list(last.values())

    def owners_of(self, path: str) -> list[str]:
        """The owners of `path` as the file writes them; empty if no rule matches, or the last that does names none."""
        return list(dict.fromkeys(owner for rule in self.rules_for(path) for owner in rule.owners))


def parse_codeowners(text: str, location: str) -> CodeOwners:
    """The rules of a file. Lines that hosts ignore (comments, negations, owners alone) make no rule."""
    return CodeOwners(location, tuple(_rules(text.removeprefix("\ufeff"))))


def _rules(text: str) -> Iterator[Rule]:
    section, inherited = "", tuple[str, ...]()
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        heading = _SECTION.match(line)
        if heading:
            section = heading["name"].strip().lower()
            inherited = tuple(_without_comment((heading["owners"] or "").split()))
            continue
        words = _words(line)
        if not words or words[0].startswith(("#", "!")):
            continue
        owners = tuple(_without_comment(words[1:]))
        yield Rule(words[0], owners or inherited, number, section)


def _words(line: str) -> list[str]:
    """The words of a line; a backslash keeps a space or a `#` inside the pattern."""
    return [word for word in re.findall(r"(?:\\.|\S)+", line) if word]


def _without_comment(words: list[str]) -> Iterator[str]:
    for word in words:
        if word.startswith("#"):
            return
        yield word


class Pattern:
    """A pattern of CODEOWNERS, matched part by part in time that grows with pattern and path, whoever wrote them.

    The rules are those of .gitignore but for three: no negation, no character ranges, and `docs/*` does not reach
    into directories below `docs`.
    """

    def __init__(self, text: str) -> None:
        names = [name for name in text.strip("/").split("/") if name]
        self._directory = text.endswith("/")
        self._anchored = "/" in text.rstrip("/")
        self._direct_children = self._anchored and names[-1:] == ["*"]
        self._everything_below = names[-1:] == ["**"]
        self._parts = [None if name == "**" else re.compile(_segment(name), re.DOTALL) for name in names]

    def matches(self, path: str) -> bool:
        """True if the pattern covers `path`, which has no leading slash."""
        names = path.split("/")
        ends = self._ends(names)
        if self._directory or self._everything_below:
            return any(end < len(names) for end in ends)
        return len(names) in ends if self._direct_children else bool(ends)

    def _ends(self, names: list[str]) -> set[int]:
        """How many names of the path the pattern may take up; a `**` at its end takes up none."""
        if not self._parts:
            return set()
        ends = {0} if self._anchored else set(range(len(names)))
        for part in self._parts[:-1] if self._everything_below else self._parts:
            if part is None:
                ends = set(range(min(ends), len(names) + 1)) if ends else ends
            else:
                ends = {end + 1 for end in ends if end < len(names) and part.fullmatch(names[end])}
        return ends


def _segment(segment: str) -> str:
    """One part between slashes as a regular expression: `*` for any text, `?` for a character, a backslash escapes.

    Each text between two stars is taken where it first stands, and never looked for again: trying every other place
    would find nothing more, and takes forever on a hostile pattern.
    """
    chunks, index = [""], 0
    while index < len(segment):
        char = segment[index]
        if char == "*":
            chunks.append("")
        elif char == "?":
            chunks[-1] += "."
        elif char == "\\" and index + 1 < len(segment):
            index += 1
            chunks[-1] += re.escape(segment[index])
        else:
            chunks[-1] += re.escape(char)
        index += 1
    if len(chunks) == 1:
        return chunks[0]
    middle = "".join(f"(?>.*?{chunk})" for chunk in chunks[1:-1] if chunk)
    return f"{chunks[0]}{middle}.*{chunks[-1]}"
