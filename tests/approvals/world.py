"""A pot's change as the verifier sees it, made from bytes: what a policy, some files and some records say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from potpie_git.checks.approvals.gather import read_record
from potpie_git.checks.approvals.model import (
    AddingCommit,
    Change,
    ChangedFile,
    Person,
    Record,
    Target,
    Verdict,
)
from potpie_git.checks.approvals.verify import verify
from potpie_git.domain.approval import Approval, content_digest
from potpie_git.domain.layout import POLICY_FILE, approval_path
from potpie_git.domain.policy import Policy
from potpie_git.domain.ssh_keys import parse_public_key
from potpie_git.domain.times import format_time
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.codec import encode, file_findings
from tests.approvals.keys import is_signed, public_key, signature

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
STORE = "acme-payments"
MAIN = "refs/heads/main"
ADA, BEN, CLEO, EVE = "Ada Archer", "Ben Baker", "Cleo Cook", "Eve Else"
ANN = Person("Ann Author", "ann@example.com")


def email(name: str) -> str:
    return f"{name.split()[0].lower()}@example.com"


def principal(name: str) -> str:
    return name.lower().replace(" ", "-")


def approver(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "emails": [email(name)], "keys": [public_key(name)], **fields}


def policy(*names: str, **fields: Any) -> Policy:
    """A policy of these approvers, each with an address and a key."""
    return Policy.model_validate({"version": 3, "approvers": [approver(name) for name in names], **fields})


def changed(
    path: str = "claims/decisions/aa/x.yaml",
    before: bytes | None = b"old\n",
    after: bytes | None = b"new\n",
    risk: Risk = Risk.MEDIUM,
    **fields: Any,
) -> ChangedFile:
    """A changed file by Ann, from its bytes."""
    given: dict[str, Any] = {"authors": frozenset({ANN}), **fields}
    return ChangedFile(path, content_digest(before), content_digest(after), risk, **given)


def statement(files: Iterable[ChangedFile], name: str = ADA, **fields: Any) -> dict[str, Any]:
    """What `name` says of these files; `fields` replace what it would say."""
    listed = sorted(files, key=lambda each: each.path)
    base: dict[str, Any] = {
        "store": STORE,
        "ref": MAIN,
        "range": "main..topic",
        "risk": max(each.risk for each in listed).label if listed else "low",
        "principal": principal(name),
        "signed_off_by": f"{name} <{email(name)}>",
        "authors": [ANN.email],
        "nonce": content_digest(f"{name}{[each.row for each in listed]}".encode())[:32],
        "issued": format_time(NOW - timedelta(hours=1)),
        "expires": format_time(NOW + timedelta(days=14)),
        "changes": [each.row for each in listed],
    }
    return {field: held for field, held in (base | fields).items() if held is not None}


def approval(
    files: Iterable[ChangedFile],
    name: str = ADA,
    *,
    sign: bool = False,
    key: str | None = None,
    namespace: str = "potpie-git-approval",
    flags: int = 1,
    **fields: Any,
) -> Approval:
    """A record by `name`, signed if asked for, with the key that `policy` lists unless there is another."""
    made = Approval.model_validate({"statement": statement(files, name, **fields)})
    if not sign:
        return made
    public = parse_public_key(key or public_key(name))
    return made.model_copy(
        update={"signature": signature(made.statement.canonical(), public, namespace, flags)}
    )


def record(made: Approval, path: str | None = None, **fields: Any) -> Record:
    """A record as it comes out of its file, at its own place unless there is another."""
    read, fault = read_record(path or approval_path(made), encode(made))
    return Record(path or approval_path(made), read, fault, **fields)


def added(
    name: str = ADA,
    *,
    author: Person | None = None,
    sign_offs: tuple[str, ...] | None = None,
    alone: bool = True,
) -> AddingCommit:
    """A commit that adds an approval, by its approver unless somebody else is named."""
    by = author or Person(name, email(name))
    return AddingCommit("c" * 40, by, (email(name),) if sign_offs is None else sign_offs, alone)


@dataclass(frozen=True)
class World:
    """Everything that a verdict depends on, as bytes where an attacker could write bytes."""

    policy: bytes
    records: Mapping[str, bytes] = field(default_factory=dict)
    before: Mapping[str, bytes] = field(default_factory=dict)
    after: Mapping[str, bytes] = field(default_factory=dict)
    risk: Risk = Risk.MEDIUM
    ref: str = MAIN
    store: str = STORE
    now: datetime = NOW

    @property
    def change(self) -> Change:
        paths = [
            path
            for path in sorted({*self.before, *self.after})
            if self.before.get(path) != self.after.get(path)
        ]
        return Change(
            {
                path: changed(
                    path,
                    self.before.get(path),
                    self.after.get(path),
                    Risk.HIGH if path == POLICY_FILE else self.risk,
                )
                for path in paths
            },
            {path: content_digest(raw) for path, raw in self.after.items() if path not in paths},
        )

    def verdict(self) -> Verdict | None:
        """None where no verdict can be reached, which is a refusal."""
        decoded, found = file_findings(POLICY_FILE, self.policy)
        if decoded is None or found:
            return None
        records = []
        for path, raw in self.records.items():
            read, fault = read_record(path, raw)
            records.append(Record(path, read, fault))
        target = Target(self.store, frozenset({self.ref}))
        return verify(self.change, records, decoded.record, self.now, target, {}, is_signed)

    @property
    def approved(self) -> bool:
        verdict = self.verdict()
        return verdict is not None and verdict.approved

    def with_record(self, path: str, raw: bytes, old: str | None = None) -> World:
        kept = {name: held for name, held in self.records.items() if name not in {path, old}}
        return replace(self, records={**kept, path: raw})


def judged(
    made: Iterable[Record],
    files: Iterable[ChangedFile] = (),
    by: Policy | None = None,
    *,
    standing: Mapping[str, str] | None = None,
    now: datetime = NOW,
    target: Target | None = None,
    used: Mapping[str, str] | None = None,
) -> Verdict:
    """The verdict on some records and files."""
    held = list(files) or [changed()]
    return verify(
        Change({each.path: each for each in held}, standing or {}),
        list(made),
        by or policy(ADA, BEN, CLEO),
        now,
        target or Target(STORE, frozenset({MAIN})),
        used or {},
        is_signed,
    )


def codes(verdict: Verdict) -> list[list[str]]:
    """Codes of the faults of each record."""
    return [[fault.code for fault in each.faults] for each in verdict.records]
