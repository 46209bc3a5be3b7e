"""Which characters may stand in a record: the one home of that knowledge, for the domain, the YAML layer and display.

Refused everywhere: controls (C0 but for tab and line feed, DEL, C1), line and paragraph separators, bidirectional
controls, invisible format characters (zero-width space, word joiner, soft hyphen, fillers, ...), tag characters, lone
surrogates and noncharacters. A reviewer cannot see them, and they change what is read or how it is shown.

Three invisible kinds carry meaning in honest text and are allowed exactly there:

- ZERO WIDTH JOINER between two emoji, and both joiners between two letters of a joining script (Arabic, Syriac,
  Mongolian, ...), between two letters of a Brahmic script, or after a virama;
- variation selectors directly after a character that has variants (emoji and symbols, a key cap's digit, an ideograph);
- Mongolian selectors after a Mongolian letter.

The sets are fixed here rather than read from `unicodedata`, so that the verdict does not vary with Python's version.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

Ranges = tuple[tuple[int, int], ...]

_REFUSED: Ranges = (
    (0x00, 0x08),
    (0x0B, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),  # soft hyphen
    (0x34F, 0x34F),  # combining grapheme joiner
    (0x61C, 0x61C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),
    (0xFDD0, 0xFDEF),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical format controls
    *((plane << 16 | 0xFFFE, plane << 16 | 0xFFFF) for plane in range(1, 17)),
    (0xE0000, 0xE00FF),
    (0xE01F0, 0xE0FFF),
)

_NON_JOINER, _JOINER, _KEYCAP = 0x200C, 0x200D, 0x20E3
_KEYCAP_BASES = frozenset("0123456789#*")
_MONGOLIAN_SELECTORS: Ranges = ((0x180B, 0x180F),)
_VARIATION_SELECTORS: Ranges = ((0xFE00, 0xFE0F),)
_IDEOGRAPHIC_SELECTORS: Ranges = ((0xE0100, 0xE01EF),)
_CONTEXTUAL: Ranges = (
    (_NON_JOINER, _JOINER),
    *_MONGOLIAN_SELECTORS,
    *_VARIATION_SELECTORS,
    *_IDEOGRAPHIC_SELECTORS,
)

_EMOJI: Ranges = ((0x2190, 0x21FF), (0x2300, 0x23FF), (0x2600, 0x27BF), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF))
_MONGOLIAN: Ranges = ((0x1820, 0x18AA),)
_IDEOGRAPHS: Ranges = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2FFFD),
    (0x30000, 0x323AF),
)
_WITH_VARIANTS: Ranges = (
    (0xA9, 0xA9),
    (0xAE, 0xAE),
    (0x1000, 0x109F),
    (0x203C, 0x2049),
    (0x2100, 0x2BFF),
    (0x3000, 0x303F),
    (0x3297, 0x3299),
    (0xA840, 0xA877),
    (0xFF00, 0xFF60),
    (0x1F000, 0x1FAFF),
    *_IDEOGRAPHS,
)
_JOINING_SCRIPTS: Ranges = (
    (0x620, 0x6FF),  # Arabic
    (0x710, 0x77F),  # Syriac, Arabic supplement
    (0x7CA, 0x7F5),  # N'Ko
    (0x840, 0x85B),  # Mandaic
    (0x860, 0x8FF),  # Syriac and Arabic extensions
    *_MONGOLIAN,
    (0xA840, 0xA871),  # Phags-pa
    (0xFB50, 0xFDCF),
    (0xFDF0, 0xFDFB),
    (0xFE70, 0xFEFC),
    (0x1E900, 0x1E94B),  # Adlam
)
_BRAHMIC_SCRIPTS: Ranges = (
    (0x900, 0xDFF),
    (0x1000, 0x109F),
    (0x1780, 0x17B3),
    (0x17B6, 0x17D3),
    (0x1B00, 0x1B4B),
    (0xA980, 0xA9C0),
)
_VIRAMAS = frozenset(
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u103a\u17d2\u1b44\ua9c0"
)

# Control characters have no name in the Unicode data base.
_CONTROL_NAMES = {
    0x00: "NULL",
    0x07: "BELL",
    0x08: "BACKSPACE",
    0x0B: "LINE TABULATION",
    0x0C: "FORM FEED",
    0x0D: "CARRIAGE RETURN",
    0x1B: "ESCAPE",
    0x7F: "DELETE",
    0x85: "NEXT LINE",
}


def _character_class(ranges: Iterable[tuple[int, int]]) -> str:
    return "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges) + "]"


_SUSPECT = re.compile(_character_class((*_REFUSED, *_CONTEXTUAL)))
_HARMLESS = bytes([0x09, 0x0A, *range(0x20, 0x7F)])


def scan_text(text: str) -> list[tuple[int, str]]:
    """Every character of `text` that a record may not hold, as (offset, description), in order.

    A description reads `U+202E RIGHT-TO-LEFT OVERRIDE`. Tab and line feed are allowed here; a field that is one line
    refuses them itself.
    """
    if not _may_hide(text):
        return []
    return [
        (match.start(), _describe(ord(match.group())))
        for match in _SUSPECT.finditer(text)
        if not _allowed_here(text, match.start())
    ]


def escape_for_display(text: str, *, keep_whitespace: bool = True) -> str:
    """`text` with every refused character shown as `<U+202E>`, so that none reaches a terminal or a page.

    `keep_whitespace=False` shows tabs and line feeds in the same way, for a text that has to stay on one line.
    """
    shown = _SUSPECT.sub(lambda match: _shown(text, match), text) if _may_hide(text) else text
    if not keep_whitespace:
        shown = shown.replace("\n", _visible("\n")).replace("\t", _visible("\t"))
    return shown


def _may_hide(text: str) -> bool:
    """Whether a character needs a closer look; only what is left without printable ASCII is searched."""
    if text.isascii() and text.isprintable():
        return False
    rest = text.encode("utf-8", "surrogatepass").translate(None, _HARMLESS)
    return bool(rest) and _SUSPECT.search(rest.decode("utf-8", "surrogatepass")) is not None


def _shown(text: str, match: re.Match[str]) -> str:
    return match.group() if _allowed_here(text, match.start()) else _visible(match.group())


def _visible(char: str) -> str:
    return f"<U+{ord(char):04X}>"


def _describe(point: int) -> str:
    name = _CONTROL_NAMES.get(point) or unicodedata.name(chr(point), "") or _unnamed(point)
    return f"U+{point:04X} {name}"


def _unnamed(point: int) -> str:
    if 0xD800 <= point <= 0xDFFF:
        return "LONE SURROGATE"
    if point < 0x20 or 0x80 <= point <= 0x9F:
        return "CONTROL CHARACTER"
    if point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF:
        return "NONCHARACTER"
    return "INVISIBLE CHARACTER"


def _in(char: str, ranges: Ranges) -> bool:
    return bool(char) and any(first <= ord(char) <= last for first, last in ranges)


def _allowed_here(text: str, offset: int) -> bool:
    char, before, after = text[offset], text[offset - 1 : offset], text[offset + 1 : offset + 2]
    if _in(char, _MONGOLIAN_SELECTORS):
        return _in(before, _MONGOLIAN)
    if _in(char, _IDEOGRAPHIC_SELECTORS):
        return _in(before, _IDEOGRAPHS)
    if _in(char, _VARIATION_SELECTORS):
        return _in(before, _WITH_VARIANTS) or (before in _KEYCAP_BASES and after == chr(_KEYCAP))
    if ord(char) in (_NON_JOINER, _JOINER):
        return _joins(text, offset, before, after)
    return False


def _joins(text: str, offset: int, before: str, after: str) -> bool:
    if before in _VIRAMAS:
        return True
    for script in (_JOINING_SCRIPTS, _BRAHMIC_SCRIPTS):
        if _in(before, script) and _in(after, script):
            return True
    if before == "\ufe0f":
        before = text[offset - 2 : offset - 1]
    return ord(text[offset]) == _JOINER and _in(before, _EMOJI) and _in(after, _EMOJI)
