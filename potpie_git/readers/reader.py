"""What a reader is: the predicates that it reads and the function that turns their claims into candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from potpie_git.readers.items import Found
from potpie_git.readers.question import Question


@dataclass(frozen=True, slots=True)
class Reader:
    """One include's reader. `predicates` None means that it reads every claim."""

    include: str
    predicates: frozenset[str] | None
    read: Callable[[Question], Found]
