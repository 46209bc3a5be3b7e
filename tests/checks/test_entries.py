"""Names and modes that only a tree made by hand can hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from potpie_git.checks.engine import check_change
from potpie_git.checks.report import CheckKind, CheckReport
from potpie_git.checks.rules.samples import claim, file, path, pot
from potpie_git.checks.staged import check_rev
from potpie_git.domain.keys import key_problem
from potpie_git.domain.layout import MAX_NAME_BYTES, claim_path, entity_path
from potpie_git.store.repository import Repository
from potpie_git.store.resources import resource_dir
from potpie_git.store.snapshot import TreeSnapshot
from tests.checks.conftest import Judge, codes
from tests.support.git_repo import GitRepo
from tests.support.trees import Content

RAW = file(claim())[path(claim())]


@pytest.mark.parametrize(
    ("place", "code", "says"),
    [
        (".potpie/claims/../../.git/hooks/x", "PG-F18", "no file name may"),
        (".potpie/claims/.git/config", "PG-F18", ".git"),
        (".potpie/claims/.GIT/config", "PG-F18", ".git"),
        (".potpie/claims/git~1/config", "PG-F18", ".git"),
        (".potpie/claims/a\nb.yaml", "PG-F18", "no file name may"),
        (".potpie/claims/a\\b.yaml", "PG-F18", "no file name may"),
        (".potpie/README.md", "PG-F13", "no governed file"),
        (".potpie/claims/notes.txt", "PG-F13", "no governed file"),
        (".potpie/claims/.gitattributes", "PG-F13", "no governed file"),
        (".potpie/extra/x.yaml", "PG-F13", "no governed file"),
        (".potpie/pot.yaml/x", "PG-F13", "no governed file"),
        (".POTPIE/pot.yaml", "PG-H05", "passes for .potpie"),
        (".potpie./pot.yaml", "PG-H05", "passes for .potpie"),
        (".p\u043etpie/pot.yaml", "PG-H05", "passes for .potpie"),
    ],
)
def test_a_name_that_no_program_writes_is_refused(judge: Judge, place: str, code: str, says: str) -> None:
    files = {
        held: raw for held, raw in pot().items() if place != ".potpie/pot.yaml/x" or "pot.yaml" not in held
    }
    report = judge.change(pot(), {**files, place: b"x: y\n"})
    assert code in codes(report)
    assert any(says in finding.message for finding in report.findings)
    assert all(finding.hint for finding in report.findings)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (("120000", b"/etc/passwd"), "its target was not read"),
        (("160000", b"1" * 40), "a submodule"),
        (("100755", RAW), "100755"),
        (("100664", RAW), "100664"),
    ],
)
def test_only_plain_files_are_records(judge: Judge, content: Content, says: str) -> None:
    for before in (pot(), pot(claim())):
        report = judge.change(before, {**pot(), path(claim()): content})
        assert codes(report) == ["PG-F14"]
        assert says in report.findings[0].message
        assert "passwd" not in report.findings[0].message


@pytest.mark.parametrize("content", [("120000", b"/etc"), ("160000", b"1" * 40), b"a file\n"])
def test_a_replaced_pot_is_one_finding(judge: Judge, content: Content) -> None:
    report = judge.change(pot(claim()), {".potpie": content, "a.txt": b"a"})
    assert codes(report) == ["PG-H05"]
    assert codes(judge.tree({".potpie": content})) == ["PG-H05"]


@pytest.mark.parametrize(
    "name",
    ["Fix-9f3a1c77b2e0", "FIX-9f3a1c77b2e0", "fix-9f3a1c77b2e0\u200b"],
)
def test_twins_are_refused_on_every_system(judge: Judge, name: str) -> None:
    twin = path(claim()).replace("fix-9f3a1c77b2e0", name)
    report = judge.change(pot(claim()), {**pot(claim()), twin: RAW})
    assert codes(report) == ["PG-F19"]
    assert report.findings[0].path == twin
    # a check of the whole tree names the same one
    assert codes(judge.tree({**pot(claim()), twin: RAW})) == ["PG-F19"]


def test_composed_and_decomposed_names_are_twins(judge: Judge) -> None:
    composed, decomposed = ".potpie/claims/na\u00efve.yaml", ".potpie/claims/nai\u0308ve.yaml"
    report = judge.change(pot(), {**pot(), composed: b"a: b\n", decomposed: b"a: b\n"})
    assert {"PG-F19", "PG-F13"} == set(codes(report))


def test_twin_directories_are_refused_once(judge: Judge) -> None:
    twin = path(claim()).replace("/claims/", "/Claims/")
    report = judge.change(pot(claim()), {**pot(claim()), twin: RAW})
    assert codes(report) == ["PG-F19"]
    assert report.findings[0].path == ".potpie/Claims"


def _raw_change(repo: GitRepo, *entries: tuple[str, str | bytes, str]) -> CheckReport:
    """A pot whose directory `claims/` is exactly these entries."""
    claims = repo.raw_tree(*entries)
    below = repo.raw_tree(("40000", "claims", claims))
    found = Repository.discover(repo.root)
    before = TreeSnapshot(found, repo.raw_tree(("40000", ".potpie", repo.raw_tree())))
    return check_change(
        before, TreeSnapshot(found, repo.raw_tree(("40000", ".potpie", below))), CheckKind.RANGE
    )


def test_an_entry_that_stands_twice_is_refused(git_repo: GitRepo) -> None:
    blob = git_repo.blob("a: b\n")
    report = _raw_change(git_repo, ("100644", "a.yaml", blob), ("100644", "a.yaml", blob))
    assert "PG-F18" in codes(report)
    assert any("twice" in finding.message for finding in report.findings)


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", b"\xff.yaml"])
def test_a_name_that_no_path_can_have_is_refused(git_repo: GitRepo, name: str | bytes) -> None:
    report = _raw_change(git_repo, ("100644", name, git_repo.blob("a: b\n")))
    assert "PG-F18" in codes(report)
    for finding in report.findings:
        assert finding.path.encode()


def test_entries_out_of_order_are_refused(git_repo: GitRepo) -> None:
    blob = git_repo.blob("a: b\n")
    report = _raw_change(git_repo, ("100644", "b.yaml", blob), ("100644", "a.yaml", blob))
    assert any("order" in finding.message for finding in report.findings)


def test_a_tree_without_end_is_refused_and_not_walked(git_repo: GitRepo) -> None:
    tree = git_repo.raw_tree(("100644", "x.yaml", git_repo.blob("a: b\n")))
    for _ in range(64):
        tree = git_repo.raw_tree(("40000", "a", tree))
    report = _raw_change(git_repo, ("40000", "a", tree))
    assert "PG-F18" in codes(report)


@pytest.mark.parametrize(
    "key",
    [
        "service:../../.git/hooks/x",
        "service:con",
        "service:trailing.",
        "service:na\u00efve",
        "service:" + "a" * 300,
        "service:a b",
        "service:\U0001f967",
    ],
)
def test_whatever_a_key_says_its_file_has_a_safe_short_name(key: str) -> None:
    assert key_problem(key) is None
    held = claim(subject=key, predicate="OWNED_BY", object="team:payments", fact=None)
    for where in (claim_path(held), entity_path(key, "service")):
        name = where.rpartition("/")[2]
        assert len(name.encode()) <= MAX_NAME_BYTES
        assert name.isascii()
        assert not set(name) & set('\\:*?"<>| ')
        assert ".." not in where
        assert not name.endswith((".", " "))


@pytest.mark.parametrize("key", ["service:a\nb", "service:", "service:a  b", " service:a"])
def test_a_key_that_cannot_be_shown_is_refused(judge: Judge, key: str) -> None:
    held = claim(subject=key, predicate="OWNED_BY", object="team:payments", fact=None)
    assert codes(judge.change(pot(), pot(held))) == ["PG-S03"]


def test_a_pot_without_its_own_files_is_told_so(judge: Judge) -> None:
    only_claim = file(claim())
    assert set(codes(judge.tree(only_claim))) == {"PG-S21", "PG-F17"}
    assert set(codes(judge.change({"a": b"a"}, only_claim))) == {"PG-S21", "PG-F17"}


def test_a_tree_without_a_pot_is_clean(judge: Judge) -> None:
    report = judge.tree({"a.txt": b"a"})
    assert (codes(report), report.files_checked) == ([], 0)


def test_a_stray_file_can_be_removed_again(judge: Judge) -> None:
    stray = {**pot(claim()), ".potpie/notes.txt": b"x\n"}
    assert judge.change(stray, pot(claim())).findings == ()


def test_a_broken_record_can_be_mended_but_not_removed(judge: Judge) -> None:
    broken = {**pot(), path(claim()): b"id: [\n"}
    assert judge.change(broken, pot(claim())).findings == ()
    assert codes(judge.change(broken, pot())) == ["PG-H01"]


def test_the_example_store_is_clean(tmp_path: Path) -> None:
    repo = GitRepo.init(tmp_path / "example")
    example = resource_dir("example")
    for source in sorted(example.rglob("*")):
        if source.is_file():
            repo.write(f".potpie/{source.relative_to(example).as_posix()}", source.read_bytes())
    repo.commit()
    report = check_rev(Repository.discover(repo.root), "HEAD")
    assert report.findings == ()
    assert report.files_checked > 80
