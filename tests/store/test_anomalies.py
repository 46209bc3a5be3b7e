"""What no tree of a pot may hold: made with raw trees, because no checkout would make them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from potpie_git.store.errors import UnsafePathError
from potpie_git.store.names import folded_name, is_git_directory_name, is_look_alike
from potpie_git.store.objects import TreeNode, tree_order
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import (
    Anomaly,
    Entry,
    IndexSnapshot,
    Problem,
    TreeSnapshot,
    WorktreeSnapshot,
    anomalies,
    diff,
    entry_anomalies,
    tree_anomalies,
)
from potpie_git.store.snapshots.anomalies import is_plain, looked_at
from tests.support.git_repo import GitRepo

NFC, NFD = "naïve.yaml", "nai\u0308ve.yaml"


@pytest.fixture
def repo(git_repo: GitRepo) -> Repository:
    return Repository.discover(git_repo.root)


class Trees:
    """Makes commits whose `.potpie` is a raw tree."""

    def __init__(self, made: GitRepo) -> None:
        self.made = made
        self.blob = made.blob("x")

    def file(self, name: str | bytes, mode: str = "100644") -> tuple[str, str | bytes, str]:
        return (mode, name, self.blob)

    def tree(self, name: str | bytes, *entries: tuple[str, str | bytes, str]) -> tuple[str, str | bytes, str]:
        return ("40000", name, self.made.raw_tree(*entries))

    def pot(self, *entries: tuple[str, str | bytes, str]) -> str:
        return self.root(self.tree(".potpie", *entries))

    def root(self, *entries: tuple[str, str | bytes, str]) -> str:
        return self.made.commit_tree(self.made.raw_tree(*entries))


@pytest.fixture
def trees(git_repo: GitRepo) -> Trees:
    return Trees(git_repo)


def at(path: str | bytes, problem: Problem, other: str = "") -> Anomaly:
    raw = path.encode() if isinstance(path, str) else path
    return Anomaly(b".potpie/" + raw, problem, other)


def test_a_sound_tree_has_none(repo: Repository, trees: Trees) -> None:
    claims = trees.tree("claims", trees.file("a.yaml"), trees.tree("bugs", trees.file("a.yaml")))
    assert tree_anomalies(repo, trees.pot(trees.file(".gitattributes"), claims, trees.file("pot.yaml"))) == []
    assert tree_anomalies(repo, trees.root(trees.tree(".potpie-example", trees.file("pot.yaml")))) == []


def test_names_that_differ_only_by_case_or_normalisation_are_twins(repo: Repository, trees: Trees) -> None:
    commit = trees.pot(
        trees.tree("Claims", trees.file("x.yaml")),
        trees.tree("claims", trees.file("A.yaml"), trees.file("a.yaml"), trees.file(NFD), trees.file(NFC)),
    )
    assert tree_anomalies(repo, commit) == [
        at("Claims", Problem.TWIN, "claims"),
        at("claims", Problem.TWIN, "Claims"),
        at("claims/A.yaml", Problem.TWIN, "a.yaml"),
        at("claims/a.yaml", Problem.TWIN, "A.yaml"),
        at(f"claims/{NFD}", Problem.TWIN, NFC),
        at(f"claims/{NFC}", Problem.TWIN, NFD),
    ]


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        ("100755", Problem.MODE),
        ("100664", Problem.MODE),
        ("120000", Problem.SYMLINK),
        ("160000", Problem.SUBMODULE),
    ],
)
def test_every_mode_but_a_plain_files_is_told(
    repo: Repository, trees: Trees, mode: str, problem: Problem
) -> None:
    commit = trees.pot(trees.tree("claims", trees.file("a.yaml", mode)))
    assert tree_anomalies(repo, commit) == [at("claims/a.yaml", problem, mode)]
    assert TreeSnapshot(repo, commit).entry("claims/a.yaml") == Entry("claims/a.yaml", mode, trees.blob)


def test_a_directory_with_an_odd_mode_is_entered_all_the_same(repo: Repository, trees: Trees) -> None:
    _, name, oid = trees.tree("claims", trees.file("a.yaml", "100755"))
    commit = trees.pot(("040000", name, oid))
    assert tree_anomalies(repo, commit) == [
        at("claims", Problem.MODE, "040000"),
        at("claims/a.yaml", Problem.MODE, "100755"),
    ]


@pytest.mark.parametrize("name", ["..", ".", "a/b", "a\\b", "a\nb", b"\xff.yaml", "../../x"])
def test_names_that_are_paths_or_hide_something_are_unsafe(
    repo: Repository, trees: Trees, name: str | bytes
) -> None:
    raw = name.encode() if isinstance(name, str) else name
    inner = trees.file("x.yaml", "100755")
    assert at(raw, Problem.UNSAFE_NAME) in tree_anomalies(repo, trees.pot(trees.file(name)))
    commit = trees.pot(trees.tree(name, inner))
    assert at(raw, Problem.UNSAFE_NAME) in tree_anomalies(repo, commit)
    # neither walk leaves the pot, ends early, or never ends
    assert len(list(TreeSnapshot(repo, commit).entries())) == 1
    assert len(diff(TreeSnapshot(repo, None), TreeSnapshot(repo, commit))) == 1


def test_an_entry_without_a_name_does_not_trap_the_walk(repo: Repository, trees: Trees) -> None:
    commit = trees.pot(trees.tree("", trees.file("x.yaml")), trees.file("y.yaml"))
    assert tree_anomalies(repo, commit) == [at("", Problem.UNSAFE_NAME)]
    assert len(diff(TreeSnapshot(repo, None), TreeSnapshot(repo, commit))) == 2


def test_duplicates_and_disorder(repo: Repository, trees: Trees) -> None:
    commit = trees.pot(trees.file("b.yaml"), trees.file("a.yaml"), trees.file("a.yaml"))
    assert tree_anomalies(repo, commit) == [
        at("a.yaml", Problem.DISORDER),
        at("a.yaml", Problem.DUPLICATE),
    ]


@pytest.mark.parametrize(
    "name", [".git", ".GIT", ".g\u200cit", "git~1", ".git ", ".git.", ".git::$INDEX_ALLOCATION"]
)
def test_names_that_some_system_takes_for_the_git_directory(
    repo: Repository, trees: Trees, name: str
) -> None:
    found = tree_anomalies(repo, trees.pot(trees.tree("claims", trees.tree(name, trees.file("config")))))
    assert at(f"claims/{name}", Problem.GIT_NAME) in found


@pytest.mark.parametrize("depth", [40, 3000])
def test_deep_nesting_is_refused_without_exhausting_anything(
    repo: Repository, git_repo: GitRepo, trees: Trees, depth: int
) -> None:
    path = ".potpie/" + "d/" * depth + "x.yaml"
    git_repo.git("update-index", "--index-info", stdin=f"100644 {trees.blob}\t{path}\n".encode())
    commit = git_repo.commit_tree(git_repo.git("write-tree"))
    (found,) = tree_anomalies(repo, commit)
    assert found.problem is Problem.TOO_DEEP
    with pytest.raises(UnsafePathError, match="directories deep"):
        list(TreeSnapshot(repo, commit).entries())
    with pytest.raises(UnsafePathError, match="directories deep"):
        diff(TreeSnapshot(repo, None), TreeSnapshot(repo, commit))
    with pytest.raises(UnsafePathError, match="directories deep"):
        IndexSnapshot(repo).subtree("")


LOOK_ALIKES = [
    ".Potpie",
    ".POTPIE",
    ".potpie ",
    ".potpie.",
    ".pot\u200bpie",
    "\u200c.potpie",
    ".potpie\ufeff",
    ".p\u043etpie",
    ".pοtpιe",
    "．potpie",
    ".potpi\u0301e",
    ".potpie\u00a0",
    "POTPIE~1",
    ".potpie::$INDEX_ALLOCATION",
    ".potpie\\claims",
    ".potpie\u2800",
    ".p\u1d0ftp\u026ae",
    ".\u1d18otpie",
    ".potpi\u212e",
    ".potp\ua647e",
    "\u2024potpie",
    "\ua4f8potpie",
]


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_a_look_alike_beside_the_pot_is_found_wherever_it_stands(
    repo: Repository, trees: Trees, git_repo: GitRepo, name: str
) -> None:
    pot = trees.tree(".potpie", trees.file("pot.yaml"))
    expected = [Anomaly(name.encode(), Problem.LOOK_ALIKE)]
    before, after = trees.root(pot), trees.root(trees.tree(name, trees.file("pot.yaml")), pot)
    assert tree_anomalies(repo, after) == expected
    assert tree_anomalies(repo, after, before) == expected
    assert tree_anomalies(repo, after, after) == []

    git_repo.git("update-ref", "HEAD", before)
    git_repo.git("-c", "core.protectNTFS=false", "-c", "core.protectHFS=false", "read-tree", after)
    assert anomalies(IndexSnapshot(repo), TreeSnapshot.of_head(repo)) == expected
    git_repo.git("update-ref", "HEAD", after)
    assert IndexSnapshot(repo).look_alikes() == [name]
    git_repo.git("read-tree", before)
    assert IndexSnapshot(repo).look_alikes() == []
    (git_repo.root / name).mkdir()
    assert WorktreeSnapshot(repo).look_alikes() == [name]


@pytest.mark.parametrize(
    "name", [".potpie", "potpie", ".potpie-example", ".potpies", ".pot", "x.potpie", "pot~1"]
)
def test_other_names_are_no_look_alikes(name: str) -> None:
    assert not is_look_alike(name)


@pytest.mark.parametrize("name", [".gitattributes", ".gitignore", "git", "digit~1", "a.git"])
def test_other_names_are_not_gits(name: str) -> None:
    assert not is_git_directory_name(name)


def test_names_fold_to_what_the_weakest_file_system_keeps() -> None:
    assert folded_name("A.YAML") == folded_name("a.yaml") == folded_name("a\u200d.yaml. ")
    assert folded_name(NFC) == folded_name(NFD) == folded_name(NFC.upper())
    assert folded_name("a.yaml") != folded_name("b.yaml")


@pytest.mark.parametrize(
    ("mode", "problem"),
    [("120000", Problem.SYMLINK), ("160000", Problem.SUBMODULE), ("100644", Problem.NOT_A_DIRECTORY)],
)
def test_the_pot_itself_has_to_be_a_directory(
    repo: Repository, trees: Trees, mode: str, problem: Problem
) -> None:
    before, after = trees.pot(trees.file("pot.yaml")), trees.root(trees.file(".potpie", mode))
    expected = [Anomaly(b".potpie", problem, mode)]
    assert tree_anomalies(repo, after) == tree_anomalies(repo, after, before) == expected
    assert not TreeSnapshot(repo, after).exists()


def test_only_what_is_new_is_told_where_a_base_is_given(repo: Repository, trees: Trees) -> None:
    old = trees.tree("bugs", trees.file("A.yaml"), trees.file("a.yaml"))
    before = trees.pot(old, trees.tree("infra", trees.file("old.yaml", "100755")))
    files = (trees.file("OLD.yaml"), trees.file("new.yaml", "120000"), trees.file("old.yaml", "100755"))
    after = trees.pot(old, trees.tree("infra", *files))
    assert tree_anomalies(repo, after, before) == [
        at("infra/OLD.yaml", Problem.TWIN, "old.yaml"),
        at("infra/new.yaml", Problem.SYMLINK, "120000"),
        at("infra/old.yaml", Problem.TWIN, "OLD.yaml"),
    ]


def test_a_staged_twin_of_a_committed_file_is_found(repo: Repository, git_repo: GitRepo) -> None:
    git_repo.commit(files={".potpie/claims/a.yaml": "a", ".potpie/claims/b.yaml": "b"})
    git_repo.write(".potpie/claims/A.yaml", "a")
    git_repo.add()
    found = anomalies(IndexSnapshot(repo), TreeSnapshot.of_head(repo))
    assert [(anomaly.path, anomaly.problem) for anomaly in found] == [
        (b".potpie/claims/A.yaml", Problem.TWIN),
        (b".potpie/claims/a.yaml", Problem.TWIN),
    ]


def test_a_list_of_entries_is_judged_the_same_way(repo: Repository, trees: Trees) -> None:
    commit = trees.pot(
        trees.tree("Claims", trees.file("x.yaml")),
        trees.tree("claims", trees.file("A.yaml"), trees.file("a.yaml"), trees.file("l.yaml", "120000")),
    )
    entries = list(TreeSnapshot(repo, commit).entries())
    assert entry_anomalies(reversed(entries)) == tree_anomalies(repo, commit)
    assert len(entry_anomalies(entries)) == 5
    assert entry_anomalies([]) == []


ODD_NAMES = st.sampled_from(
    [".git", "GIT~1", "a.", "a ", "A", "a", "a\nb", "b", "", "..", "é", "e\u0301", "a.yaml", "a\u200b", "a/b"]
)
NODES = st.builds(
    TreeNode,
    st.one_of(ODD_NAMES, st.text("abAB.-_~\n", max_size=4)),
    st.sampled_from(["100644", "40000", "100755", "120000"]),
    st.just("0" * 40),
)


@given(st.lists(NODES, max_size=6), st.booleans(), st.sampled_from(["", "claims", "a/b/c/d/e/f/g/h/i/j"]))
@example([TreeNode("", "100644", "0" * 40)], True, "claims")
@example([TreeNode("a", "100644", "0" * 40), TreeNode("a\nb", "100644", "0" * 40)], True, "claims")
def test_a_directory_that_passes_as_a_whole_passes_entry_by_entry(
    nodes: list[TreeNode], in_order: bool, path: str
) -> None:
    given_nodes = sorted(nodes, key=tree_order) if in_order else nodes
    if is_plain(path, given_nodes):
        assert list(looked_at(path, given_nodes)) == []


def test_the_directories_of_a_pot_pass_as_a_whole() -> None:
    names = ("approvals", "claims", "entities", "tombstones")
    folders = [TreeNode(name, "40000", "0" * 40) for name in names]
    assert is_plain("", [TreeNode(".gitattributes", "100644", "0" * 40), *folders]) is False
    assert is_plain("claims", folders)
    claim = "fix-1.RESOLVED.bug-a.c-5d0c1b0e6f3a4c0f9d5a1c7e8b2f4d60.yaml"
    assert is_plain("claims/debugging/ab", [TreeNode(claim, "100644", "0" * 40)])
