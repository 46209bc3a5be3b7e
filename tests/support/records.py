"""Records that tests put into a pot by hand, without the write path."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from potpie_git.domain.claim import Claim, new_claim
from potpie_git.domain.files import Entity, Pot, Tombstone
from potpie_git.domain.layout import POT_FILE, expected_path
from potpie_git.domain.validation.relations import tombstone_for
from potpie_git.store.codec import encode, repository_path

RECORDED = "2026-06-02T08:15:00Z"
WITHDRAWN = "2026-07-01T00:00:00Z"
REASON = "The gateway rejects retries."


def stamp(mutation: str = "m-1", recorded_at: str = RECORDED, **fields: Any) -> dict[str, Any]:
    return {"mutation": mutation, "recorded_at": recorded_at, "actor": {"user": "rae"}, **fields}


def claim(mutation: str = "m-1", **fields: Any) -> Claim:
    """A valid claim; None leaves out one of its own fields. `confidence` goes into the stamp."""
    own: dict[str, Any] = {
        "subject": "fix:9f3a1c77b2e0",
        "predicate": "RESOLVED",
        "object": "bug_pattern:partial-capture",
        "fact": "Retry the refund with the remaining captured amount.",
        "evidence": [{"source_ref": "github:pr:acme/payments:812", "authority": "external_system"}],
        "provenance": stamp(
            mutation, **({"confidence": fields.pop("confidence")} if "confidence" in fields else {})
        ),
    }
    return new_claim(**{name: held for name, held in (own | fields).items() if held is not None})


def withdrawn(
    held: Claim,
    op: str = "retract_claim",
    by: Claim | None = None,
    mutation: str = "m-9",
    reason: str = REASON,
) -> Claim:
    invalidation: dict[str, Any] = {"op": op, "reason": reason, "provenance": stamp(mutation, WITHDRAWN)}
    if by is not None:
        invalidation["superseded_by"] = by.id
    return Claim.model_validate(held.to_data() | {"valid_to": WITHDRAWN, "invalidation": invalidation})


def tombstone(held: Claim, op: str = "retract_claim", mutation: str = "m-9") -> Tombstone:
    return tombstone_for(held, op, REASON, stamp(mutation, WITHDRAWN))


def entity(key: str, type_name: str, mutation: str = "m-1", **fields: Any) -> Entity:
    return Entity.model_validate({"key": key, "type": type_name, "provenance": stamp(mutation), **fields})


def pot_file() -> dict[str, bytes]:
    pot = Pot(pot_id="acme-payments", name="payments", created_at="2026-06-01T00:00:00Z")
    return {repository_path(POT_FILE): encode(pot)}


def files(*records: BaseModel) -> dict[str, bytes]:
    """The files of these records by repository path."""
    return {repository_path(expected_path(record)): encode(record) for record in records}  # type: ignore[arg-type]
