"""What is staged, as one git process lists it; apart from snapshots, because a hook looks at it before all else."""

from __future__ import annotations

from typing import Final

from potpie_git.store.git import Git

EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_SETTINGS: Final = (
    "--cached",
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-renames",
    "--ita-invisible-in-index",
    "--ignore-submodules=none",
)


def list_staged(git: Git, tree: str | None = None) -> bytes:
    """How the index differs from `tree` (by default from HEAD): header and path of each file, each ended by NUL.

    A header is that of `git diff-index --raw`: two modes, two ids, a letter. Directories that are equal cost nothing.
    """
    listed = git.run("diff-index", *_SETTINGS, tree or "HEAD", "--", check=tree is not None)
    if listed.status:
        # An unborn branch has no HEAD; whatever else is wrong is wrong here too.
        return list_staged(git, EMPTY_TREE)
    return listed.stdout
