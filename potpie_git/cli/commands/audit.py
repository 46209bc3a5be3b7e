"""`audit`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from potpie_git.checks.audit import AuditEntry, AuditReport, Outcome
from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode
from potpie_git.domain.times import format_time

_WORDS = {
    Outcome.APPROVED: "approved",
    Outcome.UNPROVEN: "not proved",
    Outcome.UNAPPROVED: "NOT APPROVED",
    Outcome.NO_POLICY: "NO POLICY",
    Outcome.FOUNDING: "founded",
}


def audit(
    rev: Annotated[str, typer.Argument(metavar="[REF]", help="What to walk, along first parents.")] = "HEAD",
    ref: Annotated[
        str | None,
        typer.Option(
            help="The full name of the branch that it landed on; REF's own by default.", metavar="REF"
        ),
    ] = None,
    trust_root: Annotated[
        str | None, typer.Option(help="The SHA-256 of the policy that all began with.", metavar="DIGEST")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show what was approved as well.")] = False,
) -> Reply:
    """Report every risky change that landed without a valid approval, and where history cannot prove one.

    Each commit is judged against its first parent, by the policy there, at the commit's own time. Exit status: 0 all
    was approved, 3 some of it cannot be proved, 4 something was not approved.
    """
    report = current().pot.audit(rev, ref=ref, trust_root=trust_root)
    return Reply(
        result=report.as_dict(),
        text=shown("\n".join(_lines(report, every))),
        exit_code=report.exit_code,
        ok=report.exit_code is ExitCode.OK,
    )


def _lines(report: AuditReport, every: bool) -> Iterator[str]:
    quiet = (Outcome.APPROVED, Outcome.FOUNDING)
    for entry in report.entries:
        if every or entry.outcome not in quiet:
            yield from _entry(entry)
    counts = [
        f"{len(report.of(outcome))} {word.lower()}" for outcome, word in _WORDS.items() if report.of(outcome)
    ]
    low = report.commits - len(report.entries)
    counts += [f"{low} of low risk"] if low > 0 else []
    what = "1 commit" if report.commits == 1 else f"{report.commits} commits"
    yield f"Changes of the pot on {report.ref}: {what}{': ' if counts else ''}{', '.join(counts)}."


def _entry(entry: AuditEntry) -> Iterator[str]:
    yield f"{entry.commit[:10]}  {format_time(entry.at)}  {_WORDS[entry.outcome]}: {entry.subject}"
    for judged in entry.approvals:
        yield f"    {judged.principal} ({judged.label})"
    for finding in entry.findings:
        yield f"    {finding.code} {finding.path}: {finding.message}"
    for note in entry.notes:
        yield f"    {note}"
