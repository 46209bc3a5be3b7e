"""Which invisible characters are refused, which are honest text, and how a refused one is shown."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potpie_git.domain.text_safety import escape_for_display, scan_text

HONEST = {
    "ASCII with tab and line feed": "a\tb\nc",
    "accents, composed and not": "naïve nai\u0308ve",
    "no-break and wide spaces": "10\u00a0km\u3000漢字",
    "an emoji": "👍 done",
    "an emoji with a skin tone": "👍🏽",
    "a family": "👩\u200d👩\u200d👧\u200d👦",
    "a coder": "👩🏽\u200d💻",
    "a rainbow flag": "🏳\ufe0f\u200d🌈",
    "a heart on fire": "❤\ufe0f\u200d🔥",
    "a head that nods": "🙂\u200d↕\ufe0f",
    "a flag": "🇳🇿",
    "a key cap": "1\ufe0f\u20e3 #\ufe0f\u20e3",
    "a copyright sign as text": "©\ufe0e",
    "an arrow as an emoji": "↔\ufe0f",
    "Persian": "نمی\u200cخواهم",
    "Arabic, joined by hand": "ه\u200dا",
    "Devanagari": "क्\u200dष र्\u200cय",
    "Bengali": "র\u200d্য",
    "Malayalam at a word's end": "ന്\u200d ഒരു",
    "Sinhala": "ශ්\u200dරී",
    "Mongolian": "ᠨᠢᠭ\u180bᠡ ᠰᠠᠷᠠ\u180eᠠ",
    "an ideographic variant": "葛\U000e0100飾区",
    "right-to-left text": "שלום עולם",
    "private use": "\ue0a0",
}

REFUSED = {
    "\x00": "U+0000 NULL",
    "\x07": "U+0007 BELL",
    "\x1b": "U+001B ESCAPE",
    "\r": "U+000D CARRIAGE RETURN",
    "\x01": "U+0001 CONTROL CHARACTER",
    "\x7f": "U+007F DELETE",
    "\x85": "U+0085 NEXT LINE",
    "\x9b": "U+009B CONTROL CHARACTER",
    "\u00ad": "U+00AD SOFT HYPHEN",
    "\u034f": "U+034F COMBINING GRAPHEME JOINER",
    "\u061c": "U+061C ARABIC LETTER MARK",
    "\u115f": "U+115F HANGUL CHOSEONG FILLER",
    "\u180b": "U+180B MONGOLIAN FREE VARIATION SELECTOR ONE",
    "\u200b": "U+200B ZERO WIDTH SPACE",
    "\u200c": "U+200C ZERO WIDTH NON-JOINER",
    "\u200d": "U+200D ZERO WIDTH JOINER",
    "\u200e": "U+200E LEFT-TO-RIGHT MARK",
    "\u2028": "U+2028 LINE SEPARATOR",
    "\u2029": "U+2029 PARAGRAPH SEPARATOR",
    "\u202e": "U+202E RIGHT-TO-LEFT OVERRIDE",
    "\u2060": "U+2060 WORD JOINER",
    "\u2064": "U+2064 INVISIBLE PLUS",
    "\u2066": "U+2066 LEFT-TO-RIGHT ISOLATE",
    "\u3164": "U+3164 HANGUL FILLER",
    "\ufe0f": "U+FE0F VARIATION SELECTOR-16",
    "\ufeff": "U+FEFF ZERO WIDTH NO-BREAK SPACE",
    "\uffa0": "U+FFA0 HALFWIDTH HANGUL FILLER",
    "\ufff9": "U+FFF9 INTERLINEAR ANNOTATION ANCHOR",
    "\uffff": "U+FFFF NONCHARACTER",
    "\ufdd0": "U+FDD0 NONCHARACTER",
    "\ud83d": "U+D83D LONE SURROGATE",
    "\U000e0041": "U+E0041 TAG LATIN CAPITAL LETTER A",
    "\U000e0100": "U+E0100 VARIATION SELECTOR-17",
    "\U000e0fff": "U+E0FFF INVISIBLE CHARACTER",
    "\U0010ffff": "U+10FFFF NONCHARACTER",
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_text_passes(name: str) -> None:
    text = HONEST[name]
    assert scan_text(text) == []
    assert escape_for_display(text) == text


@pytest.mark.parametrize("char", REFUSED, ids=lambda char: f"U+{ord(char):04X}")
def test_a_hidden_character_is_named_where_it_stands(char: str) -> None:
    assert scan_text(f"ab{char}c") == [(2, REFUSED[char])]
    assert scan_text(char) == [(0, REFUSED[char])]
    assert scan_text(f"é{char}") == [(1, REFUSED[char])]
    assert escape_for_display(f"ab{char}c") == f"ab<{REFUSED[char].split()[0]}>c"


@pytest.mark.parametrize(
    "text",
    [
        "a\u200db", "👩\u200d", "\u200d👩", "👩\u200dx", "x\u200d👩", "👩\u200d\u200d👩", "👩\u200c👩", "漢\u200d字",
        "\ufe0f\u200d👩", "x\ufe0f\u200d👩", "ا\u200c ب", "ا\u200cx", "x\u200cا", "क\u200dx", "5\u200c6",
    ],
)  # fmt: skip
def test_a_joiner_joins_nothing_here(text: str) -> None:
    assert {what.split()[0] for _, what in scan_text(text)} <= {"U+200C", "U+200D", "U+FE0F"}
    assert scan_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "a\ufe0f",
        "1\ufe0f",
        "❤\ufe0f\ufe0f",
        "é\ufe00",
        "x\U000e0100",
        "❤\U000e0100",
        "漢\U000e0100\U000e0101",
    ],
)
def test_a_selector_selects_nothing_here(text: str) -> None:
    assert len(scan_text(text)) == 1


def test_a_hidden_character_lends_no_context_to_another() -> None:
    hidden = [chr(point) for point in range(0x110000) if scan_text(chr(point))]
    assert len(hidden) > 6_000
    for char in hidden:
        for selector in ("\u180b", "\ufe00", "\ufe0f", "\U000e0100"):
            assert len(scan_text(char + selector)) == 2
        for before, joiner, after in [(char, "\u200c", "ا"), (char, "\u200d", "क"), ("ا", "\u200c", char)]:
            assert len(scan_text(before + joiner + after)) == 2


def test_every_hit_is_listed_in_order() -> None:
    assert scan_text("\x00a\u202eb\n\x1b") == [
        (0, "U+0000 NULL"),
        (2, "U+202E RIGHT-TO-LEFT OVERRIDE"),
        (5, "U+001B ESCAPE"),
    ]


def test_white_space_is_kept_or_shown() -> None:
    assert escape_for_display("a\n\tb\x1b") == "a\n\tb<U+001B>"
    assert escape_for_display("a\n\tb\x1b", keep_whitespace=False) == "a<U+000A><U+0009>b<U+001B>"
    assert escape_for_display("plain", keep_whitespace=False) == "plain"


def test_no_bidirectional_or_format_character_of_unicode_is_left_out() -> None:
    """Whatever this Python's Unicode data calls a control, separator, surrogate or format character is refused alone.

    Format characters that a reader sees (the signs in front of Arabic, Syriac and Kaithi numbers, and hieroglyph
    layout, which is drawn as a quadrat) are honest text.
    """
    seen = {
        *range(0x600, 0x606),
        0x6DD,
        0x70F,
        0x890,
        0x891,
        0x8E2,
        0x110BD,
        0x110CD,
        *range(0x13430, 0x13440),
    }
    for point in range(0x110000):
        if unicodedata.category(chr(point)) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and point not in (9, 10, *seen):
            assert scan_text(f"a{chr(point)}b"), f"U+{point:04X}"


joined_text = st.text(alphabet="👩💻❤\u200d\ufe0f\u20e31ا\u200cक\u094d漢\U000e0100ᠠ\u180b a")


@given(st.one_of(st.text(), joined_text))
def test_what_is_displayed_holds_nothing_hidden(text: str) -> None:
    for keep in (True, False):
        shown = escape_for_display(text, keep_whitespace=keep)
        assert scan_text(shown) == []
    assert keep or ("\n" not in shown and "\t" not in shown)
