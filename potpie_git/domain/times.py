"""Times: ISO 8601 with an offset, kept as the text that the caller gave, compared as instants."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_DATE_ONLY = re.compile(r"\d{4}-\d{2}-\d{2}$")
_WINDOW = re.compile(r"(\d+)\s*([smhdw])$")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class TimeFormatError(ValueError):
    """A text is not a time that this program accepts; the message says what to write instead."""


# One answer asks for the same few times again and again: when it ranks, groups, orders and tells.
@lru_cache(maxsize=8192)
def parse_time(text: str) -> datetime:
    """An instant from ISO 8601 text with an offset (`Z`, `+05:30`).

    Raises `TimeFormatError` if the text is no time or carries no offset: a naive time means another instant on
    every machine.
    """
    try:
        parsed = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise TimeFormatError(f"{text!r} is not a time; write it like 2026-06-01T10:00:00+05:30") from error
    if parsed.tzinfo is None:
        raise TimeFormatError(
            f"{text!r} has no offset; write it like 2026-06-01T10:00:00+05:30 or end it in Z"
        )
    try:
        return parsed.astimezone(UTC)
    except (OverflowError, ValueError) as error:
        raise TimeFormatError(f"{text!r} lies outside the years 1 to 9999") from error


def parse_moment(text: str, now: datetime) -> datetime:
    """A moment that a reader names: a time with an offset, a date (its first instant in UTC), or an age (`30d`).

    A time keeps its offset, so that it is told as it was asked. Raises `TimeFormatError`.
    """
    text = text.strip()
    window = _WINDOW.match(text)
    if window:
        return now - parse_window(text)
    if _DATE_ONLY.match(text):
        try:
            return datetime.fromisoformat(text).replace(tzinfo=UTC)
        except ValueError as error:
            raise TimeFormatError(f"{text!r} is not a date") from error
    parse_time(text)
    return datetime.fromisoformat(text)


def parse_window(text: str) -> timedelta:
    """A span such as `90m`, `24h`, `30d` or `2w`. Raises `TimeFormatError`."""
    match = _WINDOW.match(text.strip())
    if not match:
        raise TimeFormatError(f"{text!r} is not a time window; write it like 24h, 30d or 2w")
    try:
        return timedelta(**{_UNITS[match[2]]: int(match[1])})
    except OverflowError as error:
        raise TimeFormatError(f"{text!r} is too long a time window") from error


def format_time(moment: datetime) -> str:
    """An instant as UTC text with seconds, ending in `Z`."""
    return moment.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")


def utc_now() -> datetime:
    return datetime.now(UTC)
