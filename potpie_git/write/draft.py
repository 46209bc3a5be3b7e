"""What a batch of operations has read and would write: each operation sees what the ones before it did."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from potpie_git.domain.claim import Claim, Statement
from potpie_git.domain.errors import NotFoundError
from potpie_git.domain.files import Entity, InboxItem, Tombstone
from potpie_git.domain.keys import entity_type_of, folded_key
from potpie_git.domain.layout import (
    CLAIM_NAME,
    CLAIMS,
    claim_path,
    entity_path,
    expected_path,
)
from potpie_git.domain.plan import FileEdit
from potpie_git.domain.text import slug
from potpie_git.domain.vocabulary import SUBGRAPHS, subgraph_of
from potpie_git.store.codec import decode, encode
from potpie_git.store.pot_tree import PotTree

Written = Claim | Entity | Tombstone | InboxItem


@dataclass(frozen=True, slots=True)
class Held:
    """A claim as the batch sees it, and whether the batch itself brought it in."""

    claim: Claim
    path: str
    is_new: bool


class Draft:
    """An overlay of records over the working tree's pot."""

    def __init__(self, tree: PotTree) -> None:
        self.tree = tree
        self._records: dict[str, Written] = {}
        self._ops: dict[str, int] = {}
        self._new_claims: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._stones: dict[str, list[Tombstone]] = defaultdict(list)
        self._paths_by_id: dict[str, str] = {}
        self._ids_listed = False
        self._objects: dict[str, dict[tuple[str, str], list[str]]] = {}

    def put(self, record: Written, op_index: int) -> None:
        """Write a record; a later one at the same path takes its place."""
        path = expected_path(record)
        if isinstance(record, Claim) and path not in self._records and not self._on_disk(path):
            self._new_claims[record.subgraph, folded_key(record.subject)].append(path)
            self._paths_by_id[record.id] = path
        if isinstance(record, Tombstone) and path not in self._records:
            self._stones[record.value_digest].append(record)
        self._records[path] = record
        self._ops.setdefault(path, op_index)

    def claim_like(self, claim: Claim) -> Claim | None:
        """The claim with the same identity, as it stands now; None if there is none."""
        return self._claim_at(claim_path(claim))

    def is_new(self, path: str) -> bool:
        """Whether a record is written by this batch and stands nowhere yet."""
        return path in self._records and not self._on_disk(path)

    def stored_claim(self, path: str) -> Claim:
        """The claim that stands on disk at `path`, without what the batch does to it."""
        entry = self.tree.snapshot.entry(path)
        assert entry is not None
        return next(iter(self.tree.load([entry]))).claim

    def claims_about(self, subject: str, subgraph: str, predicate: str | None = None) -> list[Held]:
        """Claims whose subject is `subject`, or looks like it, those of this batch included."""
        stored = self.tree.claims_about(subject, subgraph, predicate)
        found = [Held(self._now(one.path, one.claim), one.path, False) for one in stored]
        for path in self._new_claims.get((subgraph, folded_key(subject)), ()):
            claim = self._records[path]
            if isinstance(claim, Claim) and predicate in {None, claim.predicate}:
                found.append(Held(claim, path, True))
        return found

    def statement(self, statement: Statement) -> list[Held]:
        """The claims, live and withdrawn, that make one statement."""
        subject, predicate, _, _ = statement
        about = self.claims_about(subject, subgraph_of(predicate), predicate)
        return [held for held in about if held.claim.statement == statement]

    def claim(self, claim_id: str) -> Held:
        """The claim with this id. Raises `NotFoundError`."""
        path = self._paths_by_id.get(claim_id)
        if path is None and not self._ids_listed:
            self._list_ids()
            path = self._paths_by_id.get(claim_id)
        claim = self._claim_at(path) if path else None
        if path is None or claim is None:
            raise NotFoundError(
                f"there is no claim {claim_id}",
                hint="Find claims with `git potpie search`; ids stand in --json output.",
            )
        return Held(claim, path, self.is_new(path))

    def claims_of(self, subgraph: str, predicate: str, object_key: str) -> list[Claim]:
        """Stored claims of one predicate about one object, whatever their subject.

        File names of the subgraph are listed once, and only files that match are read.
        """
        paths = self._by_object(subgraph).get((predicate, slug(object_key)), [])
        entries = [entry for path in paths if (entry := self.tree.snapshot.entry(path))]
        found = [self._now(stored.path, stored.claim) for stored in self.tree.load(entries)]
        return [claim for claim in found if claim.object == object_key]

    def entity(self, key: str) -> Entity | None:
        """What was authored about an entity; None if nothing was."""
        path = entity_file(key)
        written = self._records.get(path) if path else None
        if isinstance(written, Entity):
            return written
        stored = self.tree.entity(key)
        return stored.record if stored else None

    def entity_version(self, key: str) -> str | None:
        """The blob id of an entity's file on disk, which is its version."""
        path = entity_file(key)
        entry = self.tree.snapshot.entry(path) if path else None
        return entry.oid if entry else None

    def tombstones_of(self, digest: str) -> list[Tombstone]:
        """Tombstones of one value digest, those of this batch included."""
        return [*self.tree.tombstones_of(digest), *self._stones.get(digest, ())]

    def new_tombstones(self) -> Iterator[Tombstone]:
        return (stone for stones in self._stones.values() for stone in stones)

    def new_claims(self) -> Iterator[tuple[Claim, int]]:
        """Claims that the batch brings in, with the index of the operation that did."""
        for paths in self._new_claims.values():
            for path in paths:
                record = self._records[path]
                if isinstance(record, Claim):
                    yield record, self._ops[path]

    def written(self) -> Iterator[tuple[str, Written, int]]:
        """Every record of the batch with its path and operation, in the order of the operations."""
        for path, record in self._records.items():
            yield path, record, self._ops[path]

    def edits(self) -> list[FileEdit]:
        """The exact file edits, sorted by path; comments of an edited file are kept.

        Raises `YamlError` for a record that no file can hold.
        """
        return sorted(self._edits(), key=lambda edit: edit.path)

    def _edits(self) -> Iterable[FileEdit]:
        for path, record in self._records.items():
            entry = self.tree.snapshot.entry(path)
            document = decode(path, self.tree.snapshot.read(path)).document if entry else None
            before = entry.oid if entry else None
            after = encode(record, document).decode()
            yield FileEdit(path=path, before=before, after=after, op_index=self._ops[path])

    def _claim_at(self, path: str) -> Claim | None:
        record = self._records.get(path)
        if isinstance(record, Claim):
            return record
        entry = self.tree.snapshot.entry(path)
        return next(iter(self.tree.load([entry]))).claim if entry else None

    def _now(self, path: str, stored: Claim) -> Claim:
        record = self._records.get(path)
        return record if isinstance(record, Claim) else stored

    def _on_disk(self, path: str) -> bool:
        return self.tree.snapshot.entry(path) is not None

    def _list_ids(self) -> None:
        """Note where every claim stands: file names are listed, no file is read."""
        self._ids_listed = True
        for subgraph in SUBGRAPHS:
            for match in self._names(subgraph):
                self._paths_by_id[match["id"]] = match.group()

    def _by_object(self, subgraph: str) -> dict[tuple[str, str], list[str]]:
        if subgraph not in self._objects:
            found: dict[tuple[str, str], list[str]] = defaultdict(list)
            for match in self._names(subgraph):
                found[match["predicate"], match["object"]].append(match.group())
            self._objects[subgraph] = found
        return self._objects[subgraph]

    def _names(self, subgraph: str) -> Iterator[re.Match[str]]:
        folder = f"{CLAIMS}/{subgraph}"
        for part in self.tree.snapshot.names(folder):
            for name in self.tree.snapshot.names(f"{folder}/{part}"):
                match = CLAIM_NAME.match(f"{folder}/{part}/{name}")
                if match:
                    yield match


def entity_file(key: str) -> str | None:
    """Where the file of an entity stands, if somebody authored one; None for a key without a type."""
    declared = entity_type_of(key)
    return entity_path(key, declared.key_prefix) if declared else None
