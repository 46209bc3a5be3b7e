"""Plans: their states, lifetime, idempotency keys and conflicts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from potpie_git.domain.errors import ConflictError, InvalidInputError, PotpieError
from potpie_git.domain.plan import PlanState
from potpie_git.write.identifiers import is_plan_id, made_at, new_mutation_id, new_plan_id
from potpie_git.write.plans import KEPT_FOR
from tests.write.conftest import START, Desk, depends, fixes, retract


def code_of(desk: Desk, plan_id: str) -> str:
    with pytest.raises(PotpieError) as error:
        desk.writer.commit(plan_id)
    return error.value.code


def test_ids_sort_by_time_and_tell_it() -> None:
    ids = [new_plan_id(START + timedelta(seconds=step)) for step in range(5)]
    assert ids == sorted(ids)
    assert all(is_plan_id(one) for one in ids)
    assert made_at(ids[2]) == START + timedelta(seconds=2)
    assert new_mutation_id(START).startswith("m-")
    assert not is_plan_id("p-../../x")


def test_a_plan_commits_once(desk: Desk) -> None:
    plan = desk.propose(depends())
    done = desk.writer.commit(plan.plan_id)
    assert done.plan.state is PlanState.COMMITTED
    assert code_of(desk, plan.plan_id) == "plan_already_committed"
    stored = desk.writer.plan(plan.plan_id)
    assert (stored.state, stored.commit) == (PlanState.COMMITTED, desk.head())


@pytest.mark.parametrize("plan_id", ["p-nonsense", "../../etc/passwd", "", "p-01kt16jkm09jqzqpfbg9sr30qd"])
def test_an_unknown_plan_is_refused(desk: Desk, plan_id: str) -> None:
    assert code_of(desk, plan_id) == "plan_not_found"


def test_a_plan_expires(desk: Desk) -> None:
    plan = desk.propose(depends(), ttl=timedelta(minutes=30))
    desk.later(minutes=30)
    assert desk.writer.plan(plan.plan_id).state is PlanState.EXPIRED
    assert code_of(desk, plan.plan_id) == "plan_expired"
    for ttl in (timedelta(0), timedelta(days=31), timedelta(seconds=-1)):
        with pytest.raises(InvalidInputError):
            desk.propose(depends(), ttl=ttl)


def test_a_plan_may_be_given_up(desk: Desk) -> None:
    plan = desk.propose(depends())
    desk.writer.abandon(plan.plan_id)
    assert desk.writer.plan(plan.plan_id).state is PlanState.ABANDONED
    assert code_of(desk, plan.plan_id) == "plan_not_committable"
    assert [one.plan_id for one in desk.writer.plans()] == [plan.plan_id]


def test_one_key_and_payload_are_one_plan(desk: Desk) -> None:
    first = desk.propose(depends(), idempotency_key="k1")
    assert desk.propose(depends(), idempotency_key="k1").plan_id == first.plan_id
    desk.writer.commit(first.plan_id)
    again = desk.propose(depends(), idempotency_key="k1")
    assert (again.plan_id, again.state) == (first.plan_id, PlanState.COMMITTED)
    with pytest.raises(InvalidInputError) as error:
        desk.propose(depends("x"), idempotency_key="k1")
    assert error.value.code == "idempotency_mismatch"
    inner = {"operations": [depends("y")], "idempotency_key": "k2"}
    assert desk.writer.propose(inner).plan_id == desk.writer.propose(inner).plan_id


def test_a_key_whose_plan_cannot_be_committed_leads_to_a_new_one(desk: Desk) -> None:
    first = desk.propose(depends(), idempotency_key="k1", ttl=timedelta(minutes=1))
    desk.later(minutes=2)
    assert desk.propose(depends(), idempotency_key="k1").plan_id != first.plan_id


def test_a_record_under_a_key_is_written_once(desk: Desk) -> None:
    fields = {"symptom_signature": "s", "fix_steps": ["t"]}
    first = desk.writer.record("fix", fields, idempotency_key="r1")
    again = desk.writer.record("fix", fields, idempotency_key="r1")
    assert again.commit == first.commit
    assert again.notes


def test_old_plans_are_removed(desk: Desk) -> None:
    old = desk.propose(depends())
    desk.now += KEPT_FOR + timedelta(days=1)
    new = desk.propose(depends("x"))
    assert [plan.plan_id for plan in desk.writer.plans()] == [new.plan_id]
    assert code_of(desk, old.plan_id) == "plan_not_found"


def test_plans_in_different_subgraphs_both_commit(desk: Desk) -> None:
    plans = [desk.propose(depends()), desk.propose(fixes("Retry."))]
    for plan in plans:
        desk.writer.commit(plan.plan_id)
    assert len(desk.claims()) == 2


def test_plans_in_one_subgraph_conflict_with_both_versions_named(desk: Desk) -> None:
    desk.write(depends("z"))
    first, second = desk.propose(depends("a")), desk.propose(depends("c"))
    before = desk.repo.git("rev-parse", "HEAD:.potpie/claims/infra_topology")
    desk.writer.commit(first.plan_id)
    state = desk.state()
    with pytest.raises(ConflictError) as conflict:
        desk.writer.commit(second.plan_id)
    after = desk.repo.git("rev-parse", "HEAD:.potpie/claims/infra_topology")
    assert conflict.value.code == "conflict"
    assert conflict.value.detail["subgraphs"] == {"infra_topology": {"expected": before, "actual": after}}
    assert "propose" in conflict.value.hint
    assert desk.state() == state
    assert desk.writer.plan(second.plan_id).state is PlanState.CONFLICT


def test_what_the_system_writes_beside_a_claim_is_no_reason_for_a_conflict(desk: Desk) -> None:
    desk.write(depends("a"), fixes("Retry."))
    left = desk.propose(
        {
            "op": "supersede_claim",
            "claim": desk.only("DEPENDS_ON").id,
            "superseded_by": "service:x",
            "reason": "r",
        }
    )
    right = desk.propose(
        {
            "op": "supersede_claim",
            "claim": desk.only("RESOLVED").id,
            "superseded_by": {"fact": "Wait."},
            "reason": "r",
        }
    )
    desk.writer.commit(left.plan_id)
    desk.writer.commit(right.plan_id)
    assert len(desk.of("SUPERSEDES")) == 2


def test_unrelated_commits_are_no_conflict(desk: Desk) -> None:
    plan = desk.propose(depends())
    desk.repo.commit("Code", files={"src/x.py": "x\n"})
    assert desk.writer.commit(plan.plan_id).commit == desk.head()


def test_a_file_changed_by_hand_is_a_conflict_that_names_it(desk: Desk) -> None:
    desk.write(fixes("Retry."))
    claim = desk.only("RESOLVED")
    path = desk.path_of(claim)
    path.write_text(path.read_text() + "# by hand\n")
    with pytest.raises(ConflictError) as conflict:
        desk.propose(retract(claim))
    assert conflict.value.code == "uncommitted_changes"
    assert path.name in conflict.value.message
    desk.repo.git("checkout", "--", str(path))
    plan = desk.propose(retract(claim))
    path.write_text(path.read_text() + "# by hand\n")
    with pytest.raises(ConflictError):
        desk.writer.commit(plan.plan_id)
    assert path.read_text().endswith("# by hand\n")


def test_a_claim_deleted_by_hand_is_not_silently_brought_back(desk: Desk) -> None:
    desk.write(depends())
    desk.path_of(desk.only("DEPENDS_ON")).unlink()
    with pytest.raises(ConflictError) as conflict:
        desk.propose(depends())
    assert conflict.value.code == "uncommitted_changes"
