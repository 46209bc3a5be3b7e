"""Which approvals cover a change: by path and by the digests of the exact bytes before and after."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from potpie_git.domain.approval import Approval, Row, content_digest
from potpie_git.domain.errors import InvalidFileError
from potpie_git.domain.layout import APPROVALS
from potpie_git.store.codec import decode
from potpie_git.store.snapshot import Snapshot


class ApprovalIndex:
    """The approvals that a snapshot holds, by what they cover; read when they are first asked for.

    Only content is compared: whether an approval counts is for the checks to judge.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @cached_property
    def _approvals(self) -> list[tuple[str, Approval]]:
        found = []
        for entry, raw in self._snapshot.read_many(self._snapshot.entries(APPROVALS)):
            try:
                record = decode(entry.path, raw).record
            except InvalidFileError:
                # Its own event tells that it cannot be read.
                continue
            if isinstance(record, Approval):
                found.append((entry.path, record))
        return found

    @cached_property
    def _by_change(self) -> dict[Row, list[str]]:
        found: dict[Row, list[str]] = defaultdict(list)
        for _, approval in self._approvals:
            if approval.withdrawn is None:
                for row in approval.statement.changes:
                    found[row].append(approval.statement.principal)
        return found

    def of(self, path: str, before: bytes | None, after: bytes | None) -> list[str]:
        """Who approved exactly this change of this file, and did not take it back; sorted."""
        if not self._by_change:
            return []
        return sorted(set(self._by_change.get((path, content_digest(before), content_digest(after)), ())))

    def of_plan(self, plan_id: str) -> tuple[str, ...]:
        """The files of the approvals that were given to a plan."""
        return tuple(path for path, approval in self._approvals if approval.statement.plan == plan_id)


def approved_paths(record: object) -> list[str]:
    """The pot paths that an approval covers; none for any other record."""
    return [row[0] for row in record.statement.changes] if isinstance(record, Approval) else []
