"""What a command returns: a result for machines, a text for people, and everything the envelope adds to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from potpie_git.domain.errors import ExitCode


@dataclass(slots=True)
class Reply:
    """A command's outcome. `text` is printed for people, `result` stands in the JSON envelope.

    `raw` replaces the whole standard output of the human form and of formats that are documents of their own.
    `identity` is the pot's id and its subgraphs' versions, where the command looked at them already.
    """

    result: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    warnings: Sequence[Mapping[str, Any]] = ()
    unsupported: Sequence[Mapping[str, Any]] = ()
    next_action: str | None = None
    exit_code: ExitCode = ExitCode.OK
    ok: bool = True
    raw: str | None = None
    identity: tuple[str | None, Mapping[str, str | None]] | None = None
