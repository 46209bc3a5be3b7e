"""Which two states of the pot a review compares: a range as it would land, or what is staged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from potpie_git.checks.landing import full_ref, landed_changes, landing_of, target_ref
from potpie_git.domain.errors import InvalidInputError, UnavailableError
from potpie_git.store.errors import UnknownRevisionError
from potpie_git.store.git import decode, encode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import Change, IndexSnapshot, Snapshot, TreeSnapshot, diff

# Where a change lands unless somebody says otherwise, most likely first.
_REMOTES: Final = ("upstream", "origin")
_DEFAULT_NAMES: Final = ("main", "master")
_MOST_AUTHORS: Final = 2_000
_GIVE_A_RANGE: Final = "Say what to review: `git potpie review BASE..HEAD`, or --staged."


class IncompleteHistoryError(UnavailableError):
    """This clone does not hold what a range would land."""

    code = "incomplete_history"
    default_hint = "Fetch the whole history: `git fetch --unshallow` (in CI, check out with depth 0)."


class NoRangeError(InvalidInputError):
    """Nothing says what there is to review."""

    code = "no_range"
    default_hint = _GIVE_A_RANGE


@dataclass(frozen=True, slots=True)
class Scope:
    """What is compared. `revisions` is the range as a check takes it, `ref` the branch to land on, if known."""

    kind: Literal["range", "staged"]
    before: Snapshot
    after: Snapshot
    changes: list[Change]
    revisions: str | None = None
    ref: str | None = None
    base: str | None = None
    head: str | None = None
    commits: int = 0
    authors: tuple[str, ...] = ()


def staged_scope(repo: Repository) -> Scope:
    """HEAD against the index that the next commit uses. Raises `UnmergedError` while a merge is unfinished."""
    before, after = TreeSnapshot.of_head(repo), IndexSnapshot(repo)
    return Scope("staged", before, after, diff(before, after), ref=repo.branch(), base=before.commit)


def range_scope(repo: Repository, revisions: str | None = None, ref: str | None = None) -> Scope:
    """BASE against what HEAD would land there.

    Without `revisions`: what HEAD adds to the default branch of the remote `upstream` or `origin` (or to a local main
    or master), else what HEAD's own commit changed. Raises `NoRangeError`, `UnknownRevisionError`,
    `IncompleteHistoryError`.
    """
    if repo.is_shallow:
        raise IncompleteHistoryError("this clone is shallow, so what the range would land cannot be told")
    base_name, head_name = _ends(revisions) if revisions is not None else _default_ends(repo)
    base, head = repo.git.verify_commit(base_name), repo.git.verify_commit(head_name)
    landing = landing_of(repo, base, head)
    before, tip = TreeSnapshot(repo, base, name=base_name), TreeSnapshot(repo, head, name=head_name)
    merged = landing.tree != head
    after = TreeSnapshot(repo, landing.tree, name=f"{head_name} on {base_name}") if merged else tip
    # What both sides changed is among the findings, and has no content yet that could be shown.
    changes, _ = landed_changes(before, landing, after, tip)
    commits, authors = _who_wrote(repo, base, head)
    return Scope(
        kind="range",
        before=before,
        after=after,
        changes=changes,
        revisions=f"{base_name}..{head_name}",
        ref=full_ref(ref) or target_ref(repo, base_name),
        base=base,
        head=head,
        commits=commits,
        authors=authors,
    )


def _ends(revisions: str) -> tuple[str, str]:
    base, dots, head = revisions.partition("..")
    if not dots or head.startswith((".", "-")) or not base or base.startswith("-"):
        raise InvalidInputError(f"{revisions!r} is not a range", hint=_GIVE_A_RANGE, code="usage")
    return base, head or "HEAD"


def _default_ends(repo: Repository) -> tuple[str, str]:
    head = repo.head()
    if head is None:
        hint = "Review what is staged for it: `git potpie review --staged`."
        raise NoRangeError("there is no commit to review yet", hint=hint)
    for name in _candidates(repo):
        try:
            base = repo.git.verify_commit(name)
        except UnknownRevisionError:
            continue
        if not _holds(repo, base, head):
            return name.removeprefix("refs/remotes/").removeprefix("refs/heads/"), "HEAD"
    parent = repo.git.run("rev-parse", "--verify", "--quiet", "HEAD~1^{commit}", check=False)
    if parent.status:
        raise NoRangeError("HEAD adds nothing to a default branch, and has no parent to compare it with")
    return "HEAD~1", "HEAD"


def _candidates(repo: Repository) -> Iterator[str]:
    for remote in _REMOTES:
        named = repo.git.run("symbolic-ref", "--quiet", f"refs/remotes/{remote}/HEAD", check=False)
        if named.status == 0:
            yield decode(named.stdout).strip()
        yield from (f"refs/remotes/{remote}/{name}" for name in _DEFAULT_NAMES)
    current = repo.branch()
    for name in _DEFAULT_NAMES:
        if f"refs/heads/{name}" != current:
            yield f"refs/heads/{name}"


def _holds(repo: Repository, base: str, head: str) -> bool:
    """True if `base` has all of `head` already, so that there is nothing to land."""
    return repo.git.run("merge-base", "--is-ancestor", head, base, check=False).status == 0


def _who_wrote(repo: Repository, base: str, head: str) -> tuple[int, tuple[str, ...]]:
    """How many commits the range has, and the names of their authors, in the order of their appearance."""
    commits = int(repo.git.text("rev-list", "--count", "--end-of-options", f"{base}..{head}"))
    listed = repo.git.text(
        "log",
        "--no-mailmap",
        "--reverse",
        f"--max-count={_MOST_AUTHORS}",
        "--format=%an",
        "--end-of-options",
        f"{base}..{head}",
        "--",
    )
    names = (encode(name).decode("utf-8", "backslashreplace") for name in listed.split("\n") if name)
    return commits, tuple(dict.fromkeys(names))
