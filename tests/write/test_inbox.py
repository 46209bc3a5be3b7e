"""The inbox: committed suggestions that only gain events, through the same door as every write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from potpie_git.domain.claim import Actor
from potpie_git.domain.errors import InvalidInputError, NotFoundError, RefusedError
from potpie_git.domain.files import InboxItem
from potpie_git.domain.query import ClaimQuery
from potpie_git.domain.validation.history import inbox_edit_problems
from potpie_git.store.codec import decode, file_findings
from potpie_git.store.pot_tree import PotTree
from potpie_git.store.repository import Repository
from potpie_git.store.scan import ScannedClaims
from potpie_git.store.snapshot import TreeSnapshot, WorktreeSnapshot
from potpie_git.write.inbox import Inbox, InboxResult
from potpie_git.write.setup import create_pot
from potpie_git.write.writer import Writer
from tests.support.git_repo import GitRepo

START = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)


class Desk:
    """An inbox with a clock that a test moves."""

    def __init__(self, repo: GitRepo, user: str = "rae") -> None:
        self.repo = repo
        self.now = START
        self.writer = Writer(
            Repository.discover(repo.root), Actor(surface="library", user=user), clock=lambda: self.now
        )
        self.inbox = Inbox(self.writer, lambda: self.now)

    def later(self) -> None:
        self.now += timedelta(minutes=1)

    def fix(self) -> tuple[str, str]:
        """A committed plan: its id and its mutation's."""
        plan = self.writer.propose(
            {
                "op": "assert_claim",
                "subject": "service:pay",
                "predicate": "DEPENDS_ON",
                "object": "service:ledger",
            }
        )
        self.writer.commit(plan.plan_id)
        return plan.plan_id, plan.mutation_id


@pytest.fixture
def desk(git_repo: GitRepo) -> Desk:
    create_pot(Repository.discover(git_repo.root), START)
    git_repo.commit("Pot")
    return Desk(git_repo)


def committed(desk: Desk, item: InboxItem) -> InboxItem:
    tree = PotTree(TreeSnapshot.of_head(Repository.discover(desk.repo.root)))
    return next(held for held in tree.inbox() if held.id == item.id)


def test_an_item_is_one_committed_file(desk: Desk) -> None:
    added = desk.inbox.add(
        "Look at retries", body="They fail.", subject="service:pay", evidence=["linear:ENG-1"]
    )
    item = added.item
    assert item.status == "open"
    assert added.written.files == [f".potpie/inbox/{item.id}.yaml"]
    assert committed(desk, item) == item
    path = f"inbox/{item.id}.yaml"
    raw = (desk.repo.root / ".potpie" / path).read_bytes()
    assert file_findings(path, raw)[1] == []
    assert desk.repo.git("status", "--porcelain") == ""
    body = desk.repo.git("log", "-1", "--format=%B")
    assert f"Inbox: {item.title}" in body
    assert f"Potpie-Plan: {added.written.plan.plan_id}" in body
    assert "Potpie-Risk: low" in body


def test_an_item_gains_events_and_keeps_its_past(desk: Desk) -> None:
    plan, mutation = desk.fix()
    item = desk.inbox.add("Look at retries").item
    steps: list[InboxResult] = []
    for step in (
        lambda: desk.inbox.claim(item.id, note="mine"),
        lambda: desk.inbox.mark_applied(item.id, plan=plan, mutation=mutation),
        lambda: desk.inbox.close(item.id),
    ):
        desk.later()
        steps.append(step())
    assert [one.item.status for one in steps] == ["claimed", "applied", "closed"]
    last = committed(desk, item)
    assert [event.action for event in last.events] == ["add", "claim", "mark-applied", "close"]
    assert (last.events[2].plan, last.events[2].mutation, last.events[1].note) == (plan, mutation, "mine")
    assert {event.by for event in last.events} == {"rae"}
    for before, after in zip([item, *(one.item for one in steps)], [one.item for one in steps], strict=False):
        assert inbox_edit_problems(before, after) == []


def test_lists_are_by_age_and_status(desk: Desk) -> None:
    first = desk.inbox.add("One").item
    desk.later()
    second = desk.inbox.add("Two").item
    desk.inbox.mark_rejected(first.id, note="No.")
    assert [item.id for item in desk.inbox.items()] == [first.id, second.id]
    assert [item.id for item in desk.inbox.items("open")] == [second.id]
    assert desk.inbox.show(first.id).status == "rejected"
    with pytest.raises(InvalidInputError, match="Did you mean 'open'"):
        desk.inbox.items("opn")


def test_applied_needs_a_plan_or_mutation_that_was_committed(desk: Desk) -> None:
    item = desk.inbox.add("Look").item
    pending = desk.writer.propose(
        {"op": "assert_claim", "subject": "service:web", "predicate": "DEPENDS_ON", "object": "service:pay"}
    )
    with pytest.raises(InvalidInputError, match="names a plan or a mutation"):
        desk.inbox.mark_applied(item.id)
    with pytest.raises(RefusedError) as refused:
        desk.inbox.mark_applied(item.id, plan=pending.plan_id)
    assert pending.plan_id in refused.value.hint
    for asked in (
        {"plan": "p-" + "0" * 26},
        {"mutation": "m-" + "0" * 26},
        {"mutation": pending.mutation_id},
    ):
        with pytest.raises(NotFoundError):
            desk.inbox.mark_applied(item.id, **asked)
    assert desk.inbox.show(item.id).status == "open"


def test_a_plan_of_another_clone_is_found_in_the_history(desk: Desk, tmp_path) -> None:
    plan, mutation = desk.fix()
    item = desk.inbox.add("Look").item
    other = Desk(desk.repo.clone(tmp_path / "clone"), "bo")
    assert other.inbox.mark_applied(item.id, plan=plan).item.status == "applied"
    other.inbox.close(item.id)
    assert other.inbox.show(item.id).events[1].by == "bo"
    second = desk.inbox.add("Look again").item
    assert desk.inbox.mark_applied(second.id, mutation=mutation).item.status == "applied"


@pytest.mark.parametrize("final", ["close", "mark_rejected"])
def test_what_is_over_stays_over(desk: Desk, final: str) -> None:
    item = desk.inbox.add("Look").item
    getattr(desk.inbox, final)(item.id, note="Done.")
    with pytest.raises(RefusedError) as refused:
        desk.inbox.claim(item.id)
    assert refused.value.code == "inbox_state"


def test_the_same_suggestion_in_the_same_second_is_one_item(desk: Desk) -> None:
    first = desk.inbox.add("Look")
    again = desk.inbox.add("Look")
    assert again.item == first.item
    assert again.written.commit is None
    desk.later()
    assert desk.inbox.add("Look").item.id != first.item.id


def test_an_item_is_never_a_fact(desk: Desk) -> None:
    desk.inbox.add("service:pay depends on service:mail", subject="service:pay")
    desk.fix()
    search = ScannedClaims(WorktreeSnapshot(Repository.discover(desk.repo.root)))
    everything = search.find_claims(ClaimQuery(include_invalidated=True)).rows
    assert [row.claim.object for row in everything] == ["service:ledger"]


def test_staging_leaves_the_commit_to_the_user(desk: Desk) -> None:
    head = desk.repo.git("rev-parse", "HEAD")
    item = desk.inbox.add("Look", stage=True).item
    assert desk.repo.git("rev-parse", "HEAD") == head
    assert desk.repo.git("diff", "--cached", "--name-only") == f".potpie/inbox/{item.id}.yaml"


def test_what_else_is_staged_stays_out_of_the_commit(desk: Desk) -> None:
    desk.repo.write("other.txt", "x")
    desk.repo.add("other.txt")
    desk.inbox.add("Look")
    assert desk.repo.git("diff", "--cached", "--name-only") == "other.txt"
    assert "other.txt" not in desk.repo.git("show", "--name-only", "--format=", "HEAD")


def test_an_inbox_needs_no_approval_on_a_protected_branch(desk: Desk) -> None:
    assert desk.repo.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert desk.inbox.add("Look").written.pending == []


@pytest.mark.parametrize(
    ("title", "subject"),
    [("  ", None), ("hidden \u202e text", None), ("Look", "nonsense"), ("a\x1b[0m", None)],
)
def test_what_no_file_may_hold_is_refused(desk: Desk, title: str, subject: str | None) -> None:
    head = desk.repo.git("rev-parse", "HEAD")
    with pytest.raises(InvalidInputError):
        desk.inbox.add(title, subject=subject)
    assert desk.repo.git("rev-parse", "HEAD") == head
    assert desk.inbox.items() == []


@pytest.mark.parametrize("item_id", ["i-nothing", "../pot", "i-0/../../pot", ""])
def test_an_unknown_item_is_said(desk: Desk, item_id: str) -> None:
    with pytest.raises(NotFoundError):
        desk.inbox.show(item_id)


def test_text_survives_as_it_was_given(desk: Desk) -> None:
    title, body = "- no: 'yes' # \u00fcber", "line one\nline two\n"
    item = desk.inbox.add(title, body=body).item
    raw = (desk.repo.root / f".potpie/inbox/{item.id}.yaml").read_bytes()
    held = decode(f"inbox/{item.id}.yaml", raw).record
    assert (held.title, held.body) == (title, body)
