"""Approving from end to end: what there is to approve, who may, the records, and what is missing afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from potpie_git.checks.approvals.choosing import Chooser, Wish
from potpie_git.checks.approvals.commits import holds_only_approvals, read_commit
from potpie_git.checks.approvals.findings import verdict_findings
from potpie_git.checks.approvals.model import Verdict
from potpie_git.checks.approvals.offers import (
    LandingTarget,
    MayNotApproveError,
    NothingToApproveError,
    Offer,
    offer_plan,
    offer_range,
)
from potpie_git.checks.report import CheckKind, sorted_findings
from potpie_git.checks.review import Review, review
from potpie_git.checks.review.scope import Scope
from potpie_git.domain.approval import Approval, ForgeReview
from potpie_git.domain.errors import RefusedError
from potpie_git.domain.plan import Plan
from potpie_git.domain.policy import Approver
from potpie_git.domain.review_event import ReviewEvent
from potpie_git.store.git import decode
from potpie_git.store.snapshot import TreeSnapshot
from potpie_git.store.ssh import SigningError, SigningKey, sign, signing_key, usable_keys
from potpie_git.wiring import Wiring
from potpie_git.write.approve import (
    DEFAULT_LIFETIME,
    Approvals,
    Approved,
    find_approval,
    make_records,
    stored_approvals,
)
from potpie_git.write.base import Base
from potpie_git.write.fitness import require_current, require_open
from potpie_git.write.results import CommitResult


@dataclass(frozen=True, slots=True)
class Approving:
    """What came of approving: the records, their commits, the plan's commit, and the verdict that holds now."""

    offer: Offer
    approver: Approver
    records: tuple[Approval, ...]
    commits: tuple[CommitResult, ...]
    verdict: Verdict
    self_approved: bool = False
    plan: CommitResult | None = None
    pushed: str | None = None
    notes: tuple[str, ...] = field(default_factory=tuple)


class ApprovalDesk:
    """Approves, and takes back, in one repository. Every method raises `PotpieError`s, and nothing else expected."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self.repository = wiring.repository
        self._chooser = Chooser(wiring.repository, self._committable, wiring.writer.plans, wiring.clock)

    def _committable(self, plan_id: str) -> Plan:
        """A plan that can be committed as it is: an approval of any other would serve for nothing."""
        plan = self._wiring.writer.plan(plan_id)
        require_open(plan)
        require_current(Base(self.repository), plan)
        return plan

    # What there is to approve

    def offer(self, wish: Wish) -> Offer:
        """The change that a user means. Raises `NothingToApproveError`, `PlanNotFound`, `InvalidInputError`."""
        return self._chooser.offer(wish)

    def review(self, offer: Offer) -> Review:
        """What the offer makes true, what it ends and why, beside what is missing."""
        landing, report = offer.landing, offer.report
        found = [*report.findings, *verdict_findings(offer.verdict)]
        scope = Scope(
            kind="range",
            before=landing.before,
            after=landing.after,
            changes=list(offer.differences),
            revisions=f"plan {offer.plan}"
            if offer.plan
            else f"{landing.before.label}..{landing.after.label}",
            ref=offer.ref,
        )
        judged = replace(report, kind=CheckKind.RANGE, findings=sorted_findings(found), grades=landing.grades)
        return review(scope, judged)

    # What is there

    def stored(self) -> list[tuple[str, Approval]]:
        """Every approval of the working tree with its path in the pot, the newest first."""
        return stored_approvals(self.repository)

    def find(self, name: str) -> tuple[str, Approval]:
        """The approval whose file's name begins with `name`. Raises `NotFoundError`, `ConflictError`."""
        return find_approval(Base(self.repository), name)

    # Approving

    def approver(self, offer: Offer) -> Approver:
        """Who of the policy the user is. Raises `MayNotApproveError`."""
        return offer.approver(self._identity()[1])

    def approve(
        self,
        offer: Offer,
        *,
        key: Path | None = None,
        lifetime: timedelta = DEFAULT_LIFETIME,
        signed: bool = False,
        push: bool = False,
    ) -> Approving:
        """Approve an offer: write and commit the records, then the plan if it has all that it needs.

        Signs with `key`, or with a listed key of the user, where policy asks for signatures or `signed` does.
        """
        name, email = self._identity()
        approver = offer.approver(email)
        wanted = self._approved(offer, approver, f"{name} <{email}>")
        now = self._wiring.clock()
        if signed or key is not None or offer.policy.mode == "signature":
            with self._key(approver.keys or (), key, approver.name) as chosen:
                records = make_records(wanted, now, lifetime, lambda message: sign(message, chosen))
        else:
            records = make_records(wanted, now, lifetime)
        return self._commit(offer, approver, records, f"{name} <{email}>", push)

    def approve_review(
        self,
        event: ReviewEvent,
        *,
        key: Path | None = None,
        lifetime: timedelta = DEFAULT_LIFETIME,
        push: bool = False,
    ) -> Approving:
        """Write the approval that a forge's review stands behind; the event is the only evidence.

        Raises `MayNotApproveError` if policy lists no approver with the reviewer's account, or does not count reviews.
        """
        head = self._reviewed(event)
        target = self._chooser.named(event.ref)
        if target is None:
            raise NothingToApproveError(f"{event.ref} is not a protected branch, or is not fetched")
        offer = offer_range(self.repository, target, head, self._wiring.clock())
        approver = _by_account(offer, event.evidence)
        committer = "{} <{}>".format(*self._identity())
        wanted = self._approved(offer, approver, committer, event.evidence)
        rule = offer.policy.attestation
        listed = rule.keys if rule is not None and rule.keys else ()
        now = self._wiring.clock()
        if listed or key is not None:
            with self._key(listed, key, "the job") as chosen:
                records = make_records(wanted, now, lifetime, lambda message: sign(message, chosen))
        else:
            records = make_records(wanted, now, lifetime)
        return self._commit(offer, approver, records, committer, push)

    def _reviewed(self, event: ReviewEvent) -> str:
        """The commit that is checked out, if it is the reviewed one with nothing but approvals on top."""
        head = self.repository.head()
        raw = read_commit(self.repository, head) if head is not None else None
        while raw is not None and raw.id != event.head and holds_only_approvals(self.repository, raw):
            raw = read_commit(self.repository, raw.parents[0])
        if head is None or raw is None or raw.id != event.head:
            raise RefusedError(
                f"the review is of {event.head[:10]}, and {(head or 'nothing')[:10]} is checked out",
                hint="Check out the head of the pull request, not its merge; if it moved on, let them look again.",
                code="not_checked_out",
            )
        return head

    def withdraw(self, name: str, reason: str) -> CommitResult:
        """Take an approval back. Raises `NotFoundError`, `ConflictError`, `InvalidInputError`."""
        committer = "{} <{}>".format(*self._identity())
        return Approvals(self._wiring.writer, self._wiring.clock).withdraw(name, reason, committer)

    @staticmethod
    def _approved(offer: Offer, approver: Approver, by: str, review: ForgeReview | None = None) -> Approved:
        return Approved(
            store=offer.store,
            ref=offer.ref,
            risk=offer.risk,
            principal=approver.principal,
            signed_off_by=by,
            rows=[changed.row for changed in offer.files],
            authors=offer.authors,
            plan=offer.plan,
            range=offer.range,
            attested_by=review,
        )

    def _commit(
        self, offer: Offer, approver: Approver, records: Sequence[Approval], committer: str, push: bool
    ) -> Approving:
        desk = Approvals(self._wiring.writer, self._wiring.clock)
        commits = tuple(desk.commit(record, committer) for record in records)
        verdict = self._again(offer)
        plan = None
        if offer.plan is not None and verdict.approved:
            plan = self._wiring.writer.commit(offer.plan)
        return Approving(
            offer=offer,
            approver=approver,
            records=tuple(records),
            commits=commits,
            verdict=verdict,
            self_approved=offer.is_own(approver),
            plan=plan,
            pushed=self._push() if push else None,
        )

    def _again(self, offer: Offer) -> Verdict:
        """The verdict with what was just committed."""
        now = self._wiring.clock()
        if offer.plan is not None:
            plan = self._wiring.writer.plan(offer.plan)
            return offer_plan(self.repository, plan, self._chooser.named(offer.ref), now).verdict
        head = self.repository.head()
        assert head is not None
        tip = offer.landing.base
        assert isinstance(tip, TreeSnapshot)
        assert tip.commit is not None
        return offer_range(self.repository, LandingTarget(offer.ref, tip.commit), head, now).verdict

    def _identity(self) -> tuple[str, str]:
        identity = self.repository.user_identity()
        if identity is None:
            raise MayNotApproveError(
                "git does not know who you are",
                hint="Set both: `git config user.name NAME` and `git config user.email ADDRESS`.",
            )
        return identity

    @contextmanager
    def _key(self, listed: Sequence[str], given: Path | None, whose: str) -> Iterator[SigningKey]:
        """The key to sign with: the given one, or the first of the user's that policy lists."""
        if given is not None:
            yield signing_key(given)
            return
        configured = decode(
            self.repository.git.run("config", "--get", "user.signingKey", check=False).stdout
        ).strip()
        with tempfile.TemporaryDirectory(prefix="potpie-") as folder:
            usable = usable_keys(listed, configured or None, Path(folder))
            if not usable:
                what = "lists no key" if not listed else "lists no key that is here"
                raise SigningError(
                    f"the policy at the base {what} for {whose}",
                    hint="Name a key with --key, load it into your agent, or have it listed: "
                    "`git potpie policy add-key NAME FILE`.",
                )
            yield usable[0]

    def _push(self) -> str:
        """Push the branch that is checked out to its upstream; returns where it went."""
        branch = self.repository.branch() or "HEAD"
        form = "--format=%(upstream:remotename)%00%(upstream:remoteref)"
        remote, _, there = self.repository.git.text("for-each-ref", form, branch).partition("\0")
        if not remote or not there:
            raise RefusedError(
                "the approval is committed; this branch has no upstream to push it to",
                hint=f"Push it yourself: `git push REMOTE {branch.removeprefix('refs/heads/')}`.",
                code="no_upstream",
            )
        done = self.repository.git.user_run("push", "--quiet", remote, f"{branch}:{there}", check=False)
        if done.status:
            said = decode(done.stderr).strip().splitlines()
            raise RefusedError(
                f"the approval is committed; git push failed: {said[0] if said else 'no message'}",
                hint="Fetch and look, then push again: `git push`.",
                code="push_failed",
                detail={"output": decode(done.stderr)[:4_000]},
            )
        return f"{remote} {there.removeprefix('refs/heads/')}"


def _by_account(offer: Offer, review: ForgeReview) -> Approver:
    """The approver with a reviewer's account, if policy counts reviews of its forge and they may approve."""
    rule = offer.policy.attestation
    if rule is None or review.forge not in rule.forges:
        raise MayNotApproveError(
            f"the policy at the base does not count reviews on {review.forge}",
            hint=f"List it: `git potpie policy set --forge {review.forge}`; or let the reviewer approve themselves.",
        )
    account = f"{review.forge}:{review.account}".casefold()
    found = next(
        (
            each
            for each in offer.policy.approvers
            if account in {held.casefold() for held in each.accounts or ()}
        ),
        None,
    )
    if found is None:
        raise MayNotApproveError(
            f"{review.account} on {review.forge} is not an account of any approver in the policy at the base",
            hint=f"Add it: `git potpie policy add-approver NAME --account {review.forge}:{review.account}`.",
        )
    return offer.approver(found.emails[0])
