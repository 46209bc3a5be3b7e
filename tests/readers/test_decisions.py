"""Decisions that stand, with why, what was rejected, what they affect and what they replaced."""

from potpie_git.readers.request import ReadRequest
from tests.readers.support import MemoryClaims, claim, entity, replaces, scope, trunk, withdrawn

DECIDED = claim(
    "decision:aaaaaaaaaaaa",
    "DECIDED",
    "service:refunds",
    truth="user_decision",
    fact="Refunds are booked in minor units",
    details={
        "title": "Minor units",
        "rationale": "Floats lose cents.",
        "alternatives_rejected": ["Decimal strings", "Floats with rounding"],
    },
)
AFFECTED = claim("decision:aaaaaaaaaaaa", "AFFECTS", "service:ledger", fact="The ledger stores integers")


def _read(claims, *pairs: str, entities=(), **options):
    request = ReadRequest(scope=scope(*pairs), **options)
    return (
        trunk(MemoryClaims(claims), entities=entities)
        .read_view("decisions", "active_decisions", request)
        .items
    )


def test_a_decision_is_one_flat_item_with_rationale_and_rejected_alternatives() -> None:
    (item,) = _read([DECIDED, AFFECTED], "service:refunds")
    assert item.candidate_key == "decision:aaaaaaaaaaaa"
    payload = item.payload
    assert (payload["claim_id"], payload["subject"], payload["predicate"], payload["object"]) == (
        DECIDED.id,
        "decision:aaaaaaaaaaaa",
        "DECIDED",
        "service:refunds",
    )
    assert (payload["title"], payload["rationale"]) == ("Minor units", "Floats lose cents.")
    assert payload["alternatives_rejected"] == ["Decimal strings", "Floats with rounding"]
    assert [(one["type"], one["object"]) for one in payload["relations"]] == [
        ("DECIDED", "service:refunds"),
        ("AFFECTS", "service:ledger"),
    ]


def test_a_decision_is_found_for_what_it_affects() -> None:
    (item,) = _read([DECIDED, AFFECTED], "service:ledger")
    assert item.payload["claim_id"] == DECIDED.id
    assert _read([DECIDED, AFFECTED], "service:other") == []


def test_a_rejected_alternative_finds_the_decision() -> None:
    (item,) = _read([DECIDED, AFFECTED], query="floats with rounding")
    assert item.candidate_key == "decision:aaaaaaaaaaaa"
    assert len(item.payload["relations"]) == 2


def test_an_active_decision_carries_what_it_superseded_and_why() -> None:
    old = claim("decision:bbbbbbbbbbbb", "DECIDED", "service:refunds", fact="Refunds are booked as decimals")
    gone = withdrawn(
        old, "supersede_claim", "Cents got lost.", "2026-06-01T00:00:00Z", superseded_by=DECIDED.id
    )
    (item,) = _read([DECIDED, gone, replaces(DECIDED, gone)], "service:refunds")
    (told,) = item.payload["supersedes"]
    assert (told["claim_id"], told["fact"], told["reason"]) == (
        old.id,
        "Refunds are booked as decimals",
        "Cents got lost.",
    )
    assert told["valid_to"] == "2026-06-01T00:00:00Z"
    assert told["by"] == {"surface": "cli", "user": "kim"}


def test_the_state_of_a_decision_decides_whether_it_is_active() -> None:
    for state, shown in (
        ("accepted", 1),
        ("proposed", 1),
        ("rejected", 0),
        ("deprecated", 0),
        ("superseded", 0),
    ):
        entities = [entity("decision:aaaaaaaaaaaa", "Decision", state=state, title="Minor units")]
        items = _read([DECIDED], "service:refunds", entities=entities)
        assert len(items) == shown, state
        if items:
            assert items[0].payload["state"] == state
        assert len(_read([DECIDED], "service:refunds", entities=entities, include_invalidated=True)) == 1
