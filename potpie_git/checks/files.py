"""Rules over one file: what it holds now, and what became of what it held before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from potpie_git.checks.places import finding, is_place
from potpie_git.domain.approval import Approval
from potpie_git.domain.claim import Claim
from potpie_git.domain.errors import InvalidFileError
from potpie_git.domain.files import Entity, InboxItem, Policy, Pot, Tombstone
from potpie_git.domain.findings import Finding, has_errors
from potpie_git.domain.layout import ATTRIBUTES_TEXT, FileKind, kind_of
from potpie_git.domain.validation.history import (
    approval_edit_problems,
    claim_edit_problems,
    entity_edit_problems,
    fixed_edit_problems,
    inbox_edit_problems,
    policy_edit_problems,
)
from potpie_git.domain.validation.problem import Problem
from potpie_git.store.codec import Decoded, decode, file_findings, problem_finding
from potpie_git.store.snapshot import Change

# An edit makes the content disagree with the id and the name; the edit is what there is to say.
_FOLLOWS_FROM_AN_EDIT: Final = frozenset({"PG-S10", "PG-F13"})
_NO_PLACE: Final = "Governed files stand under claims/, entities/, tombstones/, approvals/ and inbox/."


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """One changed file. `before` and `after` are None where there was no file, or none that decodes.

    `sound` is true for a file that stands and broke no rule on its own: only then are its references looked at.
    """

    change: Change
    before: Decoded[Any] | None
    after: Decoded[Any] | None
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        return self.after is not None and not has_errors(self.findings)


def judge_file(change: Change, before: bytes | None, after: bytes | None, moved_to: str | None) -> JudgedFile:
    """Every rule that one file's bytes before and after decide; `moved_to` is where removed bytes turned up."""
    path = change.path
    if after is None:
        return JudgedFile(change, None, None, tuple(_removal(change, moved_to)))
    if kind_of(path) is FileKind.ATTRIBUTES:
        return JudgedFile(change, None, None, tuple(_attributes(path, after)))
    if not is_place(path):
        stray = finding("PG-F13", path, "no governed file has this name", _NO_PLACE)
        return JudgedFile(change, None, None, (stray,))
    if before == after:
        # only the mode changed, which is judged with the entries
        return JudgedFile(change, None, None, ())
    decoded, found = file_findings(path, after)
    old = _decoded(path, before)
    if decoded is not None and old is not None:
        edits = edit_findings(old, decoded)
        if any(edit.code == "PG-H02" for edit in edits):
            found = [item for item in found if item.code not in _FOLLOWS_FROM_AN_EDIT]
        found = [*found, *edits]
    return JudgedFile(change, old, decoded, tuple(found))


def _decoded(path: str, raw: bytes | None) -> Decoded[Any] | None:
    """The record that stood there; None where nothing did, or nothing that can be compared: mending it is right."""
    if raw is None:
        return None
    try:
        return decode(path, raw)
    except InvalidFileError:
        return None


def _removal(change: Change, moved_to: str | None) -> Sequence[Finding]:
    if not is_place(change.path):
        return ()
    if kind_of(change.path) is FileKind.APPROVAL:
        message, hint = "an approval record was removed", "Restore it (`git checkout HEAD -- PATH`)."
        return (finding("PG-A09", change.path, message, hint),)
    message = f"a governed file was moved to {moved_to}" if moved_to else "a governed file was deleted"
    hint = "Restore it (`git checkout HEAD -- PATH`). What no longer holds is withdrawn: `git potpie graph propose`."
    return (finding("PG-H01", change.path, message, hint),)


def _attributes(path: str, raw: bytes) -> Sequence[Finding]:
    if raw == ATTRIBUTES_TEXT.encode():
        return ()
    hint = (
        f"Its whole content is the line `{ATTRIBUTES_TEXT.strip()}`; `git potpie init` writes a missing file."
    )
    return (finding("PG-F17", path, "the attributes of the pot were changed", hint),)


def edit_findings(before: Decoded[Any], after: Decoded[Any]) -> list[Finding]:
    """What the edit of a committed record breaks."""
    return [problem_finding(after, problem) for problem in _edit_problems(before.record, after.record)]


def _edit_problems(before: object, after: object) -> list[Problem]:
    if isinstance(before, Claim) and isinstance(after, Claim):
        return claim_edit_problems(before, after)
    if isinstance(before, Entity) and isinstance(after, Entity):
        return entity_edit_problems(before, after)
    if isinstance(before, InboxItem) and isinstance(after, InboxItem):
        return inbox_edit_problems(before, after)
    if isinstance(before, Tombstone | Pot) and isinstance(after, Tombstone | Pot):
        return fixed_edit_problems(before, after)
    if isinstance(before, Approval) and isinstance(after, Approval):
        return approval_edit_problems(before, after)
    if isinstance(before, Policy) and isinstance(after, Policy):
        return policy_edit_problems(before, after)
    return []
