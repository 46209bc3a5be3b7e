"""One event an activity, the newest first."""

from datetime import timedelta

import pytest

from potpie_git.readers.request import ReadRequest
from tests.readers.support import NOW, MemoryClaims, claim, scope, trunk


def _event(number: int, target: str = "service:a", *, days: int = 1, **fields):
    when = (NOW - timedelta(days=days)).isoformat()
    return claim(
        f"activity:ci:{number}", "TOUCHED", target, truth="timeline_event", valid_from=when,
        fact=f"Deployment {number}", **fields,
    )  # fmt: skip


def _read(claims, **options):
    return trunk(MemoryClaims(claims)).read_view("recent_changes", "timeline", ReadRequest(**options))


def _keys(claims, **options) -> list[str]:
    return [item.candidate_key for item in _read(claims, **options).items]


def test_the_edges_of_one_activity_are_one_event() -> None:
    when = NOW.isoformat()
    claims = [
        _event(1, details={"verb": "deployed"}),
        _event(1, "service:b"),
        claim("person:kim", "PERFORMED", "activity:ci:1", valid_from=when),
        claim("activity:ci:1", "MENTIONS", "feature:refund", valid_from=when),
    ]
    (item,) = _read(claims).items
    assert item.candidate_key == "activity:ci:1"
    payload = item.payload
    assert (payload["actors"], payload["verb"]) == (["person:kim"], "deployed")
    assert sorted(payload["touched"]) == ["service:a", "service:b"]
    assert payload["mentions"] == ["feature:refund"]
    assert payload["occurred_at"] == claims[0].valid_from
    assert len(payload["relations"]) == 4


def test_events_of_one_second_keep_the_order_of_history() -> None:
    claims = [_event(number) for number in (7, 3, 9, 1)]
    told = [claim.subject for claim in claims]
    assert _keys(claims) == told
    assert _keys(claims, sort="oldest") == told[::-1]
    assert _keys([_event(2, days=2), *claims, _event(5, days=0)])[1:-1] == told


def test_events_come_newest_first_whatever_their_strength() -> None:
    middle = (NOW - timedelta(days=2)).isoformat()
    strong = claim(
        "activity:ci:3", "TOUCHED", "service:a", truth="authoritative_fact", valid_from=middle, refs=["x:1"]
    )
    claims = [_event(1, days=3), _event(2, days=1), strong]
    assert _keys(claims) == ["activity:ci:2", "activity:ci:3", "activity:ci:1"]
    assert _keys(claims, sort="oldest") == ["activity:ci:1", "activity:ci:3", "activity:ci:2"]


def test_the_limit_keeps_the_newest_and_a_question_for_the_newest_is_complete() -> None:
    envelope = _read([_event(n, days=n + 1) for n in range(30)], limit=3)
    assert [item.candidate_key for item in envelope.items] == [f"activity:ci:{n}" for n in range(3)]
    assert envelope.coverage[0].status == "complete"


def test_a_window_that_holds_more_than_fits_is_partial() -> None:
    since = NOW - timedelta(days=10)
    envelope = _read([_event(n, days=n + 1) for n in range(30)], limit=3, since=since)
    assert envelope.coverage[0].status == "partial"
    assert len(_read([_event(n, days=n + 1) for n in range(30)], since=since, limit=50).items) == 10


def test_windows() -> None:
    claims = [_event(n, days=n) for n in range(1, 6)]
    assert _keys(claims, time_window=timedelta(days=2)) == ["activity:ci:1", "activity:ci:2"]
    assert _keys(claims, until=NOW - timedelta(days=3)) == ["activity:ci:4", "activity:ci:5"]
    assert _keys(claims, since=NOW - timedelta(days=4), until=NOW - timedelta(days=2)) == [
        "activity:ci:3",
        "activity:ci:4",
    ]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("service:a", [1]),
        ("service:b", [2, 5]),
        ("path:src/refunds/api.py", [3]),
        ("path:src/refunds", [3]),
        ("path:src", [3]),
        ("path:docs", []),
        ("scope:feature:refund", [4]),
    ],
)
def test_scopes(pair: str, expected: list[int]) -> None:
    claims = [
        _event(1),
        _event(2, "service:b"),
        _event(3, "code:payments:src/refunds/api.py"),
        claim("activity:ci:4", "MENTIONS", "feature:refund"),
        _event(5, "service:b"),
    ]
    found = {int(key.rpartition(":")[2]) for key in _keys(claims, scope=scope(pair))}
    assert found == set(expected)


def test_a_repository_takes_in_the_services_that_are_defined_in_it() -> None:
    claims = [
        claim("service:a", "DEFINED_IN", "repo:github.com/acme/payments"),
        _event(1),
        _event(2, "service:b"),
    ]
    assert _keys(claims, scope=scope("repo:acme/payments")) == ["activity:ci:1"]


def test_a_scoped_event_comes_with_all_of_its_edges() -> None:
    claims = [_event(1), _event(1, "service:b"), claim("person:kim", "PERFORMED", "activity:ci:1")]
    (item,) = _read(claims, scope=scope("service:a")).items
    assert len(item.payload["relations"]) == 3


def test_a_question_ranks_by_what_matches() -> None:
    claims = [_event(1, days=1), _event(2, days=9)]
    claims[1] = claim(
        "activity:ci:2",
        "TOUCHED",
        "service:a",
        fact="Rotated the signing keys",
        valid_from="2026-06-01T00:00:00Z",
    )
    assert _keys(claims, query="signing keys rotated")[0] == "activity:ci:2"


def test_what_touched_the_repository_as_a_whole_is_no_answer_about_a_path() -> None:
    whole = _event(1, "repo:github.com/acme/payments")
    inside = _event(2, "code:payments:src/refunds.py")
    assert _keys([whole, inside], scope=scope("path:src")) == ["activity:ci:2"]
    assert set(_keys([whole, inside], scope=scope("repo:acme/payments"))) >= {"activity:ci:1"}
