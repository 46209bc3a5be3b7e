"""The authoritative check: what BASE..HEAD would land, judged against BASE and by BASE's policy alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from potpie_git.checks.approvals.base import base_policy, pin_findings
from potpie_git.checks.approvals.enforce import range_verdict
from potpie_git.checks.approvals.findings import verdict_findings
from potpie_git.checks.engine import check_change
from potpie_git.checks.landing import (
    Landing,
    NotAFullRefError,
    UnrelatedHistoriesError,
    full_ref,
    landed_changes,
    landing_of,
    target_ref,
)
from potpie_git.checks.report import CheckKind, CheckReport, sorted_findings
from potpie_git.domain.files import Policy
from potpie_git.domain.findings import Finding
from potpie_git.domain.layout import POLICY_FILE, POT_DIRECTORY
from potpie_git.domain.times import utc_now
from potpie_git.store.errors import MissingObjectError, UnknownRevisionError
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot

_RANGE: Final = re.compile(r"(?P<base>[^-.].*?)(?<!\.)\.\.(?P<head>[^-.].*)", re.DOTALL)
_DEEPEN: Final = "Fetch the whole history: `git fetch --unshallow` (in CI, check out with depth 0)."


@dataclass(frozen=True, slots=True)
class Target:
    """Where a change lands: the full name of the ref if it is known, and whether its approvals are to be judged.

    `trust_root` pins the policy that it is judged by: the SHA-256 of the file at the base, or of the first one.
    """

    ref: str | None
    with_approvals: bool = True
    trust_root: str | None = None


def check_range(
    repo: Repository, revisions: str, ref: str | None = None, trust_root: str | None = None
) -> CheckReport:
    """Judge BASE..HEAD as it would land on `ref` (full name; by default the branch that BASE names).

    `trust_root` is the SHA-256 of the only policy that may judge. What cannot be judged is a finding: R01 for
    incomplete history, R02 for an end or a target that is not known.
    """
    match = _RANGE.fullmatch(revisions)
    if match is None:
        shown = revisions if revisions.isprintable() else repr(revisions)
        return _not_judged(
            revisions, "", [_unknown(f"{shown!r} is not a range", "Write BASE..HEAD, with two dots.")]
        )
    base, head = match["base"], match["head"]
    try:
        target = Target(full_ref(ref) or target_ref(repo, base), trust_root=trust_root)
    except NotAFullRefError as error:
        return _not_judged(base, head, [_unknown(error.message, error.hint)])
    return check_landing(repo, base, head, target)


def check_landing(
    repo: Repository, base: str, head: str, target: Target, *, exact: bool = False
) -> CheckReport:
    """Judge what lands on `target` when `head` meets `base`; `exact`: it takes the place of `base` as it is."""
    if repo.is_shallow:
        message = "this clone is shallow, so what the range would land cannot be told"
        return _not_judged(base, head, [_root_finding("PG-R01", message, _DEEPEN)])
    ends: list[str] = []
    unknown: list[Finding] = []
    for name in (base, head):
        try:
            ends.append(repo.git.verify_commit(name))
        except UnknownRevisionError as error:
            unknown.append(_unknown(error.message, error.hint))
    if unknown:
        return _not_judged(base, head, unknown)
    try:
        landing = Landing(ends[1], ()) if exact else landing_of(repo, ends[0], ends[1])
        return _judged(repo, (base, ends[0]), (head, ends[1]), landing, target)
    except UnrelatedHistoriesError as error:
        hint = "Rebase HEAD onto the branch that it is to land on."
        return _not_judged(base, head, [_root_finding("PG-R03", error.message, hint)])
    except MissingObjectError as error:
        return _not_judged(base, head, [_root_finding("PG-R01", error.message, error.hint)])


def _judged(
    repo: Repository, base: tuple[str, str], head: tuple[str, str], landing: Landing, target: Target
) -> CheckReport:
    before = TreeSnapshot(repo, base[1], name=base[0])
    tip = TreeSnapshot(repo, head[1], name=head[0])
    after = (
        tip if landing.tree == head[1] else TreeSnapshot(repo, landing.tree, name=f"{head[0]} on {base[0]}")
    )
    changes, disputed = landed_changes(before, landing, after, tip)
    report = check_change(before, after, CheckKind.RANGE, changes)
    found = [*report.findings, *disputed]
    if changes or disputed:
        about, counted = _approvals(before, tip, after, report, target)
        return replace(report, findings=sorted_findings([*found, *about]), counted=counted)
    return replace(report, findings=sorted_findings(found))


def _approvals(
    before: TreeSnapshot, tip: TreeSnapshot, after: TreeSnapshot, report: CheckReport, target: Target
) -> tuple[list[Finding], dict[str, str]]:
    """What the policy at the base asks for beyond the rules, and how each approval that counts does, by path.

    The first policy is its own base.
    """
    pin = target.trust_root
    if not before.exists():
        return pin_findings(after, pin), {}
    policy, about_policy = base_policy(before, pin)
    if policy is None:
        is_pinned = pin is not None and before.entry(POLICY_FILE) is None and not pin_findings(after, pin)
        return ([] if is_pinned else about_policy), {}
    if not target.with_approvals or not _is_protected(policy, target.ref):
        return [], {}
    assert tip.commit is not None
    verdict = range_verdict(before, after, tip.commit, report.grades, policy, target.ref, utc_now())
    counted = {judged.record.path: judged.label for judged in verdict.records if judged.counts}
    return verdict_findings(verdict), counted


def _is_protected(policy: Policy, ref: str | None) -> bool:
    """A target that is not known by name is taken for a protected one."""
    return ref is None or policy.protects(ref)


def _unknown(message: str, hint: str) -> Finding:
    return _root_finding("PG-R02", message, hint)


def _root_finding(code: str, message: str, hint: str) -> Finding:
    return Finding(code=code, path=POT_DIRECTORY, message=message, hint=hint)


def _not_judged(base: str, head: str, found: list[Finding]) -> CheckReport:
    return CheckReport(CheckKind.RANGE, base, head, 0, sorted_findings(found))
