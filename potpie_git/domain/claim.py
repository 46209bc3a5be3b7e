"""A claim: the asserted part, the recording stamp and the withdrawal stamp, with its identities."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from potpie_git.domain.keys import type_name_of
from potpie_git.domain.text import canonical_json, normalise_value, sha256_hex
from potpie_git.domain.times import parse_time
from potpie_git.domain.vocabulary import DEFAULT_TRUTH, TRUTH_STRENGTH, subgraph_of

Text = Annotated[str, StringConstraints(min_length=1)]
DetailValue = Text | list[Text] | list[dict[str, Text]]
SCOPE_DIMENSIONS: tuple[str, ...] = (
    "language",
    "framework",
    "repo",
    "service",
    "path",
    "environment",
    "feature",
)


class StoredModel(BaseModel):
    """Base of everything that is written to a governed file: unknown fields are refused, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, defer_build=True)

    def to_data(self) -> dict[str, Any]:
        """Plain data in the declared order, without absent fields."""
        return self.model_dump(mode="json", exclude_none=True, exclude_defaults=False)


class Evidence(StoredModel):
    """A reference to where a claim comes from; never the payload. `blob` pins a place in this repository."""

    source_ref: Text
    authority: Text | None = None
    blob: Text | None = None
    quote: Text | None = None
    note: Text | None = None


class Actor(StoredModel):
    """Who wrote, through what: surface (cli, mcp, library, bulk), harness (an agent's name), user."""

    surface: Text | None = None
    harness: Text | None = None
    user: Text | None = None


class Provenance(StoredModel):
    """Where a record comes from and when it was written. Mutation, time and actor are the recording stamp."""

    mutation: Text | None = None
    recorded_at: Text
    confidence: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)] | None = None
    actor: Actor | None = None
    source_system: Text | None = None
    source_kind: Text | None = None
    source_event: Text | None = None

    @field_validator("recorded_at")
    @classmethod
    def _has_offset(cls, value: str) -> str:
        parse_time(value)
        return value


class Invalidation(StoredModel):
    """Why a claim was withdrawn, by which operation, and by whom."""

    op: Text
    reason: Text
    superseded_by: Text | None = None
    evidence: list[Evidence] | None = None
    provenance: Provenance


class Claim(StoredModel):
    """One claim, as its file holds it. `object` is an entity key; `value` is a text; a claim has one or the other."""

    id: Text
    subject: Text
    predicate: Text
    object: Text | None = None
    value: Text | None = None
    environment: Text | None = None
    truth: Text = DEFAULT_TRUTH
    fact: Text | None = None
    description: Text | None = None
    code_scope: dict[Text, Text | list[Text]] | None = None
    details: dict[Text, DetailValue] | None = None
    evidence: list[Evidence] | None = None
    valid_from: Text | None = None
    valid_until: Text | None = None
    observed_at: Text | None = None
    reinstates: Text | None = None
    reinstate_reason: Text | None = None
    provenance: Provenance
    valid_to: Text | None = None
    invalidation: Invalidation | None = None

    @field_validator("valid_from", "valid_until", "observed_at", "valid_to")
    @classmethod
    def _has_offset(cls, value: str | None) -> str | None:
        if value is not None:
            parse_time(value)
        return value

    @property
    def subgraph(self) -> str:
        return subgraph_of(self.predicate)

    @property
    def subject_type(self) -> str:
        return type_name_of(self.subject)

    @property
    def object_type(self) -> str:
        return type_name_of(self.object) if self.object else ""

    @property
    def evidence_strength(self) -> str:
        return TRUTH_STRENGTH.get(self.truth, "speculative")

    @property
    def statement(self) -> Statement:
        return (self.subject, self.predicate, self.object or self.value or "", self.environment or "")

    @property
    def live(self) -> bool:
        """Not withdrawn. Whether it also stands at a given time is `stands_at`."""
        return self.invalidation is None and self.valid_to is None

    @property
    def source_refs(self) -> list[str]:
        return [item.source_ref for item in self.evidence or ()]

    @property
    def sources(self) -> frozenset[str]:
        """What counts as one source when claims corroborate each other: references, else the system or the actor."""
        if self.evidence:
            return frozenset(self.source_refs)
        provenance = self.provenance
        fallback = provenance.source_event or provenance.source_system
        user = provenance.actor.user if provenance.actor else None
        return frozenset((fallback or user or "unattributed",))

    @property
    def begins(self) -> datetime:
        return parse_time(self.valid_from or self.observed_at or self.provenance.recorded_at)

    @property
    def ends(self) -> datetime | None:
        bounds = [parse_time(text) for text in (self.valid_to, self.valid_until) if text]
        return min(bounds) if bounds else None

    def stands_at(self, moment: datetime) -> bool:
        """True if the claim was valid at `moment`, by its own times."""
        return self.begins <= moment and (self.ends is None or moment < self.ends)

    def asserted(self) -> dict[str, Any]:
        """The immutable part, whose digest is the claim's identity."""
        data = self.to_data()
        stamp = data.pop("provenance")
        for name in ("id", "valid_to", "invalidation"):
            data.pop(name, None)
        for name in ("confidence", "source_system", "source_kind", "source_event"):
            if name in stamp:
                data[name] = stamp[name]
        return data

    def recording_stamp(self) -> dict[str, Any]:
        stamp = self.to_data()["provenance"]
        return {name: stamp[name] for name in ("mutation", "recorded_at", "actor") if name in stamp}

    def withdrawal_stamp(self) -> dict[str, Any]:
        data = self.to_data()
        return {name: data[name] for name in ("valid_to", "invalidation") if name in data}

    def content_id(self) -> str:
        """The identity that the content demands; a valid claim's `id` equals it."""
        return "c-" + sha256_hex(canonical_json(self.asserted()))[:32]


Statement = tuple[str, str, str, str]


def new_claim(**fields: Any) -> Claim:
    """A claim whose `id` is derived from `fields` (every field of `Claim` but `id`)."""
    draft = Claim(id="c-", **fields)
    return draft.model_copy(update={"id": draft.content_id()})


def value_text(claim: Claim) -> str:
    """The text that a withdrawal binds: the value, else the fact, else the description, else the endpoints."""
    text = claim.value or claim.fact or claim.description
    return normalise_value(text) if text else ""


def value_digest(claim: Claim) -> str:
    """The digest of what a claim says, whatever keys say it: predicate, entity types, environment, normalised text.

    Only a claim without any text is identified by its endpoints. 32 hex digits.
    """
    text = value_text(claim)
    parts = [claim.predicate, claim.subject_type, claim.object_type, claim.environment or "", text]
    if not text:
        parts += [claim.subject, claim.object or ""]
    return sha256_hex(canonical_json(parts))[:32]
