"""A policy in words, and what its reader should know about it."""

from __future__ import annotations

from collections.abc import Iterator

from potpie_git.checks.approvals.people import People
from potpie_git.domain.policy import Approver, Policy
from potpie_git.domain.ssh_keys import SshFormatError, parse_public_key
from potpie_git.domain.vocabulary import Risk

_MODES = {
    "signoff": "signoff (attributed: somebody with commit access wrote that name)",
    "signature": "signature (the holder of a listed SSH key approved these bytes)",
}


def policy_text(policy: Policy) -> str:
    """The whole policy, for a terminal."""
    limits = policy.thresholds
    lines = [
        f"Policy, version {policy.version}",
        f"  mode        {_MODES[policy.mode]}",
        f"  needs       low risk {limits.low}, medium {limits.medium}, high {limits.high} approvers",
    ]
    for override in policy.overrides or ():
        where = f"predicate {override.predicate}" if override.predicate else f"subgraph {override.subgraph}"
        counts = ", ".join(
            f"{risk.label} {override.of(risk)}" for risk in Risk if override.of(risk) is not None
        )
        lines.append(f"              {where}: {counts}")
    lines.append(f"  protects    {', '.join(policy.protected) or 'no branch'}")
    if policy.bots:
        lines.append(f"  bots        {', '.join(policy.bots)}")
    if policy.attestation is not None:
        keys = "signed by a listed key" if policy.attestation.keys else "unsigned"
        lines.append(f"  reviews on  {', '.join(policy.attestation.forges)} count, {keys}")
    lines.append("  approvers" if policy.approvers else "  approvers   nobody")
    lines += [line for approver in policy.approvers for line in _approver(approver)]
    return "\n".join(lines)


def _approver(approver: Approver) -> Iterator[str]:
    state = ""
    if approver.revoked is not None:
        state = f", revoked at {approver.revoked}"
    elif approver.valid_until is not None:
        state = f", until {approver.valid_until}"
    yield f"    {approver.name} <{'> <'.join(approver.emails)}>{state}"
    for key in approver.keys or ():
        yield f"      key {_fingerprint(key)}"
    for account in approver.accounts or ():
        yield f"      account {account}"


def _fingerprint(key: str) -> str:
    try:
        parsed = parse_public_key(key)
    except SshFormatError as error:
        return f"that cannot be used: {error}"
    return f"{parsed.kind} {parsed.fingerprint}"


def policy_warnings(policy: Policy) -> list[str]:
    """What this policy makes impossible, or easier than a reader might think."""
    people = People(policy)
    live = {
        people.person(each.principal)
        for each in policy.approvers
        if each.revoked is None and not people.is_bot(each)
    }
    found = []
    if not live:
        found.append("nobody is listed, so nothing above low risk can ever land")
    elif people.sole is not None and policy.self_approval != "never":
        found.append("one approver is listed: they may approve their own changes, labelled self-approved")
    needed = policy.thresholds.high
    if people.sole is None and 1 < len(live) <= needed:
        found.append(
            f"high risk needs {needed} approvers who did not write the change, and {len(live)} are listed: what one of "
            "them writes can never land; list one more with `git potpie policy add-approver`, or run "
            f"`git potpie policy set --high {len(live) - 1}`"
        )
    if policy.mode == "signature":
        keyless = [each.name for each in policy.approvers if not each.keys and each.revoked is None]
        if keyless:
            found.append(f"signatures are asked for, and no key is listed for {', '.join(keyless)}")
    return found
