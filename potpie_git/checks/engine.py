"""Judges a change: two trees compared, by every rule that their contents decide.

What is read follows the change: the blobs that differ, and the few records beside them that a rule has to know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from potpie_git.checks.entries import entry_findings
from potpie_git.checks.facts import claim_facts
from potpie_git.checks.files import JudgedFile, judge_file
from potpie_git.checks.grading import GradedChange, founding_grade, grade
from potpie_git.checks.neighbours import Neighbours
from potpie_git.checks.places import finding, shown_path
from potpie_git.checks.relations import relation_findings, returning_value, tombstone_findings, twin_findings
from potpie_git.checks.report import CheckKind, CheckReport, sorted_findings
from potpie_git.checks.secrets import Secret, added_lines, find_secrets, mask
from potpie_git.domain.claim import Claim
from potpie_git.domain.files import Entity, Tombstone
from potpie_git.domain.findings import Finding
from potpie_git.domain.keys import entity_type_of
from potpie_git.domain.layout import ATTRIBUTES_FILE, POT_FILE
from potpie_git.store.codec import Decoded
from potpie_git.store.errors import UnsafePathError
from potpie_git.store.snapshot import Change, Entry, Snapshot, diff

_READABLE_MODES = frozenset({"100644", "100755"})


@dataclass(slots=True)
class _Run:
    """What one check has gathered so far."""

    neighbours: Neighbours
    findings: list[Finding] = field(default_factory=list)
    secrets: list[Secret] = field(default_factory=list)
    was_live: dict[str, bool] = field(default_factory=dict)
    keys: list[tuple[str, str, int]] = field(default_factory=list)
    stones: list[Decoded[Any]] = field(default_factory=list)
    new_claims: list[Decoded[Any]] = field(default_factory=list)
    grades: list[GradedChange] = field(default_factory=list)


def check_change(
    before: Snapshot | None, after: Snapshot, kind: CheckKind, changes: list[Change] | None = None
) -> CheckReport:
    """Judge what turns `before` into `after`; without `before`, the whole of `after`.

    `changes` are the differences if the caller has them. Raises `MissingObjectError` where the clone lacks an object.
    """
    entries = entry_findings(before, after)
    if entries.covers_all:
        changes = []
    elif changes is None:
        changes = _changes(before, after)
    changes = [change for change in changes if not entries.covers(change.path)]
    run = _Run(Neighbours(after, complete=before is None))
    run.findings += entries.findings
    if after.exists():
        run.findings += _missing_files(before, after)
    for judged, raw_before, raw_after in _judged(before, after, changes):
        _gather(run, judged, raw_before, raw_after)
    _relate(run)
    founding = before is not None and not before.exists()
    grades = [founding_grade(graded) for graded in run.grades] if founding else run.grades
    return CheckReport(
        kind=kind,
        before=before.label if before else "",
        after=after.label,
        files_checked=len(changes),
        findings=sorted_findings(_masked(run.findings, run.secrets)),
        grades=tuple(grades),
    )


def _changes(before: Snapshot | None, after: Snapshot) -> list[Change]:
    """The differences; none for a tree whose files cannot be listed, which the rules over entries refuse."""
    try:
        return diff(before, after) if before else [Change(e.path, None, e) for e in after.entries()]
    except UnsafePathError:
        return []


def _missing_files(before: Snapshot | None, after: Snapshot) -> Iterator[Finding]:
    """A pot has its own files; one that the change itself removes is reported as a removal."""
    for path, code in ((POT_FILE, "PG-S21"), (ATTRIBUTES_FILE, "PG-F17")):
        if after.entry(path) is None and (before is None or before.entry(path) is None):
            yield finding(code, path, "the pot lacks this file", "Write it with `git potpie init`.")


def _judged(
    before: Snapshot | None, after: Snapshot, changes: list[Change]
) -> Iterator[tuple[JudgedFile, bytes | None, bytes | None]]:
    """Each change with its verdict and the bytes on both sides, read in one batch a side."""
    moved = _moves(changes)
    old = before.read_many(_files(change.before for change in changes)) if before else iter(())
    new = after.read_many(_files(change.after for change in changes))
    for change in changes:
        raw_before = next(old)[1] if _is_file(change.before) else None
        raw_after = next(new)[1] if _is_file(change.after) else None
        if change.after is not None and raw_after is None:
            # a link or a submodule, which is judged with the entries
            continue
        yield judge_file(change, raw_before, raw_after, moved.get(change.path)), raw_before, raw_after


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.mode in _READABLE_MODES


def _files(entries: Iterable[Entry | None]) -> list[Entry]:
    return [entry for entry in entries if entry is not None and entry.mode in _READABLE_MODES]


def _moves(changes: Iterable[Change]) -> dict[str, str]:
    """Where the blob of each removed file stands now, for those that were only moved."""
    added = {change.after.oid: change.path for change in changes if change.after and not change.before}
    return {
        change.path: shown_path(added[change.before.oid])
        for change in changes
        if change.before and not change.after and change.before.oid in added
    }


def _gather(run: _Run, judged: JudgedFile, raw_before: bytes | None, raw_after: bytes | None) -> None:
    """Keep what a file's verdict says, and what the rules over several files need of it."""
    path = judged.change.path
    run.findings += judged.findings
    if not run.neighbours.complete:
        run.grades.append(grade(judged, raw_before, raw_after))
    if raw_after is not None and raw_before != raw_after:
        for secret in find_secrets(added_lines(raw_before, raw_after)):
            run.secrets.append(secret)
            run.findings.append(_secret_finding(path, secret))
    if not judged.sound or judged.after is None:
        return
    record, is_new = judged.after.record, judged.change.before is None
    if isinstance(record, Claim):
        run.neighbours.add(claim_facts(judged.after))
        if judged.before is not None:
            run.was_live[path] = judged.before.record.live
        elif run.neighbours.complete:
            run.findings += returning_value(judged.after, run.neighbours)
        else:
            run.new_claims.append(judged.after)
    elif isinstance(record, Tombstone) and is_new:
        run.stones.append(judged.after)
    if is_new:
        run.keys += _keys(judged.after)


def _secret_finding(path: str, secret: Secret) -> Finding:
    hint = "Revoke it where it was issued, then write what it is for instead."
    message = f"this looks like a credential: {secret.kind} ({secret.masked})"
    return finding("PG-C01", path, message, hint, secret.line)


def _keys(decoded: Decoded[Any]) -> Iterator[tuple[str, str, int]]:
    record = decoded.record
    if isinstance(record, Claim):
        for name, key in (("subject", record.subject), ("object", record.object)):
            if key is not None and entity_type_of(key) is not None:
                yield key, decoded.path, decoded.line((name,))
    elif isinstance(record, Entity):
        yield record.key, decoded.path, decoded.line(("key",))


def _relate(run: _Run) -> None:
    """The rules over several records, once all changed ones are known."""
    for decoded in run.new_claims:
        run.findings += returning_value(decoded, run.neighbours)
    for decoded in run.stones:
        run.findings += tombstone_findings(decoded, run.neighbours)
    run.findings += relation_findings(run.was_live, run.neighbours)
    run.findings += twin_findings(run.keys, run.neighbours)
    run.findings += run.neighbours.broken


def _masked(findings: Iterable[Finding], secrets: list[Secret]) -> list[Finding]:
    """The findings without any credential in their words: other rules quote what they refuse."""
    if not secrets:
        return list(findings)
    return [
        found.model_copy(update={"message": mask(found.message, secrets), "hint": mask(found.hint, secrets)})
        for found in findings
    ]
