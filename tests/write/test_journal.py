"""The journal: whole and trustworthy, or known to be torn."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potpie_git.domain.claim import Actor
from potpie_git.write.journal import (
    Journal,
    JournalError,
    JournalFile,
    decode,
    encode,
    journal_path,
    read_journal,
    write_journal,
)
from potpie_git.write.recovery import Outcome
from potpie_git.write.writer import Writer
from tests.write.conftest import Desk, fixes

BLOB = st.text("0123456789abcdef", min_size=40, max_size=40)
FILES = st.builds(
    JournalFile, path=st.text(st.characters(codec="utf-8"), min_size=1), before=BLOB | st.none(), after=BLOB
)
JOURNALS = st.builds(
    Journal,
    plan_id=st.text(st.characters(codec="utf-8")),
    mutation_id=st.text(st.characters(codec="ascii")),
    stage=st.booleans(),
    head=BLOB | st.none(),
    branch=st.text(st.characters(codec="utf-8")) | st.none(),
    work=st.text(st.characters(codec="utf-8")),
    files=st.lists(FILES, max_size=4),
    folders=st.lists(st.text(st.characters(codec="utf-8")), max_size=3),
)


@settings(max_examples=100, deadline=None)
@given(JOURNALS)
def test_a_journal_comes_back_as_it_was(journal: Journal) -> None:
    assert decode(encode(journal)) == journal


@settings(max_examples=100, deadline=None)
@given(JOURNALS, st.data())
def test_a_cut_or_changed_journal_is_never_believed(journal: Journal, data: st.DataObject) -> None:
    raw = encode(journal)
    if data.draw(st.booleans()):
        damaged = raw[: data.draw(st.integers(0, len(raw) - 1))]
    else:
        at = data.draw(st.integers(0, len(raw) - 1))
        damaged = raw[:at] + bytes([raw[at] ^ data.draw(st.integers(1, 255))]) + raw[at + 1 :]
    try:
        found = decode(damaged)
    except JournalError:
        return
    # a change outside the body, such as in white space, may go unnoticed, and then says the same
    assert found == journal


@given(st.binary(max_size=200))
def test_garbage_is_no_journal(raw: bytes) -> None:
    with pytest.raises(JournalError):
        decode(raw)


@pytest.mark.parametrize("kept", [0, 1, 50, -1])
def test_a_torn_journal_is_set_aside_and_reported(desk: Desk, kept: int) -> None:
    plan = desk.propose(fixes("Retry it."))
    journal = Journal(
        plan_id=plan.plan_id, mutation_id=plan.mutation_id, stage=False, head=desk.head(), branch=None, work="x",
        files=[],
    )  # fmt: skip
    path = journal_path(desk.repository)
    path.write_bytes(encode(journal)[:kept])
    state = desk.state()
    recovery = desk.writer.recover()
    assert recovery is not None
    assert recovery.outcome is Outcome.TORN
    assert "torn" in recovery.message
    assert not path.exists()
    assert desk.state() == state
    assert desk.writer.recover() is None
    assert desk.writer.commit(plan.plan_id).commit == desk.head()


def test_a_command_that_finds_a_torn_journal_says_so(desk: Desk) -> None:
    journal_path(desk.repository).parent.mkdir(exist_ok=True)
    journal_path(desk.repository).write_text("{")
    writer = Writer(desk.repository, Actor(user="rae"), clock=lambda: desk.now)
    done = writer.record("fix", {"symptom_signature": "s", "fix_steps": ["t"]})
    assert any("torn" in note for note in done.notes)


def test_a_journal_is_on_disk_before_it_counts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr("potpie_git.write.plans.os.fsync", synced.append)
    journal = Journal(
        plan_id="p", mutation_id="m", stage=True, head=None, branch=None, work="w", files=[], folders=[]
    )
    write_journal(desk.repository, journal)
    assert len(synced) == 2
    assert read_journal(desk.repository) == journal
    assert json.loads(journal_path(desk.repository).read_bytes())["format"] == 1
