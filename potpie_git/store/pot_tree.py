"""A pot as one snapshot holds it: records looked up by what they are about, at the cost of what is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from potpie_git.domain.claim import Claim, Statement
from potpie_git.domain.errors import NoPotError, NotFoundError
from potpie_git.domain.files import Entity, InboxItem, Policy, Pot, Tombstone
from potpie_git.domain.keys import entity_type_of, folded_key
from potpie_git.domain.layout import (
    APPROVALS,
    CLAIM_NAME,
    CLAIMS,
    ENTITIES,
    INBOX,
    POLICY_FILE,
    POT_FILE,
    TOMBSTONES,
    claim_directory,
    entity_path,
    tombstone_directory,
)
from potpie_git.domain.text import slug
from potpie_git.domain.vocabulary import SUBGRAPHS, subgraph_of
from potpie_git.store.codec import decode
from potpie_git.store.snapshot import Entry, Snapshot


@dataclass(frozen=True, slots=True)
class Stored:
    """A record with the file that holds it."""

    entry: Entry
    record: Any

    @property
    def path(self) -> str:
        return self.entry.path

    @property
    def claim(self) -> Claim:
        assert isinstance(self.record, Claim)
        return self.record


class PotTree:
    """Lookups over one snapshot. Every file that is read is decoded strictly: one that does not parse is an error."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def require(self) -> PotTree:
        """This tree, or `NoPotError` if the snapshot holds no pot."""
        if self.snapshot.entry(POT_FILE) is None:
            raise NoPotError(f"there is no .potpie/{POT_FILE} in {self.snapshot.label}")
        return self

    def pot(self) -> Pot:
        self.require()
        record = decode(POT_FILE, self.snapshot.read(POT_FILE)).record
        assert isinstance(record, Pot)
        return record

    def policy(self) -> Policy | None:
        if self.snapshot.entry(POLICY_FILE) is None:
            return None
        record = decode(POLICY_FILE, self.snapshot.read(POLICY_FILE)).record
        assert isinstance(record, Policy)
        return record

    def load(self, entries: Iterable[Entry]) -> Iterator[Stored]:
        """Records of many files in one batch."""
        for entry, raw in self.snapshot.read_many(entries):
            yield Stored(entry, decode(entry.path, raw).record)

    def claims(self, subgraph: str | None = None) -> Iterator[Stored]:
        """Every claim of the pot, or of one subgraph."""
        return self.load(self.snapshot.entries(f"{CLAIMS}/{subgraph}" if subgraph else CLAIMS))

    def claims_about(self, subject: str, subgraph: str, predicate: str | None = None) -> list[Stored]:
        """Claims whose subject is `subject`, or looks like it, in one subgraph (one folder is read)."""
        wanted = slug(subject)
        folder = claim_directory(subgraph, subject)
        found = []
        for name in self.snapshot.names(folder):
            match = CLAIM_NAME.match(f"{folder}/{name}")
            if (
                match
                and match["subject"] == wanted
                and (predicate is None or match["predicate"] == predicate)
            ):
                entry = self.snapshot.entry(f"{folder}/{name}")
                if entry is not None:
                    found.append(entry)
        same = folded_key(subject)
        return [stored for stored in self.load(found) if folded_key(stored.claim.subject) == same]

    def statement(self, statement: Statement) -> list[Stored]:
        """The claims, live and withdrawn, that make one statement."""
        subject, predicate, _, _ = statement
        about = self.claims_about(subject, subgraph_of(predicate), predicate)
        return [stored for stored in about if stored.claim.statement == statement]

    def claim(self, claim_id: str) -> Stored:
        """The claim with this id (file names are listed, one file is read). Raises `NotFoundError`."""
        suffix = f".{claim_id}.yaml"
        for entry in self.snapshot.entries(CLAIMS):
            if entry.path.endswith(suffix):
                return next(iter(self.load([entry])))
        raise NotFoundError(
            f"there is no claim {claim_id} in {self.snapshot.label}",
            hint="Find claims with `git potpie search`; ids stand in --json output.",
        )

    def entity(self, key: str) -> Stored | None:
        """The entity file of `key`, if somebody authored one."""
        declared = entity_type_of(key)
        entry = self.snapshot.entry(entity_path(key, declared.key_prefix)) if declared else None
        return next(iter(self.load([entry]))) if entry else None

    def entities(self) -> Iterator[Stored]:
        return self.load(self.snapshot.entries(ENTITIES))

    def tombstones_of(self, digest: str) -> list[Tombstone]:
        """Tombstones of one value digest (one folder is listed)."""
        folder = tombstone_directory(digest)
        names = [name for name in self.snapshot.names(folder) if name.startswith(f"{digest}.")]
        entries = [entry for name in names if (entry := self.snapshot.entry(f"{folder}/{name}"))]
        return [stored.record for stored in self.load(entries)]

    def tombstones(self) -> Iterator[Tombstone]:
        for stored in self.load(self.snapshot.entries(TOMBSTONES)):
            assert isinstance(stored.record, Tombstone)
            yield stored.record

    def approvals(self) -> Iterator[Stored]:
        return self.load(self.snapshot.entries(APPROVALS))

    def inbox(self) -> Iterator[InboxItem]:
        for stored in self.load(self.snapshot.entries(INBOX)):
            assert isinstance(stored.record, InboxItem)
            yield stored.record

    def resolve_alias(self, key: str) -> str:
        """The key that `key` was merged into, followed to its end; `key` itself if it was never merged."""
        seen = {key}
        while True:
            stored = self.entity(key)
            record = stored.record if stored else None
            if not isinstance(record, Entity) or record.merged is None or record.merged.into in seen:
                return key
            key = record.merged.into
            seen.add(key)

    def subgraph_versions(self) -> dict[str, str | None]:
        """Each subgraph's version: the id of its git tree, or None while it holds no claim."""
        return {name: self.snapshot.subtree(f"{CLAIMS}/{name}") for name in SUBGRAPHS}
