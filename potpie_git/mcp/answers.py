"""What a tool call answers: the words of records fenced for the model, and the envelope for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from potpie_git.cli.performing import Outcome
from potpie_git.domain.errors import IssuesError, PotpieError
from potpie_git.domain.fence import Quote, fenced, fenced_items

# A next step in this program's own words; anything that could hold more than names stays inside the fence.
_PLAIN_STEP: Final = re.compile(r"git potpie [A-Za-z0-9_./:<>=-]+( [A-Za-z0-9_./:<>=-]+){0,12}")
_OPTION: Final = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)")


def answer_text(outcome: Outcome, arguments: Container[str] = ()) -> str:
    """An outcome as text for a model. All but the first line and a plain next step is quoted.

    Errors and next steps speak of options, as the command line has them: what is one of the tool's `arguments` gets its
    name there.
    """
    if outcome.error is not None:
        return _error_text(outcome.command, outcome.error, arguments)
    reply = outcome.reply
    if reply is None:
        return f"{outcome.command}: done\n"
    head = f"{outcome.command}: {'ok' if reply.ok else 'not clean'} (exit status {int(reply.exit_code)})"
    context = reply.result.get("context")
    step = reply.next_action or ""
    plain = bool(_PLAIN_STEP.fullmatch(step))
    remarks = [Quote(json.dumps(warning, ensure_ascii=False), {"warning": str(warning.get("code", ""))})
               for warning in (*reply.warnings, *reply.unsupported)]  # fmt: skip
    remarks += [Quote(_for_tool(step, arguments), {"next": True})] if step and not plain else []
    after = f"next: {step}" if plain else ""
    if isinstance(context, str):
        told = [head, context.rstrip("\n"), fenced(remarks).rstrip("\n") if remarks else "", after]
        return "\n".join(part for part in told if part) + "\n"
    said = reply.raw if reply.raw is not None else reply.text
    quotes = [Quote(said.rstrip("\n") or "(nothing)", {"answer": outcome.command})]
    return fenced_items([[*quotes, *remarks]], before=head, after=after)


def _error_text(command: str, error: PotpieError, arguments: Container[str]) -> str:
    quotes = [Quote(_for_tool(quote.text, arguments), quote.label) for quote in _error_quotes(error)]
    return fenced_items(
        [quotes],
        before=f"{command}: failed [{error.code}] (exit status {int(error.exit_code)})",
    )


def _for_tool(text: str, arguments: Container[str]) -> str:
    """A text in which an option that is an argument of the tool is called as it is there."""

    def argument(option: re.Match[str]) -> str:
        name = option[1].replace("-", "_")
        return f"`{name}`" if name in arguments else option[0]

    return _OPTION.sub(argument, text)


def _error_quotes(error: PotpieError) -> Iterator[Quote]:
    hint = f"\nhint: {error.hint}" if error.hint else ""
    yield Quote(f"{error.message}{hint}", {"error": error.code})
    if isinstance(error, IssuesError):
        for issue in error.issues:
            yield Quote(_issue_text(issue), {"issue": str(issue.get("code", ""))})


def _issue_text(issue: Mapping[str, Any]) -> str:
    place = " ".join(
        f"{name}: {issue[name]}"
        for name in ("op_index", "field", "path", "line")
        if issue.get(name) is not None
    )
    lines = [place, str(issue.get("message", "")), f"hint: {issue['hint']}" if issue.get("hint") else ""]
    return "\n".join(line for line in lines if line)
