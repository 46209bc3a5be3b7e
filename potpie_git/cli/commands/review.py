"""`review`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from potpie_git.checks.review import render, review_document
from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import InvalidInputError, StorageError


def review(
    revisions: Annotated[
        str | None,
        typer.Argument(
            metavar="[BASE..HEAD]",
            help="What to review; by default what HEAD adds to the default branch, else its last commit.",
        ),
    ] = None,
    staged: Annotated[bool, typer.Option("--staged", help="Review what the next commit holds.")] = False,
    ref: Annotated[
        str | None,
        typer.Option(help="The full name of the ref that it lands on; BASE's own by default.", metavar="REF"),
    ] = None,
    trust_root: Annotated[
        str | None,
        typer.Option(help="The SHA-256 of the only policy that may judge a range.", metavar="DIGEST"),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="text, markdown, html or json.")] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it to this file instead.", metavar="FILE")
    ] = None,
) -> Reply:
    """Show a change as a reviewer needs it: what becomes true, what stops being true and why, what replaces what.

    Beside each change stand its risk, the approvals that it needs, what it contradicts and what was withdrawn before.
    It shows and does not judge: the exit status is 0 whatever the verdict is. `git potpie check` judges.
    """
    if staged and (revisions or ref or trust_root):
        raise InvalidInputError("--staged excludes a range", hint="Give one.", code="usage")
    made = current().repository_pot.review(revisions, staged=staged, ref=ref, trust_root=trust_root)
    rendered = render(made, form)
    reply = Reply(
        result=review_document(made),
        raw=rendered,
        next_action=made.verdict.next_command,
    )
    if output is not None:
        _write(current().directory / output, rendered)
        reply.raw = None
        reply.text = shown(f"wrote {output}")
    return reply


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}", hint="Choose another file.") from error
