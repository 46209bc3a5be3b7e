"""Rules over several records: references, singletons, look-alike keys and withdrawn values."""

from __future__ import annotations

from typing import Any

import pytest

from potpie_git.checks.rules.samples import (
    FileMap,
    appended,
    claim,
    decision,
    file,
    owner,
    path,
    pot,
    retracted,
    superseded,
    supersedes,
    tombstone,
    withdrawn,
)
from potpie_git.domain.claim import Claim
from potpie_git.domain.files import Entity
from potpie_git.domain.validation.relations import tombstone_for
from tests.checks.conftest import Judge, codes

NEW = claim(fact="Split the refund.")


def _with(*parts: FileMap, on: FileMap | None = None) -> FileMap:
    files = dict(pot() if on is None else on)
    for part in parts:
        files.update(part)
    return files


def test_a_conflict_is_found_when_only_one_of_the_two_is_new(judge: Judge) -> None:
    report = judge.change(pot(owner("payments")), pot(owner("payments"), owner("billing")))
    assert codes(report) == ["PG-X02"]
    assert report.findings[0].path == path(owner("billing"))
    assert path(owner("payments")) in report.findings[0].message


def test_a_conflict_of_two_new_claims_is_named_once(judge: Judge) -> None:
    report = judge.change(pot(), pot(owner("payments"), owner("billing")))
    assert codes(report) == ["PG-X02"]
    named = report.findings[0].path + report.findings[0].message
    assert path(owner("payments")) in named
    assert path(owner("billing")) in named


@pytest.mark.parametrize(
    "other",
    [
        owner("payments", truth="user_decision"),
        owner("billing", environment="staging"),
        owner("billing", "service:other"),
    ],
    ids=["the same object", "another environment", "another subject"],
)
def test_what_does_not_contradict_may_stand_beside(judge: Judge, other: Claim) -> None:
    assert judge.change(pot(owner("payments")), pot(owner("payments"), other)).findings == ()


def test_a_withdrawn_owner_makes_room(judge: Judge) -> None:
    before = _with(retracted(owner("payments")))
    assert judge.change(before, _with(file(owner("billing")), on=before)).findings == ()


def test_a_neighbour_that_cannot_be_read_is_no_excuse(judge: Judge) -> None:
    broken = path(owner("payments"))
    before = _with({broken: b"id: [\n"})
    report = judge.change(before, _with(file(owner("billing")), on=before))
    assert {finding.path for finding in report.findings} == {broken}
    assert set(codes(report)) == {"PG-F07"}


@pytest.mark.parametrize("key", ["service:Refunds-API", "service:refunds-\uff41pi", "service:REFUNDS-API"])
def test_a_key_that_only_looks_different_is_refused(judge: Judge, key: str) -> None:
    before = pot(owner("payments"))
    subject = claim(subject=key, predicate="EXPOSES", object="api_contract:refunds:get:/x", fact=None)
    report = judge.change(before, _with(file(subject), on=before))
    assert codes(report) == ["PG-X03"]
    assert "service:refunds-api" in report.findings[0].message
    together = judge.change(pot(), pot(owner("payments"), subject))
    assert codes(together) == ["PG-X03"]
    assert codes(judge.tree(pot(owner("payments"), subject))) == ["PG-X03"]


def test_a_key_that_looks_like_one_with_a_file_of_its_own_is_refused(judge: Judge) -> None:
    provenance = {"recorded_at": "2026-06-02T08:15:00Z"}
    held = Entity.model_validate({"key": "service:payments", "type": "Service", "provenance": provenance})
    twin = Entity.model_validate({"key": "service:Payments", "type": "Service", "provenance": provenance})
    assert codes(judge.change(pot(held), pot(held, twin))) == ["PG-X03"]
    object_ = claim(subject="service:a", predicate="DEPENDS_ON", object="service:Payments", fact=None)
    assert codes(judge.change(pot(held), pot(held, object_))) == ["PG-X03"]


def test_an_established_key_may_be_used_again(judge: Judge) -> None:
    before = pot(owner("payments"), decision())
    more = claim(subject="service:refunds-api", predicate="DEPENDS_ON", object="service:ledger", fact=None)
    assert judge.change(before, _with(file(more), on=before)).findings == ()


@pytest.mark.parametrize(
    ("again", "code"),
    [
        ({"fact": "RETRY the refund with the remaining captured amount"}, "PG-T01"),
        ({"fact": "Retry  the refund;   with the remaining, captured amount"}, "PG-T01"),
        ({"object": "bug_pattern:refunds-api:double-capture"}, "PG-T01"),
        ({"subject": "fix:000000000000"}, "PG-T01"),
        ({"fact": "Never retry the refund with the remaining captured amount."}, None),
        ({"environment": "staging"}, None),
        ({"predicate": "ATTEMPTED_FIX_FAILED"}, None),
    ],
)
def test_a_withdrawn_value_does_not_return(judge: Judge, again: dict[str, Any], code: str | None) -> None:
    before = _with(retracted(claim()))
    report = judge.change(before, _with(file(claim(truth="user_decision", **again)), on=before))
    assert codes(report) == ([code] if code else [])
    if code:
        assert "The gateway now rejects retries" in report.findings[0].message
        assert claim().id in report.findings[0].hint


def test_a_value_that_ended_may_begin_again(judge: Judge) -> None:
    before = _with(file(withdrawn(claim(), "end_relation_validity")))
    again = claim(valid_from="2026-08-01T00:00:00Z")
    assert judge.change(before, _with(file(again), on=before)).findings == ()


def test_a_whole_tree_only_blames_what_was_recorded_later(judge: Judge) -> None:
    twin = "bug_pattern:refunds-api:double-capture"
    earlier = claim(object=twin)
    later = claim(object=twin, provenance={"recorded_at": "2026-08-01T00:00:00Z"})
    assert judge.tree(_with(retracted(claim()), file(earlier))).findings == ()
    assert codes(judge.tree(_with(retracted(claim()), file(later)))) == ["PG-T01"]


@pytest.mark.parametrize(
    ("before", "reinstates", "code"),
    [
        (_with(retracted(claim())), claim().id, None),
        (pot(claim()), claim().id, "PG-X01"),
        (pot(), claim().id, "PG-X01"),
    ],
    ids=["withdrawn", "standing", "absent"],
)
def test_only_a_withdrawn_claim_is_reinstated(
    judge: Judge, before: FileMap, reinstates: str, code: str | None
) -> None:
    back = claim(valid_from="2026-08-01T00:00:00Z", reinstates=reinstates, reinstate_reason="It works again.")
    report = judge.change(before, _with(file(back), on=before))
    assert codes(report) == ([code] if code else [])


def test_a_reinstatement_answers_the_last_withdrawal(judge: Judge) -> None:
    other = claim(object="bug_pattern:refunds-api:double-capture")
    data = withdrawn(other).to_data()
    data["invalidation"]["provenance"]["recorded_at"] = "2026-07-20T00:00:00Z"
    data["invalidation"]["reason"] = "It broke again."
    gone = Claim.model_validate(data)
    stone = tombstone_for(gone, "retract_claim", "It broke again.", data["invalidation"]["provenance"])
    before = _with(retracted(claim()), file(gone), file(stone))
    assert judge.tree(before).findings == ()
    for named, code in ((claim().id, "PG-T01"), (gone.id, None)):
        back = claim(valid_from="2026-08-01T00:00:00Z", reinstates=named, reinstate_reason="It works again.")
        report = judge.change(before, _with(file(back), on=before))
        assert codes(report) == ([code] if code else [])
        assert code is None or "It broke again." in report.findings[0].message


def _supersession_without(what: str) -> FileMap:
    whole = superseded(claim(), NEW)
    gone = {
        "tombstone": path(tombstone(claim())),
        "supersedes": path(supersedes(NEW, claim())),
        "replacement": path(NEW),
        "withdrawal": path(claim()),
    }[what]
    return {where: raw for where, raw in whole.items() if where != gone}


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("tombstone", {"PG-T02"}),
        ("supersedes", {"PG-T02"}),
        ("replacement", {"PG-X01"}),
        ("withdrawal", {"PG-T02", "PG-T03"}),
    ],
)
def test_a_supersession_is_all_of_its_files(judge: Judge, what: str, expected: set[str]) -> None:
    before = pot(claim())
    after = _with(_supersession_without(what), on=before)
    assert set(codes(judge.change(before, after))) == expected
    assert set(codes(judge.tree(after))) == expected


def test_a_replacement_may_have_been_there_for_long(judge: Judge) -> None:
    elsewhere = claim(subject="fix:000000000000", fact="Split the refund.")
    before = pot(claim(), elsewhere)
    after = _with(superseded(claim(), elsewhere), on=before)
    assert judge.change(before, after).findings == ()
    assert judge.tree(after).findings == ()


def test_a_claim_does_not_supersede_itself(judge: Judge) -> None:
    held = claim()
    files = _with(
        file(withdrawn(held, "supersede_claim", held)), file(tombstone(held, "supersede_claim")), on=pot(held)
    )
    assert codes(judge.change(pot(held), files)) == ["PG-X01"]


@pytest.mark.parametrize(
    ("field", "held"),
    [("reason", "Another."), ("text", "another text"), ("subject", "fix:000000000000")],
)
def test_a_tombstone_says_what_its_claim_said(judge: Judge, field: str, held: str) -> None:
    stone = tombstone(claim()).model_copy(update={field: held})
    report = judge.change(pot(claim()), _with(file(withdrawn(claim())), file(stone), on=pot(claim())))
    # its words for the reason are its own
    assert codes(report) == ([] if field == "reason" else ["PG-T03"])


def test_a_tombstone_of_an_ended_relation_is_refused(judge: Judge) -> None:
    files = (
        file(withdrawn(claim(), "end_relation_validity")),
        file(tombstone(claim(), "end_relation_validity")),
    )
    assert codes(judge.change(pot(claim()), _with(*files, on=pot(claim())))) == ["PG-T03"]


def test_a_tombstone_without_its_claim_is_refused(judge: Judge) -> None:
    report = judge.change(pot(), _with(file(tombstone(claim()))))
    assert codes(report) == ["PG-T03"]
    assert "not in the tree" in report.findings[0].message


def test_comments_do_not_hide_a_reference(judge: Judge) -> None:
    commented = appended(withdrawn(claim()), "# withdrawn in the incident review\n")
    before = pot(claim())
    assert judge.change(before, _with(commented, file(tombstone(claim())), on=before)).findings == ()
    assert codes(judge.change(before, _with(commented, on=before))) == ["PG-T02"]
