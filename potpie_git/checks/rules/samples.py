"""The records that examples are made of, and how an example's trees are put together from them."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel

from potpie_git.checks.rules.cases import Content, Trees
from potpie_git.domain.approval import Approval
from potpie_git.domain.claim import Claim, new_claim, value_digest
from potpie_git.domain.files import Approver, Entity, InboxItem, Policy, Pot, Tombstone
from potpie_git.domain.keys import claim_key
from potpie_git.domain.layout import ATTRIBUTES_FILE, ATTRIBUTES_TEXT, POLICY_FILE, POT_FILE, expected_path
from potpie_git.domain.validation.relations import tombstone_for
from potpie_git.store.codec import encode, repository_path

FileMap = dict[str, Content]

STAMP = {
    "recorded_at": "2026-06-02T08:15:00Z",
    "confidence": 0.8,
    "actor": {"surface": "cli", "user": "rae"},
    "source_system": "github",
}
WITHDRAWN_AT = "2026-07-01T00:00:00Z"
REASON = "The gateway now rejects retries; the refund is split instead."


def claim(**fields: Any) -> Claim:
    """A valid claim, with these fields in the place of its own; None leaves one out."""
    base: dict[str, Any] = {
        "subject": "fix:9f3a1c77b2e0",
        "predicate": "RESOLVED",
        "object": "bug_pattern:refunds-api:partial-capture",
        "truth": "agent_claim",
        "fact": "Retry the refund with the remaining captured amount.",
        "evidence": [{"source_ref": "github:pr:acme/payments:812", "authority": "external_system"}],
        "valid_from": "2026-06-01T10:00:00+05:30",
        "provenance": dict(STAMP),
    }
    return new_claim(**{name: value for name, value in (base | fields).items() if value is not None})


def owner(team: str, service: str = "service:refunds-api", **fields: Any) -> Claim:
    """A claim of the singleton predicate OWNED_BY."""
    return claim(subject=service, predicate="OWNED_BY", object=f"team:{team}", fact=None, **fields)


def withdrawn(held: Claim, op: str = "retract_claim", by: Claim | None = None, reason: str = REASON) -> Claim:
    """`held` with a withdrawal stamp."""
    stamp: dict[str, Any] = {"op": op, "reason": reason, "provenance": {"recorded_at": WITHDRAWN_AT}}
    if by is not None:
        stamp["superseded_by"] = by.id
    return Claim.model_validate(held.to_data() | {"valid_to": WITHDRAWN_AT, "invalidation": stamp})


def tombstone(held: Claim, op: str = "retract_claim", reason: str = REASON) -> Tombstone:
    return tombstone_for(held, op, reason, {"recorded_at": WITHDRAWN_AT})


def supersedes(new: Claim, old: Claim) -> Claim:
    """The claim that a supersession writes from the replacement to the replaced."""
    return claim(
        subject=claim_key(new.id),
        predicate="SUPERSEDES",
        object=claim_key(old.id),
        fact=None,
        evidence=None,
        valid_from=None,
    )


def decision(**fields: Any) -> Entity:
    base: dict[str, Any] = {
        "key": "decision:9f3a1c77b2e0",
        "type": "Decision",
        "title": "Split refunds",
        "state": "accepted",
        "provenance": {"recorded_at": STAMP["recorded_at"]},
    }
    return Entity.model_validate(
        {name: value for name, value in (base | fields).items() if value is not None}
    )


def inbox_item(*events: dict[str, Any], **fields: Any) -> InboxItem:
    added = {"action": "add", "at": "2026-06-02T08:15:00Z", "by": "rae"}
    return InboxItem.model_validate(
        {"id": "i-01j0000000", "title": "Is the retry still used?", "events": [added, *events], **fields}
    )


def policy(**fields: Any) -> Policy:
    approvers = [
        Approver(name="Ada", emails=["ada@example.com"]),
        Approver(name="Ben", emails=["ben@example.com"]),
    ]
    return Policy.model_validate({"version": 1, "approvers": approvers, **fields})


def approval(**fields: Any) -> Approval:
    """A record of Ada's approval, whose statement has these fields in the place of its own."""
    base: dict[str, Any] = {
        "store": "acme-payments",
        "ref": "refs/heads/main",
        "range": "main..retract-retry",
        "risk": "medium",
        "principal": "ada",
        "signed_off_by": "ada@example.com",
        "authors": ["rae@example.com"],
        "nonce": "0123456789abcdef0123456789abcdef",
        "issued": "2026-07-01T08:00:00Z",
        "expires": "2026-07-31T08:00:00Z",
        "changes": [("tombstones/f3/x.yaml", "absent", "0" * 64)],
    }
    return Approval.model_validate({"statement": base | fields})


@cache
def _fixed() -> tuple[tuple[str, bytes], ...]:
    pot = Pot(pot_id="acme-payments", name="payments", created_at="2026-06-01T00:00:00Z")
    return (
        (repository_path(POT_FILE), encode(pot)),
        (repository_path(POLICY_FILE), encode(policy())),
        (repository_path(ATTRIBUTES_FILE), ATTRIBUTES_TEXT.encode()),
    )


def pot(*records: BaseModel) -> FileMap:
    """A pot that holds these records: its files by path in the repository."""
    files: FileMap = dict(_fixed())
    for record in records:
        files.update(file(record))
    return files


def file(record: BaseModel) -> FileMap:
    """The one file of a record, at its place."""
    if isinstance(record, Policy | Pot):
        name = POLICY_FILE if isinstance(record, Policy) else POT_FILE
        return {repository_path(name): encode(record)}
    assert isinstance(record, Claim | Entity | Tombstone | InboxItem | Approval)
    return {repository_path(expected_path(record)): encode(record)}


def path(record: Claim | Entity | Tombstone | InboxItem | Approval) -> str:
    """Where a record stands, in the repository."""
    return repository_path(expected_path(record))


def edited(record: BaseModel, old: str | bytes, new: str | bytes) -> FileMap:
    """A record's file after somebody replaced a piece of its text by hand."""
    [(where, raw)] = file(record).items()
    assert isinstance(raw, bytes)
    before, after = (part.encode() if isinstance(part, str) else part for part in (old, new))
    if before not in raw:
        raise ValueError(f"{old!r} does not stand in {where}")
    return {where: raw.replace(before, after, 1)}


def appended(record: BaseModel, text: str) -> FileMap:
    """A record's file with a piece of text at its end."""
    [(where, raw)] = file(record).items()
    assert isinstance(raw, bytes)
    return {where: raw + text.encode()}


def adds(*files: FileMap, to: FileMap | None = None) -> Trees:
    """A change that adds files to a pot (or puts them in the place of others)."""
    before = pot() if to is None else to
    after = dict(before)
    for part in files:
        after.update(part)
    return Trees(before, after)


def removes(held: FileMap, *paths: str) -> Trees:
    """A change that takes files away."""
    return Trees(held, {where: raw for where, raw in held.items() if where not in paths})


def retracted(held: Claim, reason: str = REASON) -> FileMap:
    """Everything that a retraction writes."""
    return {**file(withdrawn(held, reason=reason)), **file(tombstone(held, reason=reason))}


def superseded(old: Claim, new: Claim) -> FileMap:
    """Everything that a supersession writes."""
    return {
        **file(withdrawn(old, "supersede_claim", new)),
        **file(tombstone(old, "supersede_claim")),
        **file(new),
        **file(supersedes(new, old)),
    }


def digest(held: Claim) -> str:
    return value_digest(held)
