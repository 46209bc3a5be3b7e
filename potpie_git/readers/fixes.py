"""How a fix turned out, told by its verifications."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from potpie_git.domain.claim import Claim
from potpie_git.readers.statements import Statement

# What a fix's own record says of it before anybody verified it.
_RECORDED = {"verified": "verified", "worked": "verified", "refuted": "refuted", "failed": "refuted",
             "didnt_work": "refuted", "partial": "partial"}  # fmt: skip
_ORDER = ("verified", "contested", "partial", "unverified", "refuted")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict over a fix, with the number of distinct sources for and against it."""

    verdict: str
    worked: int
    failed: int

    @property
    def place(self) -> int:
        """0 for the best verdict; refuted fixes come last."""
        return _ORDER.index(self.verdict)


def outcome_of(claim: Claim) -> str:
    """What a verification claim says: worked, didnt_work or partial. One that says nothing confirms."""
    said = (claim.details or {}).get("outcome")
    return said if isinstance(said, str) else "worked"


def judge(resolutions: Iterable[Statement], verifications: Sequence[Statement]) -> Outcome:
    """The verdict over one fix: its verifications decide, and only without any what its record says."""
    standing = [one for one in verifications if one.stands]
    worked = _sources(standing, "worked")
    failed = _sources(standing, "didnt_work")
    partial = _sources(standing, "partial")
    if worked and failed:
        verdict = "contested"
    elif failed:
        verdict = "refuted"
    elif partial:
        verdict = "partial"
    elif worked:
        verdict = "verified"
    else:
        verdict = _recorded(resolutions)
    return Outcome(verdict, len(worked), len(failed))


def _sources(verifications: Iterable[Statement], outcome: str) -> frozenset[str]:
    """Distinct sources of one outcome; a verification without a reference counts by who or what verified."""
    return frozenset(
        source
        for one in verifications
        for row in one.rows
        if outcome_of(row.claim) == outcome
        for source in (row.claim.source_refs or [row.claim.subject])
    )


def _recorded(resolutions: Iterable[Statement]) -> str:
    for one in resolutions:
        said = (one.claim.details or {}).get("verification_status")
        if isinstance(said, str) and said in _RECORDED:
            return _RECORDED[said]
    return "unverified"
