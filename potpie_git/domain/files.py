"""The other governed files: entity, tombstone, pot, policy, inbox item and approval."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from potpie_git.domain.claim import Provenance, StoredModel, Text
from potpie_git.domain.times import parse_time
from potpie_git.domain.vocabulary import CONTRACT_VERSION, ONTOLOGY_VERSION


class Transition(StoredModel):
    """One change of an entity's lifecycle state, kept so that its history reads without git."""

    from_state: Text | None = None
    to_state: Text
    reason: Text
    provenance: Provenance


class MergeRecord(StoredModel):
    """This entity is a duplicate: reads resolve it to `into`."""

    into: Text
    reason: Text
    external_ids: list[Text] | None = None
    provenance: Provenance


class Entity(StoredModel):
    """What somebody authored about an entity. A bare reference in a claim needs no such file."""

    key: Text
    type: Text
    name: Text | None = None
    title: Text | None = None
    summary: Text | None = None
    description: Text | None = None
    properties: dict[Text, Text | list[Text]] | None = None
    external_ids: list[Text] | None = None
    state: Text | None = None
    transitions: list[Transition] | None = None
    merged: MergeRecord | None = None
    provenance: Provenance


class Tombstone(StoredModel):
    """A withdrawn value. It refuses the same value under any key until a claim reinstates it."""

    value_digest: Text
    claim: Text
    predicate: Text
    subject_type: Text
    object_type: Text | None = None
    environment: Text | None = None
    text: Text | None = None
    subject: Text
    object: Text | None = None
    op: Text
    reason: Text
    provenance: Provenance


class Pot(StoredModel):
    """The pot's identity and the versions that its files are written to."""

    pot_id: Text
    name: Text | None = None
    contract_version: Text = CONTRACT_VERSION
    ontology_version: Text = ONTOLOGY_VERSION
    created_at: Text


class Approver(StoredModel):
    """Somebody who may approve: addresses as they stand in sign-offs, keys as in an authorized_keys file."""

    name: Text
    emails: list[Text]
    keys: list[Text] | None = None
    valid_until: Text | None = None
    revoked: Text | None = None

    @field_validator("valid_until", "revoked")
    @classmethod
    def _has_offset(cls, value: str | None) -> str | None:
        if value is not None:
            parse_time(value)
        return value


class Thresholds(StoredModel):
    """How many distinct approvers a change of each risk needs."""

    low: Annotated[int, Field(ge=0, le=9)] = 0
    medium: Annotated[int, Field(ge=0, le=9)] = 1
    high: Annotated[int, Field(ge=0, le=9)] = 2


class Policy(StoredModel):
    """Who may approve, in which mode, how many, and on which refs. `version` only ever rises."""

    version: Annotated[int, Field(ge=1)]
    mode: Literal["signoff", "signature"] = "signoff"
    approvers: list[Approver] = Field(default_factory=list)
    bots: list[Text] = Field(default_factory=list)
    protected: list[Text] = Field(default_factory=lambda: ["refs/heads/main", "refs/heads/master"])
    thresholds: Thresholds = Field(default_factory=Thresholds)

    def protects(self, ref: str | None) -> bool:
        """True if `ref` (full name) is protected. A trailing `*` in a pattern matches any rest."""
        return any(
            ref is not None and (ref == pattern or (pattern.endswith("*") and ref.startswith(pattern[:-1])))
            for pattern in self.protected
        )


class InboxEvent(StoredModel):
    """One step in an inbox item's life."""

    action: Literal["add", "claim", "mark-applied", "mark-rejected", "close"]
    at: Text
    by: Text | None = None
    note: Text | None = None
    plan: Text | None = None
    mutation: Text | None = None


class InboxItem(StoredModel):
    """A suggestion that somebody should look at; never a fact."""

    id: Text
    title: Text
    body: Text | None = None
    subject: Text | None = None
    evidence: list[Text] | None = None
    events: list[InboxEvent]

    @property
    def status(self) -> str:
        last = self.events[-1].action
        return {
            "add": "open",
            "claim": "claimed",
            "mark-applied": "applied",
            "mark-rejected": "rejected",
            "close": "closed",
        }[last]
