"""`graph propose` and `graph commit`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.render.plans import commit_text, plan_text
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode, InvalidInputError
from potpie_git.domain.mutation import parse_json_payload
from potpie_git.domain.times import TimeFormatError, parse_window

FileOption = Annotated[
    str | None, typer.Option("--file", "-f", help="A JSON file with the operations; - for standard input.")
]

StageOption = Annotated[
    bool, typer.Option("--stage", help="Write and stage the files, and leave committing to you.")
]


def read_payload(file: str | None, inline: str | None) -> Any:
    """The JSON payload of a file, of standard input (`-`) or of an argument, which may be `-` as well.

    Raises `InvalidInputError` with line and column.
    """
    if inline == "-" and file is None:
        file, inline = inline, None
    if (file is None) == (inline is None):
        raise InvalidInputError(
            "give the operations as --file or as an argument",
            hint="For example: --file ops.json, or --file - with the JSON on standard input.",
            code="usage",
        )
    try:
        text = inline if inline is not None else _read(file or "-")
        return parse_json_payload(text)
    except (ValueError, UnicodeDecodeError) as error:
        name = "the argument" if file is None else "standard input" if file == "-" else file
        raise InvalidInputError(
            f"{name} is not JSON: {error}",
            hint=_json_hint(inline),
            code="malformed_payload",
        ) from error


def _json_hint(inline: str | None) -> str:
    if inline is not None and inline.endswith(".json"):
        return f"To read a file, write --file {inline}."
    return 'Send one operation, or {"operations": [...]}; see `git potpie graph propose --help`.'


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        return (current().directory / file).read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"cannot read {file}: {error.strerror}", hint="Check the path.") from error


def propose(
    payload: Annotated[str | None, typer.Argument(help="The operations as JSON.")] = None,
    file: FileOption = None,
    ttl: Annotated[
        str, typer.Option(help="How long the plan may be committed, such as 30m, 24h or 7d.")
    ] = "24h",
    idempotency_key: Annotated[
        str | None, typer.Option(help="The same key and payload give the same plan.", metavar="KEY")
    ] = None,
    message: Annotated[str | None, typer.Option("--message", "-m", help="The commit's subject line.")] = None,
) -> Reply:
    """Validate operations and store them as a plan; nothing is written to the tree.

    Every failure is reported at once, each with a code, the operation's index and a hint. The answer names the plan,
    its risk and what it would change.
    """
    try:
        span = parse_window(ttl)
    except TimeFormatError as error:
        raise InvalidInputError(str(error), hint="Write 30m, 24h or 7d.", code="usage") from error
    plan = current().pot.propose(
        read_payload(file, payload), ttl=span, idempotency_key=idempotency_key, message=message
    )
    return Reply(
        result=plan.model_dump(mode="json"),
        text=shown(plan_text(plan)),
        warnings=plan.warnings,
        next_action=f"git potpie graph commit {plan.plan_id}",
    )


def commit(
    plan_id: Annotated[str, typer.Argument(help="The plan's id, as `graph propose` printed it.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the claims back, and report what is missing.")
    ] = False,
    stage: StageOption = False,
) -> Reply:
    """Apply a plan: every file of it or none, as one git commit that holds nothing else.

    Your hooks, identity and signing apply. A plan of medium or high risk on a protected branch is refused until it is
    approved (exit status 4).
    """
    outcome = current().pot.commit(plan_id, stage=stage, verify=verify)
    return Reply(
        result=outcome.model_dump(mode="json"),
        text=shown(commit_text(outcome)),
        exit_code=ExitCode.OK,
        next_action=None,
    )
