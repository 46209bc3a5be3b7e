"""The statement of an approval: what it may say, what is signed, and where its file stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from potpie_git.domain.approval import (
    ABSENT,
    Approval,
    Statement,
    Withdrawal,
    content_digest,
    new_nonce,
    nonce_digest,
    withdrawal_only,
)
from potpie_git.domain.layout import FileKind, approval_path, expected_path, kind_of
from potpie_git.store.codec import decode, encode, file_findings
from tests.approvals.world import approval, changed, statement

FILES = [changed("claims/a.yaml"), changed("claims/b.yaml", None, b"new\n")]


def said(**fields: Any) -> Statement:
    return Statement.model_validate(statement(FILES, **fields))


def test_what_is_signed_is_the_canonical_json_of_what_the_file_says() -> None:
    made = approval(FILES)
    raw = made.statement.canonical()
    data = json.loads(raw)
    assert raw == json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert data["type"] == "potpie-git/approval/v1"
    assert data["changes"] == [[*each.row] for each in FILES]
    assert data["changes"][1][1] == ABSENT
    read = decode(approval_path(made), encode(made)).record
    assert read == made
    assert read.statement.canonical() == raw


def test_a_record_stands_where_its_nonce_and_its_statement_put_it() -> None:
    made = approval(FILES)
    path = approval_path(made)
    assert kind_of(path) is FileKind.APPROVAL
    assert expected_path(made) == path
    assert path.startswith(f"approvals/{nonce_digest(made.statement.nonce)}")
    assert path.endswith(".ada-archer.yaml")
    assert file_findings(path, encode(made))[1] == []
    other = approval(FILES, expires="2026-08-01T00:00:00Z")
    assert approval_path(other) != path
    assert approval_path(other)[:18] == path[:18], "one nonce, found by one listing"


def test_a_digest_is_of_raw_bytes() -> None:
    assert content_digest(None) == ABSENT
    assert content_digest(b"a\n") != content_digest(b"a\r\n")
    assert len({new_nonce() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "fields",
    [
        {"plan": "p-1"},
        {"range": None},
        {"expires": "2026-06-01T00:00:00Z"},
        {"issued": "2026-06-01T00:00:00"},
        {"ref": "main"},
        {"ref": "refs/tags/v1"},
        {"risk": "none"},
        {"principal": "Ada Archer"},
        {"principal": "../x"},
        {"nonce": "1"},
        {"changes": []},
        {"changes": [FILES[1].row, FILES[0].row]},
        {"changes": [FILES[0].row, FILES[0].row]},
        {"changes": [("claims/a.yaml", ABSENT, ABSENT)]},
        {"changes": [("claims/a.yaml", "0" * 63, "1" * 64)]},
        {"changes": [("claims/a.yaml", "0" * 64)]},
        {"type": "potpie-git/approval/v2"},
        {"more": "x"},
    ],
)
def test_what_a_statement_may_not_say(fields: dict[str, Any]) -> None:
    assert said()
    with pytest.raises(ValidationError):
        said(**fields)


def test_a_landed_approval_may_be_withdrawn_and_nothing_else() -> None:
    made = approval(FILES)
    stamp = Withdrawal(at="2026-07-02T00:00:00Z", by="Ada", reason="No.")
    gone = made.model_copy(update={"withdrawn": stamp})
    assert withdrawal_only(made, gone)
    assert not withdrawal_only(gone, made)
    assert not withdrawal_only(
        gone, made.model_copy(update={"withdrawn": stamp.model_copy(update={"by": "Eve"})})
    )
    assert not withdrawal_only(made, approval(FILES, nonce="0" * 32).model_copy(update={"withdrawn": stamp}))
    with pytest.raises(ValidationError):
        Withdrawal(at="yesterday", by="Ada", reason="No.")


def test_an_unknown_field_of_a_record_is_refused() -> None:
    with pytest.raises(ValidationError):
        Approval.model_validate({"statement": statement(FILES), "approved_by": "eve"})
