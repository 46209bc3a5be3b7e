"""The one form in which a tree is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from enum import StrEnum
from types import MappingProxyType

import pytest
import yaml
from ruamel.yaml import YAML

from potpie_git.store.yaml import YamlError, codes, emit, faults, parse

LONG = "Retry the refund with the remaining captured amount, and tell the merchant what was left out from it."

CLAIM = {
    "id": "c-5d0c1b0e6f3a4c0f9d5a1c7e8b2f4d60",
    "subject": "fix:9f3a1c77b2e0",
    "fact": "Retry the refund.",
    "description": f"{LONG} {LONG}",
    "quote": "def refund():\n    return left\n",
    "evidence": [
        {"source_ref": "github:pr:acme/payments:812", "authority": "external_system"},
        {"source_ref": "repo:src/refunds.py#L40-L61", "lines": [40, 61]},
    ],
    "code_scope": [],
    "properties": {},
    "valid_from": "2026-06-01T10:00:00+05:30",
    "changes": [["a.yaml", "00", "11"], ["b.yaml"], []],
    "provenance": {"confidence": 0.8, "reviewed": True, "actor": {"surface": "cli", "user": "rae"}},
}

CANONICAL = """\
id: c-5d0c1b0e6f3a4c0f9d5a1c7e8b2f4d60
subject: fix:9f3a1c77b2e0
fact: Retry the refund.
description: >-
  Retry the refund with the remaining captured amount, and tell the merchant what was left out from
  it. Retry the refund with the remaining captured amount, and tell the merchant what was left out
  from it.
quote: |
  def refund():
      return left
evidence:
  - source_ref: github:pr:acme/payments:812
    authority: external_system
  - source_ref: repo:src/refunds.py#L40-L61
    lines:
      - 40
      - 61
code_scope: []
properties: {}
valid_from: "2026-06-01T10:00:00+05:30"
changes:
  - - a.yaml
    - "00"
    - "11"
  - - b.yaml
  - []
provenance:
  confidence: 0.8
  reviewed: true
  actor:
    surface: cli
    user: rae
"""

FORMS = {
    # plain
    "a word": "a word",
    "refund-fails": "refund-fails",
    "/etc/hosts": "/etc/hosts",
    "a:b": "a:b",
    "github:pr:acme/payments:812": "github:pr:acme/payments:812",
    "src/a.py#L1": "src/a.py#L1",
    "it's": "it's",
    'say "no"': 'say "no"',
    "naïve": "naïve",
    "409 after a capture": "409 after a capture",
    "c\\d": "c\\d",
    "[": '"["',
    "a [b], {c}": "a [b], {c}",
    "👩\u200d💻 did it": "👩\u200d💻 did it",
    # what another reader would take for something else
    "no": '"no"',
    "Yes": '"Yes"',
    "y": '"y"',
    "True": '"True"',
    "null": '"null"',
    "~": '"~"',
    "": '""',
    "010": '"010"',
    "0o17": '"0o17"',
    "0x1F": '"0x1F"',
    "12:30:45": '"12:30:45"',
    "22:30": '"22:30"',
    "1e3": '"1e3"',
    ".5e3": '".5e3"',
    "1.10": '"1.10"',
    "1.10.2": '"1.10.2"',
    "1_000": '"1_000"',
    ".inf": '".inf"',
    "-.INF": '"-.INF"',
    ".nan": '".nan"',
    "+1": '"+1"',
    "2026-09-01": '"2026-09-01"',
    "2026-9-1": '"2026-9-1"',
    "2026-06-01T10:00:00Z": '"2026-06-01T10:00:00Z"',
    "=": '"="',
    "<<": '"<<"',
    # what is not plain to YAML itself
    "a: b": '"a: b"',
    "a:": '"a:"',
    "a #b": '"a #b"',
    "# a": '"# a"',
    "- a": '"- a"',
    "-": '"-"',
    "--flag": '"--flag"',
    "? a": '"? a"',
    "'a'": "\"'a'\"",
    '"a"': '"\\"a\\""',
    "@a": '"@a"',
    "`a`": '"`a`"',
    "%a": '"%a"',
    "&a": '"&a"',
    "*a": '"*a"',
    "!a": '"!a"',
    "| a": '"| a"',
    "> a": '"> a"',
    "---": '"---"',
    "... a": '"... a"',
    "a ": '"a "',
    " a": '" a"',
    "a\tb": '"a\\tb"',
    "<<<<<<< HEAD": '"<<<<<<< HEAD"',
    "a \\ #b": '"a \\\\ #b"',
    # several lines
    "a\nb": "|-\n  a\n  b",
    "a\nb\n": "|\n  a\n  b",
    "a\n\n": "|+\n  a\n",
    "a\n\nb\n\n\n": "|+\n  a\n\n  b\n\n",
    " a\nb": "|2-\n   a\n  b",
    "\ta\n": "|2\n  \ta",
    "\na": "|2-\n\n  a",
    "a\n  - b: c # d": "|-\n  a\n    - b: c # d",
    "a \nb": '"a \\nb"',
    "a\n ": '"a\\n "',
    "\n": '"\\n"',
    "\n\n": '"\\n\\n"',
    # long
    LONG: f">-\n  {LONG[:-4]}\n  it.",
    "x" * 200: "x" * 200,
    "a  b " + LONG: "a  b " + LONG,
    LONG + " ": f'"{LONG} "',
    "x" * 120 + " y": ">-\n  " + "x" * 120 + "\n  y",
    "y: " + "z" * 120: ">-\n  y:\n  " + "z" * 120,
}


@pytest.mark.parametrize("text", FORMS, ids=lambda text: repr(text[:20]))
def test_a_text_has_one_form_that_every_reader_takes_back(text: str) -> None:
    raw = emit({"k": text})
    assert raw.decode() == f"k: {FORMS[text]}\n"
    assert parse(raw).data == {"k": text}
    for version in ((1, 1), (1, 2)):
        reader = YAML(typ="safe", pure=True)
        reader.version = version
        assert reader.load(raw) == {"k": text}
    assert yaml.safe_load(raw) == {"k": text}


def test_a_claim_is_written_in_block_style_and_in_the_order_given() -> None:
    assert emit(CLAIM).decode() == CANONICAL
    assert yaml.safe_load(CANONICAL) == CLAIM
    assert emit(CLAIM, parse(CANONICAL.encode()).comments).decode() == CANONICAL


def test_flow_style_is_read_and_written_as_block() -> None:
    document = parse(b"actor: {surface: cli, harness: claude, user: rae}\ntags: [a, 'b']\nnone: {}\n")
    assert document.data == {
        "actor": {"surface": "cli", "harness": "claude", "user": "rae"},
        "tags": ["a", "b"],
        "none": {},
    }
    assert emit(document.data) == (
        b"actor:\n  surface: cli\n  harness: claude\n  user: rae\ntags:\n  - a\n  - b\nnone: {}\n"
    )


PLAIN = [
    "no",
    "010",
    "0o17",
    "12:30:45",
    "1e3",
    "1.10",
    "2026-09-01",
    "=",
    "0123",
    "22:30",
    "0.8",
    "true",
    "<<",
    ".inf",
]


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_scalar_is_its_text(text: str) -> None:
    assert parse(f"a: {text}\nb: [{text}]\n".encode()).data == {"a": text, "b": [text]}
    assert parse(emit({"a": text})).data == {"a": text}


def test_quoted_text_may_look_like_anything() -> None:
    raw = b"a: \"\"\nb: ''\nc: 'null'\nd: \"~\"\n'<<': x\n\"1\": y\n'': z\n"
    assert parse(raw).data == {"a": "", "b": "", "c": "null", "d": "~", "<<": "x", "1": "y", "": "z"}
    assert parse(emit(parse(raw).data)).data == parse(raw).data


@pytest.mark.parametrize(
    ("number", "form"),
    [
        (True, "true"), (False, "false"), (0, "0"), (-7, "-7"), (10**30, "1" + "0" * 30), (0.8, "0.8"), (1.0, "1.0"),
        (1e-07, "1.0e-07"), (1.5e300, "1.5e+300"), (1e16, "1.0e+16"), (-0.0, "-0.0"),
    ],
)  # fmt: skip
def test_a_number_is_plain_and_a_number_to_every_reader(number: float, form: str) -> None:
    raw = emit({"num": number, "list": [number]})
    assert raw.decode() == f"num: {form}\nlist:\n  - {form}\n"
    for read in (yaml.safe_load(raw), YAML(typ="safe", pure=True).load(raw)):
        assert repr(read["num"]) == repr(number)


class Truth(StrEnum):
    AGENT = "agent_claim"


def test_subclasses_and_other_mappings_are_written_like_what_they_are() -> None:
    data = MappingProxyType({"truth": Truth.AGENT, "pair": ("a", MappingProxyType({"b": Truth.AGENT}))})
    assert emit(data) == b"truth: agent_claim\npair:\n  - a\n  - b: agent_claim\n"


def test_lines_are_those_of_keys_and_items() -> None:
    document = parse(CANONICAL.encode())
    assert document.lines["id",] == 1
    assert document.lines["quote",] == 8
    assert document.lines["evidence", 1] == document.lines["evidence", 1, "source_ref"] == 14
    assert document.lines["evidence", 1, "lines", 1] == 17
    assert document.lines["changes", 0, 2] == 24
    assert document.lines["provenance", "actor", "user"] == 32
    assert parse(b"a: {b: c,\n  d: [e,\n f]}\n").lines == {
        ("a",): 1, ("a", "b"): 1, ("a", "d"): 2, ("a", "d", 0): 2, ("a", "d", 1): 3,
    }  # fmt: skip


def test_no_folded_line_is_wider_than_100_columns() -> None:
    words = "the words of a long description are wrapped at the margin " * 20
    raw = emit({"a": [{"b": {"c": words.strip()}}], "description": words.strip()})
    lines = raw.decode().splitlines()
    assert max(map(len, lines)) <= 100
    assert all(len(line) > 80 for line in lines[4:10])


def test_text_of_exactly_100_columns_stays_on_its_line() -> None:
    fits = "fact: " + "word " * 18 + "word"
    assert len(fits) == 100
    assert emit({"fact": fits[6:]}) == f"{fits}\n".encode()
    assert emit({"fact": fits[6:] + "s"}).startswith(b"fact: >-\n")


def test_an_empty_mapping_is_a_document() -> None:
    assert emit({}) == b"{}\n"
    assert parse(b"{}\n").data == {}


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        ({"a": "x", "b": "y\u202ez"}, codes.HIDDEN_CHARACTER, 2),
        ({"a": "x", "b": ["y", "\x1b[0m"]}, codes.HIDDEN_CHARACTER, 4),
        ({"a": "\r"}, codes.LINE_ENDING, 1),
        ({"a\x00": "x"}, codes.HIDDEN_CHARACTER, 1),
        ({"a": "x", "b": "\ud800"}, codes.HIDDEN_CHARACTER, 2),
        ({"a": "x" * 65536}, codes.TOO_LARGE, 1),
        ({"a": [[[[[[[["x"]]]]]]]]}, codes.TOO_DEEP, 2),
        ({"cafe\u0301": "x"}, codes.KEY_NOT_TEXT, 1),
        ({"k" * 257: "x"}, codes.KEY_NOT_TEXT, 1),
    ],
)
def test_what_no_file_may_hold_is_not_written(data: dict[str, object], code: str, line: int) -> None:
    with pytest.raises(YamlError) as raised:
        emit(data)
    assert (raised.value.code, raised.value.line) == (code, line)
    assert raised.value.hint


@pytest.mark.parametrize("value", [None, b"x", {1, 2}, object(), [None]])
def test_another_type_is_a_mistake_of_the_caller(value: object) -> None:
    with pytest.raises(TypeError):
        emit({"a": value})


def test_a_key_is_text() -> None:
    with pytest.raises(TypeError):
        emit({1: "x"})  # type: ignore[dict-item]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_is_finite(value: float) -> None:
    with pytest.raises(ValueError, match="no form"):
        emit({"a": value})


@pytest.mark.parametrize("name", ["C.UTF-8", "POSIX", "en_US.ISO-8859-1"])
def test_the_locale_changes_no_byte(name: str) -> None:
    program = (
        "import json, sys; from potpie_git.store.yaml import emit, parse\n"
        "data = json.loads(sys.argv[1]); raw = emit(data)\n"
        "assert parse(raw).data == data; print(raw.hex())"
    )
    data = {"title": "naïve — 漢字 👩\u200d💻", "text": "é " * 80 + "é"}
    environment = {**os.environ, "LC_ALL": name, "LANG": name, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(data)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert bytes.fromhex(done.stdout) == emit(data)


def test_reading_loads_nothing_but_the_parser() -> None:
    program = (
        "import sys; from potpie_git.store.yaml import emit, parse\n"
        "document = parse(b'# c\\na: b # d\\n'); emit(document.data, document.comments)\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"ruamel", "lancedb", "pyarrow", "numpy", "typer", "pygit2"}.isdisjoint(done.stdout.split())
    assert "yaml" in done.stdout.split()


def test_what_is_canonical_has_no_fault() -> None:
    assert faults(CANONICAL.encode()) == []
