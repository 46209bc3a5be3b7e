"""The life of a claim, an entity, a plan, a mutation and a subgraph, as git itself tells it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from potpie_git.domain.approval import Approval, Statement, Withdrawal, content_digest
from potpie_git.domain.errors import InvalidInputError, NotFoundError
from potpie_git.domain.files import Entity
from potpie_git.domain.layout import claim_path
from potpie_git.domain.times import utc_now
from potpie_git.store.codec import encode, repository_path
from potpie_git.store.history import History, HistoryEvent, HistoryQuery, history
from potpie_git.store.repository import Repository
from tests.support.git_repo import GitRepo
from tests.support.records import (
    REASON,
    claim,
    entity,
    files,
    pot_file,
    stamp,
    tombstone,
    withdrawn,
)

FIX = claim()
KEY = FIX.subject


def message(subject: str, plan: str, mutation: str, risk: str = "low") -> str:
    return f"{subject}\n\nPotpie-Plan: {plan}\nPotpie-Mutation: {mutation}\nPotpie-Risk: {risk}\n"


def told(repo: GitRepo, **asked: Any) -> History:
    return history(Repository.discover(repo.root), HistoryQuery(**asked))


def kinds(found: History) -> list[str]:
    return [event.kind for event in found.events]


@pytest.fixture
def pot(git_repo: GitRepo) -> GitRepo:
    git_repo.commit("Pot", files=pot_file())
    return git_repo


@pytest.fixture
def retracted(pot: GitRepo) -> GitRepo:
    """A claim that one plan asserted and another retracted, with a sign-off."""
    pot.commit(message("Fix", "p-1", "m-1"), files=files(FIX))
    pot.commit(
        message("Retract", "p-9", "m-9", "medium") + "Signed-off-by: Ada <ada@example.com>\n",
        files=files(withdrawn(FIX), tombstone(FIX)),
    )
    return pot


def test_a_claim_was_asserted_and_withdrawn(retracted: GitRepo) -> None:
    found = told(retracted, claim=FIX.id)
    assert kinds(found) == ["tombstoned", "withdrawn", "asserted"]
    gone, made = found.events[1:]
    assert (gone.plan, gone.mutation, gone.risk) == ("p-9", "m-9", "medium")
    assert gone.signed_off_by == ["Ada <ada@example.com>"]
    assert gone.author == "Rae Rivers <rae@example.com>"
    assert gone.commit == retracted.git("rev-parse", "HEAD")
    assert gone.reason == REASON
    assert gone.before == {}
    assert gone.after is not None
    assert set(gone.after) == {"valid_to", "invalidation"}
    assert (made.plan, made.mutation, made.before) == ("p-1", "m-1", None)
    assert made.after is not None
    assert made.after["fact"] == FIX.fact
    assert made.commit == retracted.git("rev-parse", "HEAD~1")
    assert found.complete
    assert found.notes == []


def test_a_supersession_shows_on_both_claims(pot: GitRepo) -> None:
    new = claim("m-2", fact="Split the refund in two.")
    edge = claim(
        "m-2",
        subject=f"claim:{new.id}",
        predicate="SUPERSEDES",
        object=f"claim:{FIX.id}",
        fact=None,
        evidence=None,
    )
    pot.commit("Fix", files=files(FIX))
    pot.commit("Better", files=files(withdrawn(FIX, "supersede_claim", new, "m-2"), new, edge))

    assert sorted(kinds(told(pot, claim=FIX.id))) == ["asserted", "asserted", "superseded"]
    assert sorted(kinds(told(pot, claim=new.id))) == ["asserted", "asserted"]
    superseded = next(event for event in told(pot, claim=FIX.id).events if event.kind == "superseded")
    assert superseded.after is not None
    assert superseded.after["invalidation"]["superseded_by"] == new.id


def test_an_entity_is_found_on_either_side_and_by_its_own_file(pot: GitRepo) -> None:
    about = claim(subject="service:pay", predicate="DEPENDS_ON", object="service:ledger", fact=None)
    reverse = claim(subject="service:web", predicate="DEPENDS_ON", object="service:pay", fact=None)
    # Its slug is the same as that of service:pay, and it is another entity.
    twin = claim(subject="service:web", predicate="DEPENDS_ON", object="service:pay-", fact=None)
    other = claim(subject="service:web", predicate="DEPENDS_ON", object="service:mail", fact=None)
    named = entity("service:pay", "Service", name="Payments")
    pot.commit("All", files=files(about, reverse, twin, other, named))

    found = told(pot, entity="service:pay")
    assert {(event.kind, event.claim or event.entity) for event in found.events} == {
        ("asserted", about.id),
        ("asserted", reverse.id),
        ("authored", "service:pay"),
    }


def test_the_tombstone_of_an_entitys_claim_belongs_to_its_history(retracted: GitRepo) -> None:
    assert kinds(told(retracted, entity=KEY)) == ["tombstoned", "withdrawn", "asserted"]
    assert kinds(told(retracted, entity="bug_pattern:partial-capture")) == [
        "tombstoned",
        "withdrawn",
        "asserted",
    ]
    assert kinds(told(retracted, entity="fix:000000000000")) == []


def test_an_entity_is_patched_moved_on_and_merged(pot: GitRepo) -> None:
    made = entity("decision:aaaaaaaaaaaa", "Decision", title="Split", state="proposed")
    patched = made.model_copy(update={"title": "Split refunds"})
    moved = Entity.model_validate(
        patched.to_data()
        | {
            "state": "accepted",
            "transitions": [
                {
                    "from_state": "proposed",
                    "to_state": "accepted",
                    "reason": "Agreed.",
                    "provenance": stamp("m-3"),
                }
            ],
        }
    )
    merged = Entity.model_validate(
        moved.to_data()
        | {"merged": {"into": "decision:bbbbbbbbbbbb", "reason": "The same.", "provenance": stamp("m-4")}}
    )
    for step in (made, patched, moved, merged):
        pot.commit("step", files=files(step))

    events = told(pot, entity=made.key).events
    assert [event.kind for event in events] == ["merged", "transitioned", "patched", "authored"]
    assert [event.mutation for event in events[:2]] == ["m-4", "m-3"]
    assert [event.reason for event in events[:2]] == ["The same.", "Agreed."]
    assert (events[2].before, events[2].after) == ({"title": "Split"}, {"title": "Split refunds"})


def test_a_plan_and_a_mutation_are_found_by_their_commits(retracted: GitRepo) -> None:
    retracted.commit("Unrelated, mentions p-9 in passing", files=files(claim("m-3", fact="Another.")))
    for asked in ({"plan": "p-9"}, {"mutation": "m-9"}):
        assert kinds(told(retracted, **asked)) == ["tombstoned", "withdrawn"]
    assert kinds(told(retracted, plan="p-1")) == ["asserted"]


def test_a_squashed_message_still_names_plan_and_mutation(retracted: GitRepo) -> None:
    body = message("Fix", "p-1", "m-1") + "\n" + message("Retract", "p-9", "m-9", "medium")
    retracted.git("reset", "--soft", "HEAD~2")
    retracted.commit(
        "Squashed\n\n" + "\n".join(f"    {line}" for line in body.splitlines()) + "\n\nThe end.\n"
    )

    assert kinds(told(retracted, plan="p-9")) == ["tombstoned", "withdrawn"]
    assert kinds(told(retracted, plan="p-1")) == ["asserted"]
    assert [event.plan for event in told(retracted, claim=FIX.id).events] == ["p-9", "p-9", "p-1"]


def test_a_mutation_is_found_by_the_stamps_where_the_message_lost_it(retracted: GitRepo) -> None:
    retracted.git("reset", "--soft", "HEAD~2")
    retracted.commit("Squashed by a forge")

    assert kinds(told(retracted, mutation="m-9")) == ["tombstoned", "withdrawn"]
    assert kinds(told(retracted, mutation="m-1")) == ["asserted"]
    # One file came into being and was withdrawn in the same commit: two events.
    assert kinds(told(retracted, claim=FIX.id)) == ["tombstoned", "withdrawn", "asserted"]


def test_a_subgraph_tells_all_its_claims(retracted: GitRepo) -> None:
    owner = claim(subject="service:pay", predicate="OWNED_BY", object="team:core", fact=None)
    retracted.commit("Owner", files=files(owner))
    assert kinds(told(retracted, subgraph="debugging")) == ["withdrawn", "asserted"]
    assert [event.claim for event in told(retracted, subgraph="code_topology").events] == [owner.id]
    with pytest.raises(InvalidInputError, match="Did you mean 'debugging'"):
        told(retracted, subgraph="debuging")


def test_what_is_not_committed_is_shown_as_such(retracted: GitRepo) -> None:
    on_disk, in_index = claim("m-3", fact="On disk."), claim("m-4", fact="In the index.")
    for path, raw in files(in_index).items():
        retracted.write(path, raw)
        retracted.add(path)
    for path, raw in files(on_disk).items():
        retracted.write(path, raw)

    newest = {event.claim: event for event in told(retracted, entity=KEY).events[:2]}
    assert newest[on_disk.id].state == "uncommitted"
    assert newest[in_index.id].state == "staged"
    assert all(event.commit is None and event.author is None for event in newest.values())
    assert kinds(told(retracted, mutation="m-3")) == ["asserted"]


def test_an_unborn_branch_has_only_what_is_on_disk(git_repo: GitRepo) -> None:
    for path, raw in (pot_file() | files(FIX)).items():
        git_repo.write(path, raw)
    assert [(event.kind, event.state) for event in told(git_repo, claim=FIX.id).events] == [
        ("asserted", "uncommitted")
    ]


def test_since_until_and_limit_bound_the_events(pot: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    start = datetime(2026, 6, 1, tzinfo=UTC)
    for day in range(4):
        monkeypatch.setenv("GIT_COMMITTER_DATE", (start + timedelta(days=day)).isoformat())
        pot.commit(f"day {day}", files=files(claim(fact=f"Day {day}.")))

    window = told(
        pot, entity=KEY, since=start + timedelta(hours=12), until=start + timedelta(days=2, hours=12)
    )
    assert [event.subject for event in window.events] == ["day 2", "day 1"]
    newest = told(pot, entity=KEY, limit=3)
    assert [event.subject for event in newest.events] == ["day 3", "day 2", "day 1"]
    assert not newest.complete
    assert "newest 3" in newest.notes[0]
    assert told(pot, entity=KEY, limit=4).complete


def test_a_side_branch_and_a_merge_that_edits_are_both_told(pot: GitRepo) -> None:
    pot.branch("side")
    pot.commit("On the side", files=files(FIX))
    pot.switch("main")
    pot.commit("Meanwhile", files={"README": "x"})
    pot.git("merge", "--quiet", "--no-ff", "--no-commit", "side")
    evil = claim("m-5", fact="Slipped in by the merge.")
    pot.commit("Merge", files=files(evil))

    found = told(pot, entity=KEY)
    assert [(event.subject, event.claim) for event in found.events] == [
        ("Merge", evil.id),
        ("On the side", FIX.id),
    ]


def test_an_illegal_edit_and_a_deletion_are_not_hidden(pot: GitRepo) -> None:
    path = repository_path(claim_path(FIX))
    edited = FIX.model_copy(update={"fact": "Do nothing."})
    pot.commit("Fix", files={path: encode(FIX)})
    pot.commit("Edit", files={path: encode(edited)})
    pot.commit("Break", files={path: "no: [yaml"})
    pot.git("rm", "--quiet", "--", path)
    pot.commit("Delete")

    events = told(pot, claim=FIX.id).events
    assert [event.kind for event in events] == ["unreadable", "unreadable", "edited", "asserted"]
    assert (events[2].before, events[2].after) == ({"fact": FIX.fact}, {"fact": "Do nothing."})
    assert told(pot, entity=KEY).events == events

    pot.commit("Back", files={path: encode(FIX)})
    pot.git("rm", "--quiet", "--", path)
    pot.commit("Delete a good one")
    assert kinds(told(pot, claim=FIX.id))[:2] == ["removed", "asserted"]


def approval_of(plan: str, *changes: tuple[str, bytes, bytes]) -> Approval:
    statement = Statement(
        store="acme-payments",
        ref="refs/heads/main",
        plan=plan,
        risk="medium",
        principal="ben",
        signed_off_by="Ben <ben@example.com>",
        nonce="0" * 32,
        issued="2026-07-01T00:00:00Z",
        expires="2026-08-01T00:00:00Z",
        changes=[(path, content_digest(before), content_digest(after)) for path, before, after in changes],
    )
    return Approval(statement=statement)


def test_an_approval_is_told_and_named_where_it_covers_the_bytes(
    retracted: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Commits of one second have no order but the graph's.
    monkeypatch.setenv("GIT_COMMITTER_DATE", (utc_now() + timedelta(hours=1)).isoformat())
    approval = approval_of("p-9", (claim_path(FIX), encode(FIX), encode(withdrawn(FIX))))
    retracted.commit("Approve\n\nSigned-off-by: Ben <ben@example.com>", files=files(approval))

    found = told(retracted, claim=FIX.id).events
    by_kind: dict[str, HistoryEvent] = {event.kind: event for event in found}
    assert set(by_kind) == {"approved", "tombstoned", "withdrawn", "asserted"}
    assert by_kind["withdrawn"].approvals == ["ben"]
    assert by_kind["asserted"].approvals == []
    assert by_kind["approved"].signed_off_by == ["Ben <ben@example.com>"]
    assert "approved" in kinds(told(retracted, entity=KEY))
    assert "approved" not in kinds(told(retracted, entity="fix:000000000000"))
    # It was given in a commit of its own, which does not name the plan.
    assert kinds(told(retracted, plan="p-9")) == ["approved", "tombstoned", "withdrawn"]
    assert kinds(told(retracted, plan="p-9", limit=1)) == ["approved"]
    assert not told(retracted, plan="p-9", limit=1).complete


def test_an_approval_that_was_taken_back_covers_nothing(retracted: GitRepo) -> None:
    approval = approval_of("p-9", (claim_path(FIX), encode(FIX), encode(withdrawn(FIX))))
    back = Withdrawal(at="2026-07-02T00:00:00Z", by="Ben", reason="I misread it.")
    retracted.commit("Approve", files=files(approval))
    retracted.commit("Take back", files=files(approval.model_copy(update={"withdrawn": back})))

    events = told(retracted, claim=FIX.id).events
    assert [event.kind for event in events[:2]] == ["withdrawn", "approved"]
    assert events[0].reason == "I misread it."
    assert all(event.approvals == [] for event in events)


def test_a_shallow_clone_says_what_it_cannot_know(retracted: GitRepo, tmp_path: Path) -> None:
    clone = retracted.clone(tmp_path / "clone", "--depth=1")
    found = told(clone, claim=FIX.id)
    assert kinds(found) == ["tombstoned", "withdrawn", "asserted"]
    assert all(event.at_or_before for event in found.events)
    assert "--unshallow" in found.notes[0]
    with pytest.raises(NotFoundError) as raised:
        told(clone, plan="p-1")
    assert "--unshallow" in raised.value.hint


def test_a_linked_worktree_tells_its_own_branch(retracted: GitRepo, tmp_path: Path) -> None:
    linked = retracted.worktree(tmp_path / "linked", "-b", "side")
    linked.git("reset", "--quiet", "--hard", "HEAD~1")
    assert kinds(told(linked, claim=FIX.id)) == ["asserted"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("log.showRoot", "false"),
        ("diff.renames", "copies"),
        ("log.follow", "true"),
        ("diff.orderFile", "nowhere"),
    ],
)
def test_configuration_changes_nothing(retracted: GitRepo, key: str, value: str) -> None:
    before = told(retracted, claim=FIX.id)
    retracted.git("config", key, value)
    assert told(retracted, claim=FIX.id) == before


def test_the_first_commit_of_all_is_told(git_repo: GitRepo) -> None:
    git_repo.git("config", "log.showRoot", "false")
    git_repo.commit("Everything", files=pot_file() | files(FIX))
    assert kinds(told(git_repo, claim=FIX.id)) == ["asserted"]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"entity": KEY, "subgraph": "debugging"},
        {"entity": "nonsense"},
        {"claim": "c-1"},
        {"plan": "--all"},
        {"mutation": "a b"},
        {"entity": KEY, "limit": 0},
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(pot: GitRepo, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        told(pot, **asked)


def test_no_trace_is_said_and_no_empty_success(pot: GitRepo) -> None:
    for asked in ({"plan": "p-7"}, {"mutation": "m-7"}, {"claim": "c-" + "0" * 32}):
        with pytest.raises(NotFoundError):
            told(pot, **asked)
    assert told(pot, plan="p-7", since=utc_now()).events == []


def test_hidden_characters_in_a_message_stay_out_of_the_trailers(pot: GitRepo) -> None:
    forged = (
        message("Fix", "p-1", "m-1")
        + "\nThat was the middle.\n\nNo trailers here, \x1fSigned-off-by: Ada <a@b>\n"
    )
    pot.commit(forged, files=files(FIX))
    event = told(pot, claim=FIX.id).events[0]
    assert event.signed_off_by == []
    assert event.risk is None
