"""What a push would put on a remote, judged against what is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from potpie_git.checks.ranges import Target, base_policy, check_landing
from potpie_git.checks.report import CheckKind, CheckReport
from potpie_git.checks.staged import check_rev
from potpie_git.domain.files import Policy
from potpie_git.domain.findings import Finding
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.errors import MissingObjectError
from potpie_git.store.git import decode, is_object_id
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot

_BRANCHES: Final = "refs/heads/"
_USUAL: Final = ("main", "master")


@dataclass(frozen=True, slots=True)
class Push:
    """One ref of a push: the commit that goes there, and the one that is there; None for a ref that is not."""

    commit: str | None
    ref: str
    remote_commit: str | None


def parse_pushes(text: str) -> Iterator[Push]:
    """The branches that git's input to pre-push sets or deletes; other refs bring no claim to a branch."""
    for line in text.split("\n"):
        # the local side is what was typed, `HEAD^{/some words}` too; a ref can hold what other programs end a line at
        words = line.removesuffix("\r").rsplit(" ", 3)
        if len(words) != 4 or not all(is_object_id(words[at]) for at in (1, 3)):
            continue
        _, commit, ref, remote = words
        if ref.startswith(_BRANCHES):
            yield Push(commit if commit.strip("0") else None, ref, remote if remote.strip("0") else None)


def check_pushes(repo: Repository, remote: str, pushes: Iterable[Push]) -> list[CheckReport]:
    """The verdict on every branch of a push that brings a change of the pot."""
    reports = (_check(repo, remote, push) for push in pushes)
    return [report for report in reports if report is not None]


def _check(repo: Repository, remote: str, push: Push) -> CheckReport | None:
    there, commit = push.remote_commit, push.commit
    if commit is None:
        return _deletion(repo, push, remote)
    if there is not None and not _is_here(repo, there):
        return _unknown(push, remote)
    default = _default_branch(repo, remote)
    if not _concerns_a_pot(repo, commit, there or default):
        return None
    policy = _policy(repo, there or default)
    protected = policy.protects(push.ref)
    target = Target(push.ref, with_approvals=protected)
    if there is not None and protected:
        return check_landing(repo, there, commit, target, exact=True)
    fork = next((found for tip in (default, there) if tip and (found := _fork(repo, tip, commit))), None)
    if fork is None and not repo.is_shallow:
        return check_rev(repo, commit)
    return check_landing(repo, fork or commit, commit, target, exact=True)


def _deletion(repo: Repository, push: Push, remote: str) -> CheckReport | None:
    """A protected branch with a pot is not deleted: made anew, it would have no base to be judged by."""
    there = push.remote_commit
    if there is None:
        return None
    is_here = _is_here(repo, there)
    policy = _policy(repo, there if is_here else _default_branch(repo, remote))
    if not policy.protects(push.ref) or (is_here and not TreeSnapshot(repo, there).pot_mode()):
        return None
    hint = "Leave it, or take it off `protected` in policy.yaml first, which needs approval."
    message = f"{push.ref} is protected, and would be deleted on {remote} with the pot that it holds"
    finding = Finding(code="PG-H01", path=POT_DIRECTORY, message=message, hint=hint)
    return CheckReport(CheckKind.RANGE, there, "", 0, (finding,))


def _is_here(repo: Repository, commit: str) -> bool:
    return repo.git.run("cat-file", "-e", f"{commit}^{{commit}}", check=False).status == 0


def _concerns_a_pot(repo: Repository, commit: str, before: str | None) -> bool:
    """False where neither side has a pot, or anything that passes for one, or where both have the same."""
    after = TreeSnapshot(repo, commit)
    sides = [after, TreeSnapshot(repo, before)]
    if not any(side.pot_mode() or side.look_alikes() for side in sides):
        return False
    try:
        old, new = (side.subtree("") for side in sides)
    except MissingObjectError:
        return True
    return before is None or old is None or old != new or bool(after.look_alikes())


def _policy(repo: Repository, commit: str | None) -> Policy:
    """The policy at the remote's side, for the names of its protected refs; without one, the usual names."""
    found = base_policy(TreeSnapshot(repo, commit))[0] if commit else None
    return found or Policy(version=1)


def _default_branch(repo: Repository, remote: str) -> str | None:
    """The last known tip of the remote's default branch."""
    for name in ("HEAD", *_USUAL):
        ref = f"refs/remotes/{remote}/{name}"
        found = repo.git.run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}", check=False
        )
        if found.status == 0:
            return decode(found.stdout).strip()
    return None


def _fork(repo: Repository, tip: str, commit: str) -> str | None:
    """Where `commit` left the branch of `tip`: what came before was there already."""
    found = repo.git.run("merge-base", tip, commit, check=False)
    return decode(found.stdout).strip() or None if found.status == 0 else None


def _unknown(push: Push, remote: str) -> CheckReport:
    message = f"{push.ref} is at {push.remote_commit} on {remote}, and that commit is not in this clone"
    finding = Finding(
        code="PG-R02", path=POT_DIRECTORY, message=message, hint=f"Fetch it: `git fetch {remote}`."
    )
    return CheckReport(CheckKind.RANGE, push.remote_commit or "", push.commit or "", 0, (finding,))
