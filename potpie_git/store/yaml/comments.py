"""Comments between a file and its tree: each is tied to the key path it stands at, and put back there.

A comment on its own line belongs to the key or item that follows, unless it is indented deeper than that and closes
the mapping or list before it (`end`). A comment behind text belongs to that line's key or item (`eol`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    MappingStartEvent,
    ScalarEvent,
    StreamEndEvent,
)

from potpie_git.store.yaml.events import YamlEvent, event_source
from potpie_git.store.yaml.layout import Layout

Path = tuple[str | int, ...]
Kind = Literal["before", "eol", "end"]


@dataclass(frozen=True)
class Comment:
    """One comment line: `text` is what follows `#` and one space; `path` the key, item or (`end`) collection."""

    path: Path
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Notes:
    """Comments placed on a tree that is about to be written, as lists of text by path."""

    before: dict[Path, list[str]] = field(default_factory=dict)
    eol: dict[Path, str] = field(default_factory=dict)
    end: dict[Path, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Frame:
    """An open collection; `indent` is its column, -1 for one in flow style."""

    path: Path
    indent: int


@dataclass(frozen=True, slots=True)
class _Node:
    """A key, value, item or closing bracket in the source, with the collections that are open where it stands.

    `stop` is where it ends; of a block scalar, whose text may run on for lines, where it begins.
    """

    start: int
    stop: int
    path: Path
    frames: tuple[_Frame, ...]
    closes: bool = False


@dataclass(slots=True)
class _Open:
    """An open collection as the walk sees it: what the next child's path will be."""

    path: Path
    is_mapping: bool
    key: str | None = None
    count: int = 0

    def child(self, event: YamlEvent) -> Path:
        if not self.is_mapping:
            self.count += 1
            return (*self.path, self.count - 1)
        if self.key is None and isinstance(event, ScalarEvent):
            self.key = event.value
            return (*self.path, self.key)
        key, self.key = self.key or "", None
        return (*self.path, key)


def extract(source: bytes, text: str, layout: Layout) -> tuple[Comment, ...]:
    """The comments of a document without faults, in the order of the file; `text` is `source` decoded."""
    if not layout.comments:
        return ()
    nodes = list(_nodes(source))
    starts = [node.start for node in nodes]
    found = []
    for offset, end in layout.comments:
        at = bisect_left(starts, offset)
        following = nodes[at] if at < len(nodes) else None
        path, kind = _owner(text, offset, nodes[at - 1] if at else None, following)
        found.append(Comment(path, kind, text[offset + 1 : end].removeprefix(" ").rstrip(" \t")))
    return tuple(found)


def _nodes(source: bytes) -> Iterator[_Node]:
    """Every node by position. A collection in block style that is no item is left out: its children stand for it."""
    next_event = event_source(source)
    frames: tuple[_Frame, ...] = ()
    opened: list[_Open] = []
    while type(event := next_event()) is not StreamEndEvent:
        start, stop = event.start_mark, event.end_mark.index
        if isinstance(event, CollectionEndEvent):
            closed, frames = frames[-1], frames[:-1]
            opened.pop()
            if closed.indent < 0:
                yield _Node(start.index, stop, closed.path, frames, closes=True)
        elif isinstance(event, CollectionStartEvent):
            path = opened[-1].child(event) if opened else ()
            if path and (event.flow_style or isinstance(path[-1], int)):
                yield _Node(start.index, start.index, path, frames)
            frames = (*frames, _Frame(path, -1 if event.flow_style else start.column))
            opened.append(_Open(path, isinstance(event, MappingStartEvent)))
        elif isinstance(event, ScalarEvent):
            is_block = event.style in ("|", ">")
            yield _Node(start.index, start.index if is_block else stop, opened[-1].child(event), frames)


def _owner(text: str, offset: int, previous: _Node | None, following: _Node | None) -> tuple[Path, Kind]:
    line_start = text.rfind("\n", 0, offset) + 1
    own_line = not text[line_start:offset].strip(" ")
    if not own_line and previous and previous.stop >= line_start:
        return previous.path, "eol"
    if following and following.closes:
        return following.path, "end"
    if own_line and previous:
        closed = _closed_between(previous, following)
        column = offset - line_start
        if closed and column > (following.frames[-1].indent if following else -1):
            return [frame for frame in closed if frame.indent <= column or frame is closed[0]][-1].path, "end"
    return (following.path, "before") if following else ((), "end")


def _closed_between(previous: _Node, following: _Node | None) -> tuple[_Frame, ...]:
    """The collections that are open at one node and no longer at the next, outermost first."""
    still_open = following.frames if following else ()
    common = 0
    for ours, theirs in zip(previous.frames, still_open, strict=False):
        if ours != theirs:
            break
        common += 1
    return previous.frames[common:]


def place(data: Mapping[str, Any], comments: Sequence[Comment]) -> Notes:
    """Tie comments to a tree that is about to be written; one whose key is gone moves to the end of what held it.

    Raises `ValueError` for a comment with a line break in its text.
    """
    notes = Notes()
    for comment in comments:
        if "\n" in comment.text:
            raise ValueError("a comment is one line")
        path, kind = _settle(data, comment.path, comment.kind)
        if kind == "eol" and path not in notes.eol:
            notes.eol[path] = comment.text
        else:
            where = notes.end if kind == "end" else notes.before
            where.setdefault(path, []).append(comment.text)
    return notes


def comment_form(text: str) -> str:
    """A comment as it is written: `# text`; a run of `#` stays together."""
    if not text:
        return "#"
    return f"#{text}" if text.startswith("#") else f"# {text}"


def _settle(data: Mapping[str, Any], path: Path, kind: Kind) -> tuple[Path, Kind]:
    """The place in canonical form that reads back as itself."""
    found, value = _resolve(data, path)
    if len(found) < len(path):
        path, kind = found, "end"
    if kind == "end" and _first_of(value) is None:
        kind = "before"
    if kind == "eol" and not _has_line(path, value):
        kind = "before"
    if kind == "before":
        if not path and (first := _first_of(value)) is not None:
            path = (first,)
        # The first child of an item stands on the item's own line.
        while (
            len(path) > 1
            and isinstance(path[-2], int)
            and path[-1] == _first_of(_resolve(data, path[:-1])[1])
        ):
            path = path[:-1]
    return path, kind


def _has_line(path: Path, value: Any) -> bool:
    """Whether the line that names `path` is its own: the dash of a nested collection is its first child's line."""
    return bool(path) and not (isinstance(path[-1], int) and _first_of(value) is not None)


def _resolve(data: Mapping[str, Any], path: Path) -> tuple[Path, Any]:
    """The longest part of `path` that stands in the tree, and what stands there."""
    value: Any = data
    for depth, step in enumerate(path):
        children: Any = value if isinstance(value, Mapping) else ()
        if isinstance(value, list | tuple):
            children = range(len(value))
        if step not in children:
            return path[:depth], value
        value = value[step]
    return path, value


def _first_of(value: Any) -> str | int | None:
    """The first key or index of a collection that has one."""
    if isinstance(value, Mapping):
        return next(iter(value), None)
    return 0 if isinstance(value, list | tuple) and value else None
