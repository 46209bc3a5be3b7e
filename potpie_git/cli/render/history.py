"""A history as text for people: one event a line, with what changed below it."""

from __future__ import annotations

import json
from typing import Any

from potpie_git.domain.fence import Quote, fenced_items, in_marks, word
from potpie_git.store.history import History, HistoryEvent

_WIDTH = 100


def history_text(found: History) -> str:
    """Newest first; events of one commit stand under its line."""
    lines: list[str] = []
    commit: str | None = ""
    for event in found.events:
        if event.commit != commit or event.commit is None:
            lines.append(_commit_line(event))
            commit = event.commit
        lines += _event_lines(event)
    if not lines:
        lines.append(f"No events: nothing in this branch's history bears on {in_marks(found.about)}.")
    lines += [f"note: {note}" for note in found.notes]
    return "\n".join(lines)


def history_context(found: History) -> str:
    """A history as text for an agent, newest first: the words of records and of commits are fenced, event by event."""
    return fenced_items(
        ([_event_quote(event)] for event in found.events),
        before=f"{len(found.events)} events, newest first{'' if found.complete else '; there are more'}",
    )


def _event_quote(event: HistoryEvent) -> Quote:
    label = {
        "event": event.kind,
        "claim": event.claim,
        "entity": event.entity,
        "commit": event.commit or event.state,
        "date": event.date,
        "plan": event.plan,
        "risk": event.risk,
        "author": event.author,
        "approved_by": event.approvals,
        "path": event.path,
    }
    texts = [f"commit subject: {event.subject}"] if event.subject else []
    texts += [f"fact: {event.fact}"] if event.fact else []
    texts += [f"why: {event.reason}"] if event.reason else []
    texts += _changes(event.before, event.after or {}) if event.before is not None else []
    return Quote("\n".join(texts), label)


def _commit_line(event: HistoryEvent) -> str:
    if event.commit is None:
        return f"{event.state}"
    when = (event.date or "")[:16].replace("T", " ")
    before = "at or before " if event.at_or_before else ""
    return f"{event.commit[:12]}  {before}{when}  {word(event.author or '')}  {in_marks(event.subject or '')}".rstrip()


def _event_lines(event: HistoryEvent) -> list[str]:
    what = event.claim or event.entity or event.path
    lines = [f"    {event.kind:12} {word(what)}{f'  {in_marks(_short(event.fact))}' if event.fact else ''}"]
    lines += [f"        why: {in_marks(event.reason)}"] if event.reason else []
    if event.before is not None:
        lines += [f"        {line}" for line in _changes(event.before, event.after or {})]
    facts = [
        f"{name} {word(held)}"
        for name, held in (("plan", event.plan), ("mutation", event.mutation), ("risk", event.risk))
        if held
    ]
    lines += [f"        {', '.join(facts)}"] if facts else []
    people = [f"signed off by {', '.join(map(word, event.signed_off_by))}"] if event.signed_off_by else []
    people += [f"approved by {', '.join(map(word, event.approvals))}"] if event.approvals else []
    lines += [f"        {'; '.join(people)}"] if people else []
    return lines


def _changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Fields whose value is a text or number; what is nested is told by the reason, or in --json."""
    lines = []
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if not isinstance(was, dict | list) and not isinstance(now, dict | list):
            lines.append(f"{word(name)}: {_value(was)} → {_value(now)}")
    return lines


def _value(held: Any) -> str:
    return "nothing" if held is None else _short(json.dumps(held, ensure_ascii=False))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
