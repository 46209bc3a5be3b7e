"""Ways around the hooks lead to the push, and to the range check, which refuse what landed locally."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from potpie_git.checks.ranges import check_range
from potpie_git.checks.rules.samples import claim, edited, file, pot, retracted
from potpie_git.domain.errors import ExitCode
from tests.support.git_repo import GitRepo
from tests.support.pots import Answer, PotRepo


@pytest.fixture
def clone(tmp_path: Path) -> PotRepo:
    """A gated clone on `main`, which policy protects; its remote holds a pot with one claim.

    The branch `work` has an unapproved retraction of that claim.
    """
    remote = GitRepo.init(tmp_path / "remote.git", "--bare")
    made = PotRepo.at(tmp_path / "clone")
    made.land(pot(claim()))
    made.git("remote", "add", "origin", str(remote.root))
    made.git("push", "--quiet", "--set-upstream", "origin", "main")
    made.branch("work")
    answer = made.try_commit(retracted(claim()))
    assert answer.status == 0, answer.said
    made.switch("main")
    return made


def _no_verify(repo: PotRepo) -> Answer:
    repo.stage(retracted(claim()))
    return repo.attempt("commit", "--no-verify", "-q", "-m", "retract")


def _cherry_pick(repo: PotRepo) -> Answer:
    return repo.attempt("cherry-pick", "work")


def _rebase(repo: PotRepo) -> Answer:
    repo.land({"a.txt": b"a"})
    return repo.attempt("rebase", "work", "main")


def _am(repo: PotRepo) -> Answer:
    patch = repo.git("format-patch", "--stdout", "-1", "work")
    return repo.attempt("am", stdin=f"{patch}\n".encode())


def _fast_forward(repo: PotRepo) -> Answer:
    return repo.attempt("merge", "--ff-only", "-q", "work")


WAYS = [_no_verify, _cherry_pick, _rebase, _am, _fast_forward]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
def test_an_unapproved_retraction_lands_locally_and_goes_no_further(
    clone: PotRepo, way: Callable[[PotRepo], Answer]
) -> None:
    there = clone.git("rev-parse", "origin/main")
    done = way(clone)
    assert done.status == 0, done.said
    assert clone.git("cat-file", "-t", f"main:{next(iter(retracted(claim())))}") == "blob"
    answer = clone.attempt("push", "origin", "main")
    assert answer.refused
    assert "PG-A01" in answer.said
    assert "This push was refused by potpie-git." in answer.said
    assert clone.git("ls-remote", "origin", "refs/heads/main").split()[0] == there
    report = check_range(clone.repository, "origin/main..main")
    assert report.exit_code == ExitCode.APPROVAL


def test_a_direct_commit_on_the_protected_branch_is_refused_at_once(clone: PotRepo) -> None:
    answer = clone.try_commit(retracted(claim()))
    assert answer.refused
    assert "PG-A01" in answer.said


def test_the_revert_of_a_retraction_lands_locally_and_goes_no_further(clone: PotRepo) -> None:
    clone.git("push", "--quiet", "--no-verify", "origin", "work:main")
    clone.git("fetch", "--quiet")
    clone.git("reset", "--quiet", "--hard", "origin/main")
    assert clone.attempt("revert", "--no-edit", "HEAD").status == 0
    answer = clone.attempt("push", "origin", "main")
    assert answer.refused
    assert {"PG-H01", "PG-H04"} <= set(answer.said.replace(":", " ").split())
    assert check_range(clone.repository, "origin/main..main").exit_code == ExitCode.FAILED


def test_the_retraction_may_be_pushed_for_review(clone: PotRepo) -> None:
    assert clone.attempt("push", "-q", "origin", "work").status == 0


def test_a_new_branch_is_judged_whole(clone: PotRepo) -> None:
    clone.branch("other")
    clone.land(edited(claim(), "truth: agent_claim", "truth: user_decision"))
    answer = clone.attempt("push", "origin", "other")
    assert answer.refused
    assert "PG-H02" in answer.said


def test_a_remote_that_moved_on_has_to_be_fetched(clone: PotRepo, tmp_path: Path) -> None:
    other = PotRepo(GitRepo(tmp_path / "remote.git").clone(tmp_path / "other").root)
    other.land(file(claim(fact="Split the refund.")))
    other.git("push", "--quiet", "origin", "main")
    clone.land(file(claim(fact="Something else.")))
    answer = clone.attempt("push", "--force", "origin", "main")
    assert answer.refused
    assert "PG-R02" in answer.said
    assert "git fetch origin" in answer.said


def test_deleting_a_branch_is_not_our_business(clone: PotRepo) -> None:
    clone.git("push", "--quiet", "origin", "work")
    assert clone.attempt("push", "-q", "origin", ":work").status == 0


@pytest.mark.parametrize(
    "what",
    [b"HEAD^{/some words}:refs/heads/x", "HEAD:refs/heads/x\u2028y".encode(), b"HEAD:refs/heads/caf\xe9"],
    ids=["words", "line separator", "latin"],
)
@pytest.mark.parametrize("streams", ["", "utf-8:strict", "ascii:strict"])
def test_no_spelling_of_a_push_goes_around_the_check(clone: PotRepo, what: bytes, streams: str) -> None:
    clone.branch("other")
    clone.land(edited(claim(), "truth: agent_claim", "truth: user_decision"))
    clone.git("commit", "--quiet", "--no-verify", "--allow-empty", "-m", "with some words")
    environment = {**os.environ, "PYTHONIOENCODING": streams}
    answer = clone.attempt("push", "origin", os.fsdecode(what), env=environment)
    assert answer.refused
    assert "PG-H02" in answer.said
    assert len(clone.git("ls-remote", "--heads", "origin").splitlines()) == 1
