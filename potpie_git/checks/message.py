"""Rules over a commit's message (C01 to C03): what a reader of the log sees has to be what the change is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from potpie_git.checks.report import CheckKind, CheckReport, sorted_findings
from potpie_git.checks.secrets import find_secrets
from potpie_git.domain.findings import Finding
from potpie_git.domain.text_safety import scan_text
from potpie_git.domain.trailers import parse_trailers
from potpie_git.domain.vocabulary import Risk

_LABEL: Final = "commit message"
_SCISSORS: Final = re.compile(r"^. -+ >8 -+$.*", re.MULTILINE | re.DOTALL)
_IDS: Final = {
    "potpie-plan": re.compile(r"p-[0-9a-z]{1,64}"),
    "potpie-mutation": re.compile(r"m-[0-9a-z]{1,64}"),
}
_RISK: Final = "potpie-risk"


def check_message(text: str, risk: Risk = Risk.LOW, *, label: str = _LABEL) -> CheckReport:
    """Judge a commit's message; `risk` is that of the change that it describes, as its content is graded.

    Comment lines that git will strip are judged as well, but for what stands below a scissors line.
    """
    text = _SCISSORS.sub("", text)
    found = [*_hidden(text, label), *_secrets(text, label), *_trailers(text, risk, label)]
    return CheckReport(CheckKind.MESSAGE, "", label, 1, sorted_findings(found))


def _hidden(text: str, label: str) -> Iterator[Finding]:
    for offset, what in scan_text(text):
        if text[offset : offset + 2] == "\r\n":
            continue
        line = text.count("\n", 0, offset) + 1
        hint = "Delete the character; write what it meant in visible text."
        yield _finding("PG-C02", label, f"{what} in the message", hint, line)


def _secrets(text: str, label: str) -> Iterator[Finding]:
    for secret in find_secrets(enumerate(text.splitlines(), 1)):
        hint = "Revoke it where it was issued, then write what it is for instead."
        message = f"this looks like a credential: {secret.kind} ({secret.masked})"
        yield _finding("PG-C01", label, message, hint, secret.line)


def _trailers(text: str, risk: Risk, label: str) -> Iterator[Finding]:
    lines = text.splitlines()
    for trailer in parse_trailers(text):
        token = trailer.token.lower()
        form = _IDS.get(token)
        if form is not None and not form.fullmatch(trailer.value):
            message, hint = f"{trailer.token} names no id: {trailer.value!r}", "Leave the trailer out."
        elif token == _RISK and (said := _risk(trailer.value)) is None:
            names = ", ".join(each.label for each in Risk)
            message, hint = (
                f"{trailer.token} is {trailer.value!r}, and one of {names} is meant",
                "Leave it out.",
            )
        elif token == _RISK and said is not None and said < risk:
            message = f"{trailer.token} says {said.label}, and the change is of {risk.label} risk"
            hint = f"Write {trailer.token}: {risk.label}, or leave the trailer out."
        else:
            continue
        where = (number for number, line in enumerate(lines, 1) if line.startswith(trailer.token))
        yield _finding("PG-C03", label, message, hint, next(where, 1))


def _risk(value: str) -> Risk | None:
    return next((each for each in Risk if each.label == value.lower()), None)


def _finding(code: str, label: str, message: str, hint: str, line: int) -> Finding:
    return Finding(code=code, path=label, line=line, message=message, hint=hint)
