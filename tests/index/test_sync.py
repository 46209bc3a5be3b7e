"""Sync: every claim of a snapshot gets one row, at the cost of what changed."""

from potpie_git.index import Index
from tests.index.conftest import Pot, bug, many


def test_a_first_sync_gives_every_claim_a_row(pot: Pot) -> None:
    pot.commit(*many(5))
    report = pot.index.sync(pot.worktree)
    assert (report.added, report.rows, report.rebuilt) == (5, 5, True)
    assert pot.index.verify(pot.worktree).problems == ()
