"""Finding the repository around a pot, in every place where somebody may stand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from potpie_git.domain.errors import (
    BareRepositoryError,
    NotARepositoryError,
    UnsupportedRepositoryError,
)
from potpie_git.store.errors import MissingObjectError, UnknownRevisionError, UnsafeRepositoryError
from potpie_git.store.repository import PotEntryKind, Repository
from tests.support.git_repo import GitRepo


def _is_state_of(repo: Repository, git_dir: Path) -> bool:
    return repo.git_dir == git_dir and repo.state_dir == git_dir / "potpie"


def test_a_main_work_tree(git_repo: GitRepo) -> None:
    commit = git_repo.commit(files={"src/app.py": "1"})
    repo = Repository.discover(git_repo.root / "src")

    assert repo.root == git_repo.root
    assert repo.potpie_dir == git_repo.root / ".potpie"
    assert _is_state_of(repo, git_repo.root / ".git")
    assert repo.shared_state_dir == repo.state_dir
    assert (repo.head(), repo.branch()) == (commit, "refs/heads/main")
    assert Repository.discover(git_repo.root / "src/app.py") == repo


def test_a_linked_work_tree_has_a_state_of_its_own_and_shares_the_rest(
    git_repo: GitRepo, tmp_path: Path
) -> None:
    git_repo.commit()
    linked = git_repo.worktree(tmp_path / "linked", "-b", "side")
    repo = Repository.discover(linked.root)

    assert repo.root == linked.root
    assert _is_state_of(repo, git_repo.root / ".git/worktrees/linked")
    assert repo.common_dir == git_repo.root / ".git"
    assert repo.shared_state_dir == git_repo.root / ".git/potpie"
    assert repo.branch() == "refs/heads/side"


def test_a_work_tree_of_a_bare_repository(git_repo: GitRepo, tmp_path: Path) -> None:
    git_repo.commit()
    bare = git_repo.clone(tmp_path / "bare.git", "--bare")
    linked = bare.worktree(tmp_path / "linked", "-b", "side")

    assert Repository.discover(linked.root).shared_state_dir == bare.root / "potpie"
    with pytest.raises(BareRepositoryError):
        Repository.discover(bare.root)


def test_a_submodule_is_a_repository_of_its_own(git_repo: GitRepo, tmp_path: Path) -> None:
    other = GitRepo.init(tmp_path / "other")
    other.commit(files={"file": "1"})
    git_repo.git("submodule", "--quiet", "add", str(other.root), "vendor/other")
    repo = Repository.discover(git_repo.root / "vendor/other")

    assert repo.root == git_repo.root / "vendor/other"
    assert repo.state_dir == git_repo.root / ".git/modules/vendor/other/potpie"


def test_a_detached_head_has_no_branch(git_repo: GitRepo) -> None:
    commit = git_repo.commit()
    git_repo.git("checkout", "--quiet", "--detach")
    repo = Repository.discover(git_repo.root)
    assert (repo.head(), repo.branch()) == (commit, None)


def test_an_unborn_branch_has_a_name_and_no_commit(git_repo: GitRepo) -> None:
    repo = Repository.discover(git_repo.root)
    assert (repo.head(), repo.branch()) == (None, "refs/heads/main")

    commit = git_repo.commit()
    assert repo.head() == commit


def test_a_head_whose_commit_is_lost_is_not_an_unborn_branch(git_repo: GitRepo) -> None:
    commit = git_repo.commit()
    (git_repo.root / ".git/objects" / commit[:2] / commit[2:]).unlink()
    with pytest.raises(MissingObjectError, match=commit):
        Repository.discover(git_repo.root).head()


@pytest.mark.parametrize("name", ["with spaces", "größe-漢字", "line\nbreak", 'quote\'d "name"'])
def test_any_path_will_do(tmp_path: Path, name: str) -> None:
    made = GitRepo.init(tmp_path / name)
    commit = made.commit(files={"sub dir/file": "1"})
    repo = Repository.discover(made.root / "sub dir")
    assert (repo.root, repo.head()) == (made.root, commit)
    assert _is_state_of(repo, made.root / ".git")


def test_a_link_to_the_work_tree_is_followed(git_repo: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(git_repo.root)
    assert Repository.discover(tmp_path / "link").root == git_repo.root


def test_outside_of_any_repository(tmp_path: Path) -> None:
    with pytest.raises(NotARepositoryError, match="not in a git repository") as caught:
        Repository.discover(tmp_path)
    assert "git init" in caught.value.hint
    with pytest.raises(NotARepositoryError, match="does not exist"):
        Repository.discover(tmp_path / "no" / "such" / "place")


def test_inside_the_git_directory(git_repo: GitRepo) -> None:
    with pytest.raises(NotARepositoryError, match="inside a git directory"):
        Repository.discover(git_repo.root / ".git" / "refs")


def test_formats_that_cannot_be_read_are_refused_plainly(tmp_path: Path) -> None:
    sha256 = GitRepo.init(tmp_path / "sha256", "--object-format=sha256")
    with pytest.raises(UnsupportedRepositoryError, match="objects in the format 'sha256'") as caught:
        Repository.discover(sha256.root)
    assert "git init --object-format=sha1" in caught.value.hint

    future = GitRepo.init(tmp_path / "future")
    future.git("config", "core.repositoryFormatVersion", "1")
    future.git("config", "extensions.laterThanThis", "true")
    with pytest.raises(UnsupportedRepositoryError, match="laterthanthis"):
        Repository.discover(future.root)


def _git_that_answers(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a git before the real one on PATH; `$real` in the script is the real one."""
    real = shutil.which("git")
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\nreal='{real}'\n{script}\n", encoding="utf-8")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def test_a_reftable_repository_is_refused(
    git_repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git_that_answers(tmp_path / "bin", monkeypatch, '"$real" "$@" | sed "s/^--show-ref-format$/reftable/"')
    with pytest.raises(UnsupportedRepositoryError, match="refs in the format 'reftable'") as caught:
        Repository.discover(git_repo.root)
    assert "--ref-format=files" in caught.value.hint


def test_somebody_elses_repository_is_refused_with_gits_own_remedy(
    git_repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git_that_answers(tmp_path / "bin", monkeypatch, 'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "$real" "$@"')
    with pytest.raises(UnsafeRepositoryError, match="another user") as caught:
        Repository.discover(git_repo.root)
    assert f"safe.directory '{git_repo.root}'" in caught.value.hint


def test_a_repository_is_found_in_a_hooks_environment(git_repo: GitRepo, tmp_path: Path) -> None:
    """In a linked work tree git gives its hooks GIT_DIR and GIT_INDEX_FILE."""
    git_repo.commit()
    linked = git_repo.worktree(tmp_path / "linked", "-b", "side")
    linked.hook("pre-commit", "#!/bin/sh\nenv > '%s'\n" % (tmp_path / "environment"))
    linked.commit(files={"file": "1"})
    environment = dict(
        line.split("=", 1)
        for line in (tmp_path / "environment").read_text().splitlines()
        if line.startswith("GIT_")
    )
    assert environment["GIT_DIR"] == str(git_repo.root / ".git/worktrees/linked")

    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        assert Repository.discover(linked.root).root == linked.root
        main = Repository.discover(git_repo.root)
        assert main.root == git_repo.root
        # the index of the commit in the other work tree is not ours
        assert "file" not in main.index_git.text("ls-files").split()


def test_shallow_and_partial_clones_know_what_they_are(git_repo: GitRepo, tmp_path: Path) -> None:
    git_repo.commit(files={"file": "1"})
    git_repo.commit(files={"file": "2"})
    shallow = Repository.discover(git_repo.clone(tmp_path / "shallow", "--depth=1").root)
    partial = Repository.discover(git_repo.clone(tmp_path / "partial", "--filter=blob:none").root)
    full = Repository.discover(git_repo.root)

    assert (shallow.is_shallow, shallow.is_partial) == (True, False)
    assert (partial.is_shallow, partial.is_partial) == (False, True)
    assert (full.is_shallow, full.is_partial) == (False, False)
    with pytest.raises(MissingObjectError, match="not in this clone") as caught:
        shallow.resolve(git_repo.git("rev-parse", "HEAD~1"))
    assert "git fetch --unshallow" in caught.value.hint


def test_identity_is_the_one_that_git_would_record(
    git_repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repository.discover(git_repo.root)
    assert repo.user_identity() == ("Rae Rivers", "rae@example.com")

    git_repo.git("config", "user.name", "Zoë <Z> Müller")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "zoe@example.com")
    assert repo.user_identity() == ("Zoë Z Müller", "zoe@example.com")

    monkeypatch.delenv("GIT_AUTHOR_EMAIL")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    git_repo.git("config", "--unset", "user.name")
    git_repo.git("config", "user.useConfigOnly", "true")
    assert repo.user_identity() is None


def test_revisions_and_directories_are_resolved(git_repo: GitRepo) -> None:
    commit = git_repo.commit(files={".potpie/claims/a.yaml": "a", "file": "1"})
    git_repo.git("tag", "-a", "v1", "-m", "v1")
    git_repo.git("tag", "-a", "v2", "-m", "v2", "v1")
    repo = Repository.discover(git_repo.root)
    tree = git_repo.git("rev-parse", "HEAD^{tree}")

    for rev in ("HEAD", "main", "v1", "v2", commit):
        assert repo.resolve(rev).commit == commit
        assert repo.resolve(rev).tree == tree
    assert repo.resolve(tree).commit is None
    assert repo.tree_oid("v2") == git_repo.git("rev-parse", "HEAD:.potpie")
    assert repo.tree_oid("HEAD", ".potpie/claims") == git_repo.git("rev-parse", "HEAD:.potpie/claims")
    assert repo.tree_oid("HEAD", "") == tree
    assert repo.tree_oid("HEAD", "file") is None
    assert repo.tree_oid("HEAD", "none/such") is None
    for rev in ("nothing", "--help", "HEAD:file", "-x"):
        with pytest.raises(UnknownRevisionError):
            repo.resolve(rev)


def test_what_stands_at_the_pots_place(git_repo: GitRepo, tmp_path: Path) -> None:
    repo = Repository.discover(git_repo.root)
    pot = repo.potpie_dir
    assert repo.pot_entry_kind() is PotEntryKind.ABSENT
    pot.symlink_to(tmp_path)
    assert repo.pot_entry_kind() is PotEntryKind.SYMLINK
    pot.unlink()
    pot.symlink_to(tmp_path / "nowhere")
    assert repo.pot_entry_kind() is PotEntryKind.SYMLINK
    pot.unlink()
    pot.write_text("file")
    assert repo.pot_entry_kind() is PotEntryKind.FILE
    pot.unlink()
    pot.mkdir()
    assert repo.pot_entry_kind() is PotEntryKind.DIRECTORY
    GitRepo.init(pot)
    assert repo.pot_entry_kind() is PotEntryKind.REPOSITORY


def test_ignored_paths_are_known_before_they_exist(git_repo: GitRepo) -> None:
    git_repo.write(".gitignore", ".potpie/inbox/\n*.tmp\n")
    repo = Repository.discover(git_repo.root)
    assert repo.ignored(["inbox/ä.yaml", "claims/a.yaml", "claims/a.tmp"]) == ["inbox/ä.yaml", "claims/a.tmp"]
    assert repo.ignored(["claims/a.yaml"]) == []
    assert repo.ignored([]) == []


def test_libgit2_opens_the_same_repository(git_repo: GitRepo, tmp_path: Path) -> None:
    commit = git_repo.commit()
    linked = git_repo.worktree(tmp_path / "linked", "-b", "side")
    assert str(Repository.discover(linked.root).pygit2().head.target) == commit


def test_libgit2_says_what_it_cannot_open(git_repo: GitRepo, tmp_path: Path) -> None:
    git_repo.commit(files={"file": "1"})
    partial = git_repo.clone(tmp_path / "partial", "--filter=blob:none")
    partial.git("config", "core.repositoryFormatVersion", "1")
    partial.git("config", "extensions.partialClone", "origin")
    repo = Repository.discover(partial.root)
    with pytest.raises(UnsupportedRepositoryError, match="libgit2 cannot open"):
        repo.pygit2()
    assert repo.git.promisor_remotes() == ["origin"]


def test_a_link_to_itself_is_no_place(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(NotARepositoryError, match="does not exist"):
        Repository.discover(loop)
