"""What a bulk file holds: one item a line (NDJSON), or a JSON document with a list of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.mutation import parse_json_payload

Form = Literal["auto", "ndjson", "json"]


@dataclass(frozen=True, slots=True)
class Item:
    """One operation or record of a bulk file. `line` is where it begins (1-based), `place` its number from 0.

    `fault` says why it could not be read; there is no payload then.
    """

    place: int
    line: int
    payload: Any = None
    fault: str | None = None

    @property
    def is_record(self) -> bool:
        """True for a record (`type`), which becomes operations; anything else has to be an operation."""
        return isinstance(self.payload, dict) and "type" in self.payload and "op" not in self.payload


def read_items(lines: Iterable[bytes], form: Form = "auto") -> Iterator[Item]:
    """The items of a bulk file, as its lines come; blank lines are passed over.

    Left to itself, a file is NDJSON if its first line is a whole JSON object other than `{"operations": ...}`.
    Raises `InvalidInputError` for a JSON document that does not parse or holds no list; a bad line of NDJSON is an item
    with a fault, so that the others can still be judged.
    """
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    first = next(numbered, None)
    if first is None:
        return
    rest = chain([first], numbered)
    if form == "ndjson" or (form == "auto" and _begins_ndjson(first[1])):
        for place, (number, line) in enumerate(rest):
            yield _item(place, number, line)
        return
    yield from _document(first[0], b"".join(line for _, line in rest))


def _begins_ndjson(line: bytes) -> bool:
    try:
        held = json.loads(line)
    except (ValueError, RecursionError):
        # A whole object on one line that is malformed is a bad line; an unfinished one begins a document.
        return line.lstrip().startswith(b"{") and line.rstrip().endswith(b"}")
    return isinstance(held, dict) and "operations" not in held


def _item(place: int, number: int, line: bytes) -> Item:
    try:
        payload = parse_json_payload(line.decode())
    except UnicodeDecodeError as error:
        return Item(place, number, fault=f"the line is not UTF-8 ({error.reason} at byte {error.start})")
    except ValueError as error:
        return Item(place, number, fault=f"the line is not JSON: {error}")
    if not isinstance(payload, dict):
        return Item(place, number, fault="the line holds no JSON object")
    return Item(place, number, payload)


def _document(first_line: int, raw: bytes) -> Iterator[Item]:
    """The items of one JSON document: a list, `{"operations": [...]}`, or a single object."""
    try:
        text = raw.decode()
        held = parse_json_payload(text)
    except UnicodeDecodeError as error:
        raise _unreadable(f"it is not UTF-8 ({error.reason} at byte {error.start})") from error
    except ValueError as error:
        raise _unreadable(str(error)) from error
    if isinstance(held, dict):
        held = held["operations"] if set(held) == {"operations"} else [held]
    if not isinstance(held, list):
        raise _unreadable("it holds no list of operations")
    for place, payload in enumerate(held):
        # A document is parsed as a whole, so that only its beginning is known as a line.
        fault = None if isinstance(payload, dict) else "the entry is no JSON object"
        yield Item(place, first_line, payload if fault is None else None, fault)


def _unreadable(why: str) -> InvalidInputError:
    return InvalidInputError(
        f"the file is not JSON: {why}",
        hint='Send one operation a line, or one document {"operations": [...]}.',
        code="malformed_payload",
    )
