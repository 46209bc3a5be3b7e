"""Builds the objects that work together: one place knows which search, which reader and which gate a pot uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from potpie_git.domain.claim import Actor
from potpie_git.domain.errors import InvalidInputError, LockedError, StorageError
from potpie_git.domain.files import Entity, Policy
from potpie_git.domain.layout import CLAIMS
from potpie_git.domain.query import ClaimHits, ClaimQuery, ClaimRow, ClaimSearch, Standing, union_mode
from potpie_git.domain.times import utc_now
from potpie_git.readers.orchestrator import ReadTrunk
from potpie_git.readers.request import ReadContext
from potpie_git.store.derived import DerivedClaims, RepositoryName, repository_name
from potpie_git.store.evidence import EvidenceStates
from potpie_git.store.pot_tree import PotTree
from potpie_git.store.repository import Repository
from potpie_git.store.scan import ScannedClaims
from potpie_git.store.snapshot import IndexSnapshot, Snapshot, TreeSnapshot, WorktreeSnapshot

if TYPE_CHECKING:
    from potpie_git.checks.quality import PotView
    from potpie_git.index import Index
    from potpie_git.write.writer import Writer

Clock = Callable[[], datetime]
# What a read does on its way: about a second of rows and a second and a half of vectors. `index sync` does the rest.
MOST_INLINE_ROWS = 2_000
MOST_INLINE_CARDS = 64
# Reading this many claims takes about as long as loading the index's library.
MOST_SCANNED = 1_000


@dataclass(frozen=True, slots=True)
class SnapshotChoice:
    """Which state of the pot to read: the working tree, the index of the next commit, or a revision."""

    rev: str | None = None
    staged: bool = False

    def open(self, repository: Repository) -> Snapshot:
        """Raises `UnknownRevisionError`, or `InvalidInputError` if two states are asked for."""
        if self.rev is not None and self.staged:
            raise InvalidInputError("a revision and the staged state exclude each other", hint="Give one.")
        if self.rev is not None:
            return TreeSnapshot(repository, self.rev)
        return IndexSnapshot(repository) if self.staged else WorktreeSnapshot(repository)


class Standings:
    """How far a claim's file has come: on a protected branch, in this branch's HEAD, or neither."""

    def __init__(self, repository: Repository, policy: Callable[[], Policy | None]) -> None:
        self._repository = repository
        self._policy = policy

    @cached_property
    def _protected(self) -> list[Snapshot]:
        policy = self._policy()
        patterns = [name for ref in (policy.protected if policy else ()) for name in _local_and_remote(ref)]
        if not patterns:
            return []
        existing = self._repository.git.text("for-each-ref", "--format=%(refname)", "--", *patterns)
        return [TreeSnapshot(self._repository, ref) for ref in existing.split("\n") if ref]

    @cached_property
    def _head(self) -> Snapshot:
        return TreeSnapshot.of_head(self._repository)

    def stamp(self, row: ClaimRow) -> ClaimRow:
        """The row with its standing; what the repository itself says keeps its own."""
        if row.standing is Standing.DERIVED or not row.path:
            return row
        if any(_holds(snapshot, row) for snapshot in self._protected):
            return replace(row, standing=Standing.REVIEWED)
        standing = Standing.BRANCH if _holds(self._head, row) else Standing.UNCOMMITTED
        return replace(row, standing=standing)


def _holds(snapshot: Snapshot, row: ClaimRow) -> bool:
    entry = snapshot.entry(row.path)
    return entry is not None and entry.oid == row.blob


def _local_and_remote(ref: str) -> tuple[str, ...]:
    branch = ref.removeprefix("refs/heads/")
    return (ref, f"refs/remotes/origin/{branch}") if branch != ref else (ref,)


class StoredClaims:
    """The claims of one snapshot: through the index, or by a plain scan where that is as good or all there is."""

    def __init__(
        self, index: Callable[[], Index], snapshot: Snapshot, standings: Standings, clock: Clock
    ) -> None:
        self._index = index
        self._snapshot = snapshot
        self._scanned = ScannedClaims(snapshot, clock=clock)
        self._standings = standings
        self._clock = clock

    @cached_property
    def _indexed(self) -> ClaimSearch:
        from potpie_git.index import IndexedClaims

        return IndexedClaims(self._index(), self._snapshot, clock=self._clock)

    @cached_property
    def _is_small(self) -> bool:
        return not _more_claims_than(self._snapshot, MOST_SCANNED)

    def find_claims(self, query: ClaimQuery) -> ClaimHits:
        # Opening the index costs more than reading a few files, which answer as well where no text is matched.
        by_files = query.text is None and self._is_small
        hits = self._scanned.find_claims(query) if by_files else self._through_index(query)
        return replace(hits, rows=tuple(self._standings.stamp(row) for row in hits.rows))

    def _through_index(self, query: ClaimQuery) -> ClaimHits:
        from potpie_git.index import IndexDamagedError, IndexMissingError

        try:
            return self._indexed.find_claims(query)
        except IndexMissingError as error:
            return self._scan(query, f"searched by words alone: {error.message}")
        except IndexDamagedError as error:
            return self._scan(query, f"{error.message}; {error.hint}")

    def _scan(self, query: ClaimQuery, note: str) -> ClaimHits:
        hits = self._scanned.find_claims(query)
        # Without a text the files answer as well as the index would.
        return replace(hits, notes=(*hits.notes, note)) if query.text is not None else hits

    def resolve_alias(self, key: str) -> str:
        return self._scanned.resolve_alias(key)


class UnitedClaims:
    """Several searches as one: rows of all, the best first where a text was given, else the latest."""

    def __init__(self, *searches: ClaimSearch) -> None:
        self._searches = searches

    def find_claims(self, query: ClaimQuery) -> ClaimHits:
        found = [search.find_claims(query) for search in self._searches]
        rows = [row for hits in found for row in hits.rows]
        if query.text is not None:
            rows.sort(key=lambda row: -(row.similarity or 0.0))
        elif query.limit is not None:
            rows.sort(key=lambda row: row.claim.begins, reverse=True)
        notes = tuple(dict.fromkeys(note for hits in found for note in hits.notes))
        return ClaimHits(tuple(rows[: query.limit]), union_mode(hits.match_mode for hits in found), notes)

    def resolve_alias(self, key: str) -> str:
        for search in self._searches:
            resolved = search.resolve_alias(key)
            if resolved != key:
                return resolved
        return key


def _more_claims_than(snapshot: Snapshot, most: int) -> bool:
    return next(islice(snapshot.entries(CLAIMS), most, None), None) is not None


class Wiring:
    """The objects of one pot, built when they are needed."""

    def __init__(self, repository: Repository, actor: Actor, clock: Clock = utc_now) -> None:
        self.repository = repository
        self.actor = actor
        self.clock = clock
        self.seen: PotTree | None = None

    @cached_property
    def index(self) -> Index:
        from potpie_git.index import Index

        return Index.of(self.repository)

    @cached_property
    def writer(self) -> Writer:
        from potpie_git.checks.approvals.gate import ApprovalGate
        from potpie_git.checks.secrets import find_secrets
        from potpie_git.write.writer import Writer

        return Writer(self.repository, self.actor, ApprovalGate(self.clock), self.clock, find_secrets)

    def tree(self, choice: SnapshotChoice | None = None) -> PotTree:
        """The pot at a snapshot, from now on the one `seen` last. Raises `NoPotError` if there is none in it."""
        self.seen = PotTree((choice or SnapshotChoice()).open(self.repository)).require()
        return self.seen

    @cached_property
    def name(self) -> RepositoryName:
        """What the repository is called, by its remote or its folder."""
        return repository_name(self.repository)

    def search(self, tree: PotTree) -> ClaimSearch:
        """The search over one snapshot: what is stored, and what the repository itself says."""
        standings = Standings(self.repository, tree.policy)
        stored = StoredClaims(lambda: self.index, tree.snapshot, standings, self.clock)
        derived = DerivedClaims(self.repository, revision=self._revision(tree.snapshot), name=self.name)
        return UnitedClaims(stored, derived)

    @staticmethod
    def _revision(snapshot: Snapshot) -> str | None:
        return snapshot.commit if isinstance(snapshot, TreeSnapshot) else None

    def freshen(self, snapshot: Snapshot) -> None:
        """Do a bounded part of what the index lacks, so that questions are soon matched by meaning.

        A disk that refuses, a missing model or another writer stops nothing: the read answers all the same. Raises
        `InvalidFileError` for a file that does not decode.
        """
        from potpie_git.index import EmbedderUnavailableError

        status = self.index.status(snapshot)
        if status.covered and not status.pending:
            return
        if not status.covered and _more_claims_than(snapshot, status.rows + MOST_INLINE_ROWS):
            return
        try:
            if not status.covered:
                self.index.sync(snapshot, wait=0.5)
            self.index.embed_pending(limit=MOST_INLINE_CARDS)
        except (StorageError, LockedError, EmbedderUnavailableError):
            return

    def context(self, tree: PotTree) -> ReadContext:
        """What readers may ask beside the claims."""

        def entity(key: str) -> Entity | None:
            stored = tree.entity(key)
            return stored.record if stored else None

        states = EvidenceStates(self.repository, revision=self._revision(tree.snapshot))
        return ReadContext(evidence_state=states, entity=entity, repository=self.name.key)

    def quality_view(self, tree: PotTree) -> PotView:
        """What quality reports look at: the pot, where its evidence stands, and how the index differs from it."""
        from potpie_git.checks.quality import PotView

        def drift() -> tuple[int, tuple[str, ...]]:
            found = self.index.verify(tree.snapshot)
            return found.claims, found.problems

        states = EvidenceStates(self.repository, revision=self._revision(tree.snapshot))
        return PotView(tree, self.clock(), states, drift)

    def trunk(self, choice: SnapshotChoice | None = None) -> ReadTrunk:
        """The read trunk over a snapshot; before a text is searched, a bounded part of the missing index is made."""
        tree = self.tree(choice)
        return ReadTrunk(
            self.search(tree), self.clock, self.context(tree), prepare=lambda: self.freshen(tree.snapshot)
        )
