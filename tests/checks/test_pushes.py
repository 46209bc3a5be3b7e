"""What a push would bring: known and unknown remotes, new branches, protected ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from potpie_git.checks.pushes import Push, check_pushes, parse_pushes
from potpie_git.checks.report import CheckReport
from potpie_git.checks.rules.samples import claim, edited, file, pot, retracted
from potpie_git.domain.errors import ExitCode
from potpie_git.pot import Pot
from tests.checks.conftest import codes
from tests.support.git_repo import GitRepo
from tests.support.pots import PotRepo

ZERO = "0" * 40
BAD = edited(claim(), "truth: agent_claim", "truth: fact")


@pytest.fixture
def repo(tmp_path: Path) -> PotRepo:
    """A clone of a remote whose `main` holds a pot with one claim."""
    remote = GitRepo.init(tmp_path / "remote.git", "--bare")
    made = PotRepo.at(tmp_path / "repo", gated=False)
    made.land(pot(claim()))
    made.git("remote", "add", "origin", str(remote.root))
    made.git("push", "--quiet", "--set-upstream", "origin", "main")
    made.branch("work")
    return made


def _push(repo: PotRepo, branch: str, remote_commit: str | None) -> list[CheckReport]:
    push = Push(repo.git("rev-parse", "HEAD"), f"refs/heads/{branch}", remote_commit)
    return check_pushes(repo.repository, "origin", [push])


def _codes(reports: list[CheckReport]) -> list[str]:
    return [code for report in reports for code in codes(report)]


def test_only_branches_are_judged() -> None:
    one, two = "1" * 40, "2" * 40
    text = (
        f"refs/heads/a {one} refs/heads/a {two}\n"
        f"(delete) {ZERO} refs/heads/b {two}\n"
        f"refs/tags/v1 {one} refs/tags/v1 {ZERO}\n"
        f"refs/heads/c {one} refs/heads/c {ZERO}\n"
        "nonsense\n\n"
    )
    assert list(parse_pushes(text)) == [
        Push(one, "refs/heads/a", two),
        Push(None, "refs/heads/b", two),
        Push(one, "refs/heads/c", None),
    ]


def test_a_protected_branch_with_a_pot_is_not_deleted(repo: PotRepo) -> None:
    head = repo.git("rev-parse", "HEAD")

    def deleted(branch: str, there: str) -> list[str]:
        push = Push(None, f"refs/heads/{branch}", there)
        return _codes(check_pushes(repo.repository, "origin", [push]))

    assert deleted("main", head) == ["PG-H01"]
    assert deleted("work", head) == []
    assert deleted("main", "1" * 40) == ["PG-H01"], "what is there is not known, and its name is"
    empty = repo.git("commit-tree", "-m", "no pot", repo.git("mktree", stdin=b""))
    assert deleted("main", empty) == []


def test_git_does_not_delete_one_where_the_hooks_are(repo: PotRepo) -> None:
    Pot.open(repo.root).install_hooks()
    done = repo.run("push", "origin", ":main")
    assert done.returncode != 0
    assert b"PG-H01" in done.stderr
    repo.git("push", "--quiet", "origin", "work")
    repo.git("push", "--quiet", "origin", ":work")


def test_a_new_branch_is_judged_from_where_it_left_the_default_branch(repo: PotRepo) -> None:
    repo.land(file(claim(fact="Split the refund.")))
    [report] = _push(repo, "work", None)
    assert (report.findings, report.files_checked) == ((), 1)
    repo.land(edited(claim(), "truth: agent_claim", "truth: user_decision"))
    assert _codes(_push(repo, "work", None)) == ["PG-H02"]


def test_the_first_push_to_an_empty_remote_is_judged_whole(repo: PotRepo, tmp_path: Path) -> None:
    repo.land(BAD)
    empty = GitRepo.init(tmp_path / "empty.git", "--bare")
    repo.git("remote", "add", "fresh", str(empty.root))
    push = Push(repo.git("rev-parse", "HEAD"), "refs/heads/main", None)
    [report] = check_pushes(repo.repository, "fresh", [push])
    assert codes(report) == ["PG-S05"]
    assert report.files_checked == 4
    [by_address] = check_pushes(repo.repository, str(empty.root), [push])
    assert codes(by_address) == ["PG-S05"]


def test_a_remote_commit_that_is_not_here_has_to_be_fetched(repo: PotRepo) -> None:
    repo.land(file(claim(fact="Split the refund.")))
    [report] = _push(repo, "work", "1" * 40)
    assert codes(report) == ["PG-R02"]
    assert report.exit_code == ExitCode.UNAVAILABLE
    assert "git fetch origin" in report.findings[0].hint


def test_a_retraction_needs_approval_on_a_protected_branch_alone(repo: PotRepo) -> None:
    there = repo.git("rev-parse", "origin/main")
    repo.land(retracted(claim()))
    assert _codes(_push(repo, "work", None)) == []
    reports = _push(repo, "main", there)
    assert set(_codes(reports)) == {"PG-A01"}
    assert reports[0].exit_code == ExitCode.APPROVAL


def test_what_is_taken_off_a_protected_branch_is_missed(repo: PotRepo) -> None:
    """A forced push puts the tree there as it is; nothing is merged."""
    there = repo.land(file(claim(fact="Split the refund.")))
    repo.git("reset", "--quiet", "--hard", "HEAD^")
    repo.land({"a.txt": b"a"}, file(claim(fact="Something else.")))
    assert "PG-H01" in _codes(_push(repo, "main", there))


def test_a_branch_of_ones_own_may_be_rewritten(repo: PotRepo) -> None:
    there = repo.land(file(claim(fact="Split the refund.")))
    repo.git("reset", "--quiet", "--hard", "HEAD^")
    repo.land(file(claim(fact="Something else.")))
    assert _codes(_push(repo, "work", there)) == []


def test_a_push_without_a_pot_is_not_looked_at(tmp_path: Path) -> None:
    made = PotRepo.at(tmp_path / "plain", gated=False)
    made.land({"a.txt": b"a"})
    assert _push(made, "main", None) == []
    first = made.git("rev-parse", "HEAD")
    made.land({"a.txt": b"b"})
    assert _push(made, "main", first) == []


def test_a_push_that_leaves_the_pot_alone_is_not_looked_at(repo: PotRepo) -> None:
    repo.land({"a.txt": b"a"})
    assert _push(repo, "work", None) == []


def test_a_look_alike_is_seen(repo: PotRepo) -> None:
    repo.land({".Potpie/x.yaml": b"a: b\n"})
    assert _codes(_push(repo, "work", None)) == ["PG-H05"]


def test_a_shallow_clone_pushes_what_leaves_the_pot_alone(repo: PotRepo, tmp_path: Path) -> None:
    repo.git("push", "--quiet", "origin", "work")
    shallow = PotRepo(repo.clone(tmp_path / "shallow", "--depth", "1", "--branch", "work").root)
    there = shallow.git("rev-parse", "HEAD")
    shallow.land({"a.txt": b"a"})
    assert _push(shallow, "work", there) == []
    shallow.land(file(claim(fact="Split the refund.")))
    assert _codes(_push(shallow, "work", there)) == ["PG-R01"]


@pytest.mark.parametrize(
    "line",
    [
        "HEAD^{/some words} {} refs/heads/a {}",
        ":/a b c {} refs/heads/a {}",
        "refs/heads/a {} refs/heads/a\u2028b {}",
        "refs/heads/a {} refs/heads/a\u0085b {}",
        "refs/heads/a\u2029b {} refs/heads/a {}",
        "refs/heads/a {} refs/heads/a {}\r",
    ],
)
def test_no_name_hides_a_push(line: str) -> None:
    """What is typed as the local side can hold spaces, and a ref what other programs end a line at."""
    one, two = "1" * 40, "2" * 40
    _, ref = line.split("{} ")[-2:][0], line.removesuffix("\r").split(" ")[-2]
    text = line.replace("{} ", f"{one} ").replace(" {}", f" {two}")
    assert list(parse_pushes(f"{text}\n")) == [Push(one, ref, two)]
