"""The one place where replies and errors become output: JSON envelope on standard output, or text for people."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Mapping
from typing import Any

from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import IssuesError, PotpieError
from potpie_git.domain.text_safety import escape_for_display
from potpie_git.domain.vocabulary import CONTRACT_VERSION, ONTOLOGY_VERSION


class ReaderGoneError(Exception):
    """Whoever read our output closed the pipe (`| head`).

    Not an error of the operating system: the command line's library would take that for a failure of the command.
    """


def envelope(
    command: str,
    reply: Reply,
    *,
    error: PotpieError | None = None,
    pot_id: str | None = None,
    versions: Mapping[str, str | None] | None = None,
) -> dict[str, Any]:
    """The document that `--json` prints for every command."""
    return {
        "ok": reply.ok and error is None,
        "command": command,
        "request_id": f"r-{uuid.uuid4().hex}",
        "pot_id": pot_id,
        "graph_contract_version": CONTRACT_VERSION,
        "ontology_version": ONTOLOGY_VERSION,
        "subgraph_versions": dict(versions or {}),
        "result": dict(reply.result) if error is None else None,
        "warnings": [dict(warning) for warning in reply.warnings],
        "unsupported": [dict(item) for item in reply.unsupported],
        "recommended_next_action": reply.next_action if error is None else (error.hint or None),
        "error": None if error is None else error_document(error),
    }


def error_document(error: PotpieError) -> dict[str, Any]:
    return {
        "code": error.code,
        "message": error.message,
        "detail": error.detail,
        "recommended_next_action": error.hint or None,
    }


def print_json(document: Mapping[str, Any]) -> None:
    """One document on one line. Text from claims is data: control and hidden characters leave as \\u escapes."""
    _write(sys.stdout, json.dumps(document, ensure_ascii=True, default=str) + "\n")


def print_text(text: str) -> None:
    if text:
        _write(sys.stdout, text if text.endswith("\n") else text + "\n")


def note(text: str) -> None:
    """A remark for people, on standard error, so that standard output stays data."""
    _write(sys.stderr, text + "\n")


def print_reply(reply: Reply) -> None:
    print_text(reply.raw if reply.raw is not None else reply.text)
    for warning in reply.warnings:
        note(f"warning: {shown(str(warning.get('message', warning)))}")
    if reply.next_action and reply.raw is None:
        note(f"next: {shown(reply.next_action)}")


def print_error(error: PotpieError) -> None:
    note(f"error: {shown(error.message)} [{error.code}]")
    if isinstance(error, IssuesError):
        for issue in error.issues:
            note("  " + shown(_issue_line(issue)))
            if issue.get("hint") and issue["hint"] != error.hint:
                note(f"      hint: {shown(str(issue['hint']))}")
    if error.hint:
        note(f"hint: {shown(error.hint)}")


def _issue_line(issue: Mapping[str, Any]) -> str:
    where = ""
    if issue.get("path"):
        where = f"{issue['path']}:{issue.get('line', 1)}: "
    elif issue.get("op_index") is not None:
        where = f"operation {issue['op_index']}: "
    return f"{where}{issue.get('message', '')} [{issue.get('code', '')}]"


def shown(text: str) -> str:
    """Text that somebody else wrote, safe for a terminal: control and hidden characters are spelled out."""
    return escape_for_display(text)


def _write(stream: Any, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError as error:
        raise ReaderGoneError from error
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
