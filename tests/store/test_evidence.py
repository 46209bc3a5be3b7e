"""A cited place against what stands there: current, moved, changed or gone."""

import pytest

from potpie_git.domain.claim import Evidence
from potpie_git.domain.freshness import EvidenceState
from potpie_git.store.evidence import EvidenceStates
from potpie_git.store.repository import Repository
from tests.support.git_repo import GitRepo

CODE = "one\ntwo\nthree\nfour\nfive\n"


@pytest.fixture
def cited(git_repo: GitRepo) -> GitRepo:
    git_repo.commit("code", files={"src/a.py": CODE})
    return git_repo


def _state(
    repo: GitRepo, ref: str, *, blob: str | None = "", quote: str | None = None, revision: str | None = None
):
    pin = repo.git("hash-object", "--stdin", stdin=CODE.encode()) if blob == "" else blob
    states = EvidenceStates(Repository.discover(repo.root), revision=revision)
    return states(Evidence(source_ref=ref, blob=pin, quote=quote))


@pytest.mark.parametrize(
    ("content", "whole", "lines"),
    [
        (CODE, EvidenceState.CURRENT, EvidenceState.CURRENT),
        (CODE.replace("\n", "\r\n"), EvidenceState.CURRENT, EvidenceState.CURRENT),
        (CODE + "six\n", EvidenceState.CHANGED, EvidenceState.CURRENT),
        ("zero\n" + CODE, EvidenceState.CHANGED, EvidenceState.MOVED),
        (CODE.replace("three", "drei"), EvidenceState.CHANGED, EvidenceState.CHANGED),
        ("", EvidenceState.CHANGED, EvidenceState.CHANGED),
    ],
)
def test_a_changed_file_leaves_the_lines_that_did_not_change(
    cited: GitRepo, content: str, whole: EvidenceState, lines: EvidenceState
) -> None:
    cited.write("src/a.py", content)
    assert _state(cited, "repo:src/a.py") is whole
    assert _state(cited, "repo:src/a.py#L2-L4") is lines
    assert _state(cited, "repo:src/a.py", revision="HEAD") is EvidenceState.CURRENT
    cited.commit("change")
    assert _state(cited, "repo:src/a.py#L2-L4", revision="HEAD") is lines


def test_a_file_that_is_gone_and_one_that_was_renamed(cited: GitRepo) -> None:
    cited.git("mv", "src/a.py", "src/b.py")
    assert _state(cited, "repo:src/a.py") is EvidenceState.MOVED
    assert _state(cited, "repo:src/a.py", revision="HEAD") is EvidenceState.CURRENT
    cited.git("rm", "--quiet", "--force", "src/b.py")
    assert _state(cited, "repo:src/a.py") is EvidenceState.GONE
    assert _state(cited, "repo:src/a.py", blob=None) is EvidenceState.GONE
    cited.commit("gone")
    assert _state(cited, "repo:src/a.py", revision="HEAD") is EvidenceState.GONE
    assert _state(cited, "repo:src/a.py", revision="HEAD~1") is EvidenceState.CURRENT


def test_a_quote_is_looked_for_in_the_file(cited: GitRepo) -> None:
    cited.write("src/a.py", "zero\n" + CODE.replace("two", "two  ") + "more\n")
    assert _state(cited, "repo:src/a.py", quote="two\nthree") is EvidenceState.MOVED
    assert _state(cited, "repo:src/a.py", quote="two three four six") is EvidenceState.CHANGED


def test_what_is_no_place_here_or_was_never_pinned_has_no_state(cited: GitRepo) -> None:
    assert _state(cited, "github:pr:acme/x:1") is None
    assert _state(cited, "repo:../outside") is None
    assert _state(cited, "repo:src/a.py", blob=None) is None


def test_lines_whose_pinned_blob_is_not_in_this_clone_count_as_changed(cited: GitRepo) -> None:
    assert _state(cited, "repo:src/a.py#L2", blob="1" * 40) is EvidenceState.CHANGED


def test_nothing_is_read_through_a_link(cited: GitRepo, tmp_path) -> None:
    (tmp_path / "a.py").write_text(CODE)
    (cited.root / "src" / "a.py").unlink()
    (cited.root / "src" / "a.py").symlink_to(tmp_path / "a.py")
    cited.git("add", "--all")
    assert _state(cited, "repo:src/a.py") is EvidenceState.GONE
