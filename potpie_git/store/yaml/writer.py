"""A tree to its canonical bytes: block style, two spaces, keys in the mapping's order, one form for every value.

Pure string building; what it writes, `parse` accepts and gives back as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from potpie_git.domain.text_safety import scan_text
from potpie_git.store.yaml import codes
from potpie_git.store.yaml.comments import Comment, Notes, Path, comment_form, place
from potpie_git.store.yaml.errors import YamlError
from potpie_git.store.yaml.keys import key_problems
from potpie_git.store.yaml.limits import MAX_DEPTH
from potpie_git.store.yaml.scalars import INDENT, inline, number_form, text_form
from potpie_git.store.yaml.source import hidden_character_error, inspect, line_at


def emit(data: Mapping[str, Any], comments: Sequence[Comment] = ()) -> bytes:
    """The canonical bytes of `data`: str, int, float, bool, list (or tuple) and mapping, with text keys.

    `comments` (of the document that `data` comes from) are written at their paths. Raises `YamlError` for what a file
    may not hold (hidden characters, depth, size, keys that are not NFC or too long), `TypeError` for other types
    and `ValueError` for a float that is not finite.
    """
    writer = _Writer(place(data, comments) if comments else None)
    writer.document(data)
    return writer.finish()


class _Writer:
    """The lines written so far (an entry may hold a whole block); `notes` are the comments to weave in."""

    def __init__(self, notes: Notes | None) -> None:
        self._lines: list[str] = []
        self._notes = notes

    def document(self, data: Mapping[str, Any]) -> None:
        if data:
            self._mapping(data, "", 1, ())
        else:
            self._before((), "")
            self._lines.append("{}")

    def finish(self) -> bytes:
        text = "\n".join([*self._lines, ""])
        try:
            raw = text.encode()
        except UnicodeEncodeError as error:
            descriptions = [what for _, what in scan_text(text[error.start])]
            raise hidden_character_error(descriptions, line_at(text, error.start)) from error
        found, _ = inspect(raw)
        if found:
            raise found[0]
        return raw

    def _mapping(self, data: Mapping[str, Any], pad: str, depth: int, path: Path) -> None:
        lines, notes, inner = self._lines, self._notes, pad + INDENT
        for key, value in data.items():
            if notes is not None:
                self._before((*path, key), pad)
            at = len(lines)
            head = f"{pad}{_key_form(key)}:"
            if type(value) is str:
                lines.append(f"{head} {text_form(value, len(head) + 1, inner)}")
            elif isinstance(value, Mapping | list | tuple) and value:
                lines.append(head)
                self._collection(value, inner, depth + 1, (*path, key))
            else:
                lines.append(f"{head} {_leaf_form(value, len(head) + 1, inner)}")
            if notes is not None:
                self._eol((*path, key), at)
        if notes is not None:
            self._end(path, pad)

    def _list(self, data: Sequence[Any], pad: str, depth: int, path: Path) -> None:
        lines, notes, inner = self._lines, self._notes, pad + INDENT
        for index, value in enumerate(data):
            if notes is not None:
                self._before((*path, index), pad)
            at = len(lines)
            if isinstance(value, Mapping | list | tuple) and value:
                self._collection(value, inner, depth + 1, (*path, index))
                # The first child stands on the dash's line.
                lines[at] = f"{pad}- {lines[at][len(inner) :]}"
            else:
                lines.append(f"{pad}- {_leaf_form(value, len(inner), inner)}")
            if notes is not None:
                self._eol((*path, index), at)
        if notes is not None:
            self._end(path, pad)

    def _collection(self, data: Mapping[str, Any] | Sequence[Any], pad: str, depth: int, path: Path) -> None:
        if depth > MAX_DEPTH:
            raise YamlError(
                codes.TOO_DEEP, f"nested deeper than {MAX_DEPTH} levels", line=len(self._lines) + 1
            )
        if isinstance(data, Mapping):
            self._mapping(data, pad, depth, path)
        else:
            self._list(data, pad, depth, path)

    def _before(self, path: Path, pad: str) -> None:
        if self._notes is not None:
            self._lines += [pad + comment_form(text) for text in self._notes.before.get(path, ())]

    def _eol(self, path: Path, at: int) -> None:
        if self._notes is not None and path in self._notes.eol:
            first, newline, rest = self._lines[at].partition("\n")
            self._lines[at] = f"{first} {comment_form(self._notes.eol[path])}{newline}{rest}"

    def _end(self, path: Path, pad: str) -> None:
        if self._notes is not None:
            self._lines += [pad + comment_form(text) for text in self._notes.end.get(path, ())]


@lru_cache(maxsize=4096)
def _key_form(key: str) -> str:
    """The form of a key; nearly all keys come from a small set of names."""
    if not isinstance(key, str):
        raise TypeError(f"a key is text, not {type(key).__name__}")
    for problem in key_problems(key, plain=False):
        raise YamlError(problem.code, problem.message, hint=problem.hint)
    return inline(key)


def _leaf_form(value: Any, column: int, pad: str) -> str:
    """The form of a scalar or of an empty collection."""
    if isinstance(value, str):
        return text_form(value, column, pad)
    if isinstance(value, int | float):
        return number_form(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    raise TypeError(f"{type(value).__name__} has no form in a record")
