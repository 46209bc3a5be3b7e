"""How much each file of a change can take away, from content alone, and what approval that asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from potpie_git.checks.files import JudgedFile
from potpie_git.checks.places import finding
from potpie_git.domain.claim import Claim
from potpie_git.domain.findings import Finding
from potpie_git.domain.layout import FileKind, kind_of
from potpie_git.domain.policy import Policy
from potpie_git.domain.risk import claim_change_risk, path_change_risk
from potpie_git.domain.vocabulary import Risk


@dataclass(frozen=True, slots=True)
class GradedChange:
    """One changed file with its risk; subgraph and predicate of a claim, which policy can treat in its own way."""

    path: str
    risk: Risk
    subgraph: str | None = None
    predicate: str | None = None


def grade(judged: JudgedFile) -> GradedChange:
    """The risk of one file's change; what cannot be read is graded as the worst."""
    change = judged.change
    if kind_of(change.path) is not FileKind.CLAIM:
        risk = path_change_risk(change.path, change.before is not None)
        return GradedChange(change.path, Risk.HIGH if change.after is None else risk)
    after = judged.after.record if judged.after else None
    if not isinstance(after, Claim):
        return GradedChange(change.path, Risk.HIGH)
    before = judged.before.record if judged.before else None
    if change.before is not None and before is None:
        return GradedChange(change.path, Risk.HIGH, after.subgraph, after.predicate)
    return GradedChange(change.path, claim_change_risk(before, after), after.subgraph, after.predicate)


def unapproved(grades: Iterable[GradedChange], policy: Policy) -> Iterator[Finding]:
    """A finding for each file whose change needs an approval by `policy` (A01)."""
    for graded in grades:
        needed = policy.needed(graded.risk, graded.subgraph, graded.predicate)
        if needed:
            message = f"a change of {graded.risk.label} risk needs approval (have 0 of {needed})"
            hint = "Let a listed approver run `git potpie approve`."
            yield finding("PG-A01", graded.path, message, hint)
