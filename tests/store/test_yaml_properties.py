"""Whatever the tree: it comes back as it was, for us and for every other reader. Whatever the bytes: no surprise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from potpie_git.store.yaml import YamlError, emit, events, faults, parse
from tests.store.yaml_strategies import edits, leaf, safe_text, soup, tree

CLAIM = b"""\
id: c-5d0c1b0e6f3a4c0f9d5a1c7e8b2f4d60
# why it matters
fact: Retry the refund.
description: >-
  Refund fails with 409 after a partial capture
quote: |2-
    indented
  text
evidence:
  - source_ref: github:pr:acme/payments:812 # the fix
    authority: "external"
  - []
valid_from: "2026-06-01T10:00:00+05:30"
provenance:
  actor: {surface: cli, 'user': rae}
  # end
"""


def as_text(value: Any) -> Any:
    """The tree with every leaf as the text that stands in the file."""
    if isinstance(value, dict):
        return {key: as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_text(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else float(value)


def numbers_read(value: Any, like: Any) -> Any:
    """`value`, with the text read as a number where `like` has one."""
    if isinstance(value, dict):
        return {key: numbers_read(item, like.get(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers_read(item, other) for item, other in zip(value, like, strict=True)]
    return float(value) if isinstance(like, float) else value


def other_readers(raw: bytes) -> Iterator[tuple[str, Any]]:
    for version in (None, (1, 1), (1, 2)):
        reader = YAML(typ="safe", pure=True)
        reader.version = version
        yield f"ruamel.yaml {version}", reader.load(raw)
    yield "PyYAML", yaml.safe_load(raw)


def text_readers(raw: bytes) -> Iterator[tuple[str, Any]]:
    yield "ruamel.yaml", YAML(typ="base", pure=True).load(raw)
    yield "PyYAML", yaml.load(raw, yaml.BaseLoader)
    yield "libyaml", yaml.load(raw, yaml.CBaseLoader)


@given(tree)
def test_a_tree_comes_back_as_text(data: dict[str, Any]) -> None:
    read = parse(emit(data)).data
    expected = as_text(data)
    assert numbers_read(read, expected) == expected


@given(tree)
def test_every_other_reader_gets_the_same_values(data: dict[str, Any]) -> None:
    for name, read in other_readers(emit(data)):
        assert read == data, name
        assert repr(read) == repr(data), name


@given(safe_text)
def test_every_other_reader_gets_a_text_as_text(text: str) -> None:
    data = {"text": text, "list": [text, [text]], "map": {"inner": [{"deep": text}]}}
    for name, read in other_readers(emit(data)):
        assert read == data, name


@given(tree)
def test_emission_is_a_fixed_point(data: dict[str, Any]) -> None:
    once = emit(data)
    document = parse(once)
    assert emit(data, document.comments) == once
    assert not document.comments


@given(st.dictionaries(safe_text.filter(str.isascii).map(lambda key: key[:40]), safe_text))
def test_text_alone_is_canonical_after_one_round(data: dict[str, str]) -> None:
    once = emit(data)
    assert emit(parse(once).data) == once


def check_verdict(raw: bytes) -> None:
    """Either faults, each a proper one, or a document that all readers of text agree on."""
    found = faults(raw)
    last = raw.count(b"\n") + 1
    assert all(isinstance(fault, YamlError) and 1 <= fault.line <= last for fault in found)
    assert all(fault.message and fault.hint and fault.code.startswith("PG-F") for fault in found)
    if found:
        with pytest.raises(YamlError) as raised:
            parse(raw)
        assert (raised.value.code, raised.value.line) == (found[0].code, found[0].line)
        return
    document = parse(raw)
    for name, read in text_readers(raw):
        assert read == document.data, name
    canonical = emit(document.data, document.comments)
    again = parse(canonical)
    assert again.data == document.data
    assert sorted(comment.text for comment in again.comments) == sorted(
        comment.text for comment in document.comments
    )
    assert emit(again.data, again.comments) == canonical


@given(soup.map(lambda text: text + "\n"))
def test_text_that_is_nearly_yaml(text: str) -> None:
    check_verdict(text.encode())


@given(edits)
def test_a_claim_edited_at_random(changes: list[tuple[int, int, bytes]]) -> None:
    raw = CLAIM
    for at, removed, added in changes:
        raw = raw[:at] + added + raw[at + removed :]
    check_verdict(raw)


@given(st.binary(max_size=300))
def test_bytes_of_any_kind(raw: bytes) -> None:
    check_verdict(raw)


@given(st.text(max_size=200))
def test_text_of_any_kind(text: str) -> None:
    check_verdict(f"key: {text}\n".encode("utf-8", "surrogatepass"))


@given(soup.map(lambda text: text.encode() + b"\n"))
def test_the_pure_parser_judges_as_libyaml_does(raw: bytes) -> None:
    by_default = [(fault.code, fault.line) for fault in faults(raw)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events, "FastestParser", events.PurePythonParser)
        pure = [(fault.code, fault.line) for fault in faults(raw)]
        document = None if pure else parse(raw)
    assert bool(pure) == bool(by_default)
    if document:
        assert document == parse(raw)


@given(leaf)
def test_a_leaf_at_the_root_of_a_list(value: Any) -> None:
    assume(value != "")
    data = {"items": [value, {"key": value, "other": [value]}]}
    for name, read in other_readers(emit(data)):
        assert read == data, name
