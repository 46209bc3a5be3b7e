"""A report as text for people.

Paths and messages can hold what somebody wrote into a tree: everything that could move a cursor or end a line is shown
escaped.
"""

from __future__ import annotations

from potpie_git.checks.report import UNJUDGED, CheckKind, CheckReport
from potpie_git.domain.findings import Finding
from potpie_git.domain.text_safety import escape_for_display


def one_line(text: str) -> str:
    """`text` on one line, with every character that is not seen shown by its number."""
    return escape_for_display(text, keep_whitespace=False)


def as_text(report: CheckReport) -> str:
    """`path:line: severity CODE message`, with the remedy below, and a last line that sums up."""
    lines = [line for finding in report.findings for line in _text_lines(finding)]
    return "\n".join([*lines, one_line(summary(report)), ""])


def _text_lines(finding: Finding) -> list[str]:
    head = f"{one_line(finding.path)}:{finding.line}: {finding.severity.value} {finding.code}"
    lines = [f"{head} {one_line(finding.message)}"]
    return [*lines, f"    {one_line(finding.hint)}"] if finding.hint else lines


def summary(report: CheckReport) -> str:
    """What came of the check, in one sentence."""
    errors, others = len(report.errors), len(report.findings) - len(report.errors)
    noun = "message" if report.kind is CheckKind.MESSAGE else "file"
    looked = f"{report.files_checked} {noun}{'' if report.files_checked == 1 else 's'} checked"
    if not errors:
        found = f"no error, {others} to look at" if others else "nothing to object to"
        return f"{looked}: {found}"
    codes = sorted({finding.code for finding in report.errors})
    verdict = "could not judge" if UNJUDGED & set(codes) else f"{errors} error{'' if errors == 1 else 's'}"
    more = f", {others} more to look at" if others else ""
    # An approval is asked for last: what else is wrong has to be mended first.
    first = next((code for code in codes if not code.startswith("PG-A")), codes[0])
    return f"{looked}: {verdict}{more}; `git potpie explain {first}` says more"
