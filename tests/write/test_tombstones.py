"""A withdrawal binds: its value does not come back under any key, and what comes near it is pointed at."""

from __future__ import annotations

from datetime import timedelta

import pytest

from potpie_git.domain.vocabulary import Risk
from tests.write.conftest import Desk, depends, fixes, retract

FACT = "Retry the refund with the remaining captured amount."
WHY = "The gateway rejects retries."


@pytest.fixture
def withdrawn(desk: Desk) -> Desk:
    desk.write(fixes(FACT))
    desk.write(retract(desk.only("RESOLVED"), WHY))
    return desk


@pytest.mark.parametrize(
    "text",
    [
        FACT,
        FACT.upper(),
        "  retry   the refund\twith the remaining captured amount",
        "Retry the refund, with the remaining (captured) amount!",
        "Ｒｅｔｒｙ the refund with the remaining captured amount.",
        "Retry\u200b the re\u2060fund with the remaining captured amount.",
        "Retry the refund\nwith the remaining captured amount.",
    ],
)
@pytest.mark.parametrize("key", ["fix:111111111111", "fix:999999999999"])
def test_a_withdrawn_value_is_refused_with_the_old_reason(withdrawn: Desk, text: str, key: str) -> None:
    issues = withdrawn.issues(fixes(text, key, "bug_pattern:other", evidence=["linear:ENG-7"]))
    (refusal,) = [issue for issue in issues if issue["code"] == "PG-T01"]
    assert WHY in refusal["message"]
    assert "reinstates" in refusal["hint"]


def test_a_record_with_the_withdrawn_words_is_refused_too(withdrawn: Desk) -> None:
    from potpie_git.domain.errors import IssuesError

    with pytest.raises(IssuesError) as refused:
        withdrawn.writer.record("fix", {"symptom_signature": "409 on refund", "fix_steps": [FACT]})
    assert [issue["code"] for issue in refused.value.issues] == ["PG-T01"]
    assert WHY in refused.value.message


def test_the_very_claim_does_not_come_back_by_being_said_again(withdrawn: Desk) -> None:
    (issue,) = withdrawn.issues(fixes(FACT))
    assert issue["code"] == "PG-T01"
    assert WHY in issue["message"]


def test_another_environment_type_or_predicate_is_another_value(withdrawn: Desk) -> None:
    withdrawn.propose(fixes(FACT, environment="staging"))
    withdrawn.propose({**fixes(FACT), "predicate": "ATTEMPTED_FIX_FAILED"})


def test_the_negated_statement_is_a_new_claim(withdrawn: Desk) -> None:
    plan = withdrawn.propose(
        fixes("Do not retry the refund with the remaining captured amount.", "fix:333333333333")
    )
    assert plan.warnings == []
    assert plan.risk == "low"


def test_a_near_value_raises_the_risk_and_names_the_tombstone(withdrawn: Desk) -> None:
    plan = withdrawn.propose(
        fixes("Retry the refund with the captured amount that remains.", "fix:333333333333")
    )
    (warning,) = plan.warnings
    assert warning["code"] == "near_tombstone"
    assert warning["tombstone"]["reason"] == WHY
    assert WHY in warning["message"]
    assert plan.risk == "medium"
    assert WHY in plan.grades[0].reasons[0]


def test_a_correction_with_another_number_is_not_near(desk: Desk) -> None:
    desk.write(fixes("The gateway retries a failed refund three times."))
    desk.write(retract(desk.only("RESOLVED"), WHY))
    plan = desk.propose(fixes("The gateway retries a failed refund twice.", "fix:333333333333"))
    assert (plan.risk, plan.warnings) == ("low", [])


def test_a_tombstone_made_in_the_same_batch_binds(desk: Desk) -> None:
    desk.write(fixes(FACT))
    old = desk.only("RESOLVED")
    again = fixes(FACT, "fix:999999999999")
    assert desk.codes(retract(old), again) == [(1, "PG-T01")]
    assert desk.codes(again, retract(old)) == [(0, "PG-T01")]


def test_a_value_may_be_reinstated_with_a_reason_at_high_risk(withdrawn: Desk) -> None:
    old = withdrawn.only("RESOLVED")
    assert withdrawn.codes(fixes(FACT, reinstates=old.id)) == [(0, "PG-S17")]
    done = withdrawn.write(fixes(FACT, reinstates=old.id, reason="The gateway was mended."))
    assert done.plan.risk_level is Risk.HIGH
    assert WHY in done.plan.grades[0].reasons[0]
    new = next(claim for claim in withdrawn.of("RESOLVED") if claim.live)
    assert (new.reinstates, new.reinstate_reason) == (old.id, "The gateway was mended.")


def test_what_was_withdrawn_once_more_is_not_reinstated_by_the_first_withdrawal(withdrawn: Desk) -> None:
    first = withdrawn.only("RESOLVED")
    withdrawn.write(fixes(FACT, reinstates=first.id, reason="The gateway was mended."))
    second = next(claim for claim in withdrawn.of("RESOLVED") if claim.live)
    withdrawn.now += timedelta(days=1)
    withdrawn.write(retract(second, "It broke again."))
    withdrawn.now += timedelta(days=1)
    (refusal,) = withdrawn.issues(fixes(FACT, "fix:333333333333", reinstates=first.id, reason="x"))
    assert refusal["code"] == "PG-T01"
    assert "It broke again." in refusal["message"]
    assert second.id in refusal["hint"]
    withdrawn.propose(fixes(FACT, "fix:333333333333", reinstates=second.id, reason="Mended for good."))


@pytest.mark.parametrize("named", ["c-" + "0" * 32, "old"])
def test_only_the_value_that_was_withdrawn_is_reinstated(withdrawn: Desk, named: str) -> None:
    claim_id = withdrawn.only("RESOLVED").id if named == "old" else named
    text = "Something else entirely." if named == "old" else FACT
    codes = withdrawn.codes(fixes(text, "fix:333333333333", reinstates=claim_id, reason="x"))
    assert (0, "nothing_to_reinstate") in codes


def test_claims_without_words_are_known_by_their_ends(desk: Desk) -> None:
    desk.write(depends("a", "b"))
    desk.write(retract(desk.only("DEPENDS_ON")))
    assert desk.codes(depends("a", "b", evidence=["x:1"])) == [(0, "PG-T01")]
    desk.propose(depends("a", "c"))


def test_corroborating_claims_each_leave_their_tombstone(desk: Desk) -> None:
    desk.write(fixes(FACT, evidence=["x:1"]), fixes("It needs a retry.", evidence=["x:2"]))
    desk.write(retract(desk.of("RESOLVED")[0], WHY))
    assert {stone.claim for stone in desk.tree().tombstones()} == {claim.id for claim in desk.of("RESOLVED")}
    for text in (FACT, "It needs a retry."):
        assert (0, "PG-T01") in desk.codes(fixes(text, "fix:999999999999"))


def test_the_cache_of_tombstones_is_disposable(withdrawn: Desk) -> None:
    near = fixes("Retry the refund with the captured amount that remains.", "fix:333333333333")
    cache = withdrawn.repository.state_dir / "tombstones.json"
    assert withdrawn.propose(near).risk == "medium"
    assert cache.exists()
    for damage in (b"", b"{", b"[]", b'{"format": 1, "stones": {"x": 1}}', b'{"format": 9}'):
        cache.write_bytes(damage)
        assert withdrawn.propose(near).risk == "medium"
