"""What a review compares: the range that is meant when none is named, the tree that would land, what is staged."""

from __future__ import annotations

from pathlib import Path

import pytest

from potpie_git.checks.review import ChangeKind, review_range, review_staged
from potpie_git.checks.review.scope import IncompleteHistoryError, NoRangeError, range_scope
from potpie_git.checks.rules.samples import claim, file, owner, pot, retracted
from potpie_git.domain.errors import InvalidInputError
from potpie_git.store.errors import UnknownRevisionError
from potpie_git.store.repository import Repository
from tests.checks.review_support import kinds, only
from tests.support.git_repo import GitRepo
from tests.support.pots import PotRepo

OTHER = claim(subject="fix:aaaa1c77b2e0", fact="Something else altogether.")


@pytest.fixture
def repo(tmp_path: Path) -> PotRepo:
    """A pot with one claim on `main`."""
    made = PotRepo.at(tmp_path / "repo", gated=False)
    made.land(pot(claim()))
    return made


def _cloned(repo: GitRepo, target: Path, *options: str) -> PotRepo:
    return PotRepo(repo.clone(target, *options).root)


def _revisions(repo: PotRepo) -> str | None:
    return range_scope(repo.repository).revisions


def test_a_branch_is_compared_with_the_default_branch_of_origin(repo: PotRepo, tmp_path: Path) -> None:
    clone = _cloned(repo, tmp_path / "clone")
    clone.branch("topic")
    clone.land(file(OTHER))
    assert _revisions(clone) == "origin/main..HEAD"
    assert only(review_range(clone.repository)).claims[0].id == OTHER.id


def test_the_default_branch_is_what_the_remote_says_it_is(repo: PotRepo, tmp_path: Path) -> None:
    repo.git("branch", "--move", "main", "trunk")
    clone = _cloned(repo, tmp_path / "clone")
    clone.branch("topic")
    clone.land(file(OTHER))
    assert _revisions(clone) == "origin/trunk..HEAD"


def test_a_remote_named_upstream_goes_before_origin(repo: PotRepo, tmp_path: Path) -> None:
    fork = _cloned(repo, tmp_path / "fork")
    clone = _cloned(fork, tmp_path / "clone")
    clone.git("remote", "add", "upstream", f"file://{repo.root}")
    clone.git("fetch", "--quiet", "upstream")
    clone.branch("topic")
    clone.land(file(OTHER))
    assert _revisions(clone) == "upstream/main..HEAD"


def test_without_a_remote_the_local_main_is_meant(repo: PotRepo) -> None:
    repo.branch("topic")
    repo.land(file(OTHER))
    assert _revisions(repo) == "main..HEAD"


def test_what_is_pushed_already_is_reviewed_by_its_last_commit(repo: PotRepo, tmp_path: Path) -> None:
    repo.land(file(OTHER))
    clone = _cloned(repo, tmp_path / "clone")
    assert _revisions(clone) == "HEAD~1..HEAD"
    assert only(review_range(clone.repository)).claims[0].id == OTHER.id


def test_a_first_commit_says_that_there_is_nothing_to_compare_with(repo: PotRepo) -> None:
    with pytest.raises(NoRangeError, match="no parent") as caught:
        range_scope(repo.repository)
    assert "BASE..HEAD" in caught.value.hint


def test_an_unborn_branch_points_to_what_is_staged(tmp_path: Path) -> None:
    empty = PotRepo.at(tmp_path / "empty", gated=False)
    with pytest.raises(NoRangeError, match="no commit") as caught:
        range_scope(empty.repository)
    assert "--staged" in caught.value.hint


@pytest.mark.parametrize(
    "text", ["main", "main...HEAD", "..HEAD", "--output=x..HEAD", "main..--output=x", ""]
)
def test_what_is_no_range_is_refused(text: str, repo: PotRepo) -> None:
    with pytest.raises(InvalidInputError, match="is not a range"):
        range_scope(repo.repository, text)
    assert not (repo.root / "x").exists()


@pytest.mark.parametrize("text", ["main..nowhere", "nowhere..HEAD", "main..HEAD:.potpie"])
def test_an_end_that_names_no_commit_is_named(text: str, repo: PotRepo) -> None:
    with pytest.raises(UnknownRevisionError, match=r"nowhere|\.potpie"):
        range_scope(repo.repository, text)


def test_an_open_end_is_head(repo: PotRepo) -> None:
    repo.branch("topic")
    repo.land(file(OTHER))
    assert range_scope(repo.repository, "main..").revisions == "main..HEAD"


def test_a_shallow_clone_is_not_reviewed(repo: PotRepo, tmp_path: Path) -> None:
    repo.land(file(OTHER))
    shallow = _cloned(repo, tmp_path / "shallow", "--depth=1")
    with pytest.raises(IncompleteHistoryError) as caught:
        review_range(shallow.repository, "HEAD..HEAD")
    assert "git fetch --unshallow" in caught.value.hint


def test_what_would_land_is_reviewed_not_what_the_branch_looks_like(repo: PotRepo) -> None:
    repo.land(file(owner("payments")))
    repo.branch("topic", "HEAD~1")
    repo.land(file(owner("billing")))
    made = review_range(repo.repository, "main..topic")
    # Against the tip of main the branch looks as if it removed the other owner; landed, there are two.
    change = only(made)
    assert change.kind is ChangeKind.BECOMES
    assert [note.statement for note in change.notes] == ["service:refunds-api is owned by team:payments"]
    assert "PG-X02" in [finding.code for finding in change.findings]


def test_a_file_that_both_sides_changed_is_a_finding(repo: PotRepo) -> None:
    repo.branch("topic")
    repo.land(retracted(claim()))
    repo.switch("main")
    repo.land({path: raw.replace(b"rejects", b"refuses") for path, raw in retracted(claim()).items()})  # type: ignore[union-attr]
    made = review_range(repo.repository, "main..topic")
    assert "PG-R03" in [finding.code for finding in made.findings]
    assert made.verdict.status == "refused"


def test_a_range_lands_on_the_branch_that_its_base_names(repo: PotRepo, tmp_path: Path) -> None:
    clone = _cloned(repo, tmp_path / "clone")
    clone.branch("topic")
    clone.land(retracted(claim()))
    assert review_range(clone.repository).target == "refs/heads/main"
    elsewhere = review_range(clone.repository, ref="refs/heads/next")
    assert (elsewhere.target, elsewhere.verdict.status) == ("refs/heads/next", "clean")


def test_what_is_staged_is_reviewed_and_what_is_not_is_left_alone(repo: PotRepo) -> None:
    repo.branch("topic")
    repo.stage(file(OTHER))
    repo.put(file(owner("billing")))
    made = review_staged(repo.repository)
    assert (made.kind, made.revisions) == ("staged", None)
    assert only(made).claims[0].id == OTHER.id


def test_the_first_pot_can_be_reviewed_before_it_is_committed(tmp_path: Path) -> None:
    empty = PotRepo.at(tmp_path / "empty", gated=False)
    empty.stage(pot(claim()))
    made = review_staged(empty.repository)
    assert kinds(made).count(ChangeKind.BECOMES) == 1
    assert made.verdict.status == "clean"


def test_a_pot_that_a_branch_brings_is_reviewed(git_repo: GitRepo) -> None:
    git_repo.commit("start")
    git_repo.branch("topic")
    brought = PotRepo(git_repo.root)
    brought.land(pot(claim()))
    made = review_range(Repository.discover(git_repo.root))
    assert kinds(made).count(ChangeKind.BECOMES) == 1


def test_names_of_authors_that_are_no_text_are_shown_by_their_bytes(repo: PotRepo) -> None:
    repo.branch("topic")
    made = repo.land(file(OTHER))
    raw = repo.run("cat-file", "commit", made).stdout.replace(b"author Rae", b"author R\xe9ne")
    odd = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw)
    repo.git("update-ref", "HEAD", odd)
    assert review_range(repo.repository).authors == ["R\\xe9ne Rivers"]
