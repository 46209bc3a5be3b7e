"""Walks what landed on a branch, commit by commit, and says which risky changes nobody approved, or cannot be proved.

History is judged as it stands: each first-parent commit against its parent, by that parent's policy, at the time that
the commit itself tells. An approval may stand in the same commit, or before it on the branch. One that came later may
have been pushed with the change, as a rebase lays them out, or after the fact: git does not say, and neither do we.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from potpie_git.checks.approvals.base import base_policy, needs_approval, pin_findings
from potpie_git.checks.approvals.commits import Commits, commits_between, read_commit
from potpie_git.checks.approvals.findings import verdict_findings
from potpie_git.checks.approvals.gather import Landing, change_of, new_records, pot_id
from potpie_git.checks.approvals.model import Change, JudgedRecord, Record, Target, Verdict
from potpie_git.checks.approvals.places import landing_refs
from potpie_git.checks.approvals.verify import verify
from potpie_git.checks.engine import check_change
from potpie_git.checks.landing import full_ref
from potpie_git.checks.report import CheckKind
from potpie_git.domain.approval import Row, content_digest
from potpie_git.domain.errors import ExitCode, UnavailableError
from potpie_git.domain.findings import Finding, Severity
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.domain.policy import Policy
from potpie_git.store.git import decode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot, diff
from potpie_git.store.ssh import is_signed_by

_PLAIN: Final = "100644"


class IncompleteHistoryError(UnavailableError):
    """History was cut off, so nobody can say what landed in it."""

    code = "incomplete_history"
    default_hint = "Fetch the whole history: `git fetch --unshallow`."


class Outcome(StrEnum):
    """What history says of one commit that holds a risky change."""

    APPROVED = "approved"
    UNPROVEN = "unproven"
    UNAPPROVED = "unapproved"
    NO_POLICY = "no_policy"
    FOUNDING = "founding"


@dataclass(frozen=True, slots=True)
class Step:
    """One commit of the branch that changes the pot, beside its first parent."""

    commit: str
    at: datetime
    subject: str
    before: TreeSnapshot
    after: TreeSnapshot


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """The verdict on one commit: `findings` say what is missing, `notes` what cannot be proved or should be known."""

    commit: str
    at: datetime
    subject: str
    outcome: Outcome
    approvals: tuple[JudgedRecord, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "commit": self.commit,
            "at": self.at.isoformat(),
            "subject": self.subject,
            "outcome": self.outcome.value,
            "approvals": [
                {"path": each.record.path, "principal": each.principal, "label": each.label}
                for each in self.approvals
            ],
            "findings": [finding.as_dict() for finding in self.findings],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Every commit that took something away, in the order in which they landed; `commits` counts all that were read."""

    ref: str
    commits: int
    entries: tuple[AuditEntry, ...]

    def of(self, *outcomes: Outcome) -> list[AuditEntry]:
        return [entry for entry in self.entries if entry.outcome in outcomes]

    @property
    def exit_code(self) -> ExitCode:
        """Approvals are missing, cannot be proved, or neither."""
        if self.of(Outcome.UNAPPROVED, Outcome.NO_POLICY):
            return ExitCode.APPROVAL
        return ExitCode.PARTIAL if self.of(Outcome.UNPROVEN) else ExitCode.OK

    def as_dict(self) -> dict[str, Any]:
        counts = {outcome.value: len(self.of(outcome)) for outcome in Outcome}
        return {
            "ref": self.ref,
            "commits": self.commits,
            "counts": counts,
            "entries": [entry.as_dict() for entry in self.entries],
        }


def audit(repo: Repository, rev: str, ref: str | None = None, trust_root: str | None = None) -> AuditReport:
    """Judge everything that landed on `rev`, as on the branch `ref` (full name).

    `trust_root` pins the first policy. Raises `IncompleteHistoryError`, `UnknownRevisionError`, `MissingObjectError`.
    """
    ref = full_ref(ref)
    if repo.is_shallow:
        raise IncompleteHistoryError("this clone is shallow, so what landed before cannot be told")
    head = repo.git.verify_commit(rev)
    listed = repo.git.text("rev-list", "--first-parent", "--reverse", head, "--", POT_DIRECTORY).split()
    walk = _Walk(repo, ref, trust_root)
    steps = [_step(repo, commit) for commit in listed]
    for step in steps:
        walk.gather(step)
    entries = [entry for step in steps if (entry := walk.judge(step)) is not None]
    return AuditReport(ref or rev, len(listed), tuple(entries))


def _step(repo: Repository, commit: str) -> Step:
    raw = read_commit(repo, commit)
    return Step(
        commit=commit,
        at=datetime.fromtimestamp(raw.committed, UTC),
        subject=raw.message.partition("\n")[0],
        before=TreeSnapshot(repo, raw.parents[0] if raw.parents else None),
        after=TreeSnapshot(repo, commit),
    )


@dataclass(slots=True)
class _Held:
    """A record with the step that brought it."""

    record: Record
    place: int


@dataclass(slots=True)
class _Walk:
    """What is known of the branch so far. First all approvals are gathered, then the steps are judged in order."""

    repo: Repository
    ref: str | None
    trust_root: str | None
    steps: list[Step] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    covering: dict[Row, list[_Held]] = field(default_factory=lambda: defaultdict(list))
    nonces: dict[str, str] = field(default_factory=dict)
    spent: set[tuple[str, Row]] = field(default_factory=set)

    def gather(self, step: Step) -> None:
        """Take note of a step's place, and of the approvals that it brings."""
        place = self.places[step.commit] = len(self.steps)
        self.steps.append(step)
        if not diff(step.before, step.after, "approvals"):
            return
        commits = self._commits(step)
        landing = Landing(self.repo, step.before, step.after, (), commits)
        for record in new_records(landing):
            if record.approval is None or record.approval.statement.nonce in self.nonces:
                continue
            self.nonces[record.approval.statement.nonce] = record.path
            for row in record.approval.statement.changes:
                self.covering[row].append(_Held(record, place))

    def judge(self, step: Step) -> AuditEntry | None:
        """The verdict on one step; None if nothing in it asks for an approval."""
        if not step.before.exists():
            return self._founding(step)
        grades = check_change(step.before, step.after, CheckKind.RANGE).grades
        policy, problems = base_policy(step.before)
        if policy is None:
            return self._entry(step, Outcome.NO_POLICY, findings=problems)
        if not any(needs_approval(policy, grades)):
            return None
        landing = Landing(self.repo, step.before, step.after, grades, self._commits(step))
        own = new_records(landing)
        change = change_of(landing, own)
        verdict = self._verdict(step, change, own, policy, step.at)
        if verdict.approved:
            self._spend(change, verdict)
            return self._entry(step, Outcome.APPROVED, verdict, notes=self._notes(verdict))
        return self._judge_with_others(step, change, own, policy, verdict)

    def _judge_with_others(
        self, step: Step, change: Change, own: list[Record], policy: Policy, alone: Verdict
    ) -> AuditEntry:
        """The verdict with approvals that other commits of the branch brought."""
        place = self.places[step.commit]
        before, after = self._others(change, place)
        for held, outcome in ((before, Outcome.APPROVED), ([*before, *after], Outcome.UNPROVEN)):
            if not held:
                continue
            last = self.steps[max(place, *(each.place for each in held))]
            full = Change(change.files, {**change.standing, **self._standing(held, change, last)})
            records = [*own, *(each.record for each in held)]
            verdict = self._verdict(step, full, records, policy, max(step.at, last.at))
            if verdict.approved:
                self._spend(change, verdict)
                return self._entry(step, outcome, verdict, notes=[*self._notes(verdict), *_told(outcome)])
        missing = [found for found in verdict_findings(alone) if found.severity is Severity.ERROR]
        return self._entry(step, Outcome.UNAPPROVED, alone, findings=missing)

    def _others(self, change: Change, place: int) -> tuple[list[_Held], list[_Held]]:
        """Records of earlier and of later steps that cover files of this one and did not serve before."""
        found: dict[str, _Held] = {}
        for changed in change.files.values():
            for held in self.covering.get(changed.row, ()):
                if held.place != place and (held.record.path, changed.row) not in self.spent:
                    found[held.record.path] = held
        return (
            [held for held in found.values() if held.place < place],
            [held for held in found.values() if held.place > place],
        )

    @staticmethod
    def _standing(held: Iterable[_Held], change: Change, last: Step) -> dict[str, str]:
        """Digests of what those records list beside this change, as it stood once all of it had landed."""
        snapshot = last.after
        listed = {
            row[0] for each in held if each.record.approval for row in each.record.approval.statement.changes
        }
        wanted = (snapshot.entry(path) for path in sorted(listed - set(change.files)))
        entries = [entry for entry in wanted if entry is not None and entry.mode == _PLAIN]
        return {entry.path: content_digest(raw) for entry, raw in snapshot.read_many(entries)}

    def _verdict(
        self, step: Step, change: Change, records: list[Record], policy: Policy, at: datetime
    ) -> Verdict:
        parent = step.before.commit
        assert parent is not None
        refs = landing_refs(self.repo, step.commit, policy, self.ref)
        target = Target(pot_id(step.before), refs)
        return verify(change, records, policy, at, target, {}, is_signed_by)

    def _commits(self, step: Step) -> Commits:
        parent = step.before.commit
        return commits_between(self.repo, [parent] if parent else [], [step.commit])

    def _spend(self, change: Change, verdict: Verdict) -> None:
        """An approval serves once for each file that it lists."""
        for judged in verdict.records:
            if judged.counts and judged.record.approval is not None:
                for row in judged.record.approval.statement.changes:
                    if row[0] in change.files:
                        self.spent.add((judged.record.path, row))

    def _founding(self, step: Step) -> AuditEntry | None:
        """The commit that brings the pot needs no approval; its policy may be pinned."""
        if not step.after.exists():
            return None
        pinned = pin_findings(step.after, self.trust_root)
        if pinned:
            return self._entry(step, Outcome.NO_POLICY, findings=pinned)
        note = "The pot was founded here: nothing before it could approve it."
        return self._entry(step, Outcome.FOUNDING, notes=[note])

    @staticmethod
    def _notes(verdict: Verdict) -> Iterator[str]:
        """What history alone cannot prove of approvals that count."""
        for judged in verdict.records:
            commits = judged.record.added_by
            if judged.counts and commits and not any(commit.alone for commit in commits):
                yield f"{judged.principal}: squashed, so the record alone says who approved and who wrote it"

    @staticmethod
    def _entry(
        step: Step,
        outcome: Outcome,
        verdict: Verdict | None = None,
        findings: Iterable[Finding] = (),
        notes: Iterable[str] = (),
    ) -> AuditEntry:
        counted = tuple(each for each in verdict.records if each.counts) if verdict else ()
        return AuditEntry(
            commit=step.commit,
            at=step.at,
            subject=step.subject,
            outcome=outcome,
            approvals=counted,
            findings=tuple(findings),
            notes=tuple(notes),
        )


def _told(outcome: Outcome) -> Iterator[str]:
    if outcome is Outcome.UNPROVEN:
        yield "approved by a later commit: git does not tell whether both were pushed together"


def branch_name(repo: Repository, rev: str) -> str | None:
    """The full name of the branch that a revision names, here or on a remote; that of HEAD is what it points at."""
    if rev == "HEAD":
        return repo.branch()
    named = repo.git.run(
        "rev-parse", "--symbolic-full-name", "--verify", "--end-of-options", rev, check=False
    )
    name = decode(named.stdout).strip()
    if name.startswith("refs/remotes/"):
        return "refs/heads/" + name.removeprefix("refs/remotes/").partition("/")[2]
    return name if name.startswith("refs/heads/") else None
