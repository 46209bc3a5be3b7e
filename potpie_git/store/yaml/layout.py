"""Where scalars and comments stand in a text: what a stream of events does not say by itself.

Every scalar event gives the span of its source, so a `#` outside of all spans begins a comment, exactly.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

# Text goes on over a `#` that follows a letter; behind any other of these a comment may begin.
_POSSIBLE_COMMENT = re.compile(rb"(?:\A|[\s\"'\[\]{},|>+\-0-9])#")
# What readers differ on at the start of a block: empty lines that hold spaces, and a tab that might be indentation.
_SPACED_START = re.compile(r"\n+( +)\n")
_HAS_INDICATOR = re.compile(r"[|>][-+]?[1-9]")
_TABBED_START = re.compile(r"\n+ *(\t)")


class Span(NamedTuple):
    """A scalar's source, as character offsets; `style` is empty or None (plain) or one of `"`, `'`, `|`, `>`."""

    start: int
    end: int
    style: str | None


@dataclass(frozen=True, slots=True)
class Layout:
    """The scalars' spans and the comments as (offset of `#`, offset of the line's end), both in order."""

    spans: list[Span]
    comments: tuple[tuple[int, int], ...]


def may_need_layout(source: bytes) -> bool:
    """False if `source` has no comment and nothing that `separation_faults` looks for: cheap, and so for most files."""
    return b"\t" in source or b" \n" in source or (b"#" in source and bool(_POSSIBLE_COMMENT.search(source)))


def layout_of(text: str, spans: list[Span]) -> Layout:
    """The layout of YAML that was read without a syntax error, from the spans of all its scalars in order."""
    return Layout(spans, tuple(_comments(text, spans)))


def separation_faults(text: str, layout: Layout) -> Iterator[tuple[int, str, str]]:
    """White space that readers of YAML judge differently, as (offset, message, hint)."""
    for offset in _offsets(text, "\t"):
        if not _is_content(text, offset, layout):
            hint = "Indent and separate with spaces; put text that holds a tab in double quotes."
            yield offset, "a tab stands where only spaces may separate", hint
    for offset, _ in layout.comments:
        if offset and text[offset - 1] not in " \t\n":
            yield offset, "a comment begins without a space before its `#`", "Put a space before the `#`."
    for span in layout.spans:
        if _is_block(span):
            yield from _block_start_faults(text, span)


def _block_start_faults(text: str, span: Span) -> Iterator[tuple[int, str, str]]:
    header_end = _header_end(text, span)
    if blank := _SPACED_START.match(text, header_end):
        yield blank.start(1), "spaces on an empty line before the text of a block", "Delete the spaces."
    if (tab := _TABBED_START.match(text, header_end)) and not _HAS_INDICATOR.match(text, span.start):
        hint = "Give the indentation behind the `|`, as in `|2`."
        yield tab.start(1), "the text of a block begins with a tab", hint


def _is_content(text: str, offset: int, layout: Layout) -> bool:
    """True within quotes, in the lines of a block scalar, and in a comment."""
    span = _span_at(layout.spans, offset)
    if span is not None and (
        span.style in ("'", '"') or (_is_block(span) and offset > _header_end(text, span))
    ):
        return True
    at = bisect_right(layout.comments, offset, key=lambda comment: comment[0]) - 1
    return at >= 0 and offset < layout.comments[at][1]


def _comments(text: str, spans: list[Span]) -> Iterator[tuple[int, int]]:
    position = 0
    while (offset := text.find("#", position)) >= 0:
        span = _span_at(spans, offset)
        if span is None or (_is_block(span) and offset < _header_end(text, span)):
            end = text.find("\n", offset)
            position = len(text) if end < 0 else end
            yield offset, position
        else:
            position = max(span.end, offset + 1)


def _span_at(spans: list[Span], offset: int) -> Span | None:
    at = bisect_right(spans, offset, key=lambda span: span.start) - 1
    return spans[at] if at >= 0 and offset < spans[at].end else None


def _is_block(span: Span) -> bool:
    return span.style in ("|", ">")


def _header_end(text: str, span: Span) -> int:
    end = text.find("\n", span.start)
    return len(text) if end < 0 else end


def _offsets(text: str, char: str) -> Iterator[int]:
    offset = text.find(char)
    while offset >= 0:
        yield offset
        offset = text.find(char, offset + 1)
