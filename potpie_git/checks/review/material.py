"""The changed files of a review, read once and sorted by what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from potpie_git.domain.claim import Claim
from potpie_git.domain.files import Entity, Tombstone
from potpie_git.store.history.steps import Kind, Step, steps
from potpie_git.store.snapshot import Change, Entry, Snapshot

R = TypeVar("R", Claim, Tombstone)
_PLAIN: Final = "100"
_SUPERSEDES: Final = "SUPERSEDES"
_ALIAS: Final = "ALIAS_OF"
_LINKS: Final = frozenset({"120000", "160000"})


@dataclass(frozen=True, slots=True)
class Changed:
    """One changed file (path in the pot) with the bytes on both sides, and what the change means.

    `odd` says what stands there instead of a plain file; its content was not read.
    """

    path: str
    before: bytes | None
    after: bytes | None
    steps: tuple[Step, ...]
    odd: str | None = None


@dataclass(slots=True)
class Material:
    """Changed files by what they are.

    `withdrawn` are claims that get their stamp in this change, `asserted` those that it adds and that stand. Links
    (SUPERSEDES by the replaced claim's key, ALIAS_OF by the duplicate's key) and tombstones (by claim) are kept apart:
    they belong to what they come with.
    """

    asserted: dict[str, tuple[Changed, Claim]] = field(default_factory=dict)
    withdrawn: dict[str, tuple[Changed, Claim]] = field(default_factory=dict)
    stones: dict[str, tuple[Changed, Tombstone]] = field(default_factory=dict)
    replaced_by: dict[str, tuple[Changed, Claim]] = field(default_factory=dict)
    aliases: dict[str, tuple[Changed, Claim]] = field(default_factory=dict)
    entities: list[tuple[Changed, Entity]] = field(default_factory=list)
    others: list[Changed] = field(default_factory=list)

    def claims(self) -> dict[str, Claim]:
        """Every claim of the change by its path in the pot, edited ones and those that are gone left out."""
        piles = (self.asserted, self.withdrawn, self.replaced_by, self.aliases)
        return {changed.path: claim for pile in piles for changed, claim in pile.values()}


def read_changes(before: Snapshot | None, after: Snapshot, changes: Iterable[Change]) -> Iterator[Changed]:
    """Each changed file, read in one batch a side."""
    listed = list(changes)
    old = before.read_many(_plain(change.before for change in listed)) if before else iter(())
    new = after.read_many(_plain(change.after for change in listed))
    for change in listed:
        raw_before = next(old)[1] if before and _is_plain(change.before) else None
        raw_after = next(new)[1] if _is_plain(change.after) else None
        if change.after is not None and raw_after is None:
            yield Changed(change.path, raw_before, None, (), _what(change.after))
        elif raw_before == raw_after and change.after is not None:
            yield Changed(change.path, raw_before, raw_after, (), f"a file of mode {change.after.mode}")
        else:
            yield Changed(
                change.path, raw_before, raw_after, tuple(steps(change.path, raw_before, raw_after))
            )


def _is_plain(entry: Entry | None) -> bool:
    return entry is not None and entry.mode.startswith(_PLAIN)


def _plain(entries: Iterable[Entry | None]) -> list[Entry]:
    return [entry for entry in entries if entry is not None and entry.mode.startswith(_PLAIN)]


def _what(entry: Entry) -> str:
    if entry.mode not in _LINKS:
        return f"an entry of mode {entry.mode}"
    return "a symbolic link" if entry.mode == "120000" else "a repository of its own"


def sort_material(changed: Iterable[Changed]) -> Material:
    """Every file in exactly one pile; what the rules refuse (edits, removals, copies) among the others."""
    found = Material()
    for one in changed:
        _sort(found, one)
    return found


def _sort(found: Material, changed: Changed) -> None:
    kinds = {step.kind for step in changed.steps}
    record = changed.steps[-1].record if changed.steps else None
    if not kinds or kinds & {Kind.EDITED, Kind.REMOVED, Kind.UNREADABLE}:
        found.others.append(changed)
    elif isinstance(record, Entity):
        found.entities.append((changed, record))
    elif isinstance(record, Tombstone):
        _file(found, found.stones, record.claim, changed, record)
    elif not isinstance(record, Claim):
        found.others.append(changed)
    elif kinds & {Kind.WITHDRAWN, Kind.SUPERSEDED}:
        _file(found, found.withdrawn, record.id, changed, record)
    elif record.predicate == _SUPERSEDES and record.object:
        _file(found, found.replaced_by, record.object, changed, record)
    elif record.predicate == _ALIAS:
        _file(found, found.aliases, record.subject, changed, record)
    else:
        _file(found, found.asserted, record.id, changed, record)


def _file(found: Material, pile: dict[str, tuple[Changed, R]], key: str, changed: Changed, record: R) -> None:
    if key in pile:
        found.others.append(changed)
    else:
        pile[key] = (changed, record)
