"""What is said of an approval that does not count: one function a fault, each with its rule's code and the remedy."""

from __future__ import annotations

from collections.abc import Collection

from potpie_git.checks.approvals.model import Fault
from potpie_git.domain.approval import Withdrawal

_AGAIN = "Approve again: `git potpie approve`."
_LISTED = "Let somebody approve whom policy.yaml at the base lists: `git potpie policy show`."


def not_listed(principal: str) -> Fault:
    return Fault("PG-A02", f"{principal} is not an approver in the policy at the base", _LISTED)


def bot(name: str) -> Fault:
    return Fault("PG-A02", f"{name} is listed as a bot, and bots approve nothing", _LISTED)


def other_address(signed_off_by: str, name: str) -> Fault:
    hint = "Commit under an address that policy lists (`git config user.email`), and approve again."
    return Fault(
        "PG-A02", f"{signed_off_by} is not an address that the policy at the base lists for {name}", hint
    )


def account_not_listed(forge: str, account: str, name: str) -> Fault:
    hint = f"Add {forge}:{account} to the accounts of {name} in policy.yaml, and land that first."
    return Fault("PG-A02", f"{account} on {forge} is not an account that policy lists for {name}", hint)


def bad_signature(why: str) -> Fault:
    return Fault("PG-A03", f"the signature does not verify: {why}", _AGAIN)


def author(principal: str) -> Fault:
    hint = (
        "Let another listed person approve. After a local squash, keep the author: `git commit --author=…`."
    )
    return Fault("PG-A04", f"{principal} wrote part of what this approves", hint)


def by_author(commit: str, email: str) -> Fault:
    hint = "Let the approver run `git potpie approve` and push that commit."
    return Fault(
        "PG-A04",
        f"commit {commit[:10]}, which adds it, is by {email}, who wrote part of what it approves",
        hint,
    )


def edited(path: str) -> Fault:
    return Fault("PG-A05", f"{path} changed since this approval", _AGAIN)


def not_landing(path: str) -> Fault:
    hint = "Land all that was approved together, or approve what does land."
    return Fault("PG-A05", f"only part of what this approves is landing: {path} is not", hint)


def understated(said: str, found: str) -> Fault:
    return Fault("PG-A05", f"it was approved as a change of {said} risk, and is one of {found} risk", _AGAIN)


def used(where: str) -> Fault:
    return Fault(
        "PG-A06", f"its nonce is used already, by {where}", f"Each approver makes a record. {_AGAIN}"
    )


def other_store(said: str, store: str) -> Fault:
    return Fault("PG-A07", f"it is for the pot {said}, and this is {store}", _AGAIN)


def other_ref(said: str, refs: Collection[str]) -> Fault:
    if not refs:
        return Fault(
            "PG-A07",
            f"it is for {said}, and nobody said where this lands",
            "Say it: `--ref refs/heads/main`.",
        )
    if said in refs:
        others = ", ".join(sorted(refs))
        return Fault(
            "PG-A07", f"it is for {said}, and this may land on any of {others}", f"Say which: `--ref {said}`."
        )
    hint = f"Approve for that branch: `git potpie approve --ref {min(refs)}`."
    return Fault("PG-A07", f"it is for {said}, and this lands on {', '.join(sorted(refs))}", hint)


def expired(at: str) -> Fault:
    return Fault("PG-A08", f"it expired at {at}", _AGAIN)


def not_yet(at: str) -> Fault:
    return Fault("PG-A08", f"it is dated in the future, {at}", "Set the clock right, and approve again.")


def withdrawn(withdrawal: Withdrawal | None) -> Fault:
    said = f" by {withdrawal.by}: {withdrawal.reason}" if withdrawal else " by a commit of this range"
    return Fault("PG-A08", f"it was withdrawn{said}", _AGAIN)


def revoked(name: str, at: str) -> Fault:
    return Fault("PG-A08", f"{name} was revoked as an approver at {at}", _LISTED)


def run_out(name: str, at: str) -> Fault:
    return Fault("PG-A08", f"{name} was an approver until {at}", _LISTED)


def unreadable(why: str) -> Fault:
    return Fault("PG-A09", f"the record cannot be read: {why}", "Restore the file, or approve again.")


def misnamed(expected: str) -> Fault:
    return Fault(
        "PG-A09",
        f"the record was changed: its content belongs at {expected}",
        "Restore it, or approve again.",
    )


def unsigned() -> Fault:
    hint = "Approve again with an SSH key that policy lists: `git potpie approve` signs."
    return Fault("PG-A10", "it is attributed only, and policy asks for signatures", hint)


def not_signed_off(commit: str, name: str) -> Fault:
    hint = "Approve with `git potpie approve`, which signs off; trailers stand in the last paragraph of a message."
    return Fault("PG-A10", f"commit {commit[:10]}, which adds it, is not signed off by {name}", hint)


def forge_not_listed(forge: str) -> Fault:
    hint = f"List {forge} under `attestation` in policy.yaml, or let the reviewer run `git potpie approve`."
    return Fault("PG-A10", f"a review on {forge} stands behind it, and policy does not count those", hint)
