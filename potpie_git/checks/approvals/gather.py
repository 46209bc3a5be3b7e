"""Puts together what the verifier is given: from two snapshots, the grades of what differs, and the commits between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from potpie_git.checks.approvals.commits import Commits
from potpie_git.checks.approvals.model import Change, ChangedFile, Person, Record, Target, Verdict
from potpie_git.checks.approvals.verify import verify
from potpie_git.checks.grading import GradedChange
from potpie_git.domain.approval import Approval, content_digest, nonce_digest
from potpie_git.domain.errors import InvalidFileError, PotpieError
from potpie_git.domain.files import Pot
from potpie_git.domain.layout import APPROVALS, POT_FILE, FileKind, kind_of
from potpie_git.domain.policy import Policy
from potpie_git.domain.trailers import person
from potpie_git.store.codec import decode, encode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import READ_LIMIT, Entry, Snapshot, diff
from potpie_git.store.ssh import is_signed_by

_FILE_MODE = "100644"


@dataclass(frozen=True, slots=True)
class Landing:
    """A change that lands: what stood before, what would stand, and how each difference is graded.

    Approvals count that `after` holds beyond `since` (by default `before`). `commits` made the change, `adding` the
    approvals (by default the same commits); files in `uncommitted` were written by `worker`.
    """

    repository: Repository
    before: Snapshot
    after: Snapshot
    grades: tuple[GradedChange, ...]
    commits: Commits
    since: Snapshot | None = None
    adding: Commits | None = None
    worker: Person | None = None
    uncommitted: frozenset[str] = field(default_factory=frozenset)

    @property
    def base(self) -> Snapshot:
        return self.since or self.before


def judge(landing: Landing, policy: Policy, refs: frozenset[str], now: datetime) -> Verdict:
    """The verdict on a landing by its base's policy. Raises `SshMissingError` if a signature cannot be checked."""
    records = new_records(landing)
    target = Target(pot_id(landing.base), refs)
    used = _used_nonces(landing.base, records)
    return verify(change_of(landing, records), records, policy, now, target, used, is_signed_by)


def change_of(landing: Landing, records: Iterable[Record] = ()) -> Change:
    """What lands, with who wrote it; and what stands already of the files that `records` list."""
    authors = landing.commits.authors(_signed_off(records))
    worker = frozenset({landing.worker}) if landing.worker else frozenset()
    files = {}
    for graded in landing.grades:
        if kind_of(graded.path) is FileKind.APPROVAL:
            continue
        people = authors.get(graded.path, frozenset())
        files[graded.path] = ChangedFile(
            path=graded.path,
            before=graded.before,
            after=graded.after,
            risk=graded.risk,
            subgraph=graded.subgraph,
            predicate=graded.predicate,
            authors=people | (worker if graded.path in landing.uncommitted else frozenset()),
            actors=graded.actors,
        )
    listed = {row[0] for record in records if record.approval for row in record.approval.statement.changes}
    return Change(files, _standing(landing.after, sorted(listed - set(files))))


def new_records(landing: Landing) -> list[Record]:
    """The approval files that the landing adds, each with the commits that add it."""
    added = [
        change.after
        for change in diff(landing.base, landing.after, APPROVALS)
        if change.before is None and change.after is not None
    ]
    plain = [entry for entry in added if entry.mode == _FILE_MODE]
    return [_record(landing, entry, raw) for entry, raw in landing.after.read_many(plain)]


def read_record(path: str, raw: bytes) -> tuple[Approval | None, str]:
    """The approval in a file, and why there is none that counts: it is unreadable, or not in its one form."""
    try:
        approval = decode(path, raw).record
    except InvalidFileError as error:
        return None, error.message
    assert isinstance(approval, Approval)
    if encode(approval) != raw:
        return None, "it is not in canonical form, without comments"
    return approval, ""


def pot_id(snapshot: Snapshot) -> str:
    """The id of the pot that a snapshot holds; empty if it has none that can be read."""
    try:
        record = decode(POT_FILE, snapshot.read(POT_FILE)).record
    except PotpieError:
        return ""
    return record.pot_id if isinstance(record, Pot) else ""


def _record(landing: Landing, entry: Entry, raw: bytes) -> Record:
    approval, fault = read_record(entry.path, raw)
    repository, commits = landing.repository, landing.adding or landing.commits
    return Record(
        path=entry.path,
        approval=approval,
        fault=fault,
        added_by=commits.adding(repository, entry.path),
        withdrawn_once=any(
            _was_withdrawn(entry.path, repository.objects.read(oid, READ_LIMIT).data)
            for oid in commits.versions(entry.path)
            if oid != entry.oid
        ),
    )


def _was_withdrawn(path: str, raw: bytes) -> bool:
    approval, _ = read_record(path, raw)
    return approval is not None and approval.withdrawn is not None


def _signed_off(records: Iterable[Record]) -> dict[str, Person]:
    """Who signed off each approval file, as it says itself."""
    found = {}
    for record in records:
        named = person(record.approval.statement.signed_off_by) if record.approval else None
        if named is not None:
            found[record.path] = Person(*named)
    return found


def _standing(snapshot: Snapshot, paths: Iterable[str]) -> dict[str, str]:
    entries = [entry for path in paths if (entry := snapshot.entry(path)) and entry.mode == _FILE_MODE]
    return {entry.path: content_digest(raw) for entry, raw in snapshot.read_many(entries)}


def _used_nonces(base: Snapshot, records: Iterable[Record]) -> Mapping[str, str]:
    """Nonces of these records that some record of the base bears, found by name."""
    wanted = {record.approval.statement.nonce for record in records if record.approval}
    if not wanted:
        return {}
    starts = tuple(nonce_digest(nonce) for nonce in wanted)
    paths = [f"{APPROVALS}/{name}" for name in base.names(APPROVALS) if name.startswith(starts)]
    entries = [entry for path in paths if (entry := base.entry(path)) and entry.mode == _FILE_MODE]
    used = {}
    for entry, raw in base.read_many(entries):
        approval, _ = read_record(entry.path, raw)
        if approval is not None and approval.statement.nonce in wanted:
            used[approval.statement.nonce] = entry.path
    return used
