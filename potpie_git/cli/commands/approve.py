"""`approve`."""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from potpie_git.approving import ApprovalDesk, Approving, Wish
from potpie_git.checks.approvals.offers import Offer
from potpie_git.checks.review import render
from potpie_git.cli.context import current
from potpie_git.cli.output import note, shown
from potpie_git.cli.render.approvals import approving_result, approving_text, offer_text
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import InvalidInputError, StorageError
from potpie_git.domain.review_event import ReviewEvent
from potpie_git.domain.times import TimeFormatError, parse_window


def approve(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLAN|BASE..HEAD|PATH...]",
            help="What to approve; by default all that this branch lands. Paths narrow that down.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    ref: Annotated[
        str | None,
        typer.Option(help="The full name of the branch that it lands on.", metavar="REF"),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="Sign with this SSH key (either half).", metavar="FILE")
    ] = None,
    sign: Annotated[
        bool, typer.Option("--sign", help="Sign even where policy asks for a sign-off alone.")
    ] = False,
    expires: Annotated[str, typer.Option(help="How long the approval holds, such as 48h or 14d.")] = "14d",
    push: Annotated[bool, typer.Option("--push", help="Push the branch afterwards.")] = False,
    withdraw: Annotated[
        str | None, typer.Option(help="Take back the approval whose name begins so.", metavar="APPROVAL")
    ] = None,
    reason: Annotated[str, typer.Option(help="Why it is taken back.")] = "",
    from_review: Annotated[
        str | None,
        typer.Option(
            help="Write the approval of a forge's review, whose event is in this file.", metavar="FILE"
        ),
    ] = None,
) -> Reply:
    """Approve a change: show what becomes true, what stops being true and why, ask, and commit a signed-off record.

    The record names every file with the digests of its bytes before and after, so it holds for exactly this content,
    and only on the branch that it names. Given a plan, the plan is committed as well, once it has all that it needs.
    Where policy asks for signatures, it is signed with an SSH key that policy lists for you.
    """
    desk = current().pot.approvals
    if withdraw is not None:
        return _withdraw(desk, withdraw, reason)
    lifetime = _lifetime(expires)
    if from_review is not None:
        event = ReviewEvent(_read(current().directory / from_review))
        return _reply(desk.approve_review(event, key=key, lifetime=lifetime, push=push))
    offer = desk.offer(Wish(tuple(targets or ()), ref, current().directory))
    approver = desk.approver(offer)
    if not yes:
        _ask(desk, offer, approver.name)
    return _reply(desk.approve(offer, key=key, lifetime=lifetime, signed=sign, push=push))


def _ask(desk: ApprovalDesk, offer: Offer, name: str) -> None:
    """Show the change, and go on only if somebody says yes."""
    if current().options.json or not sys.stdin.isatty():
        raise InvalidInputError(
            "nobody is there to ask",
            hint="Look at it with `git potpie review`, then say --yes.",
            code="needs_yes",
        )
    # Standard output is for the answer; what is shown before is a part of the question.
    note(render(desk.review(offer), "text"))
    note(shown(offer_text(offer, name)))
    typer.confirm("Approve this?", abort=True, err=True)


def _withdraw(desk: ApprovalDesk, name: str, reason: str) -> Reply:
    done = desk.withdraw(name, reason)
    commit = (done.commit or "")[:10]
    return Reply(
        result={"withdrawn": done.files, "commit": done.commit},
        text=shown(f"Withdrew {', '.join(done.files)} in commit {commit}."),
        next_action="git push",
    )


def _reply(done: Approving) -> Reply:
    waits = done.plan is not None or done.pushed is not None
    return Reply(
        result=approving_result(done),
        text=shown(approving_text(done)),
        warnings=[{"code": "missing", "message": text} for text in done.notes],
        next_action=None if waits and done.verdict.approved else _next(done),
    )


def _next(done: Approving) -> str:
    if done.pushed is None:
        return "git push"
    return "let another approver fetch the branch and run `git potpie approve --push`"


def _lifetime(text: str) -> timedelta:
    try:
        return parse_window(text)
    except TimeFormatError as error:
        raise InvalidInputError(str(error), hint="Write 48h or 14d.", code="usage") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(
            f"cannot read {os.fspath(path)}: {error.strerror}", hint="Check the path."
        ) from error
