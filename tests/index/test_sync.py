"""Sync: every claim of a snapshot gets one row, and every card one vector, at the cost of what changed."""

from pathlib import Path

import pytest

from potpie_git.domain.errors import InvalidFileError
from potpie_git.domain.layout import POT_DIRECTORY, claim_path
from potpie_git.index import Index, build, storage
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot, WorktreeSnapshot
from tests.index.conftest import Pot, bug, many, withdrawn


def test_a_first_sync_gives_every_claim_a_row(pot: Pot) -> None:
    pot.commit(*many(5))
    report = pot.index.sync(pot.worktree)
    assert (report.added, report.rows, report.rebuilt, report.pending) == (5, 5, True, 5)
    assert pot.index.verify(pot.worktree).problems == ()


def test_a_second_sync_reads_nothing(synced: Pot, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise AssertionError("a claim was read again")

    monkeypatch.setattr(build, "decode", read)
    report = synced.index.sync(synced.worktree)
    assert (report.added, report.rows, report.changed, report.pending) == (0, 3, False, 0)


def test_only_what_is_new_is_read(synced: Pot, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = build.decode
    monkeypatch.setattr(build, "decode", lambda path, raw: (read.append(path), real(path, raw))[1])
    new = bug("ghost-order", "An order appears twice in the list.")
    synced.write(new)
    report = synced.index.sync(synced.worktree)
    assert read == [claim_path(new)]
    assert (report.added, report.rows, report.rebuilt) == (1, 4, False)
    assert synced.index.verify(synced.worktree).ok


def test_a_pot_without_claims_has_an_index_that_finds_nothing(pot: Pot) -> None:
    assert pot.index.sync(pot.worktree).rows == 0
    assert pot.found("refund") == []
    assert pot.index.verify(pot.worktree).ok
    pot.write(bug("refund-deadlock"))
    assert pot.index.sync(pot.worktree).added == 1
    assert len(pot.found("refund deadlock")) == 1


def test_a_withdrawal_is_another_row_of_the_same_card(synced: Pot) -> None:
    claim = bug("refund-deadlock", "Two refunds lock the order row and the wallet row in opposite order.")
    synced.write(withdrawn(claim))
    report = synced.index.sync(synced.worktree)
    assert (report.added, report.rows, report.pending) == (1, 4, 0)


def test_a_branch_switch_adds_no_row_twice_and_embeds_nothing_twice(synced: Pot) -> None:
    synced.git.branch("other")
    synced.commit(bug("only-on-other", "A branch of its own."))
    synced.index.sync(synced.worktree)
    synced.index.embed_pending()
    for name in ("main", "other", "main"):
        synced.git.switch(name)
        assert synced.index.sync(synced.worktree).added == 0
        assert synced.index.embed_pending().made == 0
    assert len(synced.embedder.embedded) == len(set(synced.embedder.embedded)) == 4
    assert synced.index.verify(synced.worktree).ok


def test_a_linked_worktree_shares_rows_and_vectors(synced: Pot, tmp_path: Path) -> None:
    linked = synced.git.worktree(tmp_path / "linked", "-b", "linked")
    repo = Repository.discover(linked.root)
    index = Index.of(repo)
    assert index.directory == Index.of(synced.repo).directory
    assert index.sync(WorktreeSnapshot(repo)).added == 0


def test_the_index_and_a_commit_are_views_too(synced: Pot) -> None:
    old = synced.git.git("rev-parse", "HEAD")
    synced.commit(bug("later", "Found later."))
    synced.index.sync(synced.worktree)
    assert synced.index.sync(synced.head).added == 0
    assert synced.index.sync(TreeSnapshot(synced.repo, old)).added == 0


def test_a_file_that_does_not_decode_is_named_and_the_index_stays(synced: Pot) -> None:
    broken = f"{POT_DIRECTORY}/claims/debugging/00/x.yaml"
    synced.git.write(broken, "id: c-1\n<<<<<<< HEAD\nsubject: bug_pattern:x\n")
    synced.git.write(f"{POT_DIRECTORY}/claims/debugging/00/y.yaml", "[]\n")
    with pytest.raises(InvalidFileError) as raised:
        synced.index.sync(synced.worktree)
    assert {(issue["path"], issue["line"]) for issue in raised.value.issues} >= {(broken, 2)}
    assert len({issue["path"] for issue in raised.value.issues}) == 2
    assert len(synced.found("wallet")) == 1

    with pytest.raises(InvalidFileError):
        synced.index.rebuild(synced.worktree)
    assert len(synced.found("wallet")) == 1
    in_use = storage.read_pointer(synced.index.directory)
    left = {path.name for path in synced.index.directory.iterdir() if path.is_dir()}
    assert left == {in_use.claims, in_use.vectors}


def test_a_rebuild_keeps_the_vectors(synced: Pot) -> None:
    report = synced.index.rebuild(synced.worktree)
    assert (report.rebuilt, report.rows, report.pending) == (True, 3, 0)
    assert synced.index.embed_pending().made == 0
    assert synced.index.verify(synced.worktree).ok


def test_rows_of_files_that_are_gone_do_not_pile_up(pot: Pot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_SPARE_ROWS", 4)
    keeper = bug("keeper", "This one stays.")
    pot.commit(keeper)
    pot.index.sync(pot.worktree)
    for number in range(20):
        claim = bug(f"passing-{number}")
        pot.write(claim)
        pot.index.sync(pot.worktree)
        pot.remove(claim)
    pot.index.sync(pot.worktree)
    assert pot.index.status().rows <= 8
    assert pot.index.verify(pot.worktree).ok


def test_another_version_of_the_program_makes_its_own(synced: Pot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "FORMAT", storage.FORMAT + 1)
    assert not synced.index.status().exists
    report = synced.index.sync(synced.worktree)
    assert report.rebuilt
    assert "another version" in report.reason


def test_status_says_what_there_is(synced: Pot) -> None:
    assert Index(synced.index.directory.with_name("none")).status().exists is False
    status = synced.index.status(synced.worktree)
    assert (status.rows, status.vectors, status.pending, status.covered) == (3, 3, 0, True)
    assert status.disk_bytes > 0
    synced.write(bug("new"))
    assert synced.index.status(synced.worktree).covered is False


def test_progress_counts_claims_and_cards(pot: Pot) -> None:
    told: list[tuple[str, int, int]] = []
    pot.commit(*many(3))
    pot.index.sync(pot.worktree, lambda *step: told.append(step))
    pot.index.embed_pending(lambda *step: told.append(step))
    assert told == [("reading claims", 3, 3), ("embedding cards", 3, 3)]


@pytest.mark.slow
def test_two_hundred_single_claim_syncs_leave_little_behind(pot: Pot) -> None:
    pot.commit(*many(1))
    pot.index.sync(pot.worktree)
    pot.index.embed_pending()
    counts = []
    for claim in many(200, start=1):
        pot.write(claim)
        assert pot.index.sync(pot.worktree).added == 1
        pot.index.embed_pending()
        counts.append(sum(1 for path in pot.index.directory.rglob("*") if path.is_file()))
    assert max(counts[100:]) <= max(counts[:100]) * 1.2
    assert max(counts) < 250
    assert pot.index.status().disk_bytes < 4_000_000
    assert pot.index.verify(pot.worktree).ok
