"""A pot in a commit, in the index and in the working tree: what is seen, under which ids, and at what cost."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from potpie_git.domain.errors import ConflictError, NotFoundError, StorageError
from potpie_git.store.errors import MissingObjectError, UnmergedError, UnsafePathError
from potpie_git.store.objects import ZERO_OID, hash_object
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import (
    READ_LIMIT,
    Change,
    Entry,
    IndexSnapshot,
    Snapshot,
    TreeSnapshot,
    WorktreeSnapshot,
    anomalies,
    diff,
)
from tests.support.git_repo import GitRepo

PROJECT = Path(__file__).resolve().parents[2]
POT: dict[str, str | bytes] = {
    ".potpie/pot.yaml": "pot_id: p\n",
    ".potpie/claims/bugs/0a/a.yaml": "a\n",
    ".potpie/claims/bugs/0a/b.yaml": "b\n",
    ".potpie/claims/bugs-old/c.yaml": "c\n",
    ".potpie/claims/bugs.yaml": "d\n",
    "src/app.py": "code\n",
}
PATHS = [
    "claims/bugs-old/c.yaml",
    "claims/bugs.yaml",
    "claims/bugs/0a/a.yaml",
    "claims/bugs/0a/b.yaml",
    "pot.yaml",
]


def blob(text: str | bytes) -> str:
    return hash_object("blob", text.encode() if isinstance(text, str) else text)


def plain(path: str, text: str | bytes) -> Entry:
    return Entry(path, "100644", blob(text))


@pytest.fixture
def pot(git_repo: GitRepo) -> GitRepo:
    git_repo.commit(files=POT)
    return git_repo


@pytest.fixture
def repo(pot: GitRepo) -> Repository:
    return Repository.discover(pot.root)


def three(repo: Repository) -> list[Snapshot]:
    return [TreeSnapshot.of_head(repo), IndexSnapshot(repo), WorktreeSnapshot(repo)]


def paths(snapshot: Snapshot, prefix: str = "") -> list[str]:
    return [entry.path for entry in snapshot.entries(prefix)]


def git_tree(made: GitRepo, path: str) -> str:
    """The id that git gives to a directory when everything in the working tree is committed."""
    made.git("add", "--all", "--force")
    tree = made.git("write-tree")
    return made.git("rev-parse", f"{tree}:{path}")


def test_the_three_kinds_agree_on_a_clean_repository(repo: Repository, pot: GitRepo) -> None:
    commit = pot.git("rev-parse", "HEAD")
    labels = [snapshot.label for snapshot in three(repo)]
    assert labels == [f"HEAD {commit[:7]}", "index", "working tree"]
    for snapshot in three(repo):
        assert snapshot.exists()
        assert paths(snapshot) == PATHS
        assert paths(snapshot, "claims/bugs") == PATHS[2:4]
        assert paths(snapshot, "claims/bugs.yaml") == ["claims/bugs.yaml"]
        assert paths(snapshot, "claims/bug") == []
        assert snapshot.names("claims") == ["bugs", "bugs-old", "bugs.yaml"]
        assert snapshot.names("claims/none") == []
        assert snapshot.entry("claims/bugs/0a/a.yaml") == plain("claims/bugs/0a/a.yaml", "a\n")
        assert snapshot.entry("claims/bugs") is None
        assert snapshot.entry("") is None
        assert snapshot.read("pot.yaml") == b"pot_id: p\n"
        assert snapshot.subtree("") == pot.git("rev-parse", "HEAD:.potpie")
        assert snapshot.subtree("claims/bugs") == pot.git("rev-parse", "HEAD:.potpie/claims/bugs")
        assert snapshot.subtree("pot.yaml") is None
        assert snapshot.pot_mode() == "40000"
        with pytest.raises(NotFoundError, match=f"claims/x.yaml is not in {snapshot.label}"):
            snapshot.read("claims/x.yaml")


def test_an_unborn_branch_has_an_empty_head(git_repo: GitRepo) -> None:
    repo = Repository.discover(git_repo.root)
    for snapshot in three(repo):
        assert not snapshot.exists()
        assert (paths(snapshot), snapshot.subtree(""), snapshot.pot_mode()) == ([], None, None)
        assert snapshot.look_alikes() == []

    git_repo.write(".potpie/pot.yaml", "p")
    git_repo.add()
    before, index, worktree = three(repo)
    assert before.label == "HEAD (no commit yet)"
    assert diff(before, index) == [Change("pot.yaml", None, plain("pot.yaml", "p"))]
    assert diff(index, worktree) == []


def test_a_revision_is_named_as_the_caller_named_it(repo: Repository, pot: GitRepo) -> None:
    first = pot.git("rev-parse", "HEAD")
    pot.commit(files={".potpie/claims/new.yaml": "n"})
    past = TreeSnapshot(repo, "HEAD~1")
    assert (past.label, past.commit) == (f"HEAD~1 {first[:7]}", first)
    assert past.entry("claims/new.yaml") is None
    assert TreeSnapshot(repo, first).label == first[:7]
    tree = TreeSnapshot(repo, pot.git("rev-parse", f"{first}^{{tree}}"))
    assert (tree.commit, tree.subtree("")) == (None, past.subtree(""))


def test_each_kind_sees_its_own_state(repo: Repository, pot: GitRepo) -> None:
    pot.write(".potpie/claims/bugs/0a/a.yaml", "staged\n")
    pot.write(".potpie/claims/new/staged.yaml", "new\n")
    (pot.root / ".potpie/claims/bugs-old/c.yaml").unlink()
    pot.git("add", "--all")
    pot.write(".potpie/claims/bugs/0a/a.yaml", "unstaged\n")
    pot.write(".potpie/claims/new/untracked.yaml", "untracked\n")
    (pot.root / ".potpie/claims/bugs/0a/b.yaml").unlink()
    head, index, worktree = three(repo)

    assert paths(head) == PATHS
    assert paths(index) == [*PATHS[1:4], "claims/new/staged.yaml", "pot.yaml"]
    assert paths(worktree) == [
        *PATHS[1:3], "claims/new/staged.yaml", "claims/new/untracked.yaml", "pot.yaml"
    ]  # fmt: skip
    assert [snapshot.read("claims/bugs/0a/a.yaml") for snapshot in (head, index, worktree)] == [
        b"a\n", b"staged\n", b"unstaged\n"
    ]  # fmt: skip
    assert worktree.names("claims") == ["bugs", "bugs.yaml", "new"]
    assert diff(index, worktree) == [
        Change(
            "claims/bugs/0a/a.yaml",
            plain("claims/bugs/0a/a.yaml", "staged\n"),
            plain("claims/bugs/0a/a.yaml", "unstaged\n"),
        ),
        Change("claims/bugs/0a/b.yaml", plain("claims/bugs/0a/b.yaml", "b\n"), None),
        Change("claims/new/untracked.yaml", None, plain("claims/new/untracked.yaml", "untracked\n")),
    ]


def test_subtrees_have_the_ids_that_git_would_give_them(repo: Repository, pot: GitRepo) -> None:
    pot.write(".potpie/claims/bugs/0a/a.yaml", "changed\n")
    pot.write(".potpie/claims/bugs0/new.yaml", "new\n")
    pot.write(".potpie/claims/bugs.d/new.yaml", "new\n")
    (pot.root / ".potpie/claims/bugs-old/c.yaml").unlink()
    before = WorktreeSnapshot(repo)
    untouched = TreeSnapshot.of_head(repo).subtree("claims/bugs-old")
    assert before.subtree("claims/bugs-old") is None
    assert untouched is not None
    objects = len(list((pot.root / ".git/objects").rglob("*")))
    computed = {path: before.subtree(path) for path in ("", "claims", "claims/bugs", "claims/bugs0")}

    assert len(list((pot.root / ".git/objects").rglob("*"))) == objects
    for path, oid in computed.items():
        assert oid == git_tree(pot, f".potpie/{path}".removesuffix("/")), path
    assert {path: IndexSnapshot(repo).subtree(path) for path in computed} == computed


def test_a_file_may_take_a_directorys_place_and_back(repo: Repository, pot: GitRepo) -> None:
    bugs = pot.root / ".potpie/claims/bugs"
    (bugs / "0a/a.yaml").unlink()
    (bugs / "0a/b.yaml").unlink()
    (bugs / "0a").rmdir()
    bugs.rmdir()
    bugs.write_text("a file now")
    (pot.root / ".potpie/claims/bugs.yaml").unlink()
    pot.write(".potpie/claims/bugs.yaml/inside.yaml", "inside")
    worktree = WorktreeSnapshot(repo)
    expected = [
        Change("claims/bugs", None, plain("claims/bugs", "a file now")),
        Change("claims/bugs.yaml", plain("claims/bugs.yaml", "d\n"), None),
        Change("claims/bugs.yaml/inside.yaml", None, plain("claims/bugs.yaml/inside.yaml", "inside")),
        Change("claims/bugs/0a/a.yaml", plain("claims/bugs/0a/a.yaml", "a\n"), None),
        Change("claims/bugs/0a/b.yaml", plain("claims/bugs/0a/b.yaml", "b\n"), None),
    ]

    assert diff(TreeSnapshot.of_head(repo), worktree) == expected
    assert worktree.subtree("") == git_tree(pot, ".potpie")
    assert diff(TreeSnapshot.of_head(repo), IndexSnapshot(repo)) == expected
    pot.git("commit", "--quiet", "-m", "swap")
    assert diff(TreeSnapshot(repo, "HEAD~1"), TreeSnapshot(repo, "HEAD")) == expected


def test_a_difference_can_be_confined_to_a_directory(repo: Repository, pot: GitRepo) -> None:
    pot.commit(
        files={".potpie/claims/bugs/0a/a.yaml": "x", ".potpie/claims/bugs.yaml": "y", "src/app.py": "z"}
    )
    before, after = TreeSnapshot(repo, "HEAD~1"), TreeSnapshot(repo, "HEAD")
    assert [change.path for change in diff(before, after)] == ["claims/bugs.yaml", "claims/bugs/0a/a.yaml"]
    assert [change.path for change in diff(before, after, "claims/bugs")] == ["claims/bugs/0a/a.yaml"]
    assert diff(before, after, "claims/bugs-old") == []


def test_a_difference_reads_only_the_directories_that_changed(
    repo: Repository, pot: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    pot.commit(files={f".potpie/claims/infra/{number:02x}/x.yaml": str(number) for number in range(100)})
    pot.commit(files={".potpie/claims/infra/07/y.yaml": "y"})
    read: list[str] = []
    original = repo.objects.read
    monkeypatch.setattr(
        repo.objects, "read", lambda oid, limit=None: read.append(oid) or original(oid, limit)  # type: ignore[func-returns-value]
    )  # fmt: skip
    before, after = TreeSnapshot(repo, "HEAD~1"), TreeSnapshot(repo, "HEAD")
    touched = len(["", ".potpie", "claims", "infra", "07"])
    assert anomalies(after, before) == []
    assert len(read) == 2 * touched
    assert len(diff(before, after)) == 1
    assert len(read) == 2 * touched


def test_many_files_are_read_in_one_batch_in_the_order_asked_for(
    repo: Repository, pot: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    pot.commit(files={f".potpie/claims/infra/{number}.yaml": f"claim {number}" for number in range(200)})
    pot.write(".potpie/claims/infra/7.yaml", "on disk")
    worktree = WorktreeSnapshot(repo)
    wanted = list(worktree.entries("claims/infra"))[::-1]
    started: list[tuple[object, ...]] = []
    start = repo.git.start
    monkeypatch.setattr(repo.git, "start", lambda *args: started.append(args) or start(*args))  # type: ignore[func-returns-value]

    got = list(worktree.read_many(iter(wanted)))
    assert [entry for entry, _ in got] == wanted
    contents = {entry.path: data for entry, data in got}
    assert contents.pop("claims/infra/7.yaml") == b"on disk"
    assert contents == {
        f"claims/infra/{number}.yaml": f"claim {number}".encode() for number in range(200) if number != 7
    }
    assert started == [("cat-file", "--batch", "--buffer")]
    assert list(worktree.read_many(wanted[:3])) == got[:3]


HOOK = """#!/bin/sh
exec '{python}' -c '
import json
from pathlib import Path
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import IndexSnapshot, TreeSnapshot, diff
repo = Repository.discover(Path.cwd())
index = IndexSnapshot(repo)
seen = {{
    "changed": [change.path for change in diff(TreeSnapshot.of_head(repo), index)],
    "entries": {{entry.path: data.decode() for entry, data in index.read_many(index.entries())}},
    "subtree": index.subtree(""),
}}
Path("{seen}").write_text(json.dumps(seen))
'
"""


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(
    ("arguments", "changed"),
    [
        ((), ["staged.yaml"]),
        (("--all",), ["a.yaml", "b.yaml", "staged.yaml"]),
        (("claims/b.yaml",), ["b.yaml"]),
        (("--include", "claims/b.yaml"), ["b.yaml", "staged.yaml"]),
    ],
)
def test_a_hook_sees_the_index_that_the_commit_will_use(
    git_repo: GitRepo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    changed: list[str],
    linked: bool,
) -> None:
    git_repo.commit(files={f".potpie/claims/{name}.yaml": "old" for name in "ab"})
    work = git_repo.worktree(tmp_path / "linked tree", "-b", "side") if linked else git_repo
    work.hook("pre-commit", HOOK.format(python=sys.executable, seen=tmp_path / "seen.json"))
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    work.write(".potpie/claims/staged.yaml", "staged")
    work.add()
    work.write(".potpie/claims/a.yaml", "edited a")
    work.write(".potpie/claims/b.yaml", "edited b")
    # in a directory of its own, where a relative path means something else
    inside = GitRepo(work.root / ".potpie")
    inside.git("commit", "--quiet", "-m", "x", *arguments)
    seen = json.loads((tmp_path / "seen.json").read_text())

    assert seen["changed"] == [f"claims/{name}" for name in changed]
    committed = {
        path: work.git("show", f"HEAD:.potpie/{path}")
        for path in work.git("ls-tree", "-r", "--name-only", "HEAD:.potpie").splitlines()
    }
    assert seen["entries"] == committed
    assert seen["subtree"] == work.git("rev-parse", "HEAD:.potpie")


def test_an_announced_file_is_not_in_the_index_but_on_disk(repo: Repository, pot: GitRepo) -> None:
    pot.write(".potpie/claims/announced.yaml", "text")
    pot.write(".potpie/claims/empty.yaml", "")
    pot.git("add", "--intent-to-add", ".potpie/claims/announced.yaml")
    pot.git("add", ".potpie/claims/empty.yaml")

    assert [change.path for change in diff(TreeSnapshot.of_head(repo), IndexSnapshot(repo))] == [
        "claims/empty.yaml"
    ]
    assert WorktreeSnapshot(repo).read("claims/announced.yaml") == b"text"


def test_an_unfinished_merge_is_never_skipped(repo: Repository, pot: GitRepo) -> None:
    pot.commit(files={".potpie/.gitattributes": "* -text -merge\n"})
    pot.branch("side")
    pot.commit(files={".potpie/claims/bugs.yaml": "theirs"})
    pot.switch("main")
    pot.commit(files={".potpie/claims/bugs.yaml": "ours"})
    assert not pot.merge("side")

    index = IndexSnapshot(repo)
    assert index.unmerged() == ["claims/bugs.yaml"]
    with pytest.raises(UnmergedError, match=r"claims/bugs\.yaml") as caught:
        index.read("pot.yaml")
    assert caught.value.detail == {"paths": ["claims/bugs.yaml"]}
    assert WorktreeSnapshot(repo).read("claims/bugs.yaml") == b"ours"

    pot.write(".potpie/claims/bugs.yaml", "settled")
    assert WorktreeSnapshot(repo).read("claims/bugs.yaml") == b"settled"
    pot.add()
    assert IndexSnapshot(repo).read("claims/bugs.yaml") == b"settled"


@pytest.mark.parametrize("options", [("--no-cone",), ("--cone",), ("--cone", "--sparse-index")])
def test_what_sparse_checkout_leaves_out_is_still_there(
    repo: Repository, pot: GitRepo, options: tuple[str, ...]
) -> None:
    pot.git("sparse-checkout", "set", *options, "src")
    assert not (pot.root / ".potpie/claims/bugs").exists()
    head, index, worktree = three(repo)
    assert paths(worktree) == PATHS
    assert diff(head, index) == diff(head, worktree) == []
    assert worktree.read("claims/bugs/0a/a.yaml") == b"a\n"

    pot.write(".potpie/claims/new.yaml", "new")
    assert [change.path for change in diff(head, WorktreeSnapshot(repo))] == ["claims/new.yaml"]


def test_ignored_files_are_read_and_can_be_told(repo: Repository, pot: GitRepo) -> None:
    pot.write(".gitignore", "inbox/\n*.tmp.yaml\n")
    for path in ("inbox/ä.yaml", "claims/x.tmp.yaml", "claims/shown.yaml"):
        pot.write(f".potpie/{path}", path)
    worktree = WorktreeSnapshot(repo)
    assert worktree.ignored() == ["claims/x.tmp.yaml", "inbox/ä.yaml"]
    assert worktree.read("inbox/ä.yaml") == "inbox/ä.yaml".encode()
    assert {"claims/shown.yaml", *worktree.ignored()} <= set(paths(worktree))


def test_working_files_are_taken_as_their_bytes(repo: Repository, pot: GitRepo, tmp_path: Path) -> None:
    """Neither line ends nor filters are applied: what is judged is what lies there."""
    pot.git("config", "core.autocrlf", "true")
    pot.git("config", "filter.shout.clean", f"touch '{tmp_path}/ran'; tr a-z A-Z")
    pot.git("config", "filter.shout.required", "true")
    pot.write(".gitattributes", "*.yaml filter=shout working-tree-encoding=UTF-16\n")
    pot.write(".potpie/claims/bugs.yaml", "line\r\n")
    # same size and time as in the index: only content can tell
    racy = pot.root / ".potpie/claims/bugs/0a/a.yaml"
    status = racy.stat()
    racy.write_text("A\n")
    os.utime(racy, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.utime(pot.root / ".git/index", ns=(status.st_atime_ns, status.st_mtime_ns))

    worktree = WorktreeSnapshot(repo)
    assert worktree.entry("claims/bugs.yaml") == plain("claims/bugs.yaml", "line\r\n")
    assert worktree.read("claims/bugs.yaml") == b"line\r\n"
    assert worktree.read("claims/bugs/0a/a.yaml") == b"A\n"
    assert not (tmp_path / "ran").exists()


def test_links_in_the_working_tree_are_reported_and_never_followed(
    repo: Repository, pot: GitRepo, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    (secret / "0a").mkdir(parents=True)
    (secret / "0a/a.yaml").write_text("secret")
    file, folder = pot.root / ".potpie/claims/bugs.yaml", pot.root / ".potpie/claims/bugs"
    file.unlink()
    file.symlink_to(secret / "0a/a.yaml")
    folder.rename(tmp_path / "moved")
    folder.symlink_to(secret)
    worktree = WorktreeSnapshot(repo)

    target = os.fsencode(secret / "0a/a.yaml")
    assert worktree.entry("claims/bugs.yaml") == Entry("claims/bugs.yaml", "120000", blob(target))
    assert worktree.read("claims/bugs.yaml") == target
    assert worktree.entry("claims/bugs") == Entry("claims/bugs", "120000", blob(os.fsencode(secret)))
    assert worktree.entry("claims/bugs/0a/a.yaml") is None
    assert worktree.subtree("") == git_tree(pot, ".potpie")


def test_a_link_that_is_put_there_meanwhile_is_not_followed(
    repo: Repository, pot: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("secret")
    file = pot.write(".potpie/claims/bugs.yaml", "changed")
    look = Path.lstat

    def lstat(path: Path) -> os.stat_result:
        found = look(path)
        if path == file:
            file.unlink()
            file.symlink_to(tmp_path / "secret")
        return found

    monkeypatch.setattr(Path, "lstat", lstat)
    with pytest.raises(StorageError, match=r"bugs\.yaml"):
        WorktreeSnapshot(repo).entry("claims/bugs.yaml")


@pytest.mark.parametrize("kind", ["symlink", "file", "repository"])
def test_a_pot_that_is_no_directory_is_refused(
    repo: Repository, pot: GitRepo, tmp_path: Path, kind: str
) -> None:
    (pot.root / ".potpie").rename(tmp_path / "moved")
    if kind == "symlink":
        (pot.root / ".potpie").symlink_to(tmp_path / "moved")
    elif kind == "file":
        pot.write(".potpie", "file")
    else:
        GitRepo.init(pot.root / ".potpie").commit(files={"pot.yaml": "x"})
    with pytest.raises(UnsafePathError, match=f"is a {kind}, not a directory"):
        WorktreeSnapshot(repo).read("pot.yaml")

    pot.git("rm", "-r", "--quiet", "--cached", ".potpie")
    pot.add(".potpie")
    mode = {"symlink": "120000", "file": "100644", "repository": "160000"}[kind]
    assert IndexSnapshot(repo).pot_mode() == WorktreeSnapshot(repo).pot_mode() == mode
    assert not IndexSnapshot(repo).exists()
    assert len(diff(TreeSnapshot.of_head(repo), IndexSnapshot(repo))) == len(PATHS)
    pot.git("commit", "--quiet", "-m", "replaced")
    assert IndexSnapshot(repo).pot_mode() == TreeSnapshot.of_head(repo).pot_mode() == mode


def test_a_large_file_is_not_read(repo: Repository, pot: GitRepo) -> None:
    exact, large = b"x" * READ_LIMIT, b"x" * (READ_LIMIT * 20)
    pot.commit(files={".potpie/exact.yaml": exact, ".potpie/large.yaml": large})
    with (pot.root / ".potpie/huge.yaml").open("wb") as file:
        file.truncate(1 << 40)
    pot.write(".potpie/exact-too.yaml", exact)
    worktree = WorktreeSnapshot(repo)

    assert worktree.entry("huge.yaml") == Entry("huge.yaml", "100644", ZERO_OID)
    assert worktree.read("huge.yaml") == b"\0" * (READ_LIMIT + 1)
    assert (
        worktree.read("large.yaml")
        == TreeSnapshot.of_head(repo).read("large.yaml")
        == large[: READ_LIMIT + 1]
    )
    assert worktree.read("exact.yaml") == worktree.read("exact-too.yaml") == exact
    sizes = {entry.path: len(data) for entry, data in worktree.read_many(worktree.entries())}
    assert (sizes["huge.yaml"], sizes["large.yaml"]) == (READ_LIMIT + 1, READ_LIMIT + 1)


def test_what_is_read_is_what_was_hashed(repo: Repository, pot: GitRepo) -> None:
    pot.write(".potpie/claims/bugs.yaml", "first")
    pot.write(".potpie/large.yaml", b"x" * (READ_LIMIT + 5))
    worktree = WorktreeSnapshot(repo)
    assert worktree.entry("claims/bugs.yaml") == plain("claims/bugs.yaml", "first")
    pot.write(".potpie/claims/bugs.yaml", "second")
    pot.write(".potpie/large.yaml", "small now")

    assert worktree.read("claims/bugs.yaml") == b"first"
    with pytest.raises(ConflictError, match=r"large\.yaml changed while it was being read"):
        worktree.read("large.yaml")
    assert WorktreeSnapshot(repo).read("claims/bugs.yaml") == b"second"


def test_devices_and_pipes_are_not_opened(repo: Repository, pot: GitRepo) -> None:
    os.mkfifo(pot.root / ".potpie/pipe.yaml")
    (pot.root / ".potpie/claims/bugs.yaml").unlink()
    os.mkfifo(pot.root / ".potpie/claims/bugs.yaml")
    worktree = WorktreeSnapshot(repo)
    assert worktree.entry("pipe.yaml") is None
    assert worktree.entry("claims/bugs.yaml") is None


def test_executable_bits_count_where_the_file_system_keeps_them(repo: Repository, pot: GitRepo) -> None:
    (pot.root / ".potpie/claims/bugs.yaml").chmod(0o755)
    pot.write(".potpie/new.yaml", "n").chmod(0o755)
    worktree = WorktreeSnapshot(repo)
    assert [change.after.mode for change in diff(IndexSnapshot(repo), worktree) if change.after] == [
        "100755"
    ] * 2

    pot.git("config", "core.fileMode", "false")
    assert diff(IndexSnapshot(repo), WorktreeSnapshot(repo)) == [
        Change("new.yaml", None, plain("new.yaml", "n"))
    ]


def test_a_repository_inside_the_pot_is_not_entered(repo: Repository, pot: GitRepo) -> None:
    GitRepo.init(pot.root / ".potpie/inner").commit(files={"x.yaml": "x"})
    worktree = WorktreeSnapshot(repo)
    assert worktree.entry("inner") == Entry("inner", "160000", ZERO_OID)
    with pytest.raises(UnsafePathError, match="repository of its own"):
        worktree.read("inner")
    with pytest.raises(UnsafePathError, match="repository of its own"):
        worktree.read_many(worktree.entries())


def test_names_that_are_not_utf8_survive(pot: GitRepo, repo: Repository) -> None:
    name = b"\xff\xfe.yaml"
    Path(os.fsdecode(os.fsencode(pot.root) + b"/.potpie/" + name)).write_text("odd")
    pot.commit()
    for snapshot in three(repo):
        assert snapshot.names("")[-1].encode("utf-8", "surrogateescape") == name
        assert snapshot.read(snapshot.names("")[-1]) == b"odd"


def test_replace_refs_do_not_change_what_is_read(repo: Repository, pot: GitRepo) -> None:
    first = pot.git("rev-parse", "HEAD")
    second = pot.commit(files={".potpie/claims/bugs.yaml": "second"})
    pot.git("replace", second, first)
    pot.git("replace", blob("second"), blob("d\n"))
    assert pot.git("show", "HEAD:.potpie/claims/bugs.yaml") == "d"
    assert TreeSnapshot(repo, "HEAD").read("claims/bugs.yaml") == b"second"
    assert len(diff(TreeSnapshot(repo, first), TreeSnapshot(repo, second))) == 1


def test_a_partial_clone_reads_what_it_has_and_names_the_way_to_the_rest(
    pot: GitRepo, tmp_path: Path
) -> None:
    pot.commit(files={".potpie/claims/bugs.yaml": "new"})
    partial = pot.clone(tmp_path / "partial", "--filter=blob:none")
    repo = Repository.discover(partial.root)
    head, past = TreeSnapshot.of_head(repo), TreeSnapshot(repo, "HEAD~1")

    assert head.read("claims/bugs.yaml") == WorktreeSnapshot(repo).read("claims/bugs.yaml") == b"new"
    assert [change.path for change in diff(past, head)] == ["claims/bugs.yaml"]
    with pytest.raises(MissingObjectError) as caught:
        past.read("claims/bugs.yaml")
    assert "git fetch --refetch --no-filter origin" in caught.value.hint


def test_reading_takes_no_lock_and_writes_no_index(repo: Repository, pot: GitRepo) -> None:
    pot.write(".git/index.lock", "")
    index = (pot.root / ".git/index").read_bytes()
    os.utime(pot.root / ".potpie/pot.yaml", ns=(1, 1))
    assert paths(WorktreeSnapshot(repo)) == PATHS
    assert (pot.root / ".git/index").read_bytes() == index
