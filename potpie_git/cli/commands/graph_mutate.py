"""`graph mutate` and `graph mutation-template`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from potpie_git.cli.commands.graph_write import FileOption, read_payload
from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.render.plans import commit_text
from potpie_git.cli.reply import Reply
from potpie_git.domain.templates import template, template_kinds
from potpie_git.domain.vocabulary import MUTATION_OPS


def mutate(
    payload: Annotated[str | None, typer.Argument(help="The operations as JSON.")] = None,
    file: FileOption = None,
    idempotency_key: Annotated[
        str | None, typer.Option(help="The same key and payload are written once.", metavar="KEY")
    ] = None,
    message: Annotated[str | None, typer.Option("--message", "-m", help="The commit's subject line.")] = None,
    stage: Annotated[
        bool, typer.Option("--stage", help="Write and stage the files, and leave committing to you.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the claims back, and report what is missing.")
    ] = False,
) -> Reply:
    """Propose operations and commit them in one go, if all of them are of low risk.

    Anything above low risk is stored as a plan and left to `graph commit` (exit status 4).
    """
    outcome = current().pot.mutate(
        read_payload(file, payload),
        idempotency_key=idempotency_key,
        message=message,
        stage=stage,
        verify=verify,
    )
    return Reply(
        result=outcome.model_dump(mode="json"),
        text=shown(commit_text(outcome)),
        warnings=outcome.plan.warnings,
    )


def mutation_template(
    kind: Annotated[
        str | None, typer.Option(help="An operation (assert_claim) or a record type (fix).")
    ] = None,
) -> Reply:
    """Print a filled-in example of an operation or a record, ready to be changed and sent.

    Without --kind, list what there is.
    """
    if kind is None:
        kinds = template_kinds()
        return Reply(
            result={"kinds": list(kinds)},
            text="\n".join(kinds),
            next_action="git potpie graph mutation-template --kind assert_claim",
        )
    made = template(kind)
    is_operation = kind in MUTATION_OPS
    command = "graph propose" if is_operation else "record"
    return Reply(
        result={"kind": kind, "is_operation": is_operation, "template": made},
        raw=json.dumps(made, indent=2, ensure_ascii=False),
        next_action=f"git potpie {command} --file FILE",
    )
