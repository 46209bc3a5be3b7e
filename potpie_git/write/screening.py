"""Credentials are refused where a write begins: nothing of them is stored, not even in a plan, or echoed.

What a credential looks like is the checks' knowledge, and is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from potpie_git.domain.errors import IssuesError
from potpie_git.domain.plan import Plan, PlanState
from potpie_git.write.issues import Issue

CODE = "PG-C01"
HINT = "Revoke it where it was issued, then write what it is for instead."


class Leak(Protocol):
    """What looks like a credential: its kind, the line that it stands in, its text, and as much as may be shown."""

    @property
    def kind(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def masked(self) -> str: ...


Screen = Callable[[Iterable[tuple[int, str]]], Sequence[Leak]]


@dataclass(frozen=True, slots=True)
class _Place:
    op_index: int | None
    field: str


def screen_plan(screen: Screen, plan: Plan, payload: Any, message: str | None) -> bool:
    """Whether a plan's payload holds no credential; if it does, the plan keeps its faults alone, without the texts."""
    leaks = _leaks(screen, {"message": message, "payload": payload})
    if not leaks:
        return True
    found = [leak for _, leak in leaks]
    others = [{name: _masked(held, found) for name, held in issue.items()} for issue in plan.issues]
    plan.issues = [*(issue.as_dict() for issue in _issues(leaks)), *others]
    plan.state, plan.operations, plan.edits, plan.message = PlanState.INVALID, [], [], None
    return False


def refuse_leaks(screen: Screen, data: Mapping[str, Any]) -> None:
    """Raise `IssuesError` if a text in `data` holds a credential."""
    issues = list(_issues(_leaks(screen, data)))
    if issues:
        raise IssuesError(issues[0].message, [issue.as_dict() for issue in issues], hint=HINT)


def _leaks(screen: Screen, data: Any) -> list[tuple[_Place, Leak]]:
    """Credentials with their places. A text is looked at behind its field's name, as it will stand in a file."""
    places: list[_Place] = []
    lines: list[tuple[int, str]] = []
    for place, text in _texts(data, _Place(None, "")):
        for line in text.splitlines():
            lines.append((len(places), f"{place.field.rpartition('.')[2]}: {line}"))
            places.append(place)
    return [(places[leak.line], leak) for leak in screen(lines)]


def _texts(data: Any, place: _Place) -> Iterator[tuple[_Place, str]]:
    if isinstance(data, str):
        yield place, data
    elif isinstance(data, Mapping):
        for name, held in data.items():
            inside = f"{place.field}.{name}" if place.field and place.field != "payload" else str(name)
            yield from _texts(held, _Place(place.op_index, inside))
    elif isinstance(data, list | tuple):
        for index, held in enumerate(data):
            is_operation = place.field == "operations" and place.op_index is None
            yield from _texts(held, _Place(index, "") if is_operation else place)


def _issues(leaks: Iterable[tuple[_Place, Leak]]) -> Iterator[Issue]:
    for place, leak in leaks:
        yield Issue(CODE, told(place.field or "a text", leak), HINT, place.field or None, place.op_index)


def told(where: str, leak: Leak) -> str:
    """What is wrong at a place, without the credential."""
    return f"{where} holds what looks like a credential: {leak.kind} ({leak.masked})"


def _masked(held: Any, leaks: Sequence[Leak]) -> Any:
    if isinstance(held, str):
        for leak in sorted(leaks, key=lambda one: -len(one.text)):
            held = held.replace(leak.text, leak.masked)
    return held
