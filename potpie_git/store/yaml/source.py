"""The checks that need no YAML parser: encoding, size, line endings, hidden characters, conflict markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, islice

from potpie_git.domain.text_safety import scan_text
from potpie_git.store.yaml import codes
from potpie_git.store.yaml.errors import YamlError
from potpie_git.store.yaml.limits import MAX_BYTES, MAX_FAULTS

Hit = tuple[int, str]
"""A refused character: its offset and its description, as `scan_text` gives them."""

_PLAIN_BYTES = bytes([0x09, 0x0A, *range(0x20, 0x7F)])
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
_MARKER_LINE = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?=[ \r\n]|\Z)", re.MULTILINE)
_STAND_IN = "\N{REPLACEMENT CHARACTER}"


def inspect(raw: bytes) -> tuple[list[YamlError], bytes | None]:
    """The faults of `raw` as text, and the UTF-8 bytes whose structure can still be judged (None: it cannot).

    In those bytes every refused character is replaced, one for one, so that lines and columns stay true.
    """
    if _is_clean(raw):
        return [], raw
    if len(raw) > MAX_BYTES:
        return [_too_large(raw)], None
    found: list[YamlError] = []
    if raw.startswith(_BOM):
        found.append(YamlError(codes.BYTE_ORDER_MARK, "the file begins with a byte order mark"))
        raw = raw.removeprefix(_BOM)
    if _looks_wide(raw):
        return [YamlError(codes.NOT_UTF8, "the file is UTF-16 or UTF-32, not UTF-8")], None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return [*found, _undecodable(raw, error)], None
    hits = scan_text(text)
    markers = _conflict_markers(text)
    found += [*_line_endings(text), *_hidden_characters(text, hits), *markers]
    if markers:
        return found, None
    return found, _masked(text, hits).encode() if hits else raw


def line_at(text: str, offset: int) -> int:
    """The 1-based line of a character offset."""
    return text.count("\n", 0, offset) + 1


def hidden_character_error(descriptions: list[str], line: int, where: str = "") -> YamlError:
    """One fault for the refused characters of a line (or of one scalar), each named once."""
    names = list(dict.fromkeys(descriptions))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return YamlError(codes.HIDDEN_CHARACTER, f"{', '.join(names[:3])}{more} in the text{where}", line=line)


def _is_clean(raw: bytes) -> bool:
    return (
        len(raw) <= MAX_BYTES
        and raw.endswith(b"\n")
        and not raw.translate(None, _PLAIN_BYTES)
        and b"<<<<<<<" not in raw
        and b"=======" not in raw
        and b">>>>>>>" not in raw
        and b"|||||||" not in raw
    )


def _too_large(raw: bytes) -> YamlError:
    # a snapshot cuts what it reads, so the true size is not known here
    message = f"the file has more than {MAX_BYTES} bytes"
    return YamlError(codes.TOO_LARGE, message, line=raw.count(b"\n", 0, MAX_BYTES) + 1)


def _looks_wide(raw: bytes) -> bool:
    return raw.startswith(_WIDE_BOMS) or (
        len(raw) > 3 and max(raw[::2].count(0), raw[1::2].count(0)) * 4 > len(raw)
    )


def _undecodable(raw: bytes, error: UnicodeDecodeError) -> YamlError:
    line = raw.count(b"\n", 0, error.start) + 1
    if raw[error.start] == 0xED and raw[error.start + 1 : error.start + 2] >= b"\xa0":
        return YamlError(
            codes.NOT_UTF8, "a lone surrogate is encoded here, which UTF-8 cannot hold", line=line
        )
    return YamlError(codes.NOT_UTF8, f"byte 0x{raw[error.start]:02X} is not UTF-8", line=line)


def _line_endings(text: str) -> list[YamlError]:
    found = []
    at = text.find("\r")
    if at >= 0:
        pair = text.startswith("\n", at + 1)
        what = "this line ends in CR LF" if pair else "a carriage return stands alone"
        more = text.count("\r") - 1
        found.append(
            YamlError(
                codes.LINE_ENDING,
                f"{what}{f' (and {more} more)' if more else ''}; lines end in LF",
                line=line_at(text, at),
            )
        )
    if text and not text.endswith("\n"):
        message = "the last line has no newline at its end"
        found.append(YamlError(codes.LINE_ENDING, message, line=line_at(text, len(text))))
    return found


def _hidden_characters(text: str, hits: Sequence[Hit]) -> list[YamlError]:
    numbered, line, scanned = [], 1, 0
    for offset, what in hits:
        if text[offset] != "\r":
            line += text.count("\n", scanned, offset)
            scanned = offset
            numbered.append((line, what))
    return [
        hidden_character_error([what for _, what in group], number)
        for number, group in islice(groupby(numbered, key=lambda hit: hit[0]), MAX_FAULTS)
    ]


def _conflict_markers(text: str) -> list[YamlError]:
    return [
        YamlError(
            codes.CONFLICT_MARKER,
            f"conflict marker `{match.group()}` of an unfinished merge",
            line=line_at(text, match.start()),
        )
        for match in islice(_MARKER_LINE.finditer(text), MAX_FAULTS)
    ]


def _masked(text: str, hits: Sequence[Hit]) -> str:
    characters = list(text)
    for offset, _ in hits:
        characters[offset] = " " if text[offset] == "\r" else _STAND_IN
    return "".join(characters)
