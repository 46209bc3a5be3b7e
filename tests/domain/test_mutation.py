"""Payloads: flat operations, every failure at once, each with its index and a remedy."""

from __future__ import annotations

from typing import Any

import pytest

from potpie_git.domain.mutation import (
    ALLOWED_FIELDS,
    REQUIRED_FIELDS,
    Operation,
    parse_json_payload,
    parse_payload,
)
from potpie_git.domain.vocabulary import MUTATION_OPS

CLAIM = {"op": "assert_claim", "subject": "service:a", "predicate": "DEPENDS_ON", "object": "service:b"}


def codes(payload: Any) -> list[tuple[str, int | None]]:
    return [(issue["code"], issue["op_index"]) for issue in parse_payload(payload)[1]]


def test_one_operation_alone_is_a_payload() -> None:
    alone, issues = parse_payload(CLAIM)
    wrapped, _ = parse_payload({"operations": [CLAIM]})
    assert issues == []
    assert alone == wrapped


def test_shorthand_becomes_the_full_form() -> None:
    (operation,), issues = parse_payload(
        {**CLAIM, "evidence": ["linear:E-1", {"source_ref": "linear:E-2"}], "code_scope": ["src/a.py"]}
    )
    assert issues == []
    assert operation is not None
    assert operation.subject is not None
    assert operation.subject.key == "service:a"
    assert [item.source_ref for item in operation.evidence or ()] == ["linear:E-1", "linear:E-2"]
    assert operation.code_scope == {"path": ["src/a.py"]}


def test_a_replacement_is_an_operation_of_its_own() -> None:
    (operation,), issues = parse_payload(
        {
            "op": "supersede_claim",
            "subject": "service:a",
            "predicate": "DEPENDS_ON",
            "object": "service:b",
            "reason": "moved",
            "superseded_by": {"object": "service:c"},
        }
    )
    assert issues == []
    assert isinstance(operation, Operation)
    assert isinstance(operation.superseded_by, Operation)
    assert operation.superseded_by.op == "assert_claim"


def test_every_failure_is_told_at_once() -> None:
    found = codes(
        {
            "operations": [
                {**CLAIM, "confidence": 3},
                {"op": "retract_claim", "subject": "service:a"},
                {**CLAIM, "nonsense": 1},
                {"op": "assert_clam"},
                "not an operation",
                CLAIM,
            ]
        }
    )
    assert found == [
        ("confidence_out_of_range", 0),
        ("reason_required", 1),
        ("unknown_field", 2),
        ("unknown_op", 3),
        ("malformed_operation", 4),
    ]


@pytest.mark.parametrize(
    "payload",
    [
        [],
        None,
        "x",
        {},
        {"operations": []},
        {"operations": {}},
        {"operations": [{"operations": [CLAIM]}]},
        {"payload": {"operations": [CLAIM]}},
        {"operations": [CLAIM], "extra": 1},
    ],
)
def test_wrappers_and_strays_do_not_parse(payload: Any) -> None:
    assert codes(payload)


@pytest.mark.parametrize(
    ("name", "near"), [("assert_clam", "assert_claim"), ("Assert-Claim", "assert_claim"), ("link", None)]
)
def test_a_near_name_is_suggested(name: str, near: str | None) -> None:
    message = parse_payload({"op": name})[1][0]["message"]
    assert (f"Did you mean {near!r}?" in message) == (near is not None)


def test_every_operation_declares_its_fields() -> None:
    assert set(ALLOWED_FIELDS) == set(REQUIRED_FIELDS) == set(MUTATION_OPS)
    for name, fields in ALLOWED_FIELDS.items():
        assert set(REQUIRED_FIELDS[name]) <= fields
        assert fields <= set(Operation.model_fields)


@pytest.mark.parametrize(
    ("text", "says"),
    [('{"a": 1, "a": 2}', "stands twice"), ("[" * 100_000, "nested|JSON|Expecting"), ("{", "line 1")],
)
def test_bad_json_says_where(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_json_payload(text)
