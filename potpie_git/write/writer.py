"""The one door for every write: propose a plan, commit it, recover what was cut short."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final

from potpie_git.domain.claim import Actor
from potpie_git.domain.errors import (
    ApprovalRequiredError,
    ConflictError,
    InvalidInputError,
    LockedError,
    StorageError,
)
from potpie_git.domain.plan import CommitGate, Plan, PlanState
from potpie_git.domain.text import canonical_json, sha256_hex
from potpie_git.domain.times import format_time, utc_now
from potpie_git.store.derived.names import person_key, repository_key
from potpie_git.store.locks import write_lock
from potpie_git.store.repository import Repository
from potpie_git.write.apply import CommitRefusedError, apply_plan
from potpie_git.write.approval import ApprovalGate
from potpie_git.write.base import Base
from potpie_git.write.disk import working_pot
from potpie_git.write.fitness import (
    OPEN,
    aged,
    require_committed,
    require_current,
    require_faultless,
    require_open,
    require_uncommitted,
)
from potpie_git.write.issues import Issue
from potpie_git.write.journal import JournalError, read_journal, set_aside
from potpie_git.write.places import journal_path
from potpie_git.write.plans import PlanNotFound, PlanStore
from potpie_git.write.propose import MAX_TTL, Request, draw_up
from potpie_git.write.records import Record, lower_record, outcome_of
from potpie_git.write.recovery import Outcome, Recovery, require_idle, settle
from potpie_git.write.results import CommitResult, RecordResult
from potpie_git.write.screening import Screen, refuse_leaks, screen_plan
from potpie_git.write.verify import read_back

DEFAULT_TTL: Final = timedelta(hours=24)
# Twenty writers that run their hooks one after the other still get their turn.
LOCK_TIMEOUT: Final = 60.0
_ATTEMPTS: Final = 5


class Writer:
    """Writes to one repository's pot. Every method raises `PotpieError`s, and nothing else that is expected."""

    def __init__(
        self,
        repository: Repository,
        actor: Actor,
        gate: CommitGate | None = None,
        clock: Callable[[], datetime] = utc_now,
        screen: Screen | None = None,
    ) -> None:
        """`gate` knows which approvals a plan lacks, `screen` what looks like a credential."""
        self.repository = repository
        self.screen = screen
        self._given_actor = actor
        self._gate = ApprovalGate(gate)
        self._clock = clock
        self._store = PlanStore(repository)
        self._depth = 0
        self.recovered: Recovery | None = None

    @cached_property
    def actor(self) -> Actor:
        """Who writes; the user is git's, unless the caller named one."""
        given = self._given_actor
        identity = None if given.user else self.repository.user_identity()
        if identity is None:
            return given
        user = person_key(*identity).removeprefix("person:")
        return given.model_copy(update={"user": user})

    # Recovery

    def recover(self) -> Recovery | None:
        """Complete or undo a write that was cut short; None if there is none, or if its writer is still at it."""
        if not journal_path(self.repository).exists():
            return None
        try:
            with write_lock(self.repository, timeout=0):
                return self._recover()
        except LockedError:
            return None

    def _recover(self) -> Recovery | None:
        """Recover under the lock. Raises `StillRunningError` while a git that a killed writer started is running."""
        try:
            journal = read_journal(self.repository)
        except JournalError as error:
            place = set_aside(self.repository)
            return Recovery(
                outcome=Outcome.TORN,
                message=f"A journal was torn ({error}), so nothing had been written; it was moved to {place}.",
            )
        if journal is None:
            return None
        require_idle(self.repository)
        recovery = settle(self.repository, journal)
        if recovery.outcome is Outcome.COMPLETED:
            self._note_committed(journal.plan_id, recovery.commit)
        return recovery

    def _note_committed(self, plan_id: str, commit: str | None) -> None:
        try:
            self._store.save(self._committed(self._store.get(plan_id), commit))
        except PlanNotFound:
            # its trailers say what it was
            return

    # Plans

    def propose(
        self,
        payload: Any,
        *,
        ttl: timedelta = DEFAULT_TTL,
        idempotency_key: str | None = None,
        message: str | None = None,
    ) -> Plan:
        """Validate operations and store them as a plan; the tree is not touched.

        The same key and payload give the same plan again. Raises `IssuesError` with every failure of the payload,
        `ConflictError` where what it builds on has moved, `NoPotError`, and `InvalidFileError`.
        """
        if not timedelta(0) < ttl <= MAX_TTL:
            raise InvalidInputError(
                "a plan lives for at least a second and at most 30 days", hint="Write 24h or 7d."
            )
        key = idempotency_key or _key_in(payload)
        digest = _digest(payload, message) if key else ""
        with self._locked():
            known = self._store.by_key(key, digest) if key else None
            if known is not None and self._reusable(known):
                return known
            request = Request(payload, self.actor, self._clock(), ttl, key, message)
            plan = self._drawn_up(request)
            if self.screen is None or screen_plan(self.screen, plan, payload, message):
                self._store.save(plan)
            require_faultless(plan)
            if key:
                self._store.bind_key(key, digest, plan.plan_id)
            self._store.prune(request.now)
        return plan

    def refuse_credentials(self, data: Mapping[str, Any]) -> None:
        """Raise `IssuesError` if a text in `data` looks like a credential."""
        if self.screen is not None:
            refuse_leaks(self.screen, data)

    def plan(self, plan_id: str) -> Plan:
        """A stored plan, with its state as of now. Raises `PlanNotFound`."""
        return aged(self._store.get(plan_id), self._clock())

    def plans(self) -> list[Plan]:
        """Every stored plan, the newest first."""
        return [aged(plan, self._clock()) for plan in self._store.all()]

    def abandon(self, plan_id: str) -> Plan:
        """Give a plan up, so that it can no longer be committed."""
        with self._locked():
            plan = self.plan(plan_id)
            require_uncommitted(plan)
            plan.state = PlanState.ABANDONED
            self._store.save(plan)
        return plan

    def commit(self, plan_id: str, *, stage: bool = False, verify: bool = False) -> CommitResult:
        """Apply a plan, every file or none, as one git commit; with `stage`, stop before the commit.

        Raises `PlanNotFound`, `PlanExpired`, `PlanAlreadyCommitted`, `ConflictError` with what was expected and what is
        there, `ApprovalRequiredError`, `CommitRefusedError` with what a hook said, `LockedError`, `StorageError`.
        """
        with self._locked():
            plan = self.plan(plan_id)
            require_open(plan)
            base = Base(self.repository)
            try:
                return self._commit(base, plan, stage, verify)
            except ApprovalRequiredError:
                self._remember(plan, PlanState.REVIEW_REQUIRED)
                raise
            except ConflictError as error:
                if error.code == ConflictError.code:
                    self._remember(plan, PlanState.CONFLICT)
                raise
            except CommitRefusedError:
                self._remember(plan, PlanState.ERROR)
                raise

    def _commit(self, base: Base, plan: Plan, stage: bool, verify: bool) -> CommitResult:
        require_current(base, plan)
        if not plan.edits:
            self._store.save(self._committed(plan, None))
            return CommitResult(plan=plan, notes=["Nothing to write: everything is there already."])
        if not stage:
            require_committed(base, plan)
        self._gate.require(base, plan)
        notes = [self.recovered.message] if self.recovered else []

        def saved(commit: str | None) -> None:
            try:
                self._store.save(self._committed(plan, commit))
            except StorageError as error:
                # what was committed stays committed
                notes.append(f"The plan's state could not be saved: {error.message}")

        # What is pending is told against the commit that the plan was made for, so it is asked before that moves.
        pending = self._gate.pending(base, plan)
        applied = apply_plan(base, plan, stage=stage, saved=saved)
        return CommitResult(
            plan=plan,
            commit=applied.commit,
            staged=stage,
            files=list(applied.files),
            pending=pending,
            verification=read_back(base, plan, applied.commit) if verify else None,
            notes=[*notes, *applied.notes],
        )

    # Records

    def lower_record(self, record: Record) -> list[dict[str, Any]]:
        """The operations of a record. Raises `IssuesError` with every failure of its fields."""
        issues: list[Issue] = []
        if "target_ref" in record.fields:
            record, issues = record.grounded(Base(self.repository).tree)
        return lower_record(record, repository_key(self.repository), self.actor, issues)

    def record(
        self,
        record_type: str,
        fields: Mapping[str, Any],
        *,
        scope: Mapping[str, Any] | None = None,
        evidence: Sequence[str | Mapping[str, Any]] = (),
        stage: bool = False,
        commit: bool = True,
        dry_run: bool = False,
        message: str | None = None,
        idempotency_key: str | None = None,
        ttl: timedelta = DEFAULT_TTL,
        verify: bool = False,
        **options: Any,
    ) -> RecordResult:
        """Write a typed record, or one in free form, and commit it; a dry run stops at the plan.

        `options` are those of `Record`: subject, summary, fact, description, truth, confidence, environment,
        valid_from, observed_at, source_system, reinstates and reason. A write that somebody else's commit overtakes is
        proposed anew a bounded number of times. Raises what `propose` and `commit` raise.
        """
        record = Record.of(record_type, fields, scope or {}, evidence, options)
        payload = {"operations": self.lower_record(record)}
        message = message or record.subject_line()
        for left in reversed(range(_ATTEMPTS)):
            try:
                with self._locked():
                    plan = self.propose(payload, ttl=ttl, idempotency_key=idempotency_key, message=message)
                    done = CommitResult(plan=plan) if dry_run or not commit else _replayed(plan)
                    if done is None:
                        done = self.commit(plan.plan_id, stage=stage, verify=verify)
                    return outcome_of(record_type, done, working_pot(self.repository))
            except ConflictError as error:
                if not left or error.code != ConflictError.code:
                    raise
        raise AssertionError("the last attempt returns or raises")

    # Inside

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the write lock, once however deep; an interrupted write is settled first."""
        if self._depth:
            yield
            return
        with write_lock(self.repository, LOCK_TIMEOUT):
            self._depth += 1
            try:
                self.recovered = self._recover() or self.recovered
                yield
            finally:
                self._depth -= 1

    def _drawn_up(self, request: Request) -> Plan:
        return draw_up(Base(self.repository), request)

    def _reusable(self, plan: Plan) -> bool:
        return aged(plan, self._clock()).state in OPEN | {PlanState.COMMITTED}

    def _committed(self, plan: Plan, commit: str | None) -> Plan:
        plan.state = PlanState.COMMITTED
        plan.commit = commit
        plan.committed_at = format_time(self._clock())
        return plan

    def _remember(self, plan: Plan, state: PlanState) -> None:
        """Keep what became of a plan, if the disk lets us."""
        plan.state = state
        try:
            self._store.save(plan)
        except StorageError:
            return


def _key_in(payload: Any) -> str | None:
    held = (
        payload.get("idempotency_key") if isinstance(payload, Mapping) and "operations" in payload else None
    )
    return held if isinstance(held, str) and held else None


def _digest(payload: Any, message: str | None) -> str:
    """What tells one payload from another. Raises `InvalidInputError` for what JSON cannot hold."""
    try:
        return sha256_hex(canonical_json({"payload": payload, "message": message}))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"the payload is not JSON: {error}", code="malformed_payload") from error


def _replayed(plan: Plan) -> CommitResult | None:
    """What an idempotency key's plan became before; None if it is still to be committed."""
    if plan.state is not PlanState.COMMITTED:
        return None
    return CommitResult(
        plan=plan, commit=plan.commit, notes=["This was recorded before, under the same key."]
    )
