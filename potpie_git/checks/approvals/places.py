"""Where a change lands: the branches that it may be for, and where approvals on their way there begin."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Final

from potpie_git.checks.approvals.commits import holds_only_approvals, read_commit
from potpie_git.domain.policy import Policy
from potpie_git.store.git import decode
from potpie_git.store.repository import Repository

_REMOTE_BRANCH: Final = re.compile(r"refs/remotes/[^/]+/(?P<name>.+)")
_HEADS: Final = "refs/heads/"
# Git names the commits that it merges to its hooks in this way.
_MERGED: Final = "GITHEAD_"


def landing_refs(repo: Repository, base: str, policy: Policy, ref: str | None) -> frozenset[str]:
    """The branch that a change on top of the commit `base` lands on: `ref`, or else the protected ones that hold it."""
    if ref is not None:
        return frozenset({ref})
    listed = repo.git.text(
        "for-each-ref", f"--contains={base}", "--format=%(refname)", _HEADS, "refs/remotes"
    )
    return frozenset(name for name in _as_branches(listed.split("\n")) if policy.protects(name))


def protected_tips(repo: Repository, policy: Policy) -> dict[str, str]:
    """Tips of the protected branches that exist, by full name, in policy's order; what a remote has goes first."""
    listed = repo.git.text("for-each-ref", "--format=%(objectname) %(refname)", _HEADS, "refs/remotes")
    local: dict[str, str] = {}
    remote: dict[str, str] = {}
    for line in filter(None, listed.split("\n")):
        commit, _, name = line.partition(" ")
        for branch in _as_branches([name]):
            if policy.protects(branch):
                (local if name == branch else remote).setdefault(branch, commit)
    known = {**local, **remote}
    return {name: known[name] for name in sorted(known, key=lambda name: _rank(policy, name))}


def _rank(policy: Policy, name: str) -> tuple[int, str]:
    listed = policy.protected
    return (listed.index(name) if name in listed else len(listed), name)


def _as_branches(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        remote = _REMOTE_BRANCH.fullmatch(name)
        if name.startswith(_HEADS):
            yield name
        elif remote and remote["name"] != "HEAD":
            yield f"{_HEADS}{remote['name']}"


def local_base(repo: Repository, head: str, branch: str) -> str:
    """Where what a push of `branch` brings begins: at its upstream, else before the approvals at the tip.

    On a protected branch an approval is committed first and the change after it; until both are pushed, both are new.
    """
    upstream = _upstream(repo, branch)
    if upstream is not None:
        found = repo.git.run("merge-base", head, upstream, check=False)
        if found.status == 0:
            return decode(found.stdout).split("\n", 1)[0]
    raw = read_commit(repo, head)
    while holds_only_approvals(repo, raw):
        raw = read_commit(repo, raw.parents[0])
    return raw.id


def _upstream(repo: Repository, branch: str) -> str | None:
    short = branch.removeprefix(_HEADS)
    for name in (f"{short}@{{upstream}}", f"refs/remotes/origin/{short}"):
        found = repo.git.run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False
        )
        if found.status == 0:
            return decode(found.stdout).strip()
    return None


def merging(repo: Repository) -> list[str]:
    """Commits that a merge in progress brings in: as git notes them, or tells its hooks."""
    told = [name.removeprefix(_MERGED) for name in os.environ if name.startswith(_MERGED)]
    try:
        noted = (repo.git_dir / "MERGE_HEAD").read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        noted = []
    return sorted(
        name for name in {*told, *noted} if repo.git.run("cat-file", "-e", name, check=False).status == 0
    )
