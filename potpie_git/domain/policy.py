"""The policy file: who may approve, in which mode, how many of them, and on which refs that is asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from potpie_git.domain.claim import StoredModel, Text
from potpie_git.domain.text import nfc, sha256_hex, slug
from potpie_git.domain.times import parse_time
from potpie_git.domain.vocabulary import Risk

Count = Annotated[int, Field(ge=0, le=9)]
Mode = Literal["signoff", "signature"]


class Approver(StoredModel):
    """Somebody who may approve.

    `emails` as they stand in sign-offs, `keys` as in an authorized_keys file without options, `accounts` as
    `forge:login` (`github:rae`). From `valid_until` on, and once `revoked` is set, the approver no longer counts.
    """

    name: Text
    emails: list[Text]
    keys: list[Text] | None = None
    accounts: list[Text] | None = None
    valid_until: Text | None = None
    revoked: Text | None = None

    @field_validator("valid_until", "revoked")
    @classmethod
    def _has_offset(cls, value: str | None) -> str | None:
        if value is not None:
            parse_time(value)
        return value

    @property
    def principal(self) -> str:
        """The name as it stands in an approval and in its file name; unique within a policy."""
        if self.name.isascii():
            return slug(self.name)
        return f"{slug(self.name, 31)}-{sha256_hex(nfc(self.name))[:8]}"


class Thresholds(StoredModel):
    """How many distinct approvers a change of each risk needs."""

    low: Count = 0
    medium: Count = 1
    high: Count = 2

    def of(self, risk: Risk) -> int:
        return (self.low, self.medium, self.high)[risk]


class Override(StoredModel):
    """Other thresholds for the claims of one predicate, or of one subgraph; what it leaves out stays as it is."""

    subgraph: Text | None = None
    predicate: Text | None = None
    low: Count | None = None
    medium: Count | None = None
    high: Count | None = None

    def of(self, risk: Risk) -> int | None:
        return (self.low, self.medium, self.high)[risk]


class Attestation(StoredModel):
    """Forges whose approving reviews count; with `keys`, only records that one of these keys signed."""

    forges: list[Text]
    keys: list[Text] | None = None


class Policy(StoredModel):
    """Who may approve, in which mode, how many, and on which refs. `version` only ever rises.

    Without `attestation` no forge's review counts. `self_approval` says whether the only approver of a pot may approve
    their own change; left out, they may.
    """

    version: Annotated[int, Field(ge=1)]
    mode: Mode = "signoff"
    approvers: list[Approver] = Field(default_factory=list)
    bots: list[Text] = Field(default_factory=list)
    protected: list[Text] = Field(default_factory=lambda: ["refs/heads/main", "refs/heads/master"])
    thresholds: Thresholds = Field(default_factory=Thresholds)
    overrides: list[Override] | None = None
    self_approval: Literal["single", "never"] | None = None
    attestation: Attestation | None = None

    def protects(self, ref: str | None) -> bool:
        """True if `ref` (full name) is protected. A trailing `*` in a pattern matches any rest."""
        return any(
            ref is not None and (ref == pattern or (pattern.endswith("*") and ref.startswith(pattern[:-1])))
            for pattern in self.protected
        )

    def needed(self, risk: Risk, subgraph: str | None = None, predicate: str | None = None) -> int:
        """How many approvers a change of this risk needs; a predicate's override goes before a subgraph's."""
        by_subgraph = by_predicate = None
        for override in self.overrides or ():
            count = override.of(risk)
            if count is not None and predicate is not None and override.predicate == predicate:
                by_predicate = count
            elif count is not None and override.predicate is None and override.subgraph == subgraph:
                by_subgraph = count
        found = by_predicate if by_predicate is not None else by_subgraph
        return self.thresholds.of(risk) if found is None else found

    def approver(self, principal: str) -> Approver | None:
        """The approver of this principal; None if there is none."""
        return next((each for each in self.approvers if each.principal == principal), None)

    def is_bot(self, *names: str) -> bool:
        """True if any of the names or addresses is listed as a bot, whatever its case."""
        listed = {bot.casefold() for bot in self.bots}
        return any(name.casefold() in listed for name in names)
