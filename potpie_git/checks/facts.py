"""What the rules over several records need to know of a claim, in little memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from potpie_git.domain.claim import Claim, value_digest
from potpie_git.domain.keys import folded_key
from potpie_git.domain.validation.problem import FieldPath
from potpie_git.store.codec import Decoded

_LINES: Final[Mapping[str, FieldPath]] = {
    "subject": ("subject",),
    "object": ("object",),
    "reinstates": ("reinstates",),
    "invalidation": ("invalidation",),
    "superseded_by": ("invalidation", "superseded_by"),
}


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """One claim of the tree after the change; `path` is relative to the pot, `lines` are those of its fields."""

    path: str
    id: str
    subject: str
    predicate: str
    object: str | None
    environment: str | None
    live: bool
    digest: str
    op: str | None
    superseded_by: str | None
    reinstates: str | None
    recorded_at: str
    lines: Mapping[str, int]

    @property
    def folded_subject(self) -> str:
        return folded_key(self.subject)


def claim_facts(decoded: Decoded[Any]) -> ClaimFacts:
    """The facts of a decoded claim."""
    claim = decoded.record
    assert isinstance(claim, Claim)
    stamp = claim.invalidation
    return ClaimFacts(
        path=decoded.path,
        id=claim.id,
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        environment=claim.environment,
        live=claim.live,
        digest=value_digest(claim),
        op=stamp.op if stamp else None,
        superseded_by=stamp.superseded_by if stamp else None,
        reinstates=claim.reinstates,
        recorded_at=claim.provenance.recorded_at,
        lines={name: decoded.line(field) for name, field in _LINES.items()},
    )
