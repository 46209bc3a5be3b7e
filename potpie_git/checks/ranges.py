"""The authoritative check: what BASE..HEAD would land, judged against BASE and by BASE's policy alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from potpie_git.checks.engine import check_change
from potpie_git.checks.grading import unapproved
from potpie_git.checks.landing import (
    Landing,
    UnrelatedHistoriesError,
    landed_changes,
    landing_of,
    merge_findings,
)
from potpie_git.checks.places import finding
from potpie_git.checks.report import CheckKind, CheckReport, sorted_findings
from potpie_git.domain.files import Policy
from potpie_git.domain.findings import Finding, has_errors
from potpie_git.domain.layout import POLICY_FILE, POT_DIRECTORY
from potpie_git.store.codec import file_findings
from potpie_git.store.errors import MissingObjectError, UnknownRevisionError
from potpie_git.store.git import decode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import Snapshot, TreeSnapshot

_RANGE: Final = re.compile(r"(?P<base>[^-].*?)\.\.(?P<head>[^-.].*)", re.DOTALL)
_REMOTE_BRANCH: Final = re.compile(r"refs/remotes/[^/]+/(.+)")
_DEEPEN: Final = "Fetch the whole history: `git fetch --unshallow` (in CI, check out with depth 0)."


@dataclass(frozen=True, slots=True)
class Target:
    """Where a change lands: the full name of the ref if it is known, and whether its approvals are to be judged."""

    ref: str | None
    with_approvals: bool = True


def check_range(repo: Repository, revisions: str, ref: str | None = None) -> CheckReport:
    """Judge BASE..HEAD as it would land on `ref` (full name; by default the branch that BASE names).

    What cannot be judged is a finding: R01 for incomplete history, R02 for an end that is not known.
    """
    match = _RANGE.fullmatch(revisions)
    if match is None:
        shown = revisions if revisions.isprintable() else repr(revisions)
        return _not_judged(revisions, "", [_unknown(f"{shown!r} is not a range", "Write BASE..HEAD.")])
    base, head = match["base"], match["head"]
    target = Target(ref or target_ref(repo, base))
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
    changes = landed_changes(before, landing, after)
    report = check_change(before, after, CheckKind.RANGE, changes)
    found = [*report.findings, *merge_findings(landing, changes, tip)]
    if before.exists() and (changes or landing.conflicts):
        policy, about_policy = base_policy(before)
        found += about_policy
        if policy is not None and target.with_approvals and _is_protected(policy, target.ref):
            found += unapproved(report.grades, policy)
    return replace(report, findings=sorted_findings(found))


def base_policy(before: Snapshot) -> tuple[Policy | None, list[Finding]]:
    """The policy that a change onto `before` is judged by, or why there is none (P01, P02)."""
    if before.entry(POLICY_FILE) is None:
        hint = (
            "Let a maintainer commit .potpie/policy.yaml to the target branch; `git potpie init` writes one."
        )
        return None, [finding("PG-P01", POLICY_FILE, f"there is no policy at {before.label}", hint)]
    decoded, found = file_findings(POLICY_FILE, before.read(POLICY_FILE))
    if decoded is None or has_errors(found):
        said = found[0].message if found else "it does not decode"
        hint = "Mend the policy on the target branch first."
        message = f"the policy at {before.label} cannot be read: {said}"
        return None, [finding("PG-P02", POLICY_FILE, message, hint, found[0].line if found else 1)]
    return decoded.record, []


def _is_protected(policy: Policy, ref: str | None) -> bool:
    """A target that is not known by name is taken for a protected one."""
    return ref is None or policy.protects(ref)


def target_ref(repo: Repository, base: str) -> str | None:
    """The full name of the branch that `base` names, here or on a remote; None if it names none."""
    named = repo.git.run(
        "rev-parse", "--symbolic-full-name", "--verify", "--end-of-options", base, check=False
    )
    name = decode(named.stdout).strip()
    remote = _REMOTE_BRANCH.fullmatch(name)
    if remote:
        return f"refs/heads/{remote[1]}"
    return name if name.startswith("refs/heads/") else None


def _unknown(message: str, hint: str) -> Finding:
    return _root_finding("PG-R02", message, hint)


def _root_finding(code: str, message: str, hint: str) -> Finding:
    return Finding(code=code, path=POT_DIRECTORY, message=message, hint=hint)


def _not_judged(base: str, head: str, found: list[Finding]) -> CheckReport:
    return CheckReport(CheckKind.RANGE, base, head, 0, sorted_findings(found))
