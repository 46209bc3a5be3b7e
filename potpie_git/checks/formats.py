"""A report in the form that was asked for: text, JSON, SARIF 2.1.0, or annotations of GitHub's checks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

from potpie_git.checks.registry import RULES
from potpie_git.checks.report import UNJUDGED, CheckReport
from potpie_git.checks.text_format import as_text, one_line
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.findings import Finding, Severity
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.version import __version__

SARIF_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ANNOTATION: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(report: CheckReport, form: str) -> str:
    """The report in one of `FORMATS`, ending in a line feed unless it is empty. Raises `InvalidInputError`."""
    writer = FORMATS.get(form)
    if writer is None:
        raise InvalidInputError(
            f"{form!r} is not a format.{did_you_mean(form, FORMATS)}",
            hint=f"Use one of: {', '.join(FORMATS)}.",
            code="usage",
        )
    return writer(report)


def as_json(report: CheckReport) -> str:
    return json.dumps(report.as_dict(), indent=2, ensure_ascii=True) + "\n"


def as_github(report: CheckReport) -> str:
    """Workflow commands: one line a finding, which GitHub shows beside the line of the diff."""
    return "".join(
        f"::{_ANNOTATION[finding.severity]} "
        f"file={_property(finding.path)},line={finding.line},title={_property(_title(finding))}"
        f"::{_data(f'{finding.message}. {finding.hint}'.strip())}\n"
        for finding in report.findings
    )


def _title(finding: Finding) -> str:
    rule = RULES.get(finding.code)
    return f"{finding.code} {rule.title}" if rule else finding.code


def _data(text: str) -> str:
    """The text of a workflow command. `%` first: it begins the escapes."""
    return one_line(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(report: CheckReport) -> str:
    """One run of SARIF 2.1.0, with the rules that were broken."""
    used = sorted({finding.code for finding in report.findings})
    judged = not UNJUDGED & {finding.code for finding in report.errors}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "potpie-git",
                "semanticVersion": __version__,
                "rules": [_sarif_rule(code) for code in used],
            }
        },
        "invocations": [{"executionSuccessful": judged}],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the repository."}}},
        "results": [_sarif_result(finding, used.index(finding.code)) for finding in report.findings],
    }
    log = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=True) + "\n"


def _sarif_rule(code: str) -> dict[str, Any]:
    rule = RULES[code]
    return {
        "id": code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": f"{rule.explanation}\n\nRefused:\n{rule.bad.shown}\n\nAccepted:\n{rule.good.shown}"},
        "defaultConfiguration": {"level": rule.severity.value},
    }


def _sarif_result(finding: Finding, index: int) -> dict[str, Any]:
    text = f"{one_line(finding.message)}. {one_line(finding.hint)}".strip()
    place = {
        "artifactLocation": {"uri": quote(finding.path), "uriBaseId": "SRCROOT"},
        "region": {"startLine": finding.line},
    }
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.severity.value,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }


FORMATS: Final[Mapping[str, Callable[[CheckReport], str]]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}
