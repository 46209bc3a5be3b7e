"""What a change of the policy takes away from it, in words."""

from __future__ import annotations

from collections.abc import Iterator

from potpie_git.checks.review.model import Note, NoteKind
from potpie_git.domain.policy import Policy
from potpie_git.domain.vocabulary import Risk


def weakenings(before: Policy, after: Policy) -> Iterator[Note]:
    """A note for each way in which `after` asks for less than `before`, or trusts more."""
    yield from _thresholds(before, after)
    yield from _approvers(before, after)
    if (before.mode, after.mode) == ("signature", "signoff"):
        yield _note("a sign-off will do where a signature was asked for")
    for ref in before.protected:
        if ref not in after.protected:
            yield _note("a pattern of protected branches is dropped", ref)
    for bot in before.bots:
        if bot not in after.bots:
            yield _note("a name is no longer listed as a bot", bot)
    if before.self_approval == "never" and after.self_approval != "never":
        yield _note("the only approver may approve their own change")
    if after.attestation is not None and after.attestation != before.attestation:
        yield _note("reviews on a forge count as approvals", "\n".join(after.attestation.forges))


def _thresholds(before: Policy, after: Policy) -> Iterator[Note]:
    for risk in Risk:
        was, now = before.thresholds.of(risk), after.thresholds.of(risk)
        if now < was:
            yield _note(f"a change of {risk.label} risk will need {now} instead of {was} approvals")
    if after.overrides and after.overrides != before.overrides:
        yield _note("other thresholds apply to some subgraphs or predicates; see the fields")


def _approvers(before: Policy, after: Policy) -> Iterator[Note]:
    known = {approver.name: approver for approver in before.approvers}
    for approver in after.approvers:
        old = known.get(approver.name)
        if old is None:
            yield _note("somebody more may approve", approver.name)
            continue
        if old.revoked is not None and approver.revoked is None:
            yield _note("a revocation is taken back", approver.name)
        for what in ("keys", "emails", "accounts"):
            if set(getattr(approver, what) or ()) - set(getattr(old, what) or ()):
                yield _note(f"more {what} are accepted for an approver", approver.name)


def _note(message: str, quote: str | None = None) -> Note:
    return Note(kind=NoteKind.WEAKENS, message=message, quote=quote)
