"""Ids of plans and mutations: a letter and a ULID, so that they sort by the time they were made."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime

# Crockford's base 32, in lower case: no i, l, o or u to misread.
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 26
_RANDOM_BITS = 80
_PLAN_ID = re.compile(rf"p-[{_ALPHABET}]{{{_LENGTH}}}")


def new_plan_id(now: datetime) -> str:
    return f"p-{_ulid(now)}"


def new_mutation_id(now: datetime) -> str:
    return f"m-{_ulid(now)}"


def is_plan_id(text: str) -> bool:
    return _PLAN_ID.fullmatch(text) is not None


def made_at(identifier: str) -> datetime:
    """When a plan's or mutation's id was made, to the millisecond."""
    value = 0
    for char in identifier[2:]:
        value = value * 32 + _ALPHABET.index(char)
    return datetime.fromtimestamp((value >> _RANDOM_BITS) / 1000, UTC)


def _ulid(now: datetime) -> str:
    value = (int(now.timestamp() * 1000) << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))
