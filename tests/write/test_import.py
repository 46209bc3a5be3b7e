"""Export and import: the same files byte for byte, judged as any write is, and nothing written over."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from potpie_git.domain.errors import (
    ApprovalRequiredError,
    InvalidFileError,
    IssuesError,
    NoPotError,
    RefusedError,
)
from potpie_git.domain.layout import FileKind
from potpie_git.domain.times import utc_now
from potpie_git.pot import Pot
from potpie_git.store.codec import encode
from potpie_git.store.export import export_lines
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot, WorktreeSnapshot
from potpie_git.write.importing import ImportReport
from potpie_git.write.setup import create_pot
from tests.support.git_repo import GitRepo
from tests.support.records import claim, entity, files, stamp, tombstone, withdrawn

FIX = claim()
GONE = claim(fact="Wait a minute.")


def lines_of(repo: GitRepo, *kinds: FileKind) -> list[bytes]:
    snapshot = TreeSnapshot.of_head(Repository.discover(repo.root))
    return [line.encode() for line in export_lines(snapshot, kinds)]


def line(path: str, raw: bytes | str) -> bytes:
    return json.dumps({"path": path, "raw": raw if isinstance(raw, str) else raw.decode()}).encode()


def record_line(record: Any) -> bytes:
    ((path, raw),) = files(record).items()
    return line(path.removeprefix(".potpie/"), raw)


def bring(repo: GitRepo, lines: Iterable[bytes], **options: Any) -> ImportReport:
    return Pot.open(repo.root, required=False).import_files(lines, **options)


def with_pot(repo: GitRepo) -> GitRepo:
    create_pot(Repository.discover(repo.root), utc_now())
    repo.commit("Pot")
    repo.branch("work")
    return repo


@pytest.fixture
def source(tmp_path: Path) -> GitRepo:
    """A pot with a claim, a withdrawn one, its tombstone, an entity with a comment, and an inbox item."""
    repo = with_pot(GitRepo.init(tmp_path / "source"))
    held = files(FIX, withdrawn(GONE), tombstone(GONE))
    ((path, raw),) = files(entity("service:pay", "Service", name="Payments")).items()
    repo.commit("Records", files={**held, path: b"# who answers at night: see the rota\n" + raw})
    Pot.open(repo.root).inbox.add("Look at retries", body="line one\nline two\n")
    return repo


@pytest.fixture
def target(tmp_path: Path) -> GitRepo:
    return GitRepo.init(tmp_path / "target")


def pot_tree(repo: GitRepo) -> str:
    return repo.git("rev-parse", "HEAD:.potpie")


def test_a_whole_pot_goes_into_a_repository_without_one_byte_for_byte(
    source: GitRepo, target: GitRepo
) -> None:
    target.commit("Code", files={"a.py": "1"})
    target.branch("work")
    report = bring(target, lines_of(source))
    assert pot_tree(target) == pot_tree(source)
    assert report.written is not None
    assert report.written.commit == target.git("rev-parse", "HEAD")
    assert len(report.added) == len(lines_of(source))
    assert target.git("status", "--porcelain") == ""
    assert lines_of(target) == lines_of(source)


def test_the_same_again_writes_nothing(source: GitRepo) -> None:
    head = source.git("rev-parse", "HEAD")
    report = bring(source, lines_of(source))
    assert (report.added, report.unchanged, report.written) == ([], len(lines_of(source)), None)
    assert source.git("rev-parse", "HEAD") == head


def test_records_join_another_pot_without_its_settings(source: GitRepo, target: GitRepo) -> None:
    with_pot(target)
    with pytest.raises(IssuesError) as refused:
        bring(target, lines_of(source))
    stands = [issue for issue in refused.value.issues if issue["code"] == "stands_otherwise"]
    assert {issue["path"] for issue in stands} == {".potpie/pot.yaml"}
    assert "--without-settings" in stands[0]["hint"]

    report = bring(target, lines_of(source), settings=False)
    assert report.skipped == 3
    assert target.git("rev-parse", "HEAD:.potpie/claims") == source.git("rev-parse", "HEAD:.potpie/claims")
    assert target.git("rev-parse", "HEAD:.potpie/pot.yaml") != source.git(
        "rev-parse", "HEAD:.potpie/pot.yaml"
    )


def test_a_claim_that_stands_is_kept_as_it_was_recorded(target: GitRepo) -> None:
    with_pot(target)
    target.commit("Fix", files=files(FIX))
    other = FIX.model_copy(update={"provenance": FIX.provenance.model_copy(update={"mutation": "m-77"})})
    report = bring(target, [record_line(other)])
    assert (report.kept, report.added) == (1, [])
    with pytest.raises(IssuesError, match="stands with other content"):
        bring(target, [record_line(withdrawn(FIX))])


def test_nothing_is_written_over_and_nothing_is_half_written(target: GitRepo) -> None:
    with_pot(target)
    named = entity("service:pay", "Service", name="Payments")
    target.commit("Entity", files=files(named))
    head = target.git("rev-parse", "HEAD")
    with pytest.raises(IssuesError) as refused:
        bring(target, [record_line(FIX), record_line(named.model_copy(update={"name": "Pay"}))])
    assert [(issue["code"], issue["import_line"]) for issue in refused.value.issues] == [
        ("stands_otherwise", 2)
    ]
    assert target.git("rev-parse", "HEAD") == head
    assert target.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (b"{not json", "malformed_payload"),
        (b"[]", "malformed_payload"),
        (b'{"path": "claims/x"}', "malformed_payload"),
        (b'{"path": "pot.yaml", "raw": "\\ud800"}', "malformed_payload"),
        (line("claims/debugging/../../../x.yaml", encode(FIX)), "PG-F13"),
        (line("../outside.yaml", "a: b\n"), "PG-F13"),
        (line(".git/hooks/pre-commit", "a: b\n"), "PG-F13"),
        (line("claims/debugging/aa/x.yaml", encode(FIX)), "PG-F13"),
        (line("tombstones/aa/" + "a" * 32 + ".c-" + "b" * 32 + ".yaml", encode(FIX)), "PG-S01"),
        (line("inbox/i-abcdef.yaml", "id: &a i-abcdef\n"), "PG-F08"),
        (line(".gitattributes", "* filter=evil\n"), "foreign_attributes"),
    ],
)
def test_a_line_that_is_no_sound_file_is_refused_with_its_number(
    target: GitRepo, bad: bytes, code: str
) -> None:
    with_pot(target)
    with pytest.raises(IssuesError) as refused:
        bring(target, [record_line(FIX), b"\n", bad])
    assert code in {issue["code"] for issue in refused.value.issues}
    assert {issue["import_line"] for issue in refused.value.issues} == {3}
    assert target.git("status", "--porcelain") == ""


def test_an_edited_claim_does_not_pass_for_the_original(target: GitRepo) -> None:
    with_pot(target)
    ((path, raw),) = files(FIX).items()
    forged = raw.replace(b"Retry the refund", b"Drop the refund")
    with pytest.raises(IssuesError) as refused:
        bring(target, [line(path.removeprefix(".potpie/"), forged)])
    assert "PG-S10" in {issue["code"] for issue in refused.value.issues}


def test_a_credential_is_refused_before_anything_is_stored(target: GitRepo) -> None:
    with_pot(target)
    token = "ghp_" + "Ab3dEf6hIj9lMn2pQr5t" * 2
    with pytest.raises(IssuesError) as refused:
        bring(target, [record_line(FIX), record_line(claim(fact=f"Push with {token[:40]}."))])
    (issue,) = refused.value.issues
    assert (issue["code"], issue["import_line"]) == ("PG-C01", 2)
    assert token[4:40] not in json.dumps(issue)
    assert target.git("status", "--porcelain") == ""
    assert not any(
        token[4:40] in path.read_text("utf-8", "replace") for path in (target.root / ".git").rglob("*.json")
    )


def test_a_withdrawn_value_does_not_come_back_by_an_import(target: GitRepo) -> None:
    with_pot(target)
    target.commit("Withdrawn", files=files(withdrawn(GONE), tombstone(GONE)))
    again = claim(subject="fix:aaaaaaaaaaaa", fact="wait a MINUTE")
    with pytest.raises(IssuesError) as refused:
        bring(target, [record_line(FIX), record_line(again)])
    assert [(issue["code"], issue["import_line"]) for issue in refused.value.issues] == [("PG-T01", 2)]


def test_two_owners_do_not_come_in_together(target: GitRepo) -> None:
    with_pot(target)
    owners = [
        claim(subject="service:pay", predicate="OWNED_BY", object=f"team:{team}", fact=None)
        for team in ("a", "b")
    ]
    with pytest.raises(IssuesError) as refused:
        bring(target, map(record_line, owners))
    assert {issue["code"] for issue in refused.value.issues} == {"singleton_conflict"}


def test_two_lines_of_one_path_have_to_agree(target: GitRepo) -> None:
    with_pot(target)
    assert len(bring(target, [record_line(FIX), record_line(FIX)]).added) == 1
    other = entity("service:pay", "Service", name="A")
    with pytest.raises(IssuesError, match="stood in line 1 as well"):
        bring(target, [record_line(other), record_line(other.model_copy(update={"name": "B"}))])


def test_what_is_of_risk_asks_for_approval_on_a_protected_branch(source: GitRepo, target: GitRepo) -> None:
    with_pot(target).switch("main")
    head = target.git("rev-parse", "HEAD")
    with pytest.raises(ApprovalRequiredError):
        bring(target, lines_of(source), settings=False)
    assert target.git("rev-parse", "HEAD") == head
    assert target.git("status", "--porcelain") == ""
    assert len(bring(target, lines_of(source, FileKind.ENTITY)).added) == 1


def test_a_repository_without_a_pot_needs_the_settings(source: GitRepo, target: GitRepo) -> None:
    target.commit("Code")
    with pytest.raises(NoPotError):
        bring(target, lines_of(source), settings=False)
    assert not (target.root / ".potpie").exists()


def test_staging_leaves_the_commit_to_the_user(source: GitRepo, target: GitRepo) -> None:
    with_pot(target)
    head = target.git("rev-parse", "HEAD")
    report = bring(target, lines_of(source), settings=False, stage=True)
    assert target.git("rev-parse", "HEAD") == head
    assert len(target.git("diff", "--cached", "--name-only").split("\n")) == len(report.added)


def test_an_export_can_be_of_one_kind_and_carries_the_record(source: GitRepo) -> None:
    held = [json.loads(one) for one in lines_of(source, FileKind.CLAIM)]
    assert {one["kind"] for one in held} == {"claim"}
    assert {one["record"]["id"] for one in held} == {FIX.id, GONE.id}
    assert [one["path"] for one in held] == sorted(one["path"] for one in held)


def test_a_file_that_does_not_parse_stops_an_export(source: GitRepo) -> None:
    source.write(".potpie/inbox/i-broken00.yaml", "id: [\n")
    with pytest.raises(InvalidFileError) as raised:
        list(export_lines(WorktreeSnapshot(Repository.discover(source.root))))
    assert "i-broken00.yaml" in raised.value.message


def test_a_link_stops_an_export(source: GitRepo) -> None:
    (source.root / ".potpie/inbox/i-link0000.yaml").symlink_to("/etc/passwd")
    with pytest.raises(RefusedError, match="mode 120000"):
        list(export_lines(WorktreeSnapshot(Repository.discover(source.root))))


def test_a_stamp_of_another_kind_of_record_is_no_reason_to_keep(target: GitRepo) -> None:
    with_pot(target)
    named = entity("service:pay", "Service", name="Payments")
    target.commit("Entity", files=files(named))
    restamped = named.model_copy(update={"provenance": named.provenance.model_validate(stamp("m-88"))})
    with pytest.raises(IssuesError, match="stands with other content"):
        bring(target, [record_line(restamped)])
