"""Which approvals cover a change: by path and by the digests of the exact bytes before and after."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cached_property
from typing import Any

from potpie_git.domain.layout import APPROVALS, POT_DIRECTORY
from potpie_git.domain.text import sha256_hex
from potpie_git.store.snapshot import Snapshot
from potpie_git.store.yaml import YamlError, parse

# Path in the pot, digest of the bytes before (None: a new file) and after.
Covered = tuple[str, str | None, str | None]


class ApprovalIndex:
    """The approvals that a snapshot holds, by what they cover; read when they are first asked for.

    Only content is compared: whether an approval counts is for the checks to judge.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @cached_property
    def _by_change(self) -> dict[Covered, list[str]]:
        found: dict[Covered, list[str]] = defaultdict(list)
        for entry, raw in self._snapshot.read_many(self._snapshot.entries(APPROVALS)):
            statement = approval_statement(raw)
            name = principal(entry.path, statement)
            for covered in approved_changes(statement):
                found[covered].append(name)
        return found

    def of(self, path: str, before: bytes | None, after: bytes | None) -> list[str]:
        """Who approved exactly this change of this file, sorted."""
        if not self._by_change:
            return []
        key = (path, sha256_hex(before) if before is not None else None, sha256_hex(after) if after else None)
        return sorted(set(self._by_change.get(key, ())))


def approval_statement(raw: bytes) -> dict[str, Any]:
    """What an approval's file states; empty if it cannot be read."""
    try:
        data = parse(raw).data
        held = data.get("statement", data)
        statement = json.loads(held) if isinstance(held, str) else held
    except (YamlError, ValueError):
        return {}
    return statement if isinstance(statement, dict) else {}


def approved_changes(statement: Any) -> list[Covered]:
    """The changes that an approval's statement lists."""
    listed = statement.get("changes") if isinstance(statement, dict) else None
    return [
        (str(change[0]).removeprefix(f"{POT_DIRECTORY}/"), change[1] or None, change[2] or None)
        for change in listed or ()
        if isinstance(change, list) and len(change) == 3
    ]


def principal(path: str, statement: dict[str, Any]) -> str:
    """Who approves: as the statement says, else as the file's name does."""
    named = statement.get("principal") or statement.get("approver")
    return str(named) if named else path.removesuffix(".yaml").rpartition(".")[2]
