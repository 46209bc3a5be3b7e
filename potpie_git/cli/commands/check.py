"""`check` and `explain`."""

from __future__ import annotations

from typing import Annotated

import typer

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
    form: Annotated[str, typer.Option("--format", help="text, json, sarif or github.")] = "text",
) -> Reply:
    """Judge a change by every rule, or a whole tree with --rev.

    Without an option it judges what is staged. Exit status: 0 clean, 1 findings, 4 only approvals are missing,
    2 it could not judge.
    """
    chosen = [
        name for name, given in (("--staged", staged), ("--rev", rev), ("--range", commit_range)) if given
    ]
    if len(chosen) > 1:
        raise InvalidInputError(f"{' and '.join(chosen)} exclude each other", hint="Give one.", code="usage")
    pot = current().pot
    report = pot.check(rev=rev, commit_range=commit_range)
    rendered = pot.render_check(report, form)
    return Reply(
        result=report.as_dict(),
        raw=rendered,
        ok=report.exit_code == ExitCode.OK,
        exit_code=report.exit_code,
        next_action=None
        if report.exit_code == ExitCode.OK
        else "git potpie explain CODE says what a finding means",
    )


def explain(code: Annotated[str, typer.Argument(help="A finding's code, such as PG-H02.")]) -> Reply:
    """Say what a finding's code means, why the rule is there, and show a bad and a good example."""
    from potpie_git.checks.registry import explain as explain_rule
    from potpie_git.checks.registry import render_rule

    rule = explain_rule(code)
    return Reply(result=rule.as_dict(), text=shown(render_rule(rule)))
