"""The other governed files: entity, tombstone, pot and inbox item; policy and approval have modules of their own."""

from __future__ import annotations

from typing import Literal

from potpie_git.domain.claim import Provenance, StoredModel, Text
from potpie_git.domain.policy import Approver, Policy, Thresholds
from potpie_git.domain.vocabulary import CONTRACT_VERSION, ONTOLOGY_VERSION

__all__ = [
    "Approver",
    "Entity",
    "InboxEvent",
    "InboxItem",
    "MergeRecord",
    "Policy",
    "Pot",
    "Thresholds",
    "Tombstone",
    "Transition",
]


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
