"""Which approvals count for a change: a pure function over the change, the records, the base's policy and the time.

It reads nothing and runs nothing; whether a signature was made by a key is asked of the function that is handed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

from potpie_git.checks.approvals import faults
from potpie_git.checks.approvals.model import (
    Change,
    Fault,
    JudgedChange,
    JudgedRecord,
    Person,
    Proof,
    Record,
    SignatureTest,
    Target,
    Verdict,
)
from potpie_git.checks.approvals.people import People, same_person
from potpie_git.domain.approval import SIGNATURE_NAMESPACE, Approval, Statement
from potpie_git.domain.layout import approval_path
from potpie_git.domain.policy import Approver, Policy
from potpie_git.domain.ssh_keys import PublicKey, SshFormatError, parse_public_key, parse_signature
from potpie_git.domain.times import parse_time
from potpie_git.domain.trailers import person
from potpie_git.domain.vocabulary import Risk

CLOCK_SKEW: Final = timedelta(minutes=10)
"""How far another machine's clock may be ahead of ours."""


def verify(
    change: Change,
    records: Sequence[Record],
    policy: Policy,
    now: datetime,
    target: Target,
    used: Mapping[str, str],
    is_signed: SignatureTest,
) -> Verdict:
    """Judge every record, and every file that needs approval, by `policy` (the one at the base) at `now`.

    `used` maps nonces of records that the base holds to their paths.
    """
    judge = _Judge(change, tuple(records), policy, now, target, used, is_signed)
    judged = tuple(judge.record(record) for record in records)
    people = judge.people
    files = tuple(
        JudgedChange(changed, needed, _distinct(people, (j for j in judged if _covers(j, changed.path))))
        for changed in change.files.values()
        if (needed := people.needed(changed))
    )
    return Verdict(judged, files, tuple(judge.eligible(files)))


def _covers(judged: JudgedRecord, path: str) -> bool:
    """True if a record that counts lists the file; that it lists these very bytes was judged before."""
    approval = judged.record.approval
    return (
        judged.counts and approval is not None and any(row[0] == path for row in approval.statement.changes)
    )


def _distinct(people: People, approvals: Iterable[JudgedRecord]) -> tuple[str, ...]:
    """One principal for each person among the approvals, in order."""
    first: dict[frozenset[str], str] = {}
    for judged in approvals:
        first.setdefault(people.person(judged.principal), judged.principal)
    return tuple(sorted(first.values()))


@dataclass(frozen=True)
class _Judge:
    """What every record is judged by."""

    change: Change
    records: tuple[Record, ...]
    policy: Policy
    now: datetime
    target: Target
    used: Mapping[str, str]
    is_signed: SignatureTest

    @cached_property
    def people(self) -> People:
        return People(self.policy)

    @cached_property
    def _proper(self) -> Counter[str]:
        """How many records of the range that stand at their own place bear each nonce."""
        return Counter(
            record.approval.statement.nonce
            for record in self.records
            if record.approval is not None and approval_path(record.approval) == record.path
        )

    def record(self, record: Record) -> JudgedRecord:
        """One record: every fault but those of its signature, or else what stands behind it."""
        if record.approval is None:
            return JudgedRecord(record, (faults.unreadable(record.fault),))
        approval = record.approval
        found = [
            *self._identity(record, approval),
            *self._time(record, approval),
            *self._place(approval.statement),
        ]
        approver = self.policy.approver(approval.statement.principal)
        found += self._standing(approver, approval.statement)
        found += self._coverage(approval.statement)
        own = self._is_author(approval.statement)
        if own and not self.people.may_approve_own(approval.statement.principal):
            found.append(faults.author(approval.statement.principal))
        if found or approver is None:
            return JudgedRecord(record, tuple(found))
        proof = self._proof(record, approval, approver)
        if isinstance(proof, Fault):
            return JudgedRecord(record, (proof,))
        return JudgedRecord(record, (), proof, self_approved=own)

    def _identity(self, record: Record, approval: Approval) -> list[Fault]:
        """The record stands under its own name, and its nonce serves once."""
        nonce = approval.statement.nonce
        if nonce in self.used:
            return [faults.used(self.used[nonce])]
        misplaced = approval_path(approval) != record.path
        if self._proper[nonce] > (0 if misplaced else 1):
            return [faults.used(f"another record of this range, {approval_path(approval)}")]
        return [faults.misnamed(approval_path(approval))] if misplaced else []

    def _time(self, record: Record, approval: Approval) -> list[Fault]:
        found = []
        if approval.withdrawn is not None or record.withdrawn_once:
            found.append(faults.withdrawn(approval.withdrawn))
        if parse_time(approval.statement.expires) <= self.now:
            found.append(faults.expired(approval.statement.expires))
        if parse_time(approval.statement.issued) > self.now + CLOCK_SKEW:
            found.append(faults.not_yet(approval.statement.issued))
        return found

    def _place(self, statement: Statement) -> list[Fault]:
        found = []
        if statement.store != self.target.store:
            found.append(faults.other_store(statement.store, self.target.store))
        if self.target.refs != {statement.ref}:
            found.append(faults.other_ref(statement.ref, self.target.refs))
        return found

    def _standing(self, approver: Approver | None, statement: Statement) -> list[Fault]:
        """The principal may approve, by the policy at the base, and signed off under one of their addresses."""
        if approver is None:
            return [faults.not_listed(statement.principal)]
        found = []
        if self.people.is_bot(approver):
            found.append(faults.bot(approver.name))
        if approver.revoked is not None:
            found.append(faults.revoked(approver.name, approver.revoked))
        if approver.valid_until is not None and parse_time(approver.valid_until) <= self.now:
            found.append(faults.run_out(approver.name, approver.valid_until))
        named = person(statement.signed_off_by)
        if statement.attested_by is None and (named is None or named[1] not in approver.emails):
            found.append(faults.other_address(statement.signed_off_by, approver.name))
        return found

    def _coverage(self, statement: Statement) -> list[Fault]:
        """Every listed file lands with the listed bytes, or stands there with them already."""
        found = []
        risk = Risk.LOW
        for path, before, after in statement.changes:
            changed = self.change.files.get(path)
            if changed is not None and changed.row == (path, before, after):
                risk = max(risk, changed.risk)
            elif changed is not None:
                found.append(faults.edited(path))
            elif self.change.digest_after(path) != after:
                found.append(faults.not_landing(path))
        if risk > statement.risk_level:
            found.append(faults.understated(statement.risk, risk.label))
        return found

    def _is_author(self, statement: Statement) -> bool:
        principal, files = statement.principal, self.change.files
        listed = (files[path] for path, _, _ in statement.changes if path in files)
        return self.people.is_named(principal, statement.authors) or any(
            self.people.wrote(principal, changed) for changed in listed
        )

    def _proof(self, record: Record, approval: Approval, approver: Approver) -> Proof | Fault:
        if approval.statement.attested_by is not None:
            return self._attested(approval, approver)
        if approval.signature is not None:
            return self._signed(approval, approver.keys or ()) or Proof.SIGNATURE
        if self.policy.mode == "signature":
            return faults.unsigned()
        return self._signed_off(record, approval.statement, approver) or Proof.ATTRIBUTED

    def _attested(self, approval: Approval, approver: Approver) -> Proof | Fault:
        """A forge's review counts if policy lists forge and account; signed by the job's key where policy has one."""
        review = approval.statement.attested_by
        assert review is not None
        rule = self.policy.attestation
        if rule is None or review.forge not in rule.forges:
            return faults.forge_not_listed(review.forge)
        accounts = {account.casefold() for account in approver.accounts or ()}
        if f"{review.forge}:{review.account}".casefold() not in accounts:
            return faults.account_not_listed(review.forge, review.account, approver.name)
        if rule.keys or approval.signature is not None:
            return self._signed(approval, rule.keys or ()) or Proof.ATTESTED
        return faults.unsigned() if self.policy.mode == "signature" else Proof.ATTESTED

    def _signed(self, approval: Approval, keys: Iterable[str]) -> Fault | None:
        """Why the record's signature does not verify by one of these keys; None if it does."""
        if approval.signature is None:
            return faults.unsigned()
        try:
            said = parse_signature(approval.signature)
        except SshFormatError as error:
            return faults.bad_signature(str(error))
        if said.namespace != SIGNATURE_NAMESPACE:
            return faults.bad_signature(f"it was made for {said.namespace!r}, not for approvals")
        if said.key not in _parsed(keys):
            return faults.bad_signature(
                f"policy does not list its key {said.key.fingerprint} for this approver"
            )
        if not said.user_present:
            return faults.bad_signature("nobody touched the security key")
        if not self.is_signed(approval.statement.canonical(), approval.signature, said.key):
            return faults.bad_signature("it is not over this statement")
        return None

    def _signed_off(self, record: Record, statement: Statement, approver: Approver) -> Fault | None:
        """Why nobody stands behind the commit that adds the record; None if somebody does, or if it was squashed.

        A commit that holds more than the record was squashed: its message is whoever squashed it's, and the file alone
        says who approved.
        """
        alone = [commit for commit in record.added_by if commit.alone]
        if not alone:
            return None
        signed = [commit for commit in alone if set(commit.sign_offs) & set(approver.emails)]
        if not signed:
            return faults.not_signed_off(alone[0].id, approver.name)
        if all(self._by_actor(commit.author, statement) for commit in signed):
            return faults.by_author(signed[0].id, signed[0].author.email)
        return None

    def _by_actor(self, author: Person, statement: Statement) -> bool:
        """True if somebody else, who wrote what is covered, committed the approval as well."""
        if self.people.is_named(statement.principal, [author.email, author.name]):
            return False
        files = self.change.files
        listed = (files[path] for path, _, _ in statement.changes if path in files)
        return any(same_person(actor, author) for changed in listed for actor in changed.actors)

    def eligible(self, files: Sequence[JudgedChange]) -> list[str]:
        """Names of approvers who have not approved all that is missing, and wrote none of it."""
        return [
            approver.name
            for approver in self.policy.approvers
            if not self._barred(approver) and any(self._could_add(approver, judged) for judged in files)
        ]

    def _barred(self, approver: Approver) -> bool:
        ended = approver.valid_until is not None and parse_time(approver.valid_until) <= self.now
        return ended or approver.revoked is not None or self.people.is_bot(approver)

    def _could_add(self, approver: Approver, judged: JudgedChange) -> bool:
        one = self.people.person(approver.principal)
        wrote = self.people.wrote(approver.principal, judged.file)
        may = not wrote or self.people.may_approve_own(approver.principal)
        return judged.missing > 0 and may and not one & set(judged.approved_by)


def _parsed(keys: Iterable[str]) -> list[PublicKey]:
    """The keys that can be read; the policy's own rules report the others."""
    found = []
    for key in keys:
        try:
            found.append(parse_public_key(key))
        except SshFormatError:
            continue
    return found
