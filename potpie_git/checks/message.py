"""Rules over a commit's message (C01 to C03): what a reader of the log sees has to be what the change is.

Kept clear of the models, so that a hook that finds nothing has loaded little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from potpie_git.checks.secrets import find_secrets
from potpie_git.domain.text_safety import scan_text
from potpie_git.domain.trailers import parse_trailers
from potpie_git.domain.vocabulary import Risk

_SCISSORS: Final = re.compile(r"^. -{24} >8 -{24}$.*", re.MULTILINE | re.DOTALL)
_IDS: Final = {
    "potpie-plan": re.compile(r"p-[0-9a-z]{1,64}"),
    "potpie-mutation": re.compile(r"m-[0-9a-z]{1,64}"),
}
_RISK: Final = "potpie-risk"


class MessageProblem(NamedTuple):
    """A broken rule: its code, the 1-based line of the message, what is wrong and the remedy."""

    code: str
    line: int
    message: str
    hint: str


def message_problems(text: str, risk: Risk, *, edited: bool = True) -> list[MessageProblem]:
    """What is wrong with a commit's message; `risk` is that of the change that it describes.

    Comment lines that git will strip are judged as well. What stands below a scissors line is not, where the message
    was `edited`: git cuts it off there, and keeps it in a message that was given on the command line.
    """
    text = _SCISSORS.sub("", text) if edited else text
    return [*_hidden(text), *_secrets(text), *_trailers(text, risk)]


def states_risk(text: str) -> bool:
    """True if a trailer of the message says what risk the change has."""
    return any(trailer.is_a(_RISK) for trailer in parse_trailers(text))


def _hidden(text: str) -> Iterator[MessageProblem]:
    for offset, what in scan_text(text):
        if text[offset : offset + 2] == "\r\n":
            continue
        line = text.count("\n", 0, offset) + 1
        hint = "Delete the character; write what it meant in visible text."
        yield MessageProblem("PG-C02", line, f"{what} in the message", hint)


def _secrets(text: str) -> Iterator[MessageProblem]:
    for secret in find_secrets(enumerate(text.splitlines(), 1)):
        hint = "Revoke it where it was issued, then write what it is for instead."
        message = f"this looks like a credential: {secret.kind} ({secret.masked})"
        yield MessageProblem("PG-C01", secret.line, message, hint)


def _trailers(text: str, risk: Risk) -> Iterator[MessageProblem]:
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
        yield MessageProblem("PG-C03", next(where, 1), message, hint)


def _risk(value: str) -> Risk | None:
    return next((each for each in Risk if each.label == value.lower()), None)
