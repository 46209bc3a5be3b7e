"""Merges by libgit2 agree with git's own, so that an older git judges a range alike."""

from __future__ import annotations

import pytest

from potpie_git.checks.landing import landing_of
from potpie_git.store import git as git_module
from potpie_git.store.git import CompletedGit, Git
from potpie_git.store.merging import merged_tree
from potpie_git.store.repository import Repository
from tests.support.git_repo import GitRepo

BOTH = "one\ntwo\nthree\n"


def diverged(repo: GitRepo, ours: dict[str, str], theirs: dict[str, str]) -> tuple[str, str]:
    repo.commit(files={"both.txt": BOTH, ".potpie/a.yaml": "a: b\n"})
    repo.branch("theirs")
    their_commit = repo.commit(files=dict(theirs))
    repo.switch("main")
    return repo.commit(files=dict(ours)), their_commit


def test_a_clean_merge_is_gits_own(git_repo: GitRepo) -> None:
    ours, theirs = diverged(git_repo, {"ours.txt": "o"}, {"theirs.txt": "t", ".potpie/b.yaml": "b: c\n"})
    expected = git_repo.git("merge-tree", "--write-tree", ours, theirs)
    assert merged_tree(Repository.discover(git_repo.root), ours, theirs) == (expected, [])


def test_a_conflict_names_its_path_and_keeps_our_side(git_repo: GitRepo) -> None:
    ours, theirs = diverged(git_repo, {".potpie/a.yaml": "a: ours\n"}, {".potpie/a.yaml": "a: theirs\n"})
    tree, conflicts = merged_tree(Repository.discover(git_repo.root), ours, theirs)
    assert conflicts == [".potpie/a.yaml"]
    assert git_repo.git("show", f"{tree}:.potpie/a.yaml") == "a: ours"


def test_a_range_lands_alike_where_git_cannot_merge_by_itself(
    git_repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = diverged(git_repo, {".potpie/a.yaml": "a: ours\n"}, {".potpie/a.yaml": "a: theirs\n"})
    repo = Repository.discover(git_repo.root)
    by_git = landing_of(repo, ours, theirs)
    plain = Git.run

    def old(self: Git, *args: object, **options: object) -> CompletedGit:
        if "merge-tree" in args:
            return CompletedGit(tuple(map(str, args)), 129, b"", b"usage: git merge-tree")
        return plain(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(git_module.Git, "run", old)
    assert landing_of(repo, ours, theirs).conflicts == by_git.conflicts == ("a.yaml",)
