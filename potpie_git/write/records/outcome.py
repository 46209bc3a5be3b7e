"""What became of a record, told by its entity and claims."""

from __future__ import annotations

from collections.abc import Iterator

from potpie_git.domain.claim import Claim
from potpie_git.domain.layout import FileKind, kind_of
from potpie_git.domain.plan import Plan
from potpie_git.domain.vocabulary import SYSTEM_PREDICATES
from potpie_git.store.codec import decode, repository_path
from potpie_git.store.snapshot import Snapshot
from potpie_git.write.results import CommitResult, RecordedClaim, RecordResult


def outcome_of(record_type: str, done: CommitResult, working: Snapshot) -> RecordResult:
    """The result of a record. Claims that stood already are read from `working`."""
    claims = list(_claims(done.plan, working))
    subject = claims[0].subject if claims else ""
    return RecordResult(**dict(done), record_type=record_type, subject=subject, claims=claims)


def _claims(plan: Plan, working: Snapshot) -> Iterator[RecordedClaim]:
    texts = {edit.path: edit.after.encode() for edit in plan.edits}
    standing = {path: working.read(path) for path in plan.diff.claims_unchanged.values()}
    found: dict[str, tuple[str, Claim]] = {}
    for path, raw in {**texts, **standing}.items():
        if kind_of(path) is FileKind.CLAIM:
            record = decode(path, raw).record
            found[record.id] = (path, record)
    for claim_id in dict.fromkeys(plan.diff.claim_keys):
        path, claim = found[claim_id]
        if claim.predicate in SYSTEM_PREDICATES:
            continue
        yield RecordedClaim(
            id=claim.id,
            subject=claim.subject,
            predicate=claim.predicate,
            object=claim.object,
            value=claim.value,
            path=repository_path(path),
            status="unchanged" if path in standing else "created",
        )
