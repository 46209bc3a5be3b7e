"""What would stand on the target branch after HEAD landed there: the tree that a range check judges."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from potpie_git.checks.places import finding
from potpie_git.domain.errors import GitError, InvalidInputError, UnavailableError
from potpie_git.domain.findings import Finding
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.environment import PLUMBING_CONFIG, config_variables
from potpie_git.store.errors import UnsafePathError
from potpie_git.store.git import decode
from potpie_git.store.merging import merged_tree
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import Change, Entry, Snapshot, TreeSnapshot, diff

_CONFLICTS: Final = 1
_USAGE: Final = 129
_SETTLE: Final = "Merge BASE into HEAD, decide which side holds, and check again."
# The answer must not depend on who asks: these are git's own defaults, and no filter or driver of a configuration runs.
_AS_ANYBODY: Final = {
    "merge.renames": "true",
    "merge.directoryRenames": "conflict",
    "merge.renormalize": "false",
    "merge.default": "text",
}
# The shell's own word: the file is in conflict.
_NO_DRIVER: Final = "exit 1"

_FULL_REF: Final = re.compile(
    r"refs/(?!remotes/)(?!.*(?:\.\.|@\{|//|/\.|\.lock(?:/|\Z)|[./]\Z))[^\x00-\x20\x7f~^:?*\[\\]+/[^\x00-\x20\x7f~^:?*\[\\]+"
)
_REMOTE_BRANCH: Final = re.compile(r"refs/remotes/[^/]+/(.+)")


@dataclass(frozen=True, slots=True)
class Landing:
    """The tree that would stand, and files of the pot (paths relative to it) on which both sides disagree."""

    tree: str
    conflicts: tuple[str, ...]


class NotAFullRefError(InvalidInputError):
    """A target was named in short, or as no ref can be: policy protects refs by their full names."""

    code = "usage"


class UnrelatedHistoriesError(UnavailableError):
    """BASE and HEAD have no commit in common, so nothing can land."""

    code = "unrelated_histories"


def landing_of(repo: Repository, base: str, head: str) -> Landing:
    """What lands when the commit `head` is merged (squashed, rebased) onto the commit `base`.

    A git without `merge-tree --write-tree` has libgit2 merge. Raises `UnrelatedHistoriesError`.
    """
    if _is_ancestor(repo, base, head):
        return Landing(head, ())
    if _is_ancestor(repo, head, base):
        return Landing(base, ())
    options = ("--write-tree", "-z", "--name-only", "--no-messages")
    environment = config_variables(PLUMBING_CONFIG | _AS_ANYBODY | _disarmed_drivers(repo))
    merged = repo.git.run("merge-tree", *options, base, head, check=False, env=environment)
    if merged.status == _USAGE:
        return _of_names(*merged_tree(repo, base, head))
    if merged.status not in {0, _CONFLICTS}:
        said = decode(merged.stderr).strip()
        if "unrelated histories" in said:
            raise UnrelatedHistoriesError(f"{base[:10]} and {head[:10]} have no commit in common")
        raise GitError(f"git merge-tree failed: {said}", detail={"argv": ["git", *merged.argv]})
    tree, *names = decode(merged.stdout).split("\0")
    return _of_names(tree, names)


def _disarmed_drivers(repo: Repository) -> dict[str, str]:
    """Settings by which no merge driver runs that the attributes of a checkout could choose."""
    listed = repo.git.run("config", "-z", "--name-only", "--get-regexp", r"^merge\..*\.driver$", check=False)
    return dict.fromkeys((name for name in decode(listed.stdout).split("\0") if name), _NO_DRIVER)


def _of_names(tree: str, names: list[str]) -> Landing:
    own = f"{POT_DIRECTORY}/"
    return Landing(tree, tuple(sorted({name.removeprefix(own) for name in names if name.startswith(own)})))


def _is_ancestor(repo: Repository, ancestor: str, commit: str) -> bool:
    done = repo.git.run("merge-base", "--is-ancestor", ancestor, commit, check=False)
    if done.status not in {0, 1}:
        raise GitError(
            f"git merge-base failed: {decode(done.stderr).strip()}", detail={"status": done.status}
        )
    return done.status == 0


def landed_changes(
    before: Snapshot, landing: Landing, after: Snapshot, head: TreeSnapshot
) -> tuple[list[Change], list[Finding]]:
    """What differs from `before`, and a finding (R03) for each file that both sides changed.

    Such a file is in conflict, or blended by git into what stands on neither side. Whether git blends depends on the
    attributes and settings of whoever merges, and the verdict must not: its content is not among the changes. There
    are none for a tree whose files cannot be listed, which the rules over entries refuse.
    """
    try:
        changes = diff(before, after)
    except UnsafePathError:
        return [], []
    blended = {change.path for change in changes if not _same(change.after, head.entry(change.path))}
    disputed = sorted({*blended, *landing.conflicts})
    message = "BASE and HEAD both changed this file, and differ"
    found = [finding("PG-R03", path, message, _SETTLE) for path in disputed]
    return [change for change in changes if change.path not in disputed], found


def _same(left: Entry | None, right: Entry | None) -> bool:
    return (left and (left.mode, left.oid)) == (right and (right.mode, right.oid))


def target_ref(repo: Repository, base: str) -> str | None:
    """The full name of the branch that `base` names, here or on a remote; None if it names none."""
    named = repo.git.run(
        "rev-parse", "--symbolic-full-name", "--verify", "--end-of-options", base, check=False
    )
    name = decode(named.stdout).strip()
    remote = _REMOTE_BRANCH.fullmatch(name)
    if remote:
        return f"refs/heads/{remote[1]}"
    return name if name.startswith("refs/heads/") else None


def full_ref(name: str | None) -> str | None:
    """`name` if it is the full name of a ref that work can land on; None, and an empty name, stand for none given.

    Raises `NotAFullRefError`: a short name would match no pattern of policy, and pass for a branch without protection.
    """
    if not name:
        return None
    if _FULL_REF.fullmatch(name) is None:
        short = name.strip().removeprefix("refs/remotes/").removeprefix("refs/").removeprefix("heads/")
        hint = f"Write the branch in full, such as refs/heads/{short.removeprefix('origin/') or 'main'}."
        raise NotAFullRefError(f"{name!r} is not the full name of a branch", hint=hint)
    return name
