"""From what a user asks to approve to the change that they mean."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from potpie_git.checks.approvals.base import base_policy
from potpie_git.checks.approvals.offers import (
    LandingTarget,
    NothingToApproveError,
    Offer,
    landing_target,
    narrowed,
    offer_plan,
    offer_range,
)
from potpie_git.checks.approvals.places import local_base
from potpie_git.checks.landing import full_ref, target_ref
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.domain.plan import Plan, PlanState
from potpie_git.domain.policy import Policy
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot

_PLAN: Final = re.compile(r"p-[0-9a-z]{8,}")
_RANGE: Final = re.compile(r"(?P<base>[^-.].*?)\.\.(?P<head>[^-.].*)?")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a user asks to approve: a plan, a range, files, or (by default) what this branch lands.

    Paths may be relative to `directory`.
    """

    targets: tuple[str, ...] = ()
    ref: str | None = None
    directory: Path = field(default_factory=Path)


class Chooser:
    """Finds the change in one repository; `plan` and `plans` are how stored plans are looked up."""

    def __init__(
        self,
        repository: Repository,
        plan: Callable[[str], Plan],
        plans: Callable[[], Iterable[Plan]],
        clock: Callable[[], datetime],
    ) -> None:
        self.repository = repository
        self._plan, self._plans, self._clock = plan, plans, clock

    def offer(self, wish: Wish) -> Offer:
        """The change that a user means. Raises `NothingToApproveError`, `PlanNotFound`, `InvalidInputError`."""
        ref = full_ref(wish.ref)
        first = wish.targets[0] if wish.targets else ""
        if _PLAN.fullmatch(first):
            plan = self._plan(self._alone(wish))
            return offer_plan(self.repository, plan, self.named(ref), self._clock())
        match = _RANGE.fullmatch(first)
        if match:
            self._alone(wish)
            return self._range(match["base"], match["head"] or "HEAD", ref)
        offer = self._branch(ref)
        if not wish.targets:
            return offer
        return narrowed(offer, [self._pot_path(wish.directory, path) for path in wish.targets])

    @staticmethod
    def _alone(wish: Wish) -> str:
        if len(wish.targets) > 1:
            raise InvalidInputError(
                "a plan or a range is approved by itself",
                hint="Give one plan, one range, or files.",
                code="usage",
            )
        return wish.targets[0]

    def _pot_path(self, directory: Path, given: str) -> str:
        """A path that a user names, from the root or from the directory they are in, as one of the pot."""
        pot = self.repository.potpie_dir
        for start in (directory.resolve(), self.repository.root, pot):
            place = Path(os.path.normpath(start / given))
            if place.is_relative_to(pot):
                return place.relative_to(pot).as_posix()
        raise InvalidInputError(
            f"{given!r} is neither a plan, nor a range, nor a file of {POT_DIRECTORY}/",
            hint="Give a plan's id (p-…), BASE..HEAD, or paths under .potpie/.",
            code="usage",
        )

    def _range(self, base: str, head: str, ref: str | None) -> Offer:
        tip, commit = (self.repository.git.verify_commit(name) for name in (base, head))
        branch = ref or target_ref(self.repository, base) or self._only_ref(tip)
        self._require_checked_out(commit, head)
        return offer_range(self.repository, LandingTarget(branch, tip), commit, self._clock())

    def _only_ref(self, tip: str) -> str:
        target = self.named(None)
        if target is None:
            raise InvalidInputError(
                f"{tip[:10]} names no branch", hint="Say which branch this lands on: --ref refs/heads/main."
            )
        return target.ref

    def _require_checked_out(self, commit: str, name: str) -> None:
        """An approval is committed on top of what it approves."""
        if self.repository.head() != commit:
            raise InvalidInputError(
                f"{name} is not what is checked out, and the approval is committed on top of it",
                hint=f"Switch to it first: `git switch {name.removeprefix('origin/')}`.",
                code="not_checked_out",
            )

    def _branch(self, ref: str | None) -> Offer:
        """What the branch that is checked out lands: on its upstream if it is protected itself, else on `ref`."""
        head, branch = self.repository.head(), self.repository.branch()
        if head is None:
            raise NothingToApproveError("there is no commit yet")
        policy = self._policy(head)
        if branch is not None and policy.protects(branch) and ref in {None, branch}:
            target = LandingTarget(branch, local_base(self.repository, head, branch))
        else:
            named = self.named(ref)
            if named is None:
                raise NothingToApproveError(
                    "there is no protected branch that this could land on",
                    hint="Fetch it, or say which: `git potpie approve BASE..HEAD`.",
                )
            target = named
        if target.tip == head:
            raise NothingToApproveError(
                f"there is nothing that {target.ref} does not have", hint=self._plans_hint()
            )
        return offer_range(self.repository, target, head, self._clock())

    def named(self, ref: str | None) -> LandingTarget | None:
        head = self.repository.head()
        return landing_target(self.repository, self._policy(head), ref) if head else None

    def _policy(self, head: str) -> Policy:
        found = base_policy(TreeSnapshot(self.repository, head, name="HEAD"))[0]
        return found or Policy(version=1)

    def _plans_hint(self) -> str:
        waiting = [plan.plan_id for plan in self._plans() if plan.state is PlanState.REVIEW_REQUIRED]
        return (
            f"A plan waits for approval: `git potpie approve {waiting[0]}`."
            if waiting
            else "Nothing is waiting."
        )
