"""`approvals list`, `approvals show` and `approvals verify`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from potpie_git.approving import Wish
from potpie_git.checks.approvals.offers import NothingToApproveError
from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.render.approvals import approval_text, list_text, verdict_result, verdict_text
from potpie_git.cli.reply import Reply
from potpie_git.domain.approval import Approval
from potpie_git.domain.errors import ExitCode
from potpie_git.store.codec import repository_path


def list_approvals() -> Reply:
    """List the approvals that are here, the newest first."""
    held = current().pot.approvals.stored()
    return Reply(
        result={"approvals": [_result(path, approval) for path, approval in held]},
        text=shown(list_text(held)),
    )


def show(
    name: Annotated[str, typer.Argument(help="How the name of its file begins.")],
    statement: Annotated[
        bool, typer.Option("--statement", help="Print the exact bytes that are signed, and nothing else.")
    ] = False,
) -> Reply:
    """Show one approval: who, for which branch, until when, and the files that it covers.

    To verify a signature by hand: print the signed bytes with --statement, and give them to `ssh-keygen -Y verify` with
    the namespace potpie-git-approval and a signers file of the keys that policy lists.
    """
    path, approval = current().pot.approvals.find(name)
    raw = approval.statement.canonical().decode() if statement else None
    return Reply(
        result={**_result(path, approval), "statement": approval.statement.to_data()},
        text=shown(approval_text(path, approval)),
        raw=raw,
    )


def verify(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[PLAN|BASE..HEAD]", help="Which change; by default all that this branch lands."
        ),
    ] = None,
    ref: Annotated[
        str | None, typer.Option(help="The full name of the branch that it lands on.", metavar="REF")
    ] = None,
) -> Reply:
    """Say which approvals of a change count, why others do not, and what is missing.

    Exit status: 0 if nothing is missing, 4 if something is.
    """
    try:
        offer = current().pot.approvals.offer(Wish((target,) if target else (), ref, current().directory))
    except NothingToApproveError as error:
        return Reply(result={"approved": True, "files": [], "approvals": []}, text=shown(error.message))
    verdict = offer.verdict
    return Reply(
        result=verdict_result(verdict),
        text=shown(verdict_text(verdict)),
        exit_code=ExitCode.OK if verdict.approved else ExitCode.APPROVAL,
        ok=verdict.approved,
        next_action=None if verdict.approved else "git potpie approve",
    )


def _result(path: str, approval: Approval) -> dict[str, Any]:
    said = approval.statement
    return {
        "path": repository_path(path),
        "principal": said.principal,
        "ref": said.ref,
        "risk": said.risk,
        "plan": said.plan,
        "range": said.range,
        "issued": said.issued,
        "expires": said.expires,
        "signed": approval.signature is not None,
        "attested_by": said.attested_by.forge if said.attested_by else None,
        "withdrawn": approval.withdrawn.to_data() if approval.withdrawn else None,
        "covers": [repository_path(row[0]) for row in said.changes],
    }
