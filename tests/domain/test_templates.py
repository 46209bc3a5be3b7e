"""Templates follow from what operations and records take, and parse as they stand."""

from __future__ import annotations

import json

import pytest

from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.mutation import ALLOWED_FIELDS, REQUIRED_FIELDS, parse_json_payload, parse_payload
from potpie_git.domain.templates import template, template_kinds
from potpie_git.domain.vocabulary import MUTATION_OPS, RECORD_ENUMS, RECORD_SCHEMAS, RECORD_TYPES

# Fields that no template fills in: they need something that stands already, or exclude another.
NEVER = {
    "upsert_entity": {"to_state", "reason", "evidence"},
    "patch_entity": {"expected_entity_version"},
    "transition_state": {"expected_entity_version"},
    "end_relation_validity": {"claim", "value"},
    "retract_claim": {"claim", "value", "valid_until"},
    "supersede_claim": {"claim", "value", "valid_until"},
    "assert_claim": {"value", "reinstates", "reason"},
    "link_entities": {"value", "reinstates", "reason"},
}


def test_there_is_one_for_every_operation_and_record_type() -> None:
    assert set(template_kinds()) == {*MUTATION_OPS, *RECORD_TYPES}


@pytest.mark.parametrize("op", MUTATION_OPS)
def test_an_operation_parses_with_all_that_it_needs(op: str) -> None:
    made = template(op)
    assert parse_payload(parse_json_payload(json.dumps(made)))[1] == []
    assert set(REQUIRED_FIELDS[op]) <= made.keys() <= ALLOWED_FIELDS[op] | {"op"}
    if op in NEVER:
        assert made.keys() - {"op"} == ALLOWED_FIELDS[op] - NEVER[op]


@pytest.mark.parametrize("kind", RECORD_TYPES)
def test_a_record_has_every_field_of_its_schema(kind: str) -> None:
    made = template(kind)
    schema = RECORD_SCHEMAS.get(RECORD_TYPES[kind].schema or "")
    if schema is None:
        assert made["summary"]
        return
    assert set(schema.fields) <= made.keys()
    for name, allowed in RECORD_ENUMS.items():
        assert name not in made or made[name] in allowed


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInputError, match="Did you mean 'assert_claim'"):
        template("assert-claim")
