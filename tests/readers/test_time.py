"""What stands now, what stood then, and what no longer stands: never mixed up."""

from datetime import datetime

from potpie_git.domain.claim import Evidence
from potpie_git.domain.freshness import EvidenceState
from potpie_git.readers.request import ReadRequest
from tests.readers.support import MemoryClaims, claim, entity, scope, trunk, withdrawn

OWNED = claim(
    "service:a",
    "OWNED_BY",
    "team:core",
    valid_from="2026-01-01T00:00:00Z",
    observed_at="2026-06-28T00:00:00Z",
)
GONE = withdrawn(OWNED, "retract_claim", "It was never theirs.", "2026-06-10T00:00:00Z", by="kim")
REQUEST = {"scope": scope("service:a")}


def _read(claims, **options):
    reader = trunk(MemoryClaims(claims))
    return reader.read_view("code_topology", "ownership_by_path", ReadRequest(**REQUEST, **options))


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_a_retracted_claim_is_gone_from_the_default_read() -> None:
    assert _read([GONE]).items == []


def test_it_is_exactly_what_include_invalidated_adds_with_time_reason_and_who() -> None:
    stands = claim("service:a", "OWNED_BY", "team:other")
    (item,) = _read([GONE, stands], include_invalidated=True).items
    live, gone = sorted(item.payload["relations"], key=lambda one: "withdrawn" in one)
    assert live["claim_id"] == stands.id
    assert gone["claim_id"] == GONE.id
    assert gone["valid_until"] == "2026-06-10T00:00:00Z"
    assert (gone["withdrawn"]["reason"], gone["withdrawn"]["by"]["user"], gone["withdrawn"]["op"]) == (
        "It was never theirs.",
        "kim",
        "retract_claim",
    )


def test_a_withdrawn_claim_alone_is_an_item_that_corroborates_nothing() -> None:
    (item,) = _read([GONE], include_invalidated=True).items
    assert item.corroboration == 0
    assert item.breakdown["corroboration"] == 0.0
    assert not item.stale


def test_as_of_before_the_retraction_it_is_there_and_afterwards_it_is_not() -> None:
    before = _read([GONE], as_of=_at("2026-06-01T12:00:00+05:30"))
    assert [item.candidate_key for item in before.items] == ["service:a"]
    assert before.as_of == "2026-06-01T12:00:00+05:30"
    assert before.items[0].corroboration == 1
    assert _read([GONE], as_of=_at("2026-06-10T00:00:00Z")).items == []
    assert _read([GONE], as_of=_at("2025-12-31T00:00:00Z")).items == []


def test_what_ended_by_itself_no_longer_stands() -> None:
    ended = claim(
        "service:a",
        "OWNED_BY",
        "team:core",
        valid_until="2026-06-20T00:00:00Z",
        valid_from="2026-01-01T00:00:00Z",
    )
    assert _read([ended]).items == []
    (item,) = _read([ended], include_invalidated=True).items
    assert item.payload["relations"][0]["valid_until"] == "2026-06-20T00:00:00Z"


def test_recency_counts_from_the_moment_that_is_asked_about() -> None:
    (now,) = _read([OWNED]).items
    (then,) = _read([OWNED], as_of=_at("2026-01-02T00:00:00Z")).items
    assert then.breakdown["recency"] > now.breakdown["recency"]


def test_the_state_of_an_entity_is_that_of_the_moment() -> None:
    decided = claim("decision:aa", "DECIDED", "service:a", valid_from="2026-01-01T00:00:00Z")
    steps = [
        {
            "from_state": "proposed",
            "to_state": "accepted",
            "reason": "x",
            "provenance": {"recorded_at": "2026-02-01T00:00:00Z"},
        },
        {
            "from_state": "accepted",
            "to_state": "deprecated",
            "reason": "x",
            "provenance": {"recorded_at": "2026-05-01T00:00:00Z"},
        },
    ]
    known = [entity("decision:aa", "Decision", state="deprecated", transitions=steps)]
    reader = trunk(MemoryClaims([decided]), entities=known)

    def states(**options):
        items = reader.read_view("decisions", "active_decisions", ReadRequest(**REQUEST, **options)).items
        return [item.payload["state"] for item in items]

    assert states() == []
    assert states(as_of=_at("2026-03-01T00:00:00Z")) == ["accepted"]
    assert states(as_of=_at("2026-01-15T00:00:00Z")) == ["proposed"]


def test_a_fact_whose_family_outlived_its_time_is_stale() -> None:
    old = claim("service:a", "OWNED_BY", "team:core", recorded="2026-06-01T00:00:00Z")
    (item,) = _read([old]).items
    assert item.stale
    assert "stay fresh" in item.stale_reason
    (item,) = _read([OWNED]).items
    assert (item.stale, item.stale_reason) == (False, None)


def test_one_fresh_claim_keeps_its_statement_fresh() -> None:
    old = claim("service:a", "OWNED_BY", "team:core", recorded="2026-06-01T00:00:00Z", refs=["x:1"])
    (item,) = _read([old, OWNED]).items
    assert not item.stale


def test_a_cited_place_that_changed_makes_a_claim_stale() -> None:
    cited = Evidence(source_ref="repo:src/a.py#L4-L9", authority="authoritative_code", blob="0" * 40)
    held = claim("service:a", "OWNED_BY", "team:core", refs=[cited], observed_at="2026-06-28T00:00:00Z")
    request = ReadRequest(**REQUEST, detail="full")
    for state, stale in (
        (EvidenceState.CURRENT, False),
        (EvidenceState.MOVED, False),
        (EvidenceState.CHANGED, True),
        (EvidenceState.GONE, True),
    ):
        reader = trunk(MemoryClaims([held]), evidence_state=lambda _, state=state: state)
        (item,) = reader.read_view("code_topology", "ownership_by_path", request).items
        assert item.stale is stale, state
        assert item.payload["claims"][0]["evidence"][0]["state"] == state.value
        if stale:
            assert "repo:src/a.py#L4-L9" in item.stale_reason
