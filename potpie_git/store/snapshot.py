"""A pot at a commit, in the index, or in the working tree, behind one protocol; and what differs between two."""

from __future__ import annotations

from potpie_git.store.snapshots.anomalies import Anomaly, Problem, anomalies, entry_anomalies, tree_anomalies
from potpie_git.store.snapshots.base import READ_LIMIT, Change, Entry, Snapshot
from potpie_git.store.snapshots.diff import diff
from potpie_git.store.snapshots.index import IndexSnapshot
from potpie_git.store.snapshots.planned import PlannedSnapshot
from potpie_git.store.snapshots.tree import TreeSnapshot
from potpie_git.store.snapshots.worktree import WorktreeSnapshot

__all__ = [
    "READ_LIMIT",
    "Anomaly",
    "Change",
    "Entry",
    "IndexSnapshot",
    "PlannedSnapshot",
    "Problem",
    "Snapshot",
    "TreeSnapshot",
    "WorktreeSnapshot",
    "anomalies",
    "diff",
    "entry_anomalies",
    "tree_anomalies",
]
