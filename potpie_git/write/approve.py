"""Writes approvals: a record that binds exact bytes to a person, committed signed off and with nothing beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from potpie_git.domain.approval import Approval, ForgeReview, Row, Statement, Withdrawal, new_nonce
from potpie_git.domain.errors import ConflictError, InvalidInputError, NotFoundError, RefusedError
from potpie_git.domain.layout import APPROVALS, POT_DIRECTORY, approval_path
from potpie_git.domain.times import format_time, parse_time, utc_now
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.codec import decode, encode
from potpie_git.store.pot_tree import PotTree
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import WorktreeSnapshot
from potpie_git.store.yaml import YamlError
from potpie_git.write.base import Base
from potpie_git.write.filing import file_plan
from potpie_git.write.message import shortened
from potpie_git.write.results import CommitResult
from potpie_git.write.writer import Writer

DEFAULT_LIFETIME: Final = timedelta(days=14)
MAX_LIFETIME: Final = timedelta(days=366)
# A file holds at most 64 KiB; a row takes its path, two digests and their indentation.
_MOST_BYTES: Final = 48 * 1024
_ROW_BYTES: Final = 160

Signer = Callable[[bytes], str]


@dataclass(frozen=True, slots=True)
class Approved:
    """What somebody approves. `rows` are the covered files; `signed_off_by` is `Name <address>`."""

    store: str
    ref: str
    risk: Risk
    principal: str
    signed_off_by: str
    rows: Sequence[Row]
    authors: Sequence[str] = ()
    plan: str | None = None
    range: str | None = None
    attested_by: ForgeReview | None = None


def make_records(
    approved: Approved, now: datetime, lifetime: timedelta = DEFAULT_LIFETIME, signer: Signer | None = None
) -> list[Approval]:
    """The records of one approval: one, unless it covers more than one file can hold.

    Raises `InvalidInputError` for a lifetime that is none, and what `signer` raises.
    """
    if not timedelta(0) < lifetime <= MAX_LIFETIME:
        raise InvalidInputError("an approval lives for up to a year", hint="Write 14d, or 48h.", code="usage")
    return [_record(approved, part, now, lifetime, signer) for part in _parts(sorted(approved.rows))]


def _parts(rows: Sequence[Row]) -> list[list[Row]]:
    parts: list[list[Row]] = [[]]
    size = 0
    for row in rows:
        cost = len(row[0]) + _ROW_BYTES
        if parts[-1] and size + cost > _MOST_BYTES:
            parts.append([])
            size = 0
        parts[-1].append(row)
        size += cost
    return parts


def _record(
    approved: Approved, rows: list[Row], now: datetime, lifetime: timedelta, signer: Signer | None
) -> Approval:
    statement = Statement(
        store=approved.store,
        ref=approved.ref,
        plan=approved.plan,
        range=approved.range,
        risk=approved.risk.label,  # type: ignore[arg-type]
        principal=approved.principal,
        signed_off_by=approved.signed_off_by,
        attested_by=approved.attested_by,
        authors=list(approved.authors),
        nonce=new_nonce(),
        issued=format_time(now),
        expires=format_time(now + lifetime),
        changes=rows,
    )
    return Approval(statement=statement, signature=signer(statement.canonical()) if signer else None)


class Approvals:
    """Writes and takes back the approvals of one pot; each makes one commit with nothing else in it."""

    def __init__(self, writer: Writer, clock: Callable[[], datetime] = utc_now) -> None:
        self._writer = writer
        self._clock = clock

    def commit(self, made: Approval, committer: str) -> CommitResult:
        """Commit a record, signed off by `committer` (`Name <address>`). Raises what a commit raises."""
        base = Base(self._writer.repository)
        if base.setup_edits():
            raise RefusedError(
                "the pot itself is not committed yet", hint="Commit .potpie/ first; that needs no approval."
            )
        files = {approval_path(made): _encoded(made)}
        plan = file_plan(base, files, _message(made, committer), self._clock())
        return self._writer.commit(plan.plan_id)

    def withdraw(self, name: str, reason: str, committer: str) -> CommitResult:
        """Take back the approval whose file's name begins with `name`, with a reason.

        Raises `NotFoundError`, and `ConflictError` if it was taken back before or the name fits several.
        """
        if not reason.strip():
            raise InvalidInputError("a withdrawal needs a reason", hint="Say why with --reason.")
        base = Base(self._writer.repository)
        path, held = find_approval(base, name)
        if held.withdrawn is not None:
            raise ConflictError(
                f"{path} was withdrawn at {held.withdrawn.at}",
                hint=f"The reason was: {held.withdrawn.reason}",
            )
        stamp = Withdrawal(at=format_time(self._clock()), by=committer, reason=reason.strip())
        taken_back = held.model_copy(update={"withdrawn": stamp})
        subject = shortened(f"Withdraw the approval of {held.statement.principal} for {_branch(held)}")
        message = f"{subject}\n\n{reason.strip()}\n\nSigned-off-by: {committer}\n"
        plan = file_plan(base, {path: _encoded(taken_back)}, message, self._clock())
        return self._writer.commit(plan.plan_id)


def find_approval(base: Base, name: str) -> tuple[str, Approval]:
    """The approval of the working tree whose file's name begins with `name`, and its path.

    Raises `NotFoundError`, and `ConflictError` if there are several.
    """
    wanted = name.removeprefix(f"{POT_DIRECTORY}/").removeprefix(f"{APPROVALS}/")
    found = [each for each in base.working.names(APPROVALS) if each.startswith(wanted)]
    if not wanted or not found:
        raise NotFoundError(f"there is no approval {name!r} here", hint="See `git potpie approvals list`.")
    if len(found) > 1:
        raise ConflictError(f"{name!r} fits {len(found)} approvals", hint="Give more of the name.")
    path = f"{APPROVALS}/{found[0]}"
    record = decode(path, base.working.read(path)).record
    assert isinstance(record, Approval)
    return path, record


def stored_approvals(repository: Repository) -> list[tuple[str, Approval]]:
    """Every approval of the working tree with its path, the newest first. Raises `InvalidFileError`."""
    held = [(stored.path, stored.record) for stored in PotTree(WorktreeSnapshot(repository)).approvals()]
    return sorted(held, key=lambda each: parse_time(each[1].statement.issued), reverse=True)


def _encoded(made: Approval) -> bytes:
    try:
        return encode(made)
    except YamlError as error:
        raise InvalidInputError(error.message, hint=error.hint, code=error.code) from error


def _branch(made: Approval) -> str:
    return made.statement.ref.removeprefix("refs/heads/")


def _message(made: Approval, committer: str) -> str:
    """The commit message: what is approved, for which branch, and the sign-off in the last paragraph."""
    statement = made.statement
    count = len(statement.changes)
    files = "1 change" if count == 1 else f"{count} changes"
    subject = shortened(f"Approve {files} of {statement.risk} risk for {_branch(made)}")
    lines = [
        f"Of {'plan ' + statement.plan if statement.plan else statement.range}, until {statement.expires}."
    ]
    review = statement.attested_by
    if review is not None:
        lines.append(f"Attested by {review.forge}: review {review.review} of {review.account}.")
    return f"{subject}\n\n{chr(10).join(lines)}\n\nSigned-off-by: {committer}\n"
