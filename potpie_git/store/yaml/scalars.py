"""How a text is written: plain where every YAML reader takes it back as that text, else quoted, folded or literal."""

from __future__ import annotations

import math
import re

MAX_COLUMNS = 100
"""The widest line of folded text, in code points and with its indentation."""

INDENT = "  "

# What the null, boolean, merge and value types of YAML 1.1 and 1.2 match, in any case.
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_WORDS = frozenset({"", "~", "=", "<<", "y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_LONGEST_WORD = 5

# A superset of the numbers and times of YAML 1.1, YAML 1.2 and what readers in the field add to them: 1_000, 0o17,
# 12:30:45, 1e3, .inf, 2026-9-1. Version numbers such as 1.10.2 are taken in, so that they look the same as 1.10.
_NUMBER_FIRST = frozenset("0123456789+-.")
_NUMBER = re.compile(
    r"[-+]?[0-9._,:]+(?:[eE][-+]?[0-9_.]*)?"
    r"|[-+]?0[xXoObB][0-9a-fA-F_]*"
    r"|[-+]?\.(?i:inf|nan)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?"
)

# Indicators, and what no plain text may begin with. A few of them could stand in front of some letters; none does.
_NOT_FIRST = frozenset("-?:,[]{}#&*!|>'\"%@` \t=")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})
_TRAILING_SPACE = re.compile(r"[ \t](?:\n|\Z)")


def is_ambiguous(text: str) -> bool:
    """True if some YAML reader would resolve `text`, written plain, to something other than text."""
    if len(text) <= _LONGEST_WORD and text.lower() in _WORDS:
        return True
    return text[0] in _NUMBER_FIRST and _NUMBER.fullmatch(text) is not None


def inline(text: str) -> str:
    """The one-line form: plain if safe, else double-quoted with no more escapes than needed."""
    if (
        not text
        or text[0] in _NOT_FIRST
        or text[-1] in " :"
        or ": " in text
        or " #" in text
        or "\n" in text
        or "\t" in text
        or text.startswith(("...", "<<<<<<<"))
        or is_ambiguous(text)
    ):
        return f'"{text.translate(_ESCAPES)}"'
    return text


def text_form(text: str, column: int, pad: str) -> str:
    """The form of a value that begins at `column` (0-based); further lines are indented by `pad`.

    Text with line breaks becomes a literal block, long running text a folded one, unless a reader could get it back
    otherwise than it was: then it stays on one line.
    """
    if "\n" in text:
        return _literal(text, pad) if _fits_literal(text) else inline(text)
    form = inline(text)
    if column + len(form) > MAX_COLUMNS and _folds(text):
        return f">-\n{pad}" + f"\n{pad}".join(_wrap(text, MAX_COLUMNS - len(pad)))
    return form


def number_form(value: int | float) -> str:
    """A boolean, integer or finite float as every YAML reader takes it. Raises `ValueError` for NaN and infinities."""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if not math.isfinite(value):
        raise ValueError(f"{value!r} has no form in a record")
    form = float.__repr__(value)
    # YAML 1.1 takes 1e-07 for text: its floats need a point.
    return form.replace("e", ".0e") if "e" in form and "." not in form else form


def _folds(text: str) -> bool:
    return " " in text and "  " not in text and "\t" not in text and text[0] != " " and text[-1] != " "


def _wrap(text: str, width: int) -> list[str]:
    lines, start = [], 0
    while len(text) - start > width:
        cut = text.rfind(" ", start, start + width + 1)
        if cut < 0:
            cut = text.find(" ", start + width)
        if cut < 0:
            break
        lines.append(text[start:cut])
        start = cut + 1
    lines.append(text[start:])
    return lines


def _fits_literal(text: str) -> bool:
    """White space at a line's end is invisible and often stripped, and a block of empty lines has no content line."""
    return not _TRAILING_SPACE.search(text) and bool(text.strip("\n"))


def _literal(text: str, pad: str) -> str:
    indicator = str(len(INDENT)) if text[0] in " \t\n" else ""
    chomping = "-"
    if text.endswith("\n"):
        chomping = "+" if text.endswith("\n\n") else ""
    body = text.removesuffix("\n") if chomping != "-" else text
    lines = [f"{pad}{line}" if line else "" for line in body.split("\n")]
    return "\n".join([f"|{indicator}{chomping}", *lines])
