"""An approval: a statement about exact bytes, by a listed person, optionally with a detached signature.

The statement is written in YAML; what is digested and signed is its canonical JSON. It names every file that it covers
with the SHA-256 of its bytes before and after, so it holds for that content alone, whatever commits carry it.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, StringConstraints, field_validator, model_validator

from potpie_git.domain.claim import StoredModel, Text
from potpie_git.domain.text import canonical_json, sha256_hex
from potpie_git.domain.times import parse_time
from potpie_git.domain.vocabulary import Risk

STATEMENT_TYPE: Final = "potpie-git/approval/v1"
SIGNATURE_NAMESPACE: Final = "potpie-git-approval"
ABSENT: Final = "absent"
"""Stands for the digest of a file that is not there: before it is added."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{64}|absent)$")]
Row = tuple[Text, Sha256, Sha256]
"""One covered file: its path in the pot, and the SHA-256 of its bytes before and after (`absent` if there is none)."""


class _Record(StoredModel):
    """Most hooks never see an approval: its models are built when the first one is read."""

    model_config = ConfigDict(defer_build=True)


class ForgeReview(_Record):
    """The evidence of an approval that a forge's review stands behind: the forge's own words about the event."""

    forge: Text
    account: Text
    review: Text
    submitted_at: Text
    head: Text
    event_sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Statement(_Record):
    """What is approved, by whom, for which pot and ref, and for how long.

    `authors` are the addresses and names that had written what is covered, as known when it was approved: after a
    squash nothing else tells them. `plan` or `range` says what the approver was looking at; neither is judged.
    """

    type: Literal["potpie-git/approval/v1"] = STATEMENT_TYPE
    store: Text
    ref: Annotated[str, StringConstraints(pattern=r"^refs/heads/.+$")]
    plan: Text | None = None
    range: Text | None = None
    risk: Literal["low", "medium", "high"]
    principal: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
    signed_off_by: Text
    attested_by: ForgeReview | None = None
    authors: list[Text] = Field(default_factory=list)
    nonce: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    issued: Text
    expires: Text
    changes: list[Row] = Field(min_length=1)

    @field_validator("issued", "expires")
    @classmethod
    def _has_offset(cls, value: str) -> str:
        parse_time(value)
        return value

    @model_validator(mode="after")
    def _is_coherent(self) -> Statement:
        if (self.plan is None) == (self.range is None):
            raise ValueError("a statement names a plan or a range")
        if parse_time(self.expires) <= parse_time(self.issued):
            raise ValueError("a statement expires after it was issued")
        paths = [path for path, _, _ in self.changes]
        if paths != sorted(set(paths)):
            raise ValueError("changes are sorted by path, each path once")
        if any(before == after for _, before, after in self.changes):
            raise ValueError("a change has two different digests")
        return self

    @property
    def risk_level(self) -> Risk:
        return Risk.from_label(self.risk)

    def canonical(self) -> bytes:
        """The bytes that are digested and signed."""
        return canonical_json(self.to_data()).encode()


class Withdrawal(_Record):
    """The approver, or somebody else, takes an approval back."""

    at: Text
    by: Text
    reason: Text

    @field_validator("at")
    @classmethod
    def _has_offset(cls, value: str) -> str:
        parse_time(value)
        return value


class Approval(_Record):
    """One approval file. `signature` is over the statement; a withdrawal is added once and never removed."""

    statement: Statement
    signature: Text | None = None
    withdrawn: Withdrawal | None = None

    @property
    def digest(self) -> str:
        """The first part of the file's name: 8 hex digits that the nonce decides, then 32 of the statement.

        Records with one nonce are found by name, in a folder of any size.
        """
        return nonce_digest(self.statement.nonce) + sha256_hex(self.statement.canonical())[:32]


def nonce_digest(nonce: str) -> str:
    """What names of all records with this nonce begin with."""
    return sha256_hex(nonce)[:8]


def new_nonce() -> str:
    return secrets.token_hex(16)


def content_digest(raw: bytes | None) -> str:
    """The digest of a file's bytes in a statement."""
    return ABSENT if raw is None else hashlib.sha256(raw).hexdigest()


def withdrawal_only(before: Approval, after: Approval) -> bool:
    """True if `after` is `before` with a withdrawal added, which is all that may happen to a landed approval."""
    return before.withdrawn is None and after == before.model_copy(update={"withdrawn": after.withdrawn})
