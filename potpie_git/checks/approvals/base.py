"""The policy that a change is judged by: the one at its base, never one that it brings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from potpie_git.checks.grading import GradedChange
from potpie_git.checks.places import finding
from potpie_git.domain.approval import content_digest
from potpie_git.domain.findings import Finding, has_errors
from potpie_git.domain.layout import POLICY_FILE
from potpie_git.domain.policy import Policy
from potpie_git.store.codec import file_findings
from potpie_git.store.snapshot import Snapshot


def base_policy(before: Snapshot, trust_root: str | None = None) -> tuple[Policy | None, list[Finding]]:
    """The policy at the base, or why there is none to judge by (P01, P02).

    `trust_root` is the SHA-256 that it has to have, if somebody pinned it.
    """
    if before.entry(POLICY_FILE) is None:
        hint = (
            "Let a maintainer commit .potpie/policy.yaml to the target branch; `git potpie init` writes one."
        )
        return None, [finding("PG-P01", POLICY_FILE, f"there is no policy at {before.label}", hint)]
    raw = before.read(POLICY_FILE)
    pinned = pin_findings(before, trust_root)
    if pinned:
        return None, pinned
    decoded, found = file_findings(POLICY_FILE, raw)
    if decoded is None or has_errors(found):
        said = found[0].message if found else "it does not decode"
        hint = "Mend the policy on the target branch first."
        message = f"the policy at {before.label} cannot be read: {said}"
        return None, [finding("PG-P02", POLICY_FILE, message, hint, found[0].line if found else 1)]
    return decoded.record, []


def needs_approval(policy: Policy, grades: Iterable[GradedChange]) -> Iterator[GradedChange]:
    """The changed files that somebody has to approve."""
    return (each for each in grades if policy.needed(each.risk, each.subgraph, each.predicate))


def pin_findings(snapshot: Snapshot, trust_root: str | None) -> list[Finding]:
    """What is wrong if the policy of a snapshot is not the pinned one (P01)."""
    if trust_root is None:
        return []
    entry = snapshot.entry(POLICY_FILE)
    digest = content_digest(snapshot.read(POLICY_FILE) if entry else None)
    if digest == trust_root.lower():
        return []
    hint = "Pin the digest of the policy that you trust: `sha256sum .potpie/policy.yaml`, as reviewed."
    message = f"the policy at {snapshot.label} is not the pinned one: its SHA-256 is {digest}"
    return [finding("PG-P01", POLICY_FILE, message, hint)]
