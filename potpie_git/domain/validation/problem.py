"""What a rule says about one record, before anybody knows in which file or operation it stands."""

from __future__ import annotations

from dataclasses import dataclass, field

FieldPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A broken rule: its stable code, the field that breaks it, what is wrong and the remedy."""

    code: str
    message: str
    hint: str
    field: FieldPath = field(default_factory=tuple)
    blocking: bool = True
