"""How long what a claim says stays fresh, and what became of the place that it cites."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from potpie_git.domain.claim import Claim
from potpie_git.domain.keys import entity_type_of
from potpie_git.domain.times import parse_time


class EvidenceState(StrEnum):
    """A cited place in the repository against what stands there now."""

    CURRENT = "current"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"


def time_to_live(claim: Claim) -> timedelta | None:
    """How long the claim's fact family stays fresh; None if its subject names no entity type.

    What a person or team did belongs to the activity's family, not to theirs.
    """
    ends = [entity_type_of(claim.subject), entity_type_of(claim.object or "")]
    found = next((end for end in ends if end is not None and end.activity), ends[0])
    return timedelta(hours=found.ttl_hours) if found else None


def last_seen(claim: Claim) -> datetime:
    """When somebody last looked: the time of the observation, else of the recording."""
    return parse_time(claim.observed_at or claim.provenance.recorded_at)


def outlived(claim: Claim, now: datetime) -> bool:
    """True if the claim's time to live has passed at `now`."""
    span = time_to_live(claim)
    return span is not None and now - last_seen(claim) > span
