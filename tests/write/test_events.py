"""append_event: one activity, told by claims."""

from __future__ import annotations

from typing import Any

import pytest

from tests.write.conftest import Desk


def event(**fields: Any) -> dict[str, Any]:
    return {
        "op": "append_event",
        "verb": "deployed",
        "occurred_at": "2026-05-31T23:30:00-05:00",
        "actor": "Rae Rivers",
        "targets": ["service:pay"],
        "mentions": ["decision:aaaaaaaaaaaa"],
        "fact": "Payments 1.4 went to production.",
        **fields,
    }


def test_an_event_becomes_claims_about_one_activity(desk: Desk) -> None:
    desk.write(event(external_ids=["github:deployment:acme/pay:77"], environment="prod"))
    activity = "activity:github:deployment:acme/pay:77"
    pot = desk.tree().pot().pot_id
    assert {(claim.subject, claim.predicate, claim.object) for claim in desk.claims().values()} == {
        ("person:rae-rivers", "PERFORMED", activity),
        (activity, "TOUCHED", "service:pay"),
        (activity, "MENTIONS", "decision:aaaaaaaaaaaa"),
        (activity, "IN_PERIOD", f"timeline:period:daily:{pot}:2026-06-01"),
    }
    for claim in desk.claims().values():
        assert claim.truth == "timeline_event"
        assert claim.details["verb"] == "deployed"
        assert claim.valid_from == "2026-05-31T23:30:00-05:00"
        assert claim.environment == "prod"
        assert claim.fact == "Payments 1.4 went to production."
        assert claim.subgraph == "recent_changes"


def test_the_same_event_is_the_same_activity(desk: Desk) -> None:
    first = desk.write(event())
    again = desk.propose(event())
    assert again.edits == []
    assert set(again.diff.claims_unchanged) == set(first.plan.diff.claims_asserted)
    other = desk.propose(event(occurred_at="2026-05-30T23:30:00-05:00"))
    assert len(other.diff.claims_asserted) == 4


def test_the_day_of_an_event_does_not_depend_on_where_it_is_read(desk: Desk) -> None:
    plans = [
        desk.propose(event(occurred_at=moment))
        for moment in ("2026-06-01T04:30:00Z", "2026-06-01T12:30:00+08:00", "2026-05-31T23:30:00-05:00")
    ]
    days = {claim.object for plan in plans for claim in desk.planned(plan) if claim.predicate == "IN_PERIOD"}
    assert len(days) == 1


def test_an_event_needs_a_verb_and_a_time_with_an_offset(desk: Desk) -> None:
    assert (0, "missing_field") in desk.codes(event(verb=""))
    assert (0, "malformed_field") in desk.codes(event(verb="  "))
    assert (0, "PG-S07") in desk.codes(event(occurred_at="2026-05-31T23:30:00"))
    assert (0, "missing_field") in desk.codes({"op": "append_event", "verb": "deployed"})


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"targets": ["feature:checkout"]}, "PG-S04"),
        ({"actor": "service:pay"}, "type_mismatch"),
        ({"subject": "service:pay"}, "PG-S04"),
        ({"mentions": ["nonsense"]}, "PG-S03"),
        ({"external_ids": ["a:"]}, "PG-S03"),
    ],
)
def test_ends_that_do_not_fit_are_refused(desk: Desk, fields: dict, code: str) -> None:
    assert code in [found for _, found in desk.codes(event(**fields))]


def test_teams_and_named_activities_are_taken_as_they_are(desk: Desk) -> None:
    desk.write(event(actor="team:core", subject="activity:pager:42"))
    (claim,) = desk.of("PERFORMED")
    assert (claim.subject, claim.object) == ("team:core", "activity:pager:42")
