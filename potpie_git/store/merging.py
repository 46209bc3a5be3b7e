"""Merges without a working tree by libgit2, for a git that cannot make them itself (before 2.38)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from potpie_git.domain.errors import GitError
from potpie_git.store.repository import Repository

if TYPE_CHECKING:
    from pygit2 import Index


def merged_tree(repo: Repository, ours: str, theirs: str) -> tuple[str, list[str]]:
    """The tree of merging two commits, and the repository paths on which they conflict.

    A conflicting path stands as in `ours`. Raises `GitError` where libgit2 cannot merge, and
    `UnsupportedRepositoryError`.
    """
    import pygit2

    library = repo.pygit2()
    try:
        index = library.merge_commits(pygit2.Oid(hex=ours), pygit2.Oid(hex=theirs))
        conflicts = _settle(index)
        return str(index.write_tree(library)), conflicts
    except (pygit2.GitError, KeyError, ValueError) as error:
        raise GitError(f"libgit2 cannot merge {ours[:10]} and {theirs[:10]}: {error}") from error


def _settle(index: Index) -> list[str]:
    """Decide every conflict for our side, so that a tree can be written; returns the paths."""
    import pygit2

    names: set[str] = set()
    for ancestor, ours, theirs in list(index.conflicts or ()):
        sides = [side for side in (ancestor, ours, theirs) if side is not None]
        names |= {side.path for side in sides}
        del index.conflicts[sides[0].path]
        if ours is not None:
            index.add(pygit2.IndexEntry(ours.path, ours.id, ours.mode))
    return sorted(names)
