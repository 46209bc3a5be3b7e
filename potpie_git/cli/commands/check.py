"""`check` and `explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from potpie_git.checks.formats import FORMATS, render
from potpie_git.checks.registry import explain as explain_rule
from potpie_git.checks.registry import render_rule
from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode, InvalidInputError


def check(
    staged: Annotated[
        bool, typer.Option("--staged", help="Judge what the next commit holds, against HEAD.")
    ] = False,
    rev: Annotated[
        str | None, typer.Option(help="Judge the whole tree of a revision.", metavar="REV")
    ] = None,
    commit_range: Annotated[
        str | None, typer.Option("--range", help="Judge what HEAD would land on BASE.", metavar="BASE..HEAD")
    ] = None,
    message_file: Annotated[
        Path | None, typer.Option("--message-file", help="Judge a commit message.", metavar="FILE")
    ] = None,
    ref: Annotated[
        str | None,
        typer.Option(help="The full name of the ref that a range lands on; BASE's own by default."),
    ] = None,
    trust_root: Annotated[
        str | None,
        typer.Option(help="The SHA-256 of the only policy that may judge a range.", metavar="DIGEST"),
    ] = None,
    form: Annotated[str, typer.Option("--format", help=f"{', '.join(FORMATS)}.")] = "text",
) -> Reply:
    """Judge a change by every rule, or a whole tree with --rev.

    Without an option it judges what is staged. --range is the authority for CI: it judges the tree that would land,
    takes policy and keys from BASE alone, and refuses an incomplete history. Exit status: 0 clean, 1 findings,
    4 only approvals are missing, 2 it could not judge.
    """
    given = {"--staged": staged, "--rev": rev, "--range": commit_range, "--message-file": message_file}
    chosen = [name for name, held in given.items() if held]
    if len(chosen) > 1:
        raise InvalidInputError(f"{' and '.join(chosen)} exclude each other", hint="Give one.", code="usage")
    pot = current().repository_pot
    if commit_range is not None:
        report = pot.check_range(commit_range, ref=ref, trust_root=trust_root)
    elif message_file is not None:
        report = pot.check_message(_message(message_file))
    else:
        report = pot.check(rev=rev)
    clean = report.exit_code is ExitCode.OK
    return Reply(result=report.as_dict(), raw=render(report, form), ok=clean, exit_code=report.exit_code)


def _message(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise InvalidInputError(f"cannot read {path}: {error.strerror}", hint="Check the path.") from error


def explain(code: Annotated[str, typer.Argument(help="A finding's code, such as PG-H02.")]) -> Reply:
    """Say what a finding's code means, why the rule is there, and show a bad and a good example."""
    rule = explain_rule(code)
    return Reply(result=rule.as_dict(), text=shown(render_rule(rule)))
