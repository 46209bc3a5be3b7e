"""What there is to approve: a branch, a range, a plan or some files, as the check of its landing will see it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from potpie_git.checks.approvals.base import base_policy, needs_approval
from potpie_git.checks.approvals.commits import commits_between
from potpie_git.checks.approvals.enforce import Work, user, work_landing
from potpie_git.checks.approvals.gather import Landing, change_of, judge, pot_id
from potpie_git.checks.approvals.model import ChangedFile, Person, Verdict
from potpie_git.checks.approvals.people import People
from potpie_git.checks.approvals.places import protected_tips
from potpie_git.checks.engine import check_change
from potpie_git.checks.landing import landed_changes, landing_of
from potpie_git.checks.report import CheckKind, CheckReport
from potpie_git.domain.errors import ConflictError, RefusedError
from potpie_git.domain.plan import Plan
from potpie_git.domain.policy import Approver, Policy
from potpie_git.domain.trailers import person
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.git import decode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import Change as Difference
from potpie_git.store.snapshot import PlannedSnapshot, TreeSnapshot, diff

_APART: Final = " What others wrote you can approve apart: `git potpie approve PATH...`."


class NothingToApproveError(RefusedError):
    """Nothing in the change asks for an approval."""

    code = "nothing_to_approve"


class MayNotApproveError(RefusedError):
    """The user is no approver by the policy at the base, or wrote the change."""

    code = "may_not_approve"


@dataclass(frozen=True, slots=True)
class LandingTarget:
    """A protected branch and the commit that it is at."""

    ref: str
    tip: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A change that somebody may approve, with everything that a record of it has to say.

    `plan` or `range` names what it is; `report` is what the rules say of it, `verdict` what holds without the new
    approval.
    """

    landing: Landing
    differences: tuple[Difference, ...]
    files: tuple[ChangedFile, ...]
    policy: Policy
    store: str
    ref: str
    verdict: Verdict
    report: CheckReport
    plan: str | None = None
    range: str | None = None

    @property
    def risk(self) -> Risk:
        return max((changed.risk for changed in self.files), default=Risk.LOW)

    @property
    def authors(self) -> list[str]:
        """Addresses of the authors and names from stamps, as far as they are known."""
        emails = {author.email for changed in self.files for author in changed.authors if author.email}
        return sorted(emails | {actor for changed in self.files for actor in changed.actors})

    def approver(self, email: str) -> Approver:
        """The approver who has this address. Raises `MayNotApproveError`."""
        found = next((each for each in self.policy.approvers if email in each.emails), None)
        if found is None:
            listed = ", ".join(each.name for each in self.policy.approvers) or "nobody"
            raise MayNotApproveError(
                f"{email} is not an approver in the policy at the base, which lists {listed}",
                hint="Ask one of them, or set the address that policy lists: `git config user.email ADDRESS`.",
            )
        people = People(self.policy)
        own = any(people.wrote(found.principal, changed) for changed in self.files)
        if own and not people.may_approve_own(found.principal):
            others = ", ".join(self.verdict.eligible) or "nobody who is listed"
            apart = "" if all(people.wrote(found.principal, each) for each in self.files) else _APART
            raise MayNotApproveError(
                f"{found.name} wrote part of this, and authors do not approve their own changes",
                hint=f"Who can approve it: {others}.{apart}",
            )
        return found

    def is_own(self, approver: Approver) -> bool:
        """True if the approver wrote part of it, so that the approval is labelled self-approved."""
        people = People(self.policy)
        return any(people.wrote(approver.principal, changed) for changed in self.files)


def landing_target(repository: Repository, policy: Policy, ref: str | None = None) -> LandingTarget | None:
    """The protected branch that work lands on: `ref`, or the first that exists; None if there is none."""
    tips = protected_tips(repository, policy)
    if ref is not None:
        return LandingTarget(ref, tips[ref]) if ref in tips else None
    return next((LandingTarget(name, tip) for name, tip in tips.items()), None)


def branch_landing(
    repository: Repository,
    target: LandingTarget,
    head: str,
    after: PlannedSnapshot,
    author: Person | None = None,
) -> Landing:
    """What some files written on top of `head` land on a target, judged against where `head` left it.

    `author` wrote them, or else the user did. Only they are looked at: a branch of many commits is not read anew.
    """
    found = repository.git.run("merge-base", head, target.tip, check=False)
    fork = decode(found.stdout).split("\n", 1)[0] if found.status == 0 else None
    before = TreeSnapshot(repository, fork, name=target.ref.removeprefix("refs/heads/"))
    differences = [change for change in diff(before, after) if change.path in after.changes]
    tip = TreeSnapshot(repository, head, name="HEAD")
    return Landing(
        repository=repository,
        before=before,
        after=after,
        grades=check_change(before, after, CheckKind.RANGE, differences).grades,
        commits=commits_between(repository, [target.tip], [head]),
        worker=author or user(repository),
        uncommitted=frozenset(
            each.path for each in differences if after.entry(each.path) != tip.entry(each.path)
        ),
    )


def offer_range(repository: Repository, target: LandingTarget, head: str, now: datetime) -> Offer:
    """The landing of the commit `head` on a target as something to approve."""
    landing = landing_of(repository, target.tip, head)
    before = TreeSnapshot(repository, target.tip, name=target.ref.removeprefix("refs/heads/"))
    after = TreeSnapshot(repository, landing.tree, name=head[:10])
    differences, disputed = landed_changes(before, landing, after, TreeSnapshot(repository, head))
    if disputed:
        raise ConflictError(
            f"{disputed[0].path}: {disputed[0].message}",
            hint=f"Merge {before.label} into the branch, settle it, and approve the result.",
        )
    report = check_change(before, after, CheckKind.RANGE, differences)
    commits = commits_between(repository, [target.tip], [head])
    gathered = Landing(repository, before, after, report.grades, commits)
    return _offer(gathered, report, differences, target.ref, now, range=f"{target.tip}..{head}")


def offer_plan(repository: Repository, plan: Plan, target: LandingTarget | None, now: datetime) -> Offer:
    """A plan as something to approve: on the protected branch that is checked out, or else for a target."""
    head, branch = repository.head(), repository.branch()
    if head is None or not plan.edits:
        raise NothingToApproveError(f"plan {plan.plan_id} writes nothing that needs an approval")
    tip = TreeSnapshot(repository, head, name="HEAD")
    files = {edit.path: edit.after.encode() for edit in plan.edits}
    after = PlannedSnapshot(repository, tip, files, f"plan {plan.plan_id}")
    policy = base_policy(tip)[0] or Policy(version=1)
    if branch is not None and policy.protects(branch) and (target is None or target.ref == branch):
        report = check_change(tip, after, CheckKind.STAGED)
        work = Work(repository, head, branch, after, report.grades, plan_author(plan))
        landing, ref = work_landing(work), branch
    else:
        target = target or landing_target(repository, policy)
        if target is None:
            raise NothingToApproveError("there is no protected branch that the plan could land on")
        landing, ref = branch_landing(repository, target, head, after, plan_author(plan)), target.ref
        report = check_change(tip, after, CheckKind.STAGED)
    own = [each for each in diff(landing.before, after) if each.path in files]
    landing = replace(landing, grades=tuple(each for each in landing.grades if each.path in files))
    return _offer(landing, report, own, ref, now, plan=plan.plan_id)


def plan_author(plan: Plan) -> Person | None:
    """Who proposed a plan, and will be the author of its commit; None if nobody knows."""
    named = person(plan.author) if plan.author else None
    return Person(*named) if named else None


def narrowed(offer: Offer, paths: Collection[str]) -> Offer:
    """The offer for some files alone (paths in the pot, or directories). Raises `NothingToApproveError`."""
    chosen = tuple(changed for changed in offer.files if _within(changed.path, paths))
    if not chosen:
        raise NothingToApproveError(f"nothing that changes lies under {', '.join(paths)}")
    names = {changed.path for changed in chosen}
    kept = tuple(each for each in offer.differences if each.path in names)
    return replace(offer, files=chosen, differences=kept)


def _within(path: str, paths: Iterable[str]) -> bool:
    return any(path == each or path.startswith(f"{each.rstrip('/')}/") for each in paths)


def _offer(
    landing: Landing,
    report: CheckReport,
    differences: Iterable[Difference],
    ref: str,
    now: datetime,
    plan: str | None = None,
    range: str | None = None,  # noqa: A002 - the statement's own word
) -> Offer:
    base = landing.base
    if not base.exists():
        raise NothingToApproveError(f"{base.label} has no pot yet: its first commit needs no approval")
    policy, problems = base_policy(base)
    if policy is None:
        raise RefusedError(problems[0].message, hint=problems[0].hint, code=problems[0].code)
    files = tuple(change_of(landing).files.values())
    if not any(needs_approval(policy, landing.grades)):
        raise NothingToApproveError("nothing in this change needs an approval", hint="It may land as it is.")
    verdict = judge(landing, policy, frozenset({ref}), now)
    return Offer(
        landing, tuple(differences), files, policy, pot_id(base), ref, verdict, report, plan=plan, range=range
    )
