"""The inbox: suggestions that somebody should look at, shared as committed files, and never a fact."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from potpie_git.domain.errors import ConflictError, InvalidInputError, NotFoundError, RefusedError
from potpie_git.domain.files import InboxEvent, InboxItem
from potpie_git.domain.keys import key_problem
from potpie_git.domain.layout import INBOX
from potpie_git.domain.plan import PlanState
from potpie_git.domain.text import canonical_json, did_you_mean, nfc, sha256_hex
from potpie_git.domain.times import format_time, utc_now
from potpie_git.store.history import HistoryQuery, history
from potpie_git.store.pot_tree import PotTree
from potpie_git.write.base import Base
from potpie_git.write.filing import file_plan, inbox_file
from potpie_git.write.message import shortened
from potpie_git.write.plans import PlanNotFound
from potpie_git.write.results import CommitResult
from potpie_git.write.writer import Writer

Action = Literal["claim", "mark-applied", "mark-rejected", "close"]
_ID_LENGTH: Final = 12
_ATTEMPTS: Final = 5
# What may follow an item's last event; a closed item gains nothing more.
NEXT: Final[Mapping[str, frozenset[str]]] = {
    "open": frozenset({"claim", "mark-applied", "mark-rejected", "close"}),
    "claimed": frozenset({"claim", "mark-applied", "mark-rejected", "close"}),
    "applied": frozenset({"close"}),
    "rejected": frozenset({"close"}),
    "closed": frozenset(),
}


class InboxResult(BaseModel):
    """An item as it is now, and what was written to make it so."""

    model_config = ConfigDict(extra="forbid")

    item: InboxItem
    written: CommitResult


class Inbox:
    """The inbox of one pot. Writing makes one commit, with a plan of its own, unless it is only staged."""

    def __init__(self, writer: Writer, clock: Callable[[], datetime] = utc_now) -> None:
        self._writer = writer
        self._clock = clock

    def items(self, status: str | None = None) -> list[InboxItem]:
        """Items of the working tree, or those of one status, the oldest first. Raises `InvalidInputError`."""
        if status is not None and status not in NEXT:
            raise InvalidInputError(
                f"an inbox item is never {status!r}.{did_you_mean(status, NEXT)}",
                hint=f"Use one of: {', '.join(NEXT)}.",
                code="unknown_status",
            )
        found = [item for item in self._tree().inbox() if status in {None, item.status}]
        return sorted(found, key=lambda item: (item.events[0].at, item.id))

    def show(self, item_id: str) -> InboxItem:
        """One item. Raises `NotFoundError`."""
        return self._find(self._tree(), item_id)

    def add(
        self,
        title: str,
        *,
        body: str | None = None,
        subject: str | None = None,
        evidence: Sequence[str] = (),
        stage: bool = False,
    ) -> InboxResult:
        """Put a suggestion in. The same one by the same person in the same second is the same item.

        Raises `InvalidInputError` for a blank title or a subject that is no key, and what a commit raises.
        """
        if not title.strip():
            raise InvalidInputError("an inbox item needs a title", hint="Say in a line what to look at.")
        fault = key_problem(subject) if subject is not None else None
        if fault is not None:
            raise InvalidInputError(f"subject: {fault[0]}", hint=fault[1], code="malformed_key")
        added = InboxEvent(action="add", at=format_time(self._clock()), by=self._writer.actor.user)
        said = {
            "title": nfc(title.strip()),
            "body": nfc(body) if body else None,
            "subject": subject,
            "evidence": [nfc(reference) for reference in evidence] or None,
        }
        self._writer.refuse_credentials(said)
        digest = sha256_hex(canonical_json([said, added.at, added.by]))
        item = InboxItem.model_validate({"id": f"i-{digest[:_ID_LENGTH]}", **said, "events": [added]})
        return self._written(Base(self._writer.repository), item, f"Inbox: {item.title}", stage)

    def claim(self, item_id: str, *, note: str | None = None, stage: bool = False) -> InboxResult:
        """Say that you look at it; whoever claims it last has it."""
        return self._append(item_id, "claim", {"note": note}, stage)

    def mark_applied(
        self,
        item_id: str,
        *,
        plan: str | None = None,
        mutation: str | None = None,
        note: str | None = None,
        stage: bool = False,
    ) -> InboxResult:
        """Say which plan or mutation wrote what the item suggests.

        Raises `InvalidInputError` without either, `RefusedError` for a plan that is not committed, and `NotFoundError`
        for one of which this branch has no trace.
        """
        if plan is None and mutation is None:
            raise InvalidInputError(
                "mark-applied names a plan or a mutation",
                hint="Give --plan or --mutation, as `graph commit` printed them; or mark it rejected, or close it.",
                code="missing_field",
            )
        self._require_written(plan, mutation)
        return self._append(
            item_id, "mark-applied", {"plan": plan, "mutation": mutation, "note": note}, stage
        )

    def mark_rejected(self, item_id: str, *, note: str, stage: bool = False) -> InboxResult:
        """Say that nothing will come of it, and why."""
        if not note.strip():
            raise InvalidInputError("a rejection needs a note", hint="Say why.", code="missing_field")
        return self._append(item_id, "mark-rejected", {"note": note}, stage)

    def close(self, item_id: str, *, note: str | None = None, stage: bool = False) -> InboxResult:
        """Say that nobody need look at it again."""
        return self._append(item_id, "close", {"note": note}, stage)

    def _append(
        self, item_id: str, action: Action, fields: Mapping[str, str | None], stage: bool
    ) -> InboxResult:
        """Add an event, anew if somebody else's came in between; a bounded number of times."""
        self._writer.refuse_credentials(fields)
        for left in reversed(range(_ATTEMPTS)):
            base = Base(self._writer.repository)
            item = self._find(base.tree, item_id)
            if action not in NEXT[item.status]:
                can = ", ".join(sorted(NEXT[item.status])) or "nothing more"
                raise RefusedError(
                    f"{item.id} is {item.status}, and {action} cannot follow",
                    hint=f"What can follow: {can}. Add another item if there is more to look at.",
                    code="inbox_state",
                )
            grown = self._grown(item, action, fields)
            try:
                return self._written(base, grown, f"Inbox: {action} {item.id}, {item.title}", stage)
            except ConflictError as error:
                if not left or error.code != ConflictError.code:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _grown(self, item: InboxItem, action: Action, fields: Mapping[str, str | None]) -> InboxItem:
        given = {name: nfc(held) for name, held in fields.items() if held}
        try:
            event = InboxEvent.model_validate(
                {
                    "action": action,
                    "at": format_time(self._clock()),
                    "by": self._writer.actor.user,
                    **given,
                }
            )
        except ValidationError as error:
            raise InvalidInputError(f"the event cannot be written: {error.errors()[0]['msg']}") from error
        return item.model_copy(update={"events": [*item.events, event]})

    def _written(self, base: Base, item: InboxItem, message: str, stage: bool) -> InboxResult:
        plan = file_plan(base, inbox_file(item), shortened(message), self._clock())
        return InboxResult(item=item, written=self._writer.commit(plan.plan_id, stage=stage))

    def _require_written(self, plan: str | None, mutation: str | None) -> None:
        """Raise unless the plan and the mutation, where named, have been committed."""
        asked: list[dict[str, Any]] = []
        if plan is not None and not self._is_committed(plan):
            asked.append({"plan": plan})
        if mutation is not None:
            asked.append({"mutation": mutation})
        for one in asked:
            history(self._writer.repository, HistoryQuery(**one, limit=1))

    def _is_committed(self, plan_id: str) -> bool:
        """True for a plan of this work tree that was committed; raises for one that was not."""
        try:
            plan = self._writer.plan(plan_id)
        except PlanNotFound:
            return False
        if plan.state is not PlanState.COMMITTED:
            raise RefusedError(
                f"plan {plan_id} is {plan.state.value}, so nothing of it stands yet",
                hint=f"Commit it first: `git potpie graph commit {plan_id}`.",
                code="plan_not_committed",
            )
        return True

    def _tree(self) -> PotTree:
        return Base(self._writer.repository).tree

    def _find(self, tree: PotTree, item_id: str) -> InboxItem:
        path = f"{INBOX}/{item_id}.yaml"
        is_name = item_id.replace("-", "").isalnum()
        entry = tree.snapshot.entry(path) if is_name else None
        if entry is None:
            known = [name.removesuffix(".yaml") for name in tree.snapshot.names(INBOX)]
            raise NotFoundError(
                f"there is no inbox item {item_id!r}.{did_you_mean(item_id, known)}",
                hint="List them with `git potpie graph inbox list`.",
            )
        record = next(iter(tree.load([entry]))).record
        assert isinstance(record, InboxItem)
        return record
