"""Trailers of a commit message, found as `git interpret-trailers --parse` finds them without configuration.

Only the last paragraph can hold trailers, never the first. It is a trailer block if every line is one, or if one line
is git's own (a sign-off, a cherry-pick note) and at least a quarter are trailers. What follows a `---` line, a
scissors line, or stands in closing comments belongs to no message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SIGN_OFF: Final = "signed-off-by"
CO_AUTHOR: Final = "co-authored-by"

_SPACE: Final = " \t\n\r"
_COMMENT: Final = "#"
_SCISSORS: Final = "# ------------------------ >8 ------------------------"
_CONFLICTS: Final = "Conflicts:"
_GIT_GENERATED: Final = ("Signed-off-by: ", "(cherry picked from commit ")
# A token of letters, digits and hyphens; white space may stand between it and the colon.
_TOKEN: Final = re.compile(r"(?P<token>[A-Za-z0-9-][A-Za-z0-9-]*)[ \t]*:")
_PERSON: Final = re.compile(r"(?P<name>[^<>]*?) ?<(?P<email>[^<>\s]+)>")


@dataclass(frozen=True, slots=True)
class Trailer:
    """One trailer: its token as written, its value on one line, and whether it was folded over several."""

    token: str
    value: str
    folded: bool

    def is_a(self, token: str) -> bool:
        """True for this (lower-case) token, whatever its case in the message."""
        return self.token.lower() == token


def parse_trailers(message: str) -> list[Trailer]:
    """The trailers of a raw commit message, in order."""
    lines = _block(_lines(message))
    found: list[Trailer] = []
    open_trailer = False
    for line in lines:
        if open_trailer and line[:1] in _SPACE:
            last = found[-1]
            found[-1] = Trailer(last.token, f"{last.value} {line.strip(_SPACE)}".strip(_SPACE), True)
            continue
        match = _TOKEN.match(line)
        open_trailer = match is not None
        if match is not None:
            found.append(Trailer(match["token"], line[match.end() :].strip(_SPACE), False))
    return found


def person(value: str) -> tuple[str, str] | None:
    """(name, address) of `Name <address>`; None for any other text, such as one with two addresses."""
    match = _PERSON.fullmatch(value)
    return (match["name"].strip(), match["email"]) if match else None


def sign_offs(message: str) -> list[str]:
    """Addresses that signed off a message, exactly as written; a folded or malformed sign-off counts for nothing."""
    people = (
        person(trailer.value)
        for trailer in parse_trailers(message)
        if trailer.is_a(SIGN_OFF) and not trailer.folded
    )
    return [found[1] for found in people if found]


def co_authors(message: str) -> list[tuple[str, str]]:
    """(name, address) of everybody whom a message names as co-author."""
    people = (person(trailer.value) for trailer in parse_trailers(message) if trailer.is_a(CO_AUTHOR))
    return [found for found in people if found]


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    ended: bool

    @property
    def comment(self) -> bool:
        return self.text.startswith(_COMMENT)

    @property
    def blank(self) -> bool:
        return not self.text.strip(_SPACE)


def _lines(message: str) -> list[_Line]:
    """The message's lines up to what does not belong to it."""
    texts = message.partition("\0")[0].split("\n")
    lines = [_Line(text, True) for text in texts[:-1]]
    if texts[-1]:
        lines.append(_Line(texts[-1], False))
    divider = next((at for at, line in enumerate(lines) if _divides(line)), len(lines))
    lines = lines[:divider]
    cut = next((at for at, line in enumerate(lines) if line.text == _SCISSORS and line.ended), len(lines))
    return lines[: _end(lines[:cut])]


def _divides(line: _Line) -> bool:
    rest = line.text[3:4]
    return line.text.startswith("---") and (rest in _SPACE if rest else line.ended)


def _end(lines: list[_Line]) -> int:
    """How many lines are left without the comments, blank lines and conflict notes at the end.

    Such a run never begins with the message's first line.
    """
    start, in_conflicts = 0, False
    for at, line in enumerate(lines):
        if line.comment or not line.text:
            start = start or at
        elif line.text == _CONFLICTS and line.ended:
            start, in_conflicts = start or at, True
        elif not (in_conflicts and line.text.startswith("\t")) and start:
            start, in_conflicts = 0, False
    return start or len(lines)


def _block(lines: list[_Line]) -> list[str]:
    """The lines of the trailer block; empty if the message has none."""
    title = next((at for at, line in enumerate(lines) if not line.comment and line.blank), len(lines))
    trailers = others = continued = 0
    by_git, only_blank = False, True
    for at in range(len(lines) - 1, title - 1, -1):
        line = lines[at]
        if line.comment:
            others, continued = others + continued, 0
        elif line.blank:
            if only_blank:
                continue
            others += continued
            is_block = (by_git and trailers * 3 >= others) or (trailers > 0 and others == 0)
            return [each.text for each in lines[at + 1 :] if not each.comment] if is_block else []
        else:
            only_blank = False
            if line.text.startswith(_GIT_GENERATED):
                trailers, continued, by_git = trailers + 1, 0, True
            elif _TOKEN.match(line.text):
                trailers, continued = trailers + 1, 0
            elif line.text[0] in _SPACE:
                continued += 1
            else:
                others, continued = others + continued + 1, 0
    return []
