"""The JSON Schemas: valid themselves, committed as generated, and as strict as the models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from potpie_git.devtools.generate_files import drifted, generated_files
from potpie_git.domain.claim import new_claim
from potpie_git.domain.layout import FileKind
from potpie_git.domain.schema import FILE_MODELS, file_schema

ROOT = Path(__file__).resolve().parents[2]
CLAIM: dict[str, Any] = new_claim(
    subject="fix:9f3a1c77b2e0",
    predicate="RESOLVED",
    object="bug_pattern:partial-capture",
    fact="Retry.",
    valid_from="2026-06-01T10:00:00+05:30",
    provenance={"recorded_at": "2026-06-02T08:15:00Z", "confidence": 0.8},
).to_data()


def test_generated_files_are_committed_as_generated() -> None:
    assert drifted() == []


def test_every_kind_of_file_has_a_committed_schema() -> None:
    for kind in FILE_MODELS:
        path = ROOT / "schema" / f"{kind.value}.schema.json"
        assert json.loads(path.read_text("utf-8")) == file_schema(kind)
        assert f"schema/{kind.value}.schema.json" in generated_files()


@pytest.mark.parametrize("kind", list(FILE_MODELS))
def test_a_schema_is_a_schema_and_offers_no_null(kind: FileKind) -> None:
    schema = file_schema(kind)
    Draft202012Validator.check_schema(schema)
    assert '"null"' not in json.dumps(schema)


@pytest.mark.parametrize(
    "change",
    [
        {"predicate": "RESOLVES"},
        {"truth": "gospel"},
        {"subject": "fx:1"},
        {"id": "c-1"},
        {"valid_from": "2026-06-01"},
        {"value": "both"},
        {"valid_to": "2026-07-01T00:00:00Z"},
        {"colour": "red"},
        {"fact": None},
        {"code_scope": {"lang": "python"}},
    ],
)
def test_the_schema_refuses_what_the_checks_refuse(change: dict[str, Any]) -> None:
    validator = Draft202012Validator(file_schema(FileKind.CLAIM))
    assert validator.is_valid(CLAIM)
    assert not validator.is_valid({**CLAIM, **change})
