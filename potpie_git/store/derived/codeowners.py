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
    def _regex(self) -> re.Pattern[str] | None:
        return compile_pattern(self.pattern)

    def matches(self, path: str) -> bool:
        """True if the rule covers `path` (POSIX, from the repository's root, no leading slash)."""
        return self._regex is not None and self._regex.fullmatch(path) is not None


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


def compile_pattern(pattern: str) -> re.Pattern[str] | None:
    """A pattern as a regular expression over whole paths; None for one that can match nothing.

    The rules are those of .gitignore but for three: no negation, no character ranges, and `docs/*` does not reach
    into directories below `docs`.
    """
    if not pattern.strip("/"):
        return None
    anchored = "/" in pattern.rstrip("/")
    directory = pattern.endswith("/")
    segments = [segment for segment in pattern.strip("/").split("/") if segment]
    parts = [] if anchored else ["(?:.*/)?"]
    for place, segment in enumerate(segments):
        last = place == len(segments) - 1
        if segment == "**":
            parts.append(".*" if last else "(?:.*/)?")
        else:
            parts.append(_segment(segment) + ("" if last else "/"))
    if segments[-1] != "**":
        below = "/.*" if directory else "(?:/.*)?"
        parts.append("" if segments[-1] == "*" and anchored and not directory else below)
    return re.compile("".join(parts), re.DOTALL)


def _segment(segment: str) -> str:
    """One part between slashes: `*` and `?` stop at a slash, a backslash takes the next character as it is."""
    out, index = [], 0
    while index < len(segment):
        char = segment[index]
        if char == "\\" and index + 1 < len(segment):
            index += 1
            out.append(re.escape(segment[index]))
        elif char == "*":
            out.append("[^/]*")
        elif char == "?":
            out.append("[^/]")
        else:
            out.append(re.escape(char))
        index += 1
    return "".join(out)
