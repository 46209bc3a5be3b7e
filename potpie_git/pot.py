"""The library's front: `Pot.open(path)` offers the same verbs as the command line, with typed results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from potpie_git.domain.claim import Actor
from potpie_git.domain.envelope import ReadEnvelope
from potpie_git.domain.errors import NoPotError, PotpieError
from potpie_git.domain.times import utc_now
from potpie_git.domain.vocabulary import Risk
from potpie_git.readers.request import ReadRequest
from potpie_git.store.pot_tree import PotTree
from potpie_git.store.repository import PotEntryKind, Repository
from potpie_git.wiring import SnapshotChoice, Wiring
from potpie_git.write.places import journal_path

if TYPE_CHECKING:
    from potpie_git.approving import ApprovalDesk
    from potpie_git.checks.audit import AuditReport
    from potpie_git.checks.quality import QualityReport
    from potpie_git.checks.report import CheckReport
    from potpie_git.checks.review import Review
    from potpie_git.diagnosis import Status
    from potpie_git.domain.layout import FileKind
    from potpie_git.domain.plan import Plan
    from potpie_git.index import EmbedReport, IndexStatus, SyncReport, VerifyReport
    from potpie_git.readers.entities import EntityQuery, EntityResult
    from potpie_git.readers.neighborhood import Neighborhood
    from potpie_git.readers.nudge import NudgeResult
    from potpie_git.store.history import History, HistoryQuery
    from potpie_git.store.hooks import HookReport
    from potpie_git.write.bulk import BulkOptions, BulkReport, Item
    from potpie_git.write.formatting import FormatReport
    from potpie_git.write.importing import ImportReport
    from potpie_git.write.inbox import Inbox
    from potpie_git.write.policy import PolicyEditor
    from potpie_git.write.results import CommitResult, RecordResult
    from potpie_git.write.setup import SetupReport

DEFAULT_TTL = timedelta(hours=24)
Progress = Callable[[str, int, int], None]


class Pot:
    """A pot in a git repository. Every method raises typed `PotpieError`s, and nothing else that is expected.

    A write that was cut short is completed or undone when a pot is opened; `recovered` says what was done.
    """

    def __init__(self, repository: Repository, actor: Actor | None = None) -> None:
        self.repository = repository
        self._wiring = Wiring(repository, actor or Actor(surface="library"))
        self.recovered: str | None = None
        if journal_path(repository).exists():
            recovery = self._wiring.writer.recover()
            self.recovered = recovery.message if recovery else None

    @classmethod
    def open(cls, path: Path | str = ".", actor: Actor | None = None, *, required: bool = True) -> Pot:
        """The pot of the repository that holds `path`.

        Raises `NotARepositoryError`, `BareRepositoryError`, `UnsupportedRepositoryError`, or `NoPotError` if one is
        required and neither the working tree nor HEAD has it.
        """
        repository = Repository.discover(Path(path))
        if required and repository.pot_entry_kind() is PotEntryKind.ABSENT:
            head = repository.head()
            if head is None or repository.tree_oid(head) is None:
                raise NoPotError(f"{repository.root} has no pot")
        return cls(repository, actor)

    @classmethod
    def init(
        cls, path: Path | str = ".", *, name: str | None = None, actor: Actor | None = None
    ) -> tuple[Pot, SetupReport]:
        """Create a pot, or complete the one that is there; safe to repeat."""
        from potpie_git.write.setup import create_pot

        repository = Repository.discover(Path(path))
        report = create_pot(repository, utc_now(), name)
        return cls(repository, actor), report

    # What the pot is

    def tree(self, snapshot: SnapshotChoice | None = None) -> PotTree:
        """The pot's records at a snapshot; the working tree by default."""
        return self._wiring.tree(snapshot)

    def identity(self, *, seen: bool = False) -> tuple[str | None, dict[str, str | None]]:
        """The pot's id and each subgraph's version (the id of its git tree); empty where it cannot be read.

        They are those of the working tree, or with `seen` of the snapshot that was read last.
        """
        try:
            tree = (self._wiring.seen if seen else None) or self.tree()
            return tree.pot().pot_id, tree.subgraph_versions()
        except PotpieError:
            return None, {}

    def status(self) -> Status:
        """What is here, what is missing, and what to do next."""
        from potpie_git.diagnosis import status

        return status(self._wiring)

    def doctor(self) -> Status:
        """The same with proofs: git runs the hooks, every file decodes."""
        from potpie_git.diagnosis import doctor

        return doctor(self._wiring)

    # Writing

    def propose(
        self,
        payload: Any,
        *,
        ttl: timedelta = DEFAULT_TTL,
        idempotency_key: str | None = None,
        message: str | None = None,
    ) -> Plan:
        """Validate operations and store them as a plan; nothing is written to the tree."""
        return self._wiring.writer.propose(payload, ttl=ttl, idempotency_key=idempotency_key, message=message)

    def commit(self, plan_id: str, *, stage: bool = False, verify: bool = False) -> CommitResult:
        """Apply a plan as one git commit, every file of it or none."""
        return self._wiring.writer.commit(plan_id, stage=stage, verify=verify)

    def record(self, record_type: str, fields: Mapping[str, Any], **options: Any) -> RecordResult:
        """Write a typed record, or a free-form one, and commit it. Options are those of `Writer.record`."""
        return self._wiring.writer.record(record_type, fields, **options)

    def mutate(
        self,
        payload: Any,
        *,
        idempotency_key: str | None = None,
        message: str | None = None,
        stage: bool = False,
        verify: bool = False,
    ) -> CommitResult:
        """Propose operations and commit them at once. Raises `ApprovalRequiredError` for what is above low risk."""
        from potpie_git.write.immediate import write_now

        return write_now(
            self._wiring.writer,
            payload,
            idempotency_key=idempotency_key,
            message=message,
            stage=stage,
            verify=verify,
            most=Risk.LOW,
        )

    def bulk_apply(
        self,
        items: Iterable[Item],
        options: BulkOptions | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> BulkReport:
        """Apply operations and records (`read_items` makes them of a file) in chunks, each a commit of its own."""
        from potpie_git.write.bulk import BulkOptions, apply_bulk

        return apply_bulk(self._wiring.writer, items, options or BulkOptions(), progress)

    @property
    def inbox(self) -> Inbox:
        """Suggestions that somebody should look at; never a fact."""
        from potpie_git.write.inbox import Inbox

        return Inbox(self._wiring.writer, self._wiring.clock)

    def export(
        self, kinds: Sequence[FileKind] = (), *, snapshot: SnapshotChoice | None = None
    ) -> Iterator[str]:
        """Every governed file (or those of some kinds) as a line of JSON with its text."""
        from potpie_git.store.export import export_lines

        return export_lines(self.tree(snapshot).snapshot, kinds)

    def import_files(
        self,
        lines: Iterable[bytes],
        *,
        settings: bool = True,
        stage: bool = False,
        message: str | None = None,
    ) -> ImportReport:
        """Bring exported files in, all or none, as one commit; nothing is written over."""
        from potpie_git.write.importing import import_files

        wiring = self._wiring
        return import_files(
            wiring.writer, lines, wiring.clock, settings=settings, stage=stage, message=message
        )

    def fmt(self, paths: Sequence[Path] = (), *, write: bool = True) -> FormatReport:
        """Bring governed files into canonical form, comments kept; files that do not parse are named and left alone."""
        from potpie_git.write.formatting import format_files

        return format_files(self.repository, paths, write=write)

    @property
    def approvals(self) -> ApprovalDesk:
        """What there is to approve, and the approvals that are there."""
        from potpie_git.approving import ApprovalDesk

        return ApprovalDesk(self._wiring)

    @property
    def policy(self) -> PolicyEditor:
        """Who may approve what; each change of it is a plan."""
        from potpie_git.write.policy import PolicyEditor

        return PolicyEditor(self._wiring.writer, self._wiring.clock)

    # Reading

    def search(
        self, text: str, request: ReadRequest | None = None, *, snapshot: SnapshotChoice | None = None
    ) -> ReadEnvelope:
        """Evidence for a question, from every include."""
        return self._wiring.trunk(snapshot).search(text, request)

    def resolve(
        self,
        request: ReadRequest,
        *,
        intent: str | None = None,
        includes: Iterable[str] = (),
        snapshot: SnapshotChoice | None = None,
    ) -> ReadEnvelope:
        """Evidence for an intent, or for exactly these includes."""
        return self._wiring.trunk(snapshot).resolve(request, intent=intent, includes=tuple(includes))

    def read(
        self, subgraph: str, view: str, request: ReadRequest, *, snapshot: SnapshotChoice | None = None
    ) -> ReadEnvelope:
        """One named view."""
        return self._wiring.trunk(snapshot).read_view(subgraph, view, request)

    def timeline(self, request: ReadRequest, *, snapshot: SnapshotChoice | None = None) -> ReadEnvelope:
        """What happened lately."""
        return self.read("recent_changes", "timeline", request, snapshot=snapshot)

    def nudge(self, event: str, request: ReadRequest, *, session: str | None = None) -> NudgeResult:
        """What an event of an agent's session brings up; with `session`, only what it was not shown before."""
        from potpie_git.readers.nudge import nudge
        from potpie_git.write.ledger import NudgeLedger

        ledger = NudgeLedger(self.repository, session) if session else None
        trunk = self._wiring.trunk()
        found = nudge(trunk, event, request, seen=ledger.seen() if ledger else (), limit=request.limit)
        if ledger is not None and found.items:
            ledger.add(found.keys)
        return found

    def search_entities(self, query: EntityQuery, *, snapshot: SnapshotChoice | None = None) -> EntityResult:
        """Entities by type, predicate, scope, source or words."""
        from potpie_git.readers.entities import search_entities

        tree = self.tree(snapshot)
        wiring = self._wiring
        return search_entities(
            wiring.search(tree),
            wiring.clock,
            wiring.context(tree),
            query,
            authored=lambda: (stored.record for stored in tree.entities()),
        )

    def neighborhood(
        self,
        entity: str,
        request: ReadRequest,
        *,
        predicates: tuple[str, ...] = (),
        snapshot: SnapshotChoice | None = None,
    ) -> Neighborhood:
        """What stands around an entity."""
        from potpie_git.readers.neighborhood import neighborhood

        tree = self.tree(snapshot)
        wiring = self._wiring
        return neighborhood(
            wiring.search(tree), wiring.clock, wiring.context(tree), entity, request, predicates=predicates
        )

    def history(self, query: HistoryQuery) -> History:
        """What happened to an entity, a claim or a subgraph, or what a plan or mutation did, from git itself."""
        from potpie_git.store.history import history

        return history(self.repository, query)

    # Judging

    def quality(
        self, report: str, *, threshold: float | None = None, snapshot: SnapshotChoice | None = None
    ) -> QualityReport:
        """One of the reports of `potpie_git.checks.quality`. `threshold` is that of low-confidence."""
        from potpie_git.checks.quality import quality_report

        return quality_report(report, self._wiring.quality_view(self.tree(snapshot)), threshold)

    def check(self, *, rev: str | None = None) -> CheckReport:
        """Judge what is staged, or the whole tree of a revision."""
        from potpie_git.checks import staged

        if rev is not None:
            return staged.check_rev(self.repository, rev, needs_pot=True)
        return staged.check_staged(self.repository)

    def check_range(
        self, revisions: str, *, ref: str | None = None, trust_root: str | None = None
    ) -> CheckReport:
        """Judge BASE..HEAD as it would land on `ref`, by the policy of BASE."""
        from potpie_git.checks import ranges

        return ranges.check_range(self.repository, revisions, ref, trust_root)

    def audit(
        self, rev: str = "HEAD", *, ref: str | None = None, trust_root: str | None = None
    ) -> AuditReport:
        """Judge every risky change that landed on a branch, along its first parents."""
        from potpie_git.checks import audit

        return audit.audit(self.repository, rev, ref or audit.branch_name(self.repository, rev), trust_root)

    def check_message(self, text: str) -> CheckReport:
        """Judge a commit message."""
        from potpie_git.checks import staged

        return staged.check_message(text)

    def review(
        self,
        revisions: str | None = None,
        *,
        staged: bool = False,
        ref: str | None = None,
        trust_root: str | None = None,
    ) -> Review:
        """What BASE..HEAD would land (on `ref`, a full name), or what is staged, claim by claim, with the verdict.

        Without `revisions`: what HEAD adds to the default branch, else what its last commit changed.
        """
        from potpie_git.checks import review

        if staged:
            return review.review_staged(self.repository)
        return review.review_range(self.repository, revisions, ref, trust_root)

    def install_hooks(self, *, here: bool = False) -> HookReport:
        """Install the hooks where git looks; `here` gives this clone a folder of its own if git is sent outside."""
        from potpie_git.store import hooks

        return hooks.install(self.repository, here=here)

    def uninstall_hooks(self) -> HookReport:
        from potpie_git.store import hooks

        return hooks.uninstall(self.repository)

    def hook_status(self) -> HookReport:
        from potpie_git.store import hooks

        return hooks.status(self.repository)

    # The index

    def sync_index(
        self, *, vectors: bool = True, progress: Progress | None = None
    ) -> tuple[SyncReport, EmbedReport | None]:
        """Bring the index up to date with the working tree, and embed what has no vector yet."""
        index = self._wiring.index
        synced = index.sync(self.tree().snapshot, progress)
        return synced, index.embed_pending(progress) if vectors else None

    def rebuild_index(
        self, *, vectors: bool = True, progress: Progress | None = None
    ) -> tuple[SyncReport, EmbedReport | None]:
        """Build the index anew beside the old one, and swap it in."""
        index = self._wiring.index
        rebuilt = index.rebuild(self.tree().snapshot, progress)
        return rebuilt, index.embed_pending(progress) if vectors else None

    def verify_index(self) -> VerifyReport:
        """Compare the index with the tree, row by row."""
        return self._wiring.index.verify(self.tree().snapshot)

    def index_status(self) -> IndexStatus:
        return self._wiring.index.status(self.tree().snapshot)
