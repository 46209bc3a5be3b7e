"""What a range would land, played through with real merges, clones and hostile settings."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from potpie_git.checks.audit import audit
from potpie_git.checks.landing import NotAFullRefError, full_ref
from potpie_git.checks.ranges import check_range, target_ref
from potpie_git.checks.report import CheckReport
from potpie_git.checks.review.build import review_range
from potpie_git.checks.rules.samples import (
    claim,
    decision,
    edited,
    file,
    owner,
    path,
    policy,
    pot,
    retracted,
    superseded,
    tombstone,
    withdrawn,
)
from potpie_git.checks.staged import check_rev
from potpie_git.domain.errors import ExitCode, NoPotError, UnsupportedRepositoryError
from potpie_git.store.repository import Repository
from tests.checks.conftest import codes
from tests.support.git_repo import GitRepo
from tests.support.pots import PotRepo

NOBODY = policy(protected=["refs/heads/release"])


@pytest.fixture
def repo(tmp_path: Path) -> PotRepo:
    """A pot with one claim on `main`, which asks for no approvals, and the branch `topic` checked out at it."""
    made = PotRepo.at(tmp_path / "repo", gated=False)
    made.land(pot(claim()), file(NOBODY))
    made.branch("topic")
    return made


def _check(repo: PotRepo, revisions: str = "main..topic") -> CheckReport:
    return check_range(repo.repository, revisions)


def test_a_clean_range_is_clean(repo: PotRepo) -> None:
    repo.land(file(claim(fact="Split the refund.")))
    report = _check(repo)
    assert (codes(report), report.exit_code, report.files_checked) == ([], ExitCode.OK, 1)
    assert (report.before.split()[0], report.after.split()[0]) == ("main", "topic")


def test_a_range_that_brings_nothing_is_clean(repo: PotRepo) -> None:
    repo.switch("main")
    repo.land(file(claim(fact="Split the refund.")))
    assert _check(repo).findings == ()
    assert _check(repo, "main..main").findings == ()


def test_every_commit_of_the_range_counts_by_what_it_leaves(repo: PotRepo) -> None:
    repo.land(edited(claim(), "truth: agent_claim", "truth: user_decision"))
    assert codes(_check(repo)) == ["PG-H02"]
    repo.land(file(claim()))
    assert _check(repo).findings == ()


@pytest.mark.parametrize(
    "attributes", ["* -text -merge\n", "", "* merge=union\n"], ids=["ours", "none", "union"]
)
def test_an_edit_that_meets_a_retraction_is_refused(repo: PotRepo, attributes: str) -> None:
    """Also where git merges cleanly, and whatever the clone's attributes let it do."""
    (repo.root / ".git/info/attributes").write_text(attributes and f".potpie/** {attributes[2:]}")
    repo.land(edited(claim(), "subject: fix:9f3a1c77b2e0", "subject: fix:000000000000"))
    repo.switch("main")
    repo.land(retracted(claim()))
    report = _check(repo)
    assert "PG-R03" in codes(report)
    assert {finding.path for finding in report.errors} == {path(claim())}
    assert report.exit_code == ExitCode.FAILED


def test_a_blend_that_was_merged_all_the_same_is_judged_by_its_content(repo: PotRepo) -> None:
    (repo.root / ".git/info/attributes").write_text(".potpie/** text merge=text\n")
    repo.land(edited(claim(), "subject: fix:9f3a1c77b2e0", "subject: fix:000000000000"))
    repo.switch("main")
    repo.land(retracted(claim()))
    assert repo.merge("topic"), "git blends both sides on this clone"
    assert codes(_check(repo, "main^..topic")) == ["PG-R03"]
    assert "PG-H02" in codes(_check(repo, "main^..main"))


def test_two_branches_that_each_add_an_owner_meet_in_one_finding(repo: PotRepo) -> None:
    repo.land(file(owner("billing")))
    repo.switch("main")
    repo.land(file(owner("payments")))
    report = _check(repo)
    assert codes(report) == ["PG-X02"]
    [finding] = report.findings
    assert finding.path == path(owner("billing"))
    assert path(owner("payments")) in finding.message
    assert repo.merge("topic")
    assert codes(check_rev(repo.repository, "main")) == ["PG-X02"]


def test_a_tree_without_a_pot_is_not_clean_but_unjudged(repo: PotRepo) -> None:
    assert check_rev(repo.repository, "main", needs_pot=True).files_checked > 0
    repo.git("switch", "--quiet", "--orphan", "bare")
    repo.git("rm", "-r", "--quiet", "--cached", "--ignore-unmatch", ".")
    repo.git("commit", "--quiet", "--allow-empty", "-m", "nothing")
    for rev in ("bare", "main:.potpie", "main^{tree}:.potpie/claims"):
        with pytest.raises(NoPotError) as refused:
            check_rev(repo.repository, rev, needs_pot=True)
        assert "holds a pot" in str(refused.value.hint), rev
    assert codes(check_rev(repo.repository, "bare")) == [], "a push may bring a branch without a pot"


@pytest.mark.parametrize("attributes", ["-merge", "merge=union"])
def test_two_reasons_for_one_withdrawal_conflict_on_every_clone(repo: PotRepo, attributes: str) -> None:
    (repo.root / ".git/info/attributes").write_text(f".potpie/** {attributes}\n")
    other = "It double-counts."
    repo.land(file(withdrawn(claim(), reason=other)), file(tombstone(claim(), reason=other)))
    repo.switch("main")
    repo.land(retracted(claim()))
    report = _check(repo)
    assert set(codes(report)) == {"PG-R03"}
    assert {finding.path for finding in report.findings} == {path(claim()), path(tombstone(claim()))}


def test_a_merge_commit_that_edits_a_file_itself_is_seen(repo: PotRepo) -> None:
    repo.land({"a.txt": b"a"})
    repo.branch("side", "main")
    repo.land({"b.txt": b"b"})
    repo.switch("topic")
    repo.git("merge", "--quiet", "--no-commit", "--no-ff", "side")
    repo.stage(edited(claim(), "truth: agent_claim", "truth: user_decision"))
    repo.git("commit", "--quiet", "--no-verify", "-m", "merge")
    log = repo.git("log", "--name-only", "--format=", "main..topic")
    assert path(claim()) not in log
    assert codes(_check(repo)) == ["PG-H02"]


def test_an_octopus_merge_is_judged_by_its_tree(repo: PotRepo) -> None:
    for name, team in (("one", "payments"), ("two", "billing")):
        repo.branch(name, "main")
        repo.land(file(owner(team, f"service:{name}")))
    repo.switch("topic")
    repo.git("merge", "--quiet", "--no-edit", "one", "two")
    assert len(repo.git("log", "-1", "--format=%P").split()) >= 2
    assert _check(repo).findings == ()
    repo.land(file(owner("billing", "service:one")))
    assert codes(_check(repo)) == ["PG-X02"]


def test_a_criss_cross_merge_is_judged_by_its_tree(repo: PotRepo) -> None:
    repo.land(file(claim(fact="From the topic.")))
    left = repo.git("rev-parse", "HEAD")
    repo.switch("main")
    repo.land(file(claim(fact="From the main branch.")))
    right = repo.git("rev-parse", "HEAD")
    assert repo.merge(left)
    repo.switch("topic")
    assert repo.merge(right)
    assert len(repo.git("merge-base", "--all", "main", "topic").split()) == 2
    assert _check(repo).findings == ()
    repo.land(edited(claim(), "truth: agent_claim", "truth: user_decision"))
    assert codes(_check(repo)) == ["PG-H02"]


def test_the_revert_of_a_supersession_is_refused(repo: PotRepo) -> None:
    repo.switch("main")
    repo.land(superseded(claim(), claim(fact="Split the refund.")))
    repo.branch("undo")
    repo.git("revert", "--no-edit", "HEAD")
    report = _check(repo, "main..undo")
    assert set(codes(report)) == {"PG-H01", "PG-H04"}
    assert report.exit_code == ExitCode.FAILED


@pytest.mark.parametrize("trick", ["replace", "graft", "mailmap"])
def test_tricks_with_history_change_nothing(repo: PotRepo, trick: str) -> None:
    good = repo.git("rev-parse", "topic")
    bad = repo.land(edited(claim(), "truth: agent_claim", "truth: user_decision"))
    if trick == "replace":
        repo.git("replace", bad, good)
        repo.git(
            "replace",
            "-f",
            repo.git("--no-replace-objects", "rev-parse", f"{bad}^{{tree}}"),
            f"{good}^{{tree}}",
        )
    elif trick == "graft":
        (repo.root / ".git/info/grafts").write_text(f"{bad}\n")
    else:
        repo.write(".mailmap", "Ada <ada@example.com> Rae Rivers <rae@example.com>\n")
    assert codes(check_range(repo.repository, f"main..{bad}")) == ["PG-H02"]


def test_a_shallow_clone_is_never_a_pass(repo: PotRepo, tmp_path: Path) -> None:
    repo.land(file(claim(fact="Split the refund.")))
    shallow = repo.clone(tmp_path / "shallow", "--depth", "1", "--no-single-branch")
    report = check_range(Repository.discover(shallow.root), "origin/main..HEAD")
    assert codes(report) == ["PG-R01"]
    assert report.exit_code == ExitCode.UNAVAILABLE
    assert "git fetch --unshallow" in report.findings[0].hint
    shallow.git("fetch", "--quiet", "--unshallow")
    assert check_range(Repository.discover(shallow.root), "origin/main..origin/topic").findings == ()


def test_a_partial_clone_is_judged_or_says_what_to_fetch(repo: PotRepo, tmp_path: Path) -> None:
    repo.land(file(claim(fact="Split the refund.")))
    partial = repo.clone(tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    report = check_range(Repository.discover(partial.root), "origin/main..origin/topic")
    assert codes(report) == ["PG-R01"]
    assert report.exit_code == ExitCode.UNAVAILABLE
    command = report.findings[0].hint.split("`")[1]
    partial.git(*command.removeprefix("git ").split(), "--quiet")
    assert check_range(Repository.discover(partial.root), "origin/main..origin/topic").findings == ()


def test_a_repository_of_another_hash_is_refused_at_the_start(tmp_path: Path) -> None:
    other = GitRepo.init(tmp_path / "sha256", "--object-format=sha256")
    with pytest.raises(UnsupportedRepositoryError, match="sha256"):
        Repository.discover(other.root)


@pytest.mark.parametrize(
    "revisions",
    [
        "--output=x..HEAD",
        "main..--output=x",
        "-x..HEAD",
        "..HEAD",
        "main..",
        "main",
        "",
        "main...topic",
        "main..\ntopic",
    ],
)
def test_what_is_no_range_is_refused_and_nothing_is_written(repo: PotRepo, revisions: str) -> None:
    before = sorted(each.name for each in repo.root.iterdir())
    report = _check(repo, revisions)
    assert codes(report) == ["PG-R02"]
    assert "is not a range" in report.findings[0].message or "\n" in revisions
    assert report.exit_code == ExitCode.UNAVAILABLE
    assert sorted(each.name for each in repo.root.iterdir()) == before


@pytest.mark.parametrize(
    "revisions",
    [
        "nowhere..topic",
        "main..nowhere",
        f"{'0' * 40}..topic",
        "main:a..topic",
        "^main..topic",
        "main..^topic",
        "main^@..topic",
        "main..topic^{tree}",
    ],
)
def test_an_unknown_end_is_named(repo: PotRepo, revisions: str) -> None:
    report = _check(repo, revisions)
    assert codes(report) == ["PG-R02"]
    assert (
        repr(revisions.partition("..")[0 if not revisions.startswith("main..") else 2])
        in report.findings[0].message
    )


def test_both_unknown_ends_are_named(repo: PotRepo) -> None:
    assert codes(_check(repo, "nowhere..neither")) == ["PG-R02", "PG-R02"]


def test_histories_without_a_common_commit_cannot_land(repo: PotRepo) -> None:
    repo.git("checkout", "--quiet", "--orphan", "other")
    repo.land(file(claim(fact="Split the refund.")))
    assert codes(_check(repo, "main..other")) == ["PG-R03"]


def test_policy_comes_from_the_base_alone(repo: PotRepo) -> None:
    repo.switch("main")
    repo.land(file(policy(version=2)))
    repo.branch("lax")
    repo.land(file(policy(version=3, thresholds={"medium": 0, "high": 0})), retracted(claim()))
    report = _check(repo, "main..lax")
    assert set(codes(report)) == {"PG-A01"}
    assert report.exit_code == ExitCode.APPROVAL
    assert path(claim()) in {finding.path for finding in report.findings}


def test_a_base_without_a_policy_is_never_a_pass(repo: PotRepo) -> None:
    repo.switch("main")
    (repo.root / ".potpie/policy.yaml").unlink()
    repo.land()
    repo.branch("after")
    repo.land(file(claim(fact="Split the refund.")))
    assert codes(_check(repo, "main..after")) == ["PG-P01"]


def test_a_base_with_a_broken_policy_is_never_a_pass(repo: PotRepo) -> None:
    repo.switch("main")
    repo.land({".potpie/policy.yaml": b"version: one\n"})
    repo.branch("after")
    repo.land(file(claim(fact="Split the refund.")))
    assert codes(_check(repo, "main..after")) == ["PG-P02"]


def test_the_first_pot_of_a_repository_can_land(tmp_path: Path) -> None:
    made = PotRepo.at(tmp_path / "new", gated=False)
    made.land({"a.txt": b"a"})
    made.branch("topic")
    made.land(pot(claim()))
    assert _check(made).findings == ()


def test_a_conflict_outside_the_pot_is_not_our_business(repo: PotRepo) -> None:
    repo.land({"a.txt": b"a"}, file(claim(fact="Split the refund.")))
    repo.switch("main")
    repo.land({"a.txt": b"b"})
    assert _check(repo).findings == ()


def test_an_entity_that_both_sides_patched_is_named_once(repo: PotRepo) -> None:
    repo.switch("main")
    repo.land(file(decision()))
    repo.branch("one")
    repo.land(file(decision(summary="Refunds are split.")))
    repo.switch("main")
    repo.land(file(decision(summary="Refunds are retried.")))
    report = _check(repo, "main..one")
    assert [(finding.code, finding.path) for finding in report.findings] == [("PG-R03", path(decision()))]


@pytest.mark.parametrize(
    ("base", "ref"),
    [
        ("main", "refs/heads/main"),
        ("refs/heads/main", "refs/heads/main"),
        ("origin/main", "refs/heads/main"),
        ("refs/remotes/origin/release/1.2", "refs/heads/release/1.2"),
        ("main~0", None),
        ("v1", None),
    ],
)
def test_the_target_is_the_branch_that_the_base_names(repo: PotRepo, base: str, ref: str | None) -> None:
    for name in ("refs/remotes/origin/main", "refs/remotes/origin/release/1.2", "refs/tags/v1"):
        repo.git("update-ref", name, "main")
    assert target_ref(repo.repository, base) == ref


def test_a_deep_tree_is_refused_and_not_walked(repo: PotRepo) -> None:
    deep = "/".join("abcdefghijklmnopqrstuvwxyz" * 2)
    repo.land({f".potpie/{deep}/x.yaml": b"a: b\n"})
    report = _check(repo)
    assert "PG-F18" in codes(report)


def test_a_check_writes_nothing_into_the_working_tree_or_the_index(repo: PotRepo) -> None:
    repo.land(file(owner("billing")))
    repo.switch("main")
    repo.land(file(owner("payments")))
    (repo.root / "untracked").write_text("x")
    index = (repo.root / ".git/index").read_bytes()
    refs = repo.git("for-each-ref")
    _check(repo)
    assert (repo.root / ".git/index").read_bytes() == index
    assert repo.git("for-each-ref") == refs
    assert repo.git("status", "--porcelain") == "?? untracked"


def test_no_program_that_a_checkout_or_configuration_names_is_run(repo: PotRepo, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for setting in (
        "core.fsmonitor",
        "diff.external",
        "filter.x.clean",
        "filter.x.smudge",
        "diff.x.textconv",
        "core.pager",
    ):
        repo.git("config", setting, f"touch {mark}")
    repo.hook("post-index-change", f"#!/bin/sh\ntouch '{mark}'\n")
    repo.hook("reference-transaction", f"#!/bin/sh\ntouch '{mark}'\n")
    repo.git("config", "core.hooksPath", ".git/hooks")
    subprocess.run(
        ["git", "-c", "core.fsmonitor=false", "status"], cwd=repo.root, check=True, capture_output=True
    )
    mark.unlink(missing_ok=True)
    _check(repo)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("by_attributes", "settings"),
    [
        ("* merge=evil", {"merge.evil.driver"}),
        ("* merge=e=vil.x", {"merge.e=vil.x.driver"}),
        ("", {"merge.evil.driver", "merge.default"}),
        ("* filter=evil", {"filter.evil.clean", "filter.evil.smudge", "merge.renormalize"}),
    ],
    ids=["driver", "odd name", "default", "renormalize"],
)
def test_no_program_runs_that_a_merge_could_choose(
    repo: PotRepo, tmp_path: Path, by_attributes: str, settings: set[str]
) -> None:
    mark = tmp_path / "ran"
    values = {"merge.default": "evil", "merge.renormalize": "true"}
    for setting in settings:
        repo.git("config", setting, values.get(setting, f"touch '{mark}'; cat"))
    (repo.root / ".git/info/attributes").write_text(f"{by_attributes}\n")
    lines = [b"1\n", b"2\n", b"3\n"]
    repo.land(file(claim(fact="Split the refund.")), {"a.txt": b"".join(lines)})
    repo.switch("main")
    repo.land({"a.txt": b"".join(lines[:2])})
    mark.unlink(missing_ok=True)
    assert _check(repo).findings == ()
    assert not mark.exists()
    assert repo.run("merge-tree", "--write-tree", "main", "topic").returncode in {0, 1}
    assert mark.exists(), "git itself would have run it"


@pytest.mark.parametrize(
    "ref",
    [
        "release",
        "heads/release",
        "origin/release",
        "refs/remotes/origin/release",
        "refs/heads/release\n",
        " refs/heads/release",
        "refs/heads/../release",
        "refs/heads/",
        "refs/release",
        "--release",
    ],
)
def test_a_target_is_named_in_full_or_not_at_all(repo: PotRepo, ref: str) -> None:
    """A short name matches no pattern of policy, and would pass for a branch without protection."""
    repo.land(retracted(claim()))
    report = check_range(repo.repository, "main..topic", ref)
    assert codes(report) == ["PG-R02"]
    assert report.exit_code == ExitCode.UNAVAILABLE
    assert "refs/heads/" in report.findings[0].hint
    with pytest.raises(NotAFullRefError, match="full name"):
        review_range(repo.repository, "main..topic", ref)
    with pytest.raises(NotAFullRefError, match="full name"):
        audit(repo.repository, "topic", ref)


@pytest.mark.parametrize("ref", ["refs/heads/release", "refs/heads/für/1.2", "refs/tags/v1", "", None])
def test_a_full_name_or_none_is_taken_as_it_is(ref: str | None) -> None:
    assert full_ref(ref) == (ref or None)


def test_a_protected_target_asks_for_approval(repo: PotRepo) -> None:
    repo.land(retracted(claim()))
    assert check_range(repo.repository, "main..topic", "refs/heads/other").exit_code == ExitCode.OK
    for ref in ("refs/heads/release", ""):
        expected = ExitCode.APPROVAL if ref else ExitCode.OK
        assert check_range(repo.repository, "main..topic", ref).exit_code == expected


@pytest.mark.parametrize(
    "rev", ["nowhere", "^main", "--all", "main..topic", "0" * 39, "main:.potpie/pot.yaml"]
)
def test_a_tree_that_cannot_be_named_is_not_judged(repo: PotRepo, rev: str) -> None:
    report = check_rev(repo.repository, rev)
    assert (codes(report), report.exit_code) == (["PG-R02"], ExitCode.UNAVAILABLE)
    assert repr(rev) in report.findings[0].message
