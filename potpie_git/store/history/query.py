"""The history of an entity, a claim, a plan, a mutation or a subgraph, read from git itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from potpie_git.domain.approval import Approval
from potpie_git.domain.claim import Claim
from potpie_git.domain.errors import InvalidInputError, NotFoundError
from potpie_git.domain.files import Entity, Tombstone
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.domain.times import parse_time
from potpie_git.store.git import decode
from potpie_git.store.history.approvals import ApprovalIndex
from potpie_git.store.history.log import (
    MUTATION_TRAILER,
    PLAN_TRAILER,
    RISK_TRAILER,
    CommitFacts,
    pot_log,
    shallow_boundary,
)
from potpie_git.store.history.selection import (
    AboutClaim,
    AboutEntity,
    InSubgraph,
    OfWrite,
    Selection,
    plans_of,
)
from potpie_git.store.history.steps import Step, steps
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import READ_LIMIT, IndexSnapshot, TreeSnapshot, WorktreeSnapshot, diff


class HistoryEvent(BaseModel):
    """One step in the life of a record. Times are ISO 8601; `before` and `after` hold the fields that changed.

    `state` is `committed`, `staged` or `uncommitted`; only a committed step has a commit, an author and dates. `date`
    is the author's, `committed` the committer's. `approvals` name who approved exactly this content.
    `at_or_before`: the commit ends a shallow clone, so that the step may be older.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    kind: str
    path: str
    state: str = "committed"
    commit: str | None = None
    author: str | None = None
    date: str | None = None
    committed: str | None = None
    subject: str | None = None
    signed_off_by: list[str] = Field(default_factory=list)
    approvals: list[str] = Field(default_factory=list)
    plan: str | None = None
    mutation: str | None = None
    risk: str | None = None
    claim: str | None = None
    entity: str | None = None
    fact: str | None = None
    reason: str | None = None
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    at_or_before: bool = False


class History(BaseModel):
    """Events, newest first, and what the reader should know about them. `complete` is off if the limit cut them."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    about: str
    events: list[HistoryEvent]
    complete: bool = True
    notes: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """One thing to ask about, and bounds: commit times in [since, until), and how many events at most."""

    entity: str | None = None
    claim: str | None = None
    plan: str | None = None
    mutation: str | None = None
    subgraph: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    limit: int | None = None

    def selection(self) -> Selection:
        """Raises `InvalidInputError` unless exactly one thing is asked about, in the form of its kind."""
        asked: list[Selection] = []
        asked += [AboutEntity(self.entity)] if self.entity is not None else []
        asked += [AboutClaim(self.claim)] if self.claim is not None else []
        asked += [OfWrite(PLAN_TRAILER, self.plan)] if self.plan is not None else []
        asked += [OfWrite(MUTATION_TRAILER, self.mutation)] if self.mutation is not None else []
        asked += [InSubgraph(self.subgraph)] if self.subgraph is not None else []
        if len(asked) != 1:
            raise InvalidInputError(
                "a history is about one thing",
                hint="Give one of --entity KEY, --claim ID, --plan ID, --mutation ID or --subgraph NAME.",
                code="usage",
            )
        if self.limit is not None and self.limit < 1:
            raise InvalidInputError(
                "the limit is at least 1", hint="Leave it out for everything.", code="usage"
            )
        return asked[0]


def history(repo: Repository, query: HistoryQuery) -> History:
    """The events that answer `query`, newest first: what is not committed, then commits reachable from HEAD.

    Raises `InvalidInputError` for a question that cannot be asked, `NotFoundError` for a claim, plan or mutation of
    which there is no trace, and `MissingObjectError` where a partial clone lacks a file's content.
    """
    selection = query.selection()
    teller = _Teller(repo, query)
    events, complete = _taken(teller.events(selection), query.limit)
    if not events and isinstance(selection, OfWrite) and selection.noun == "mutation":
        # A squash or a rewritten message loses the trailers, but the records keep their stamps.
        paths = _paths_naming(repo, selection.identifier)
        if paths:
            events, complete = _taken(teller.events(replace(selection, paths=paths)), query.limit)
    elif isinstance(selection, OfWrite) and selection.noun == "plan":
        events = _with_approvals(teller, selection, events)
        events, complete = events[: query.limit], complete and len(events) <= (query.limit or len(events))
    notes = _shallow_notes(repo)
    bounded = query.since is not None or query.until is not None
    if not events and not bounded and isinstance(selection, OfWrite | AboutClaim):
        raise NotFoundError(
            f"there is no trace of {selection.what} in this branch's history",
            hint=notes[0] if notes else "Check the id, or switch to the branch that holds it.",
        )
    if not complete:
        notes.append(f"only the newest {query.limit} events are shown")
    return History(about=selection.what, events=events, complete=complete, notes=notes)


def _with_approvals(teller: _Teller, selection: OfWrite, events: list[HistoryEvent]) -> list[HistoryEvent]:
    """The events of a plan with those of its approvals, which are commits of their own; newest first."""
    paths = teller.approvals.of_plan(selection.identifier)
    if not paths:
        return events
    given = [one for one in teller.events(replace(selection, paths=paths)) if one not in events]
    # What is not committed has no time, and is the newest.
    return sorted([*events, *given], key=lambda one: _moment(one.committed), reverse=True)


def _moment(text: str | None) -> float:
    return float("inf") if text is None else parse_time(text).timestamp()


def _taken(found: Iterator[HistoryEvent], limit: int | None) -> tuple[list[HistoryEvent], bool]:
    events: list[HistoryEvent] = []
    for event in found:
        if limit is not None and len(events) == limit:
            return events, False
        events.append(event)
    return events, True


def _shallow_notes(repo: Repository) -> list[str]:
    if not shallow_boundary(repo):
        return []
    note = (
        "this clone is shallow: what is older than its oldest commit is not shown, and that commit seems to assert "
        "all that it holds; fetch the rest with `git fetch --unshallow`"
    )
    return [note]


def _paths_naming(repo: Repository, identifier: str) -> tuple[str, ...]:
    """Pot paths at HEAD whose content holds the identifier (every file is looked through)."""
    if repo.head() is None:
        return ()
    found = repo.git.run(
        "grep", "--fixed-strings", "--files-with-matches", "-z", "-e", identifier, "HEAD", "--", POT_DIRECTORY,
        check=False,
    )  # fmt: skip
    names = filter(None, decode(found.stdout).split("\0"))
    return tuple(name.removeprefix(f"HEAD:{POT_DIRECTORY}/") for name in names)


class _Teller:
    """Turns changes of files into events."""

    def __init__(self, repo: Repository, query: HistoryQuery) -> None:
        self._repo = repo
        self._query = query
        self._worktree = WorktreeSnapshot(repo)
        self.approvals = ApprovalIndex(self._worktree)

    def events(self, selection: Selection) -> Iterator[HistoryEvent]:
        if self._query.until is None:
            yield from self._uncommitted(selection)
        head = self._repo.head()
        if head is None:
            return
        bounds = [
            f"--{name}={moment.isoformat()}"
            for name, moment in (("since", self._query.since), ("until", self._query.until))
            if moment is not None
        ]
        log = pot_log(self._repo, head, selection.globs, (*bounds, *selection.options))
        for commit, changes in log:
            for change in reversed(changes):
                if selection.may_hold(change.path):
                    before, after = self._blob(change.before), self._blob(change.after)
                    yield from self._told(selection, change.path, before, after, commit, "committed")

    def _uncommitted(self, selection: Selection) -> Iterator[HistoryEvent]:
        if not self._repo.potpie_dir.is_dir():
            return
        head, staged = TreeSnapshot.of_head(self._repo), IndexSnapshot(self._repo, allow_unmerged=True)
        for change in diff(head, self._worktree):
            if not selection.may_hold(change.path):
                continue
            before = head.read(change.path) if change.before else None
            after = self._worktree.read(change.path) if change.after else None
            state = "staged" if staged.entry(change.path) == change.after else "uncommitted"
            yield from self._told(selection, change.path, before, after, None, state)

    def _blob(self, oid: str | None) -> bytes | None:
        return None if oid is None else self._repo.objects.read(oid, READ_LIMIT).data

    def _told(
        self,
        selection: Selection,
        path: str,
        before: bytes | None,
        after: bytes | None,
        commit: CommitFacts | None,
        state: str,
    ) -> Iterator[HistoryEvent]:
        for step in reversed(steps(path, before, after)):
            if selection.admits(path, step, commit):
                approvals = self.approvals.of(path, before, after)
                yield _event(path, step, commit, state, approvals)


def _event(
    path: str, step: Step, commit: CommitFacts | None, state: str, approvals: list[str]
) -> HistoryEvent:
    record = step.record
    facts: dict[str, Any] = {}
    if commit is not None:
        plans = plans_of(commit, step.mutation)
        facts = {
            "commit": commit.oid,
            "author": commit.author,
            "date": commit.date,
            "committed": commit.committed,
            "subject": commit.message.partition("\n")[0],
            "signed_off_by": commit.signed_off_by,
            "plan": plans[-1] if plans else None,
            "risk": commit.trailer(RISK_TRAILER),
            "at_or_before": commit.boundary,
        }
    return HistoryEvent(
        kind=step.kind.value,
        path=path,
        state=state,
        approvals=approvals,
        mutation=step.mutation or (commit.trailer(MUTATION_TRAILER) if commit else None),
        before=None if step.before is None else dict(step.before),
        after=None if step.after is None else dict(step.after),
        **_named(record),
        reason=_reason(step),
        **facts,
    )


def _named(record: Any) -> dict[str, Any]:
    """The claim or the entity that a record is about, and what it says."""
    if isinstance(record, Claim):
        return {"claim": record.id, "fact": record.fact or record.value or record.description}
    if isinstance(record, Tombstone):
        return {"claim": record.claim, "fact": record.text}
    if isinstance(record, Entity):
        return {"entity": record.key, "fact": record.name or record.title or record.summary}
    if isinstance(record, Approval):
        said = record.statement
        return {"fact": f"{said.principal}: {said.plan or said.range} on {said.ref}"}
    return {}


def _reason(step: Step) -> str | None:
    """Why a step was taken, where it says so."""
    after = step.after or {}
    for held in (
        after.get("invalidation"),
        after.get("merged"),
        after.get("withdrawn"),
        after,
        *(after.get("transitions") or ())[-1:],
    ):
        if isinstance(held, dict) and isinstance(held.get("reason"), str):
            return str(held["reason"])
    return None
