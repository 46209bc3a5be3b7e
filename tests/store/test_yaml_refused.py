"""What strict YAML refuses, each with its code and line, and never with a traceback."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from potpie_git.domain.errors import ExitCode, PotpieError
from potpie_git.store.yaml import YamlError, codes, faults, parse
from potpie_git.store.yaml.events import event_source
from potpie_git.store.yaml.limits import MAX_FAULTS

LAUGHS = b"a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n" + b"".join(
    b"%c: &%c [%s]\n" % (name, name, b", ".join([b"*%c" % (name - 1)] * 9)) for name in b"bcdefghij"
)
DEEP = {
    "block mapping": lambda levels: b"".join(b" " * level + b"a:\n" for level in range(min(levels, 300))),
    "block list": lambda levels: b"a:\n  " + b"- " * levels + b"x\n",
    "flow list": lambda levels: b"a: " + b"[" * levels + b"]" * levels + b"\n",
    "unclosed flow list": lambda levels: b"a: " + b"[" * levels + b"\n",
    "flow mapping": lambda levels: b"a: " + b"{a: " * levels + b"x" + b"}" * levels + b"\n",
    "flow over lines": lambda levels: b"a:\n" + b" [\n" * levels,
}

REFUSED = {
    # not UTF-8, byte order marks
    "a byte that is not UTF-8": (b"id: a\nfact: caf\xe9\n", codes.NOT_UTF8, 2),
    "a truncated sequence": (b"id: a\nfact: x\xe2\x82", codes.NOT_UTF8, 2),
    "an encoded surrogate": (b"id: a\nfact: \xed\xa0\x80\n", codes.NOT_UTF8, 2),
    "an encoded surrogate pair": (b"id: \xed\xa0\xbd\xed\xb8\x80\n", codes.NOT_UTF8, 1),
    "an overlong form": (b"id: \xc0\x80\n", codes.NOT_UTF8, 1),
    "UTF-16 with its mark": ("id: a\n".encode("utf-16"), codes.NOT_UTF8, 1),
    "UTF-16 big endian without a mark": ("id: a\nfact: b\n".encode("utf-16-be"), codes.NOT_UTF8, 1),
    "UTF-16 little endian without a mark": ("id: a\nfact: b\n".encode("utf-16-le"), codes.NOT_UTF8, 1),
    "UTF-32": ("id: a\n".encode("utf-32"), codes.NOT_UTF8, 1),
    "a byte order mark": (b"\xef\xbb\xbfid: a\n", codes.BYTE_ORDER_MARK, 1),
    # line endings
    "CR LF": (b"id: a\r\nfact: b\r\n", codes.LINE_ENDING, 1),
    "a lone CR in a comment": (b"id: a\n# one\rfact: b\n", codes.LINE_ENDING, 2),
    "a lone CR in a text": (b"id: a\nfact: 'b\rc'\n", codes.LINE_ENDING, 2),
    "a CR at the end of the file": (b"id: a\nfact: b\r", codes.LINE_ENDING, 2),
    "no final newline": (b"id: a\nfact: b", codes.LINE_ENDING, 2),
    # size and depth
    "more than 64 KiB": (b"id: a\n" + b"# " + b"x" * 65536 + b"\n", codes.TOO_LARGE, 2),
    "nine levels": (b"a: {a: {a: {a: {a: {a: {a: {a: {a: x}}}}}}}}\n", codes.TOO_DEEP, 1),
    # constructs
    "an anchor": (b"id: a\nfact: &x b\n", codes.FORBIDDEN_CONSTRUCT, 2),
    "an anchor on a list": (b"id: &x\n  - a\n", codes.FORBIDDEN_CONSTRUCT, 1),
    "an alias": (b"id: a\nfact: *id\n", codes.FORBIDDEN_CONSTRUCT, 2),
    "an alias in a list": (b"id:\n  - a\n  - *id\n", codes.FORBIDDEN_CONSTRUCT, 3),
    "an alias as a key": (b"id: a\n*id : b\n", codes.FORBIDDEN_CONSTRUCT, 2),
    "a merge key": (b"id: a\n<<: {fact: b}\n", codes.FORBIDDEN_CONSTRUCT, 2),
    "a binary tag": (b"id: a\nfact: !!binary aGk=\n", codes.FORBIDDEN_CONSTRUCT, 2),
    "an object tag": (b"id: !!python/object:os.system ls\n", codes.FORBIDDEN_CONSTRUCT, 1),
    "a local tag on a mapping": (b"id: !x {a: b}\n", codes.FORBIDDEN_CONSTRUCT, 1),
    "the tag !": (b"id: ! a\n", codes.FORBIDDEN_CONSTRUCT, 1),
    "a tag with an unknown handle": (b"id: !e!x a\n", codes.FORBIDDEN_CONSTRUCT, 1),
    "a second document": (b"id: a\n---\nid: b\n", codes.FORBIDDEN_CONSTRUCT, 2),
    "a document marker": (b"---\nid: a\n", codes.FORBIDDEN_CONSTRUCT, 1),
    "an end marker": (b"id: a\n...\n", codes.FORBIDDEN_CONSTRUCT, 2),
    "a version directive": (b"%YAML 1.2\n---\nid: a\n", codes.FORBIDDEN_CONSTRUCT, 1),
    "a directive of a future version": (b"%YAML 3.0\n---\nid: a\n", codes.FORBIDDEN_CONSTRUCT, 1),
    "a tag directive": (b"%TAG ! tag:x,2000:\n---\nid: a\n", codes.FORBIDDEN_CONSTRUCT, 1),
    "an unknown directive": (b"%FOO bar\n---\nid: a\n", codes.FORBIDDEN_CONSTRUCT, 1),
    # keys
    "a key twice": (b"id: a\nfact: b\nid: c\n", codes.DUPLICATE_KEY, 3),
    "valid_to twice, as a union merge leaves it": (
        b"id: a\nvalid_to: '2026-07-01T00:00:00Z'\nvalid_to: '2026-07-02T00:00:00Z'\n",
        codes.DUPLICATE_KEY,
        3,
    ),
    "a key twice, quoted once": (b"id: a\n'id': b\n", codes.DUPLICATE_KEY, 2),
    "a key twice, inside an item": (b"evidence:\n  - ref: a\n    ref: b\n", codes.DUPLICATE_KEY, 3),
    "a list as a key": (b"id: a\n[x, y]: b\n", codes.KEY_NOT_TEXT, 2),
    "a mapping as a key": (b"id: a\n? {x: y}\n: b\n", codes.KEY_NOT_TEXT, 2),
    "a key in the complex form": (b"id: a\n? fact\n: b\n", codes.KEY_NOT_TEXT, 2),
    "a number as a key": (b"id: a\n1: b\n", codes.KEY_NOT_TEXT, 2),
    "a boolean of YAML 1.1 as a key": (b"id: a\non: b\n", codes.KEY_NOT_TEXT, 2),
    "a date as a key": (b"id: a\n2026-09-01: b\n", codes.KEY_NOT_TEXT, 2),
    "a null key": (b"id: a\n~: b\n", codes.KEY_NOT_TEXT, 2),
    "a colon without a key": (b"id: a\n: b\n", codes.SYNTAX, 2),
    "a key that is not NFC": ("id: a\ncafe\u0301: b\n".encode(), codes.KEY_NOT_TEXT, 2),
    "a very long key": (b"id: a\n" + b"k" * 257 + b": b\n", codes.KEY_NOT_TEXT, 2),
    # values
    "no value": (b"id: a\nfact:\n", codes.EMPTY_VALUE, 2),
    "no value before another key": (b"id:\nfact: b\n", codes.EMPTY_VALUE, 1),
    "an empty item": (b"id:\n  - a\n  -\n", codes.EMPTY_VALUE, 3),
    "a tilde": (b"id: ~\n", codes.EMPTY_VALUE, 1),
    "null": (b"id: a\nfact: null\n", codes.EMPTY_VALUE, 2),
    "Null": (b"id: a\nfact: [Null]\n", codes.EMPTY_VALUE, 2),
    "NULL": (b"id: a\nfact: NULL # really\n", codes.EMPTY_VALUE, 2),
    # roots
    "an empty file": (b"", codes.ROOT_NOT_MAPPING, 1),
    "a newline": (b"\n", codes.ROOT_NOT_MAPPING, 1),
    "a comment alone": (b"# nothing\n", codes.ROOT_NOT_MAPPING, 1),
    "a list": (b"- a\n", codes.ROOT_NOT_MAPPING, 1),
    "a text": (b"just a text\n", codes.ROOT_NOT_MAPPING, 1),
    "an empty list": (b"[]\n", codes.ROOT_NOT_MAPPING, 1),
    # syntax
    "a colon inside plain text": (b"id: a\nfact: b: c\n", codes.SYNTAX, 2),
    "an open bracket": (b"id: a\nfact: [b\nobject: c\n", codes.SYNTAX, 3),
    "an open quote": (b"id: a\nfact: 'b\n", codes.SYNTAX, 2),
    "a reserved indicator": (b"id: a\nfact: @b\n", codes.SYNTAX, 2),
    "an unknown escape": (b'id: "\\q"\n', codes.SYNTAX, 1),
    "wrong indentation": (b"id: a\n fact: b\n", codes.SYNTAX, 2),
    "a tab as indentation": (b"id:\n\t- a\n", codes.SYNTAX, 2),
    "a tab behind a colon": (b"id: a\nfact:\tb\n", codes.SYNTAX, 2),
    "a tab in plain text": (b"id: a\nfact: b\tc\n", codes.SYNTAX, 2),
    "a tab before a comment": (b"id: a\t# c\n", codes.SYNTAX, 1),
    "a comment without a space before it": (b"id: 'a'#c\n", codes.SYNTAX, 1),
    "a question mark in brackets": (b"id: [a?b]\n", codes.SYNTAX, 1),
    "a colon without a space in brackets": (b"id: {'a':b}\n", codes.SYNTAX, 1),
    "spaces before the text of a block": (b"id: |\n \n  x\n", codes.SYNTAX, 2),
    "a tab that begins a block": (b"id: |\n  \tx\n", codes.SYNTAX, 2),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_with_code_and_line(case: str) -> None:
    raw, code, line = REFUSED[case]
    with pytest.raises(YamlError) as raised:
        parse(raw)
    error = raised.value
    assert (error.code, error.line) == (code, line)
    assert error.message
    assert error.hint
    assert error.detail == {"line": line}
    assert error.exit_code is ExitCode.FAILED
    assert isinstance(error, PotpieError)
    assert (code, line) in [(fault.code, fault.line) for fault in faults(raw)]


HIDDEN = [
    *range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0), 0xAD, 0x061C, 0x200B, 0x200C, 0x200D,
    0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, 0xFE0F, 0xFEFF, 0xFFF9,
    0xFFFE, 0xFFFF, 0x1FFFE, 0xE0001, 0xE0020, 0xE007F, 0xE0100,
]  # fmt: skip


@pytest.mark.parametrize("point", HIDDEN, ids=lambda point: f"U+{point:04X}")
@pytest.mark.parametrize(
    "form", ["plain {}x", "'single {}x'", '"double {}x"', "x # comment {}x", "|\n  block {}x"]
)
def test_a_hidden_character_is_refused_raw(point: int, form: str) -> None:
    raw = f"id: a\nfact: {form.format(chr(point))}\n".encode()
    line = 3 if "\n" in form else 2
    found = faults(raw)
    assert [(fault.code, fault.line) for fault in found] == [(codes.HIDDEN_CHARACTER, line)]
    assert f"U+{point:04X}" in found[0].message
    assert chr(point) not in found[0].message


@pytest.mark.parametrize("point", [*HIDDEN, 0x0D, 0xD800, 0xDFFF], ids=lambda point: f"U+{point:04X}")
def test_a_hidden_character_is_refused_as_an_escape(point: int) -> None:
    raw = b'id: a\nfact: "x \\U%08x y"\n' % point
    assert [(fault.code, fault.line) for fault in faults(raw)] == [(codes.HIDDEN_CHARACTER, 2)]


@pytest.mark.parametrize(
    "escape", ["\\0", "\\a", "\\b", "\\v", "\\f", "\\r", "\\e", "\\N", "\\L", "\\P", "\\x1b", "\\u202e"]
)
@pytest.mark.parametrize("form", ['fact: "{}"', '"{}": x', 'fact: ["{}"]', 'fact: {{a: "{}"}}'])
def test_no_escape_writes_a_control_character(escape: str, form: str) -> None:
    raw = f"id: a\n{form.format(escape)}\n".encode()
    assert [(fault.code, fault.line) for fault in faults(raw)] == [(codes.HIDDEN_CHARACTER, 2)]


def test_a_surrogate_pair_of_escapes_is_refused() -> None:
    with pytest.raises(YamlError) as raised:
        parse(b'id: "\\ud83d\\ude00"\n')
    assert raised.value.code == codes.HIDDEN_CHARACTER


@pytest.mark.parametrize(
    "marker", ["<<<<<<< HEAD", "=======", ">>>>>>> branch", "||||||| base", "<<<<<<<", ">>>>>>>"]
)
def test_a_conflict_marker_is_named_with_its_line(marker: str) -> None:
    found = faults(f"id: a\n{marker}\nfact: b\n".encode())
    assert [(fault.code, fault.line) for fault in found] == [(codes.CONFLICT_MARKER, 2)]
    assert marker[:7] in found[0].message


def test_every_marker_of_a_conflict_is_told_and_nothing_guessed_beside_it() -> None:
    raw = b"id: a\n<<<<<<< HEAD\nfact: b\n||||||| base\nfact: a\n=======\nfact: c\n>>>>>>> theirs\n"
    assert [(fault.code, fault.line) for fault in faults(raw)] == [
        (codes.CONFLICT_MARKER, line) for line in (2, 4, 6, 8)
    ]


@pytest.mark.parametrize(
    "text", ["a ======= b", "<<<<<<<< eight", "'======='", "|\n  =======\n  <<<<<<< HEAD"]
)
def test_what_only_resembles_a_conflict_marker_is_text(text: str) -> None:
    assert faults(f"fact: {text}\n".encode()) == []


def test_text_faults_and_structural_ones_are_told_at_once() -> None:
    raw = "\ufeffid: a\r\nfact: b\u202e\nfact: c\nobject: &x ~\nvalue: !t d\u200b\u200b\nlast:".encode()
    assert [(fault.code, fault.line) for fault in faults(raw)] == [
        (codes.BYTE_ORDER_MARK, 1),
        (codes.LINE_ENDING, 1),
        (codes.HIDDEN_CHARACTER, 2),
        (codes.DUPLICATE_KEY, 3),
        (codes.FORBIDDEN_CONSTRUCT, 4),
        (codes.EMPTY_VALUE, 4),
        (codes.HIDDEN_CHARACTER, 5),
        (codes.FORBIDDEN_CONSTRUCT, 5),
        (codes.LINE_ENDING, 6),
        (codes.EMPTY_VALUE, 6),
    ]


def test_a_duplicate_names_the_first_line_and_the_key() -> None:
    (fault,) = faults(b"a: b\nnested:\n  x: 1\n  z: 2\n  x: 3\n")
    assert re.search(r"`x` stands twice .* line 3", fault.message)


def test_keys_are_compared_in_normal_form() -> None:
    found = faults("caf\u00e9: a\ncafe\u0301: b\n".encode())
    assert [fault.code for fault in found] == [codes.KEY_NOT_TEXT, codes.DUPLICATE_KEY]


def test_a_value_need_not_be_in_normal_form() -> None:
    assert parse("fact: cafe\u0301\n".encode()).data == {"fact": "cafe\u0301"}


def test_billion_laughs_are_refused_before_anything_is_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []

    def counted(raw: bytes) -> Callable[[], Any]:
        next_event = event_source(raw)
        return lambda: taken.append(next_event()) or taken[-1]

    monkeypatch.setattr("potpie_git.store.yaml.reader.event_source", counted)
    found = faults(LAUGHS)
    assert 400 < len(LAUGHS) < 460
    assert {fault.code for fault in found} == {codes.FORBIDDEN_CONSTRUCT}
    assert {fault.line for fault in found} == set(range(1, 11))
    assert len(taken) < len(LAUGHS)


@pytest.mark.parametrize("levels", [9, 2_000, 10_000])
@pytest.mark.parametrize("shape", DEEP)
def test_deep_nesting_is_refused_without_recursion(shape: str, levels: int) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        found = faults(DEEP[shape](levels))
    finally:
        sys.setrecursionlimit(limit)
    assert [fault.code for fault in found] == [codes.TOO_DEEP]


def test_eight_levels_are_allowed() -> None:
    assert faults(b"a: {a: {a: {a: {a: {a: {a: {a: x}}}}}}}\n") == []
    assert faults(b"a: [[[[[[[x]]]]]]]\n") == []


def test_exactly_64_kib_are_allowed() -> None:
    raw = b"id: " + b"x" * (65536 - 5) + b"\n"
    assert len(raw) == 65536
    assert faults(raw) == []
    assert [fault.code for fault in faults(raw[:-1] + b"x\n")] == [codes.TOO_LARGE]


@pytest.mark.parametrize(
    "raw",
    [
        b"\x00" * 20_000 + b"\n" + b"a: \x07\x07\x08\n" * 5_000,
        b"a:\n" * 20_000,
        b"a: {" + b"a," * 30_000 + b"}\n",
        b"a: [" + b"x\t,\n " * 10_000 + b"]\n",
        b"=======\n" * 8_000,
    ],
)
def test_a_file_of_faults_is_told_in_short_and_from_its_first_line(raw: bytes) -> None:
    found = faults(raw)
    assert found[0].line == 1
    assert 2 <= len(found) <= 2 * MAX_FAULTS


def test_the_hidden_characters_of_a_line_are_one_fault() -> None:
    (fault,) = faults(b"a: x\nb: \x07\x07\x08\x00\x01\n")
    assert fault.message == "U+0007 BELL, U+0008 BACKSPACE, U+0000 NULL and 1 more in the text"


def test_messages_show_no_control_characters_of_the_file() -> None:
    raw = b'id: a\n"\\e]52;c;x\\a": b\n"\\e]52;c;x\\a": c\n'
    for fault in faults(raw):
        assert fault.message.isprintable()


def test_every_code_has_a_title_and_every_refusal_a_code_of_the_table() -> None:
    assert list(codes.TITLES) == [f"PG-F{number:02}" for number in range(1, len(codes.TITLES) + 1)]
    assert all(title and title[0] == title[0].strip() for title in codes.TITLES.values())
    assert {code for _, code, _ in REFUSED.values()} <= set(codes.TITLES)
