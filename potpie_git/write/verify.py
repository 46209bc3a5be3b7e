"""Reads a plan's records back from where they were written, and says what is not as planned."""

from __future__ import annotations

from potpie_git.domain.layout import FileKind, kind_of
from potpie_git.domain.plan import Plan
from potpie_git.store.codec import decode
from potpie_git.store.snapshot import IndexSnapshot, Snapshot, TreeSnapshot
from potpie_git.write.base import Base
from potpie_git.write.results import Verification


def read_back(base: Base, plan: Plan, commit: str | None) -> Verification:
    """Compare every file of the plan with the commit's, or with the index's where nothing was committed."""
    repository = base.repository
    snapshot: Snapshot = TreeSnapshot(repository, commit) if commit else IndexSnapshot(repository)
    missing = []
    for edit in plan.edits:
        entry = snapshot.entry(edit.path)
        if entry is None:
            missing.append(f"{edit.path}: not there")
        elif snapshot.read(edit.path) != edit.after.encode():
            missing.append(f"{edit.path}: other content")
        elif kind_of(edit.path) is FileKind.CLAIM:
            decode(edit.path, snapshot.read(edit.path))
    missing += [f"{claim}: withdrawn claim still stands" for claim in _still_live(snapshot, plan)]
    return Verification(ok=not missing, checked=len(plan.edits), missing=missing)


def _still_live(snapshot: Snapshot, plan: Plan) -> list[str]:
    standing = []
    for item in plan.diff.invalidations:
        path = item["path"]
        if snapshot.entry(path) is not None and decode(path, snapshot.read(path)).record.live:
            standing.append(str(item["claim"]))
    return standing
