"""Where approvals are asked for: what a range lands, what the next commit holds, and what a plan would write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from potpie_git.checks.approvals.base import base_policy
from potpie_git.checks.approvals.commits import Commits, commits_between
from potpie_git.checks.approvals.findings import MERGED, NOT_COMMITTED, verdict_findings
from potpie_git.checks.approvals.gather import Landing, judge
from potpie_git.checks.approvals.model import Person, Verdict
from potpie_git.checks.approvals.places import landing_refs, local_base, merging
from potpie_git.checks.grading import GradedChange
from potpie_git.domain.findings import Finding
from potpie_git.domain.policy import Policy
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import Snapshot, TreeSnapshot


def range_verdict(
    before: TreeSnapshot,
    after: Snapshot,
    head: str,
    grades: Iterable[GradedChange],
    policy: Policy,
    ref: str | None,
    now: datetime,
) -> Verdict:
    """The verdict on what the commit `head` lands on `before`, a commit, whose policy is `policy`."""
    repo, base = before.repo, before.commit
    assert base is not None
    commits = commits_between(repo, [base], [head])
    landing = Landing(repo, before, after, tuple(grades), commits)
    return judge(landing, policy, landing_refs(repo, base, policy, ref), now)


@dataclass(frozen=True, slots=True)
class Work:
    """What is about to be committed on the branch that is checked out: `after` on top of HEAD.

    `author` wrote what is not committed yet; by default the user did.
    """

    repository: Repository
    head: str
    branch: str
    after: Snapshot
    grades: tuple[GradedChange, ...]
    author: Person | None = None


def work_landing(work: Work) -> Landing:
    """The next commit as a landing: approvals count that are committed here and not pushed yet."""
    repo, merged = work.repository, merging(work.repository)
    since = local_base(repo, work.head, work.branch)
    brought = [TreeSnapshot(repo, commit) for commit in merged]
    return Landing(
        repository=repo,
        before=TreeSnapshot(repo, work.head, name="HEAD"),
        after=work.after,
        grades=work.grades,
        commits=commits_between(repo, [work.head], merged) if merged else Commits(),
        since=TreeSnapshot(repo, since),
        adding=commits_between(repo, [since], [work.head, *merged]),
        worker=work.author or user(repo),
        uncommitted=frozenset(
            graded.path for graded in work.grades if not _brought(work.after, brought, graded.path)
        ),
    )


def user(repo: Repository) -> Person | None:
    """Who git would record as author of a commit."""
    identity = repo.user_identity()
    return Person(*identity) if identity else None


def _brought(after: Snapshot, brought: Iterable[Snapshot], path: str) -> bool:
    """True if a file is just as one of the merged commits has it."""
    return any(snapshot.entry(path) == after.entry(path) for snapshot in brought)


def work_findings(work: Work, now: datetime, next_step: str | None = None) -> list[Finding]:
    """What keeps the next commit from being made on its branch, which is protected; `next_step` as for a verdict."""
    landing = work_landing(work)
    if not landing.base.exists():
        return []
    policy, problems = base_policy(landing.base)
    if policy is None:
        return problems
    verdict = judge(landing, policy, frozenset({work.branch}), now)
    return verdict_findings(
        verdict, next_step=next_step or (MERGED if merging(work.repository) else NOT_COMMITTED)
    )
