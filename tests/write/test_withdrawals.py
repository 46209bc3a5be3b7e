"""Withdrawals: every live claim of the statement is stamped, with a reason, and nothing is deleted."""

from __future__ import annotations

import pytest

from potpie_git.domain.query import ClaimQuery
from potpie_git.domain.validation.history import claim_edit_problems
from potpie_git.store.scan import ScannedClaims
from tests.write.conftest import Desk, depends, fixes, retract

END = "end_relation_validity"


def test_a_retraction_stamps_the_claim_and_leaves_the_rest_of_it(desk: Desk) -> None:
    desk.write(fixes("Retry it.", evidence=["linear:ENG-1"]))
    before = desk.only("RESOLVED")
    desk.later(days=1)
    desk.user = "kim"
    done = desk.write(retract(before, "The gateway rejects retries.", evidence=["linear:ENG-9"]))
    after = desk.only("RESOLVED")
    assert claim_edit_problems(before, after) == []
    assert after.valid_to == "2026-06-02T09:00:00Z"
    assert after.invalidation.op == "retract_claim"
    assert after.invalidation.reason == "The gateway rejects retries."
    assert after.invalidation.provenance.actor.user == "kim"
    assert after.invalidation.provenance.mutation == done.plan.mutation_id
    assert after.invalidation.evidence[0].source_ref == "linear:ENG-9"
    assert done.plan.risk == "medium"
    assert done.plan.diff.claims_retracted == [before.id]
    (item,) = done.plan.diff.invalidations
    assert (item["claim"], item["reason"]) == (before.id, "The gateway rejects retries.")


def test_after_a_retraction_the_default_query_is_empty_and_the_inclusive_one_has_one_row(desk: Desk) -> None:
    desk.write(fixes("Retry it."))
    desk.write(retract(desk.only("RESOLVED")))
    search = ScannedClaims(desk.tree().snapshot, clock=lambda: desk.now)
    query = ClaimQuery(predicates=frozenset({"RESOLVED"}))
    assert search.find_claims(query).rows == ()
    (row,) = search.find_claims(ClaimQuery(predicates=frozenset({"RESOLVED"}), include_invalidated=True)).rows
    assert row.claim.valid_to is not None


@pytest.mark.parametrize("named", ["id", "statement"])
def test_every_live_claim_of_the_statement_is_withdrawn_together(desk: Desk, named: str) -> None:
    desk.write(
        depends(evidence=["linear:ENG-1"]),
        depends(evidence=["linear:ENG-2"]),
        depends(environment="prod"),
        depends("a", "c"),
    )
    one = next(claim for claim in desk.of("DEPENDS_ON") if claim.evidence)
    target = (
        {"claim": one.id}
        if named == "id"
        else {"subject": "service:a", "predicate": "DEPENDS_ON", "object": "service:b"}
    )
    operation = {"op": "retract_claim", "reason": "No.", **target}
    if named == "statement":
        assert desk.codes(operation) == [(0, "ambiguous_target")]
        # the environment is part of a statement, and only the id can say that none is meant
        operation = {"op": "retract_claim", "reason": "No.", "claim": f"claim:{one.id}"}
    desk.write(operation)
    live = {(claim.object, claim.environment) for claim in desk.of("DEPENDS_ON") if claim.live}
    assert live == {("service:b", "prod"), ("service:c", None)}
    assert len([claim for claim in desk.of("DEPENDS_ON") if not claim.live]) == 2


def test_comments_of_a_claim_survive_its_withdrawal(desk: Desk) -> None:
    desk.write(fixes("Retry it."))
    claim = desk.only("RESOLVED")
    path = desk.path_of(claim)
    path.write_text(path.read_text().replace("fact:", "# why we kept it\nfact:"))
    desk.repo.commit("A comment")
    desk.write(retract(claim))
    assert "# why we kept it\nfact:" in path.read_text()


def test_a_withdrawal_needs_a_reason(desk: Desk) -> None:
    desk.write(depends())
    claim = desk.only("DEPENDS_ON")
    for op in ("retract_claim", END, "supersede_claim"):
        for reason in ({}, {"reason": ""}, {"reason": "  "}):
            by = {"superseded_by": "service:c"} if op == "supersede_claim" else {}
            assert (0, "reason_required") in desk.codes({"op": op, "claim": claim.id, **by, **reason})


def test_what_is_not_there_is_told_with_what_is(desk: Desk) -> None:
    desk.write(depends("pay", "ledger"))
    (unknown,) = desk.issues(retract("c-" + "0" * 32))
    assert unknown["code"] == "nothing_to_withdraw"
    (near,) = desk.issues(
        {
            "op": "retract_claim",
            "reason": "No.",
            "subject": "service:pay",
            "predicate": "DEPENDS_ON",
            "object": "service:leger",
        }
    )
    assert near["code"] == "nothing_to_withdraw"
    assert "Did you mean 'service:ledger'" in near["message"]
    assert "service:pay DEPENDS_ON service:ledger" in near["hint"]
    assert desk.codes({"op": "retract_claim", "reason": "No."}) == [(0, "missing_field")]
    assert desk.codes(retract("nonsense")) == [(0, "malformed_field")]


def test_what_was_withdrawn_is_told_with_its_reason(desk: Desk) -> None:
    desk.write(fixes("Retry it."))
    claim = desk.only("RESOLVED")
    desk.write(retract(claim, "The gateway says no."))
    for operation in (
        retract(claim),
        {"op": "retract_claim", "reason": "x", "subject": claim.subject, "predicate": "RESOLVED"},
    ):
        (issue,) = desk.issues(operation)
        assert issue["code"] == "already_withdrawn"
        assert "The gateway says no." in issue["message"]


def test_a_batch_cannot_withdraw_what_it_asserts(desk: Desk) -> None:
    operation = {"op": "retract_claim", "reason": "x", "subject": "service:a", "predicate": "DEPENDS_ON"}
    assert desk.codes(depends(), operation) == [(1, "withdraws_own_batch")]


def test_what_ended_may_begin_again(desk: Desk) -> None:
    desk.write(depends(fact="Reads limits.", valid_from="2026-01-01T00:00:00Z"))
    claim = desk.only("DEPENDS_ON")
    end = {"op": END, "claim": claim.id, "reason": "Moved.", "valid_until": "2026-05-01T00:00:00+02:00"}
    done = desk.write(end)
    after = desk.only("DEPENDS_ON")
    assert after.valid_to == "2026-05-01T00:00:00+02:00"
    assert after.invalidation.op == END
    assert list(desk.tree().tombstones()) == []
    assert done.plan.risk == "medium"
    # the very claim is over, and the same fact since another day is another claim
    same = depends(fact="Reads limits.", valid_from="2026-01-01T00:00:00Z")
    assert desk.codes(same) == [(0, "already_ended")]
    desk.write(depends(fact="Reads limits.", valid_from="2026-05-20T00:00:00Z"))
    assert len([one for one in desk.of("DEPENDS_ON") if one.live]) == 1


@pytest.mark.parametrize(
    ("until", "code"),
    [
        ("2026-05-01T00:00:00", "PG-S07"),
        ("2027-01-01T00:00:00Z", "ends_in_future"),
        ("2025-01-01T00:00:00Z", "PG-S16"),
    ],
)
def test_an_end_lies_between_the_beginning_and_now(desk: Desk, until: str, code: str) -> None:
    desk.write(depends(valid_from="2026-01-01T00:00:00Z"))
    operation = {"op": END, "claim": desk.only("DEPENDS_ON").id, "reason": "x", "valid_until": until}
    assert desk.codes(operation) == [(0, code)]


def test_a_retraction_has_no_end(desk: Desk) -> None:
    desk.write(depends())
    operation = retract(desk.only("DEPENDS_ON"), valid_until="2026-05-01T00:00:00Z")
    assert (0, "malformed_field") in desk.codes(operation)


def test_system_claims_are_not_withdrawn_by_hand(desk: Desk) -> None:
    desk.write(depends())
    desk.write(
        {
            "op": "supersede_claim",
            "claim": desk.only("DEPENDS_ON").id,
            "superseded_by": "service:c",
            "reason": "x",
        }
    )
    assert desk.codes(retract(desk.only("SUPERSEDES"))) == [(0, "system_predicate")]
    assert desk.codes(
        {"op": "retract_claim", "reason": "x", "subject": "service:a", "predicate": "ALIAS_OF"}
    ) == [(0, "system_predicate")]
