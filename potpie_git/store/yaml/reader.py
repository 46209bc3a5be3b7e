"""Bytes to a tree of text, strictly: one document, one mapping, nothing that a reviewer could misread.

Every plain scalar is its text; no type is resolved. The events are walked in a loop, so that neither depth nor size
can exhaust a stack.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any, NoReturn

from yaml import YAMLError
from yaml.error import MarkedYAMLError
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from potpie_git.domain.text_safety import scan_text
from potpie_git.store.yaml import codes
from potpie_git.store.yaml.comments import Comment, Path, extract
from potpie_git.store.yaml.errors import YamlError
from potpie_git.store.yaml.events import YamlEvent, event_source
from potpie_git.store.yaml.keys import key_problems, shown
from potpie_git.store.yaml.layout import Span, layout_of, may_need_layout, separation_faults
from potpie_git.store.yaml.limits import MAX_DEPTH, MAX_FAULTS
from potpie_git.store.yaml.scalars import NULLS
from potpie_git.store.yaml.source import hidden_character_error, inspect, line_at


@dataclass(frozen=True)
class Document:
    """One parsed file.

    `data` is a tree of dict, list and str (scalars are text, whatever they look like). `lines` gives the 1-based line
    of each key and list item by its path; `comments` are in the order of the file.
    """

    data: dict[str, Any]
    lines: dict[Path, int]
    comments: tuple[Comment, ...] = ()


def parse(raw: bytes) -> Document:
    """The document in `raw`. Raises `YamlError` for the first fault."""
    found, document = _examine(raw)
    if document is None:
        raise found[0]
    return document


def faults(raw: bytes) -> list[YamlError]:
    """Every fault of `raw` that can be told at once, by line; empty if it parses.

    What stands behind a syntax error, excessive depth or an unfinished merge cannot be judged; behind about a hundred
    faults, nothing is.
    """
    return _examine(raw)[0]


def _examine(raw: bytes) -> tuple[list[YamlError], Document | None]:
    found, source = inspect(raw)
    document = None
    if source is not None:
        reader = _Reader(source, found)
        reader.read()
        if reader.spans is not None:
            document = _with_layout(reader, source, reader.spans, found)
        elif not found:
            document = Document(reader.root, reader.lines)
    found.sort(key=lambda error: error.line)
    return found, document


def _with_layout(
    reader: _Reader, source: bytes, spans: list[Span], found: list[YamlError]
) -> Document | None:
    if reader.stopped:
        return None
    text = source.decode()
    layout = layout_of(text, spans)
    for offset, message, hint in islice(separation_faults(text, layout), MAX_FAULTS):
        found.append(YamlError(codes.SYNTAX, message, line=line_at(text, offset), hint=hint))
    return None if found else Document(reader.root, reader.lines, extract(source, text, layout))


class _Stop(Exception):
    """The rest of the document cannot be judged."""


class _Reader:
    """Builds the tree of one document from its events, and reports every fault on the way."""

    def __init__(self, source: bytes, found: list[YamlError]) -> None:
        self.root: dict[str, Any] = {}
        self.lines: dict[Path, int] = {}
        self.spans: list[Span] | None = [] if may_need_layout(source) else None
        self.stopped = False
        self._found = found
        self._source = source
        # What stands behind a key needs a look where it may have the form `? key`, or stands within brackets.
        self._text = (
            source.decode() if b"? " in source or b"?\n" in source or b"{" in source or b"[" in source else ""
        )
        self._node: dict[str, Any] | list[Any] | None = None
        self._key: str | None = None
        self._path: Path = ()
        self._stack: list[tuple[dict[str, Any] | list[Any] | None, Path, bool]] = []
        self._in_flow = False
        self._documents = 0

    def read(self) -> None:
        """Walk the whole stream; afterwards `stopped` says whether its end was reached."""
        handle: dict[type, Callable[[YamlEvent], None]] = {
            ScalarEvent: self._scalar,
            MappingStartEvent: self._open,
            SequenceStartEvent: self._open,
            MappingEndEvent: self._close,
            SequenceEndEvent: self._close,
            AliasEvent: self._alias,
            DocumentStartEvent: self._document_start,
            DocumentEndEvent: self._document_end,
        }
        try:
            next_event = event_source(self._source)
            next_event()
            while type(event := next_event()) is not StreamEndEvent:
                handle[type(event)](event)
        except _Stop:
            self.stopped = True
        except YAMLError as error:
            self.stopped = True
            self._found.append(_syntax_error(error, self._source))
        else:
            if not self._documents:
                self._report(codes.ROOT_NOT_MAPPING, "the file holds no value", 1)

    def _scalar(self, event: YamlEvent) -> None:
        style, text, line = event.style, event.value, event.start_mark.line + 1
        if event.anchor is not None or event.tag is not None:
            self._properties(event, line)
        elif self._in_flow and not style and "?" in text:
            hint = "Put the text in double quotes, or write the collection in block style."
            self._report(codes.SYNTAX, "a `?` in unquoted text within brackets", line, hint)
        if style == '"' and (hits := scan_text(text)):
            self._add(hidden_character_error([what for _, what in hits], line, ", written as an escape"))
        if self.spans is not None:
            self.spans.append(Span(event.start_mark.index, event.end_mark.index, style))
        node = self._node
        if type(node) is dict:
            key = self._key
            if key is None:
                self._key = self._accept_key(node, event, line)
                return
            self._key = None
            node[key] = text
        elif type(node) is list:
            self.lines[(*self._path, len(node))] = line
            node.append(text)
        else:
            self._refuse_root("a single value", line)
        if not style and text in NULLS:
            what = f"`{text}`" if text else "nothing"
            self._report(codes.EMPTY_VALUE, f"{what} stands where {self._place()} needs a value", line)

    def _accept_key(self, node: dict[str, Any], event: YamlEvent, line: int) -> str:
        name: str = event.value
        for problem in key_problems(name, plain=not event.style):
            self._report(problem.code, problem.message, line, problem.hint)
        if self._text:
            self._check_colon(event, line)
        if not name.isascii():
            name = unicodedata.normalize("NFC", name)
        path = (*self._path, name)
        if name in node:
            message = f"the key `{shown(name)}` stands twice in one mapping, first in line {self.lines[path]}"
            self._report(codes.DUPLICATE_KEY, message, line)
        else:
            self.lines[path] = line
        return name

    def _check_colon(self, event: YamlEvent, line: int) -> None:
        behind = event.end_mark.index
        if not _AFTER_KEY.match(self._text, behind):
            hint = "Write `key: value` on one line, without a `?`."
            self._report(codes.KEY_NOT_TEXT, "a key in the complex form `? key` is not allowed", line, hint)
        elif self._in_flow and _TIGHT_COLON.match(self._text, behind):
            hint = "Write `key: value` with a space behind the colon."
            self._report(codes.SYNTAX, "a key within brackets has no space behind its colon", line, hint)

    def _open(self, event: YamlEvent) -> None:
        line = event.start_mark.line + 1
        if event.anchor is not None or event.tag is not None:
            self._properties(event, line)
        if len(self._stack) == MAX_DEPTH:
            self._stop(codes.TOO_DEEP, f"nested deeper than {MAX_DEPTH} levels", line)
        new: dict[str, Any] | list[Any] = {} if type(event) is MappingStartEvent else []
        node, path = self._node, self._path
        self._stack.append((node, path, self._in_flow))
        self._in_flow = bool(event.flow_style)
        if type(node) is dict:
            key = self._key
            if key is None:
                self._stop(
                    codes.KEY_NOT_TEXT, "a list or mapping cannot be a key", line, "Use a text as the key."
                )
            node[key] = new
            self._path = (*path, key)
            self._key = None
        elif type(node) is list:
            self._path = (*path, len(node))
            self.lines[self._path] = line
            node.append(new)
        elif type(new) is dict:
            self.root = new
        else:
            self._refuse_root("a list", line)
        self._node = new

    def _close(self, event: YamlEvent) -> None:
        self._node, self._path, self._in_flow = self._stack.pop()

    def _alias(self, event: YamlEvent) -> None:
        line = event.start_mark.line + 1
        self._report(codes.FORBIDDEN_CONSTRUCT, f"the alias `*{shown(event.anchor)}` is not allowed", line)
        node = self._node
        if type(node) is list:
            self.lines[(*self._path, len(node))] = line
            node.append("")
        elif type(node) is dict:
            if self._key is None:
                self._key = f"*{event.anchor}"
                self.lines[(*self._path, self._key)] = line
            else:
                node[self._key] = ""
                self._key = None

    def _document_start(self, event: YamlEvent) -> None:
        line = event.start_mark.line + 1
        self._documents += 1
        hint = "Keep one document to a file, and leave out `---`, `...` and lines that begin with `%`."
        if self._documents > 1:
            self._stop(codes.FORBIDDEN_CONSTRUCT, "a second document begins here", line, hint)
        if event.version or event.tags:
            self._report(codes.FORBIDDEN_CONSTRUCT, "a YAML directive is not allowed", line, hint)
        elif event.explicit:
            self._report(
                codes.FORBIDDEN_CONSTRUCT, "a document marker or directive is not allowed", line, hint
            )

    def _document_end(self, event: YamlEvent) -> None:
        if event.explicit:
            hint = "Delete the line: a file is one document."
            line = event.start_mark.line + 1
            self._report(
                codes.FORBIDDEN_CONSTRUCT, "the document end marker `...` is not allowed", line, hint
            )

    def _properties(self, event: YamlEvent, line: int) -> None:
        if event.anchor is not None:
            self._report(
                codes.FORBIDDEN_CONSTRUCT, f"the anchor `&{shown(event.anchor)}` is not allowed", line
            )
        tag = getattr(event, "tag", None)
        if tag is not None:
            hint = "Leave the tag out: the schema gives every field its type."
            self._report(codes.FORBIDDEN_CONSTRUCT, f"the tag `{shown(tag)}` is not allowed", line, hint)

    def _place(self) -> str:
        return "this list item" if type(self._node) is list else "this key"

    def _refuse_root(self, what: str, line: int) -> NoReturn:
        self._stop(codes.ROOT_NOT_MAPPING, f"the file is {what}, not a mapping of keys to values", line)

    def _stop(self, code: str, message: str, line: int, hint: str | None = None) -> NoReturn:
        self._report(code, message, line, hint)
        raise _Stop

    def _report(self, code: str, message: str, line: int, hint: str | None = None) -> None:
        self._add(YamlError(code, message, line=min(line, _last_line(self._source)), hint=hint))

    def _add(self, error: YamlError) -> None:
        self._found.append(error)
        if len(self._found) >= MAX_FAULTS:
            raise _Stop


def _last_line(source: bytes) -> int:
    return max(1, source.count(b"\n") + (not source.endswith(b"\n")))


_AFTER_KEY = re.compile(r" *[:,}\]]")
_TIGHT_COLON = re.compile(r" *:[^ \n]")

# What libyaml and PyYAML say, by a part of it, where the plain words or the remedy can be better.
_SYNTAX_HELP = (
    ("mapping values are not allowed", 'Put text that holds ": " in double quotes.'),
    ("cannot start any token", "Put text that begins with a special character, or a tab, in double quotes."),
    ("tab character", "Indent with spaces, or put text that begins with a tab in double quotes."),
    ("unexpected end of stream", "Close the quote or bracket that was opened."),
    (
        "could not find expected ':'",
        "Write `key: value`, or indent the line so that it continues the text above.",
    ),
    ("did not find expected", "Check indentation, quotes and brackets around this line."),
    ("unknown escape character", "Use single quotes, or write a backslash as `\\\\`."),
)


def _syntax_error(error: YAMLError, source: bytes) -> YamlError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = min(mark.line + 1, _last_line(source)) if mark else 1
    problem = (error.problem if isinstance(error, MarkedYAMLError) else None) or "no YAML"
    if "escape code" in problem:
        return YamlError(codes.HIDDEN_CHARACTER, "an escape that stands for no character", line=line)
    if "directive" in problem or "incompatible YAML document" in problem:
        return YamlError(codes.FORBIDDEN_CONSTRUCT, "a YAML directive is not allowed", line=line)
    if "nesting depth" in problem:
        return YamlError(codes.TOO_DEEP, f"nested deeper than {MAX_DEPTH} levels", line=line)
    if "tag" in problem:
        return YamlError(codes.FORBIDDEN_CONSTRUCT, "a YAML tag is not allowed", line=line)
    hint = next((text for part, text in _SYNTAX_HELP if part in problem), None)
    return YamlError(codes.SYNTAX, f"the YAML is broken: {shown(problem)}", line=line, hint=hint)
