"""What a tool call answers: the words of records fenced for the model, and the envelope for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from potpie_git.cli.performing import Outcome
from potpie_git.domain.errors import IssuesError, PotpieError
from potpie_git.domain.fence import Quote, fenced, fenced_items

# A next step in this program's own words; anything that could hold more than names stays inside the fence.
_PLAIN_STEP: Final = re.compile(r"git potpie [A-Za-z0-9_./:<>=-]+( [A-Za-z0-9_./:<>=-]+){0,12}")


def answer_text(outcome: Outcome) -> str:
    """An outcome as text for a model. All but the first line and a plain next step is quoted."""
    if outcome.error is not None:
        return _error_text(outcome.command, outcome.error)
    reply = outcome.reply
    if reply is None:
        return f"{outcome.command}: done\n"
    head = f"{outcome.command}: {'ok' if reply.ok else 'not clean'} (exit status {int(reply.exit_code)})"
    context = reply.result.get("context")
    step = reply.next_action or ""
    plain = bool(_PLAIN_STEP.fullmatch(step))
    remarks = [Quote(json.dumps(warning, ensure_ascii=False), {"warning": str(warning.get("code", ""))})
               for warning in (*reply.warnings, *reply.unsupported)]  # fmt: skip
    remarks += [Quote(step, {"next": True})] if step and not plain else []
    after = f"next: {step}" if plain else ""
    if isinstance(context, str):
        told = [head, context.rstrip("\n"), fenced(remarks).rstrip("\n") if remarks else "", after]
        return "\n".join(part for part in told if part) + "\n"
    said = reply.raw if reply.raw is not None else reply.text
    quotes = [Quote(said.rstrip("\n") or "(nothing)", {"answer": outcome.command})]
    return fenced_items([[*quotes, *remarks]], before=head, after=after)


def _error_text(command: str, error: PotpieError) -> str:
    return fenced_items(
        [list(_error_quotes(error))],
        before=f"{command}: failed [{error.code}] (exit status {int(error.exit_code)})",
    )


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
