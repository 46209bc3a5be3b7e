"""A bug comes with its fixes, failed attempts and verifications, whichever of them the question hit."""

import pytest

from potpie_git.domain.freshness import EvidenceState
from potpie_git.readers.request import ReadRequest
from tests.readers.support import MemoryClaims, claim, scope, trunk, withdrawn

BUG = "bug_pattern:refund-409"
FIX = "fix:aaaaaaaaaaaa"
FAILED = "fix:bbbbbbbbbbbb"
SEEN = claim(BUG, "REPRODUCES", "service:refunds", fact="The gateway answers 409", refs=["linear:ENG-1"])
FIXED = claim(FIX, "RESOLVED", BUG, fact="Ask for what is left", details={"root_cause": "stale amount"})
TRIED = claim(FAILED, "ATTEMPTED_FIX_FAILED", BUG, fact="Sleeping between tries")
PROVED = claim("activity:ci:9", "VERIFIED", FIX, fact="Green for a fortnight", details={"outcome": "worked"})


def _read(claims, *, similar=None, **options):
    reader = trunk(MemoryClaims(claims, similar=similar))
    return reader.read_view("debugging", "prior_occurrences", ReadRequest(**options))


@pytest.mark.parametrize(
    "question",
    [
        "gateway answers 409",
        "ask for what is left",
        "sleeping between tries",
        "green for a fortnight",
        "stale amount",
    ],
)
def test_a_hit_on_any_of_its_claims_brings_up_the_bug_with_all_of_them(question: str) -> None:
    other = claim("bug_pattern:other", "REPRODUCES", "service:other", fact="Something else entirely")
    first = _read([SEEN, FIXED, TRIED, PROVED, other], query=question).items[0]
    assert first.candidate_key == BUG
    shown = {(one["type"], one["claim_id"]): one.get("outcome") for one in first.payload["relations"]}
    assert shown == {
        ("REPRODUCES", SEEN.id): None,
        ("RESOLVED", FIXED.id): "verified",
        ("ATTEMPTED_FIX_FAILED", TRIED.id): "failed",
        ("VERIFIED", PROVED.id): "worked",
    }
    assert first.payload["fixes"] == [
        {"fix": FIX, "verification": "verified", "worked": 1, "didnt_work": 0, "root_cause": "stale amount"}
    ]
    assert first.payload["failed_attempts"] == [FAILED]


def test_verifications_corroborate() -> None:
    def corroboration(*verifications):
        return _read([SEEN, FIXED, *verifications], scope=scope("service:refunds")).items[0].corroboration

    second = claim("person:kim", "VERIFIED", FIX, refs=["github:pr:acme/x:3"], details={"outcome": "worked"})
    same = claim("activity:ci:4", "VERIFIED", FIX, refs=["github:pr:acme/x:3"], details={"outcome": "worked"})
    partly = claim(
        "activity:ci:5", "VERIFIED", FIX, refs=["github:pr:acme/x:5"], details={"outcome": "partial"}
    )
    assert corroboration() == 1
    assert corroboration(PROVED) == 2
    assert corroboration(PROVED, second) == 3
    assert corroboration(PROVED, second, same) == 3
    assert corroboration(PROVED, partly) == 2


def test_a_refuted_fix_says_so_and_comes_after_a_verified_one_of_the_same_bug() -> None:
    refuted = claim(
        "fix:cccccccccccc", "RESOLVED", BUG, fact="Retry blindly", truth="authoritative_fact", refs=["x:1"]
    )
    against = claim("activity:ci:7", "VERIFIED", "fix:cccccccccccc", details={"outcome": "didnt_work"})
    (item,) = _read([refuted, SEEN, FIXED, PROVED, against], scope=scope("service:refunds")).items
    assert [(fix["fix"], fix["verification"]) for fix in item.payload["fixes"]] == [
        (FIX, "verified"),
        ("fix:cccccccccccc", "refuted"),
    ]
    resolved = [one["outcome"] for one in item.payload["relations"] if one["type"] == "RESOLVED"]
    assert resolved == ["verified", "refuted"]


@pytest.mark.parametrize("better", [0.0, 0.05, 0.1])
def test_a_bug_whose_only_fix_was_refuted_comes_after_one_with_a_verified_fix(better: float) -> None:
    bug, fix = "bug_pattern:other-409", "fix:cccccccccccc"
    seen = claim(
        bug, "REPRODUCES", "service:refunds", truth="authoritative_fact", fact="Also 409", refs=["x:1"]
    )
    refuted = claim(fix, "RESOLVED", bug, fact="Retry blindly", refs=["x:2"])
    against = claim("activity:ci:7", "VERIFIED", fix, details={"outcome": "didnt_work"})
    claims = [SEEN, FIXED, PROVED, seen, refuted, against]
    similar = {SEEN.id: 0.6, seen.id: 0.6 + better}
    assert [item.candidate_key for item in _read(claims, query="409", similar=similar).items] == [BUG, bug]
    scoped = _read(claims, scope=scope("service:refunds")).items
    assert [item.candidate_key for item in scoped] == [BUG, bug]


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ([], "unverified"),
        (["worked"], "verified"),
        (["didnt_work"], "refuted"),
        (["partial"], "partial"),
        (["worked", "partial"], "partial"),
        (["worked", "didnt_work"], "contested"),
    ],
)
def test_verdicts(outcomes: list[str], verdict: str) -> None:
    given = [
        claim(f"activity:ci:{n}", "VERIFIED", FIX, details={"outcome": one}) for n, one in enumerate(outcomes)
    ]
    (item,) = _read([SEEN, FIXED, *given], scope=scope("service:refunds")).items
    assert item.payload["fixes"][0]["verification"] == verdict


def test_a_record_that_calls_itself_refuted_is_believed_until_somebody_verifies() -> None:
    said = claim(FIX, "RESOLVED", BUG, details={"verification_status": "failed"})
    (item,) = _read([SEEN, said], scope=scope("service:refunds")).items
    assert item.payload["fixes"][0]["verification"] == "refuted"
    (item,) = _read([SEEN, said, PROVED], scope=scope("service:refunds")).items
    assert item.payload["fixes"][0]["verification"] == "verified"


def test_a_withdrawn_verification_counts_for_nothing() -> None:
    gone = withdrawn(PROVED, "retract_claim", "Wrong build.", "2026-06-20T00:00:00Z")
    (item,) = _read([SEEN, FIXED, gone], scope=scope("service:refunds")).items
    assert item.payload["fixes"][0]["verification"] == "unverified"
    (item,) = _read([SEEN, FIXED, gone], scope=scope("service:refunds"), include_invalidated=True).items
    assert item.payload["fixes"][0]["verification"] == "unverified"
    assert item.payload["relations"][-1]["withdrawn"]["reason"] == "Wrong build."


def test_a_bug_of_another_service_is_not_this_ones() -> None:
    other = claim("bug_pattern:other", "REPRODUCES", "service:ledger", fact="409 too")
    assert [item.candidate_key for item in _read([SEEN, other], scope=scope("service:refunds")).items] == [
        BUG
    ]
    asked = _read([SEEN, other], scope=scope("service:refunds"), query="409")
    assert [item.candidate_key for item in asked.items] == [BUG]


@pytest.mark.parametrize(
    ("narrow", "fields"),
    [
        ("code:payments:src/refunds.py", {}),
        ("service:refunds", {"details": {"scope_kind": "module"}}),
        ("service:refunds", {"details": {"scope_kind": "component"}}),
    ],
)
def test_a_narrower_bug_is_hidden_from_a_broader_question_and_the_answer_says_so(narrow: str, fields) -> None:
    bug = claim(
        "bug_pattern:narrow",
        "REPRODUCES",
        narrow,
        fact="Partial 409",
        code_scope={"service": "refunds"},
        **fields,
    )
    broad = _read([SEEN, bug], scope=scope("service:refunds"), query="409")
    assert [item.candidate_key for item in broad.items] == [BUG]
    assert "1 bug of a narrower scope left out" in broad.metadata["notes"][0]
    assert "bug_pattern:narrow" in {item.candidate_key for item in _read([SEEN, bug], query="409").items}


def test_a_question_about_the_path_finds_the_narrow_bug() -> None:
    bug = claim("bug_pattern:narrow", "REPRODUCES", "code:payments:src/refunds.py", fact="Partial 409")
    found = _read([SEEN, bug], scope=scope("path:src/refunds.py", "repo:acme/payments"))
    assert [item.candidate_key for item in found.items] == ["bug_pattern:narrow"]


def test_a_window_of_time_is_about_the_bugs_claims_and_still_brings_their_neighbours() -> None:
    old = claim("bug_pattern:old", "REPRODUCES", "service:refunds", valid_from="2025-01-01T00:00:00Z")
    late = claim(FIX, "RESOLVED", "bug_pattern:old", valid_from="2026-06-20T00:00:00Z", refs=["x:2"])
    window = {"scope": scope("service:refunds"), "since": late.begins}
    (item,) = _read([old, late], **window).items
    assert [one["type"] for one in item.payload["relations"]] == ["REPRODUCES", "RESOLVED"]
    assert _read([old], **window).items == []


def test_a_merged_bug_is_one_bug() -> None:
    twin = claim("bug_pattern:refund-conflict", "REPRODUCES", "service:refunds", fact="Conflict on refund")
    search = MemoryClaims([SEEN, twin, FIXED], aliases={"bug_pattern:refund-conflict": BUG})
    request = ReadRequest(scope=scope("service:refunds"))
    (item,) = trunk(search).read_view("debugging", "prior_occurrences", request).items
    assert item.candidate_key == BUG
    assert len(item.payload["relations"]) == 3


def test_a_fix_without_a_bug_is_still_found_by_its_verification() -> None:
    (item,) = _read([PROVED], query="green for a fortnight").items
    assert item.candidate_key == FIX


def test_a_bug_is_told_by_what_people_see_rather_than_by_its_cause() -> None:
    cause = claim(
        BUG, "REPRODUCES", "code:payments:src/refunds.py", fact="The amount is read before the capture",
        truth="source_observation", refs=["repo:src/refunds.py"],
    )  # fmt: skip
    (item,) = _read([cause, SEEN], scope=scope("service:refunds")).items
    assert item.payload["description"] == SEEN.fact
    (item,) = _read([cause], query="amount read before the capture").items
    assert item.payload["description"] == cause.fact


def test_a_bug_that_no_claim_places_is_told_by_the_symptom_that_its_fix_names() -> None:
    fixed = claim(
        FIX, "RESOLVED", BUG, fact="Ask for what is left", details={"symptom_signature": "Refund fails"}
    )
    (item,) = _read([fixed], query="ask for what is left").items
    assert item.payload["symptom"] == "Refund fails"
    (item,) = _read([fixed, SEEN], query="ask for what is left").items
    assert "symptom" not in item.payload


def test_a_place_that_changed_is_told_rather_than_time_that_passed() -> None:
    old = {"recorded": "2026-01-01T00:00:00Z"}
    seen = claim(BUG, "REPRODUCES", "service:refunds", fact="The gateway answers 409", **old)
    cause = claim(BUG, "REPRODUCES", "code:payments:src/refunds.py", refs=["repo:src/refunds.py"], **old)
    changed = {"repo:src/refunds.py": EvidenceState.CHANGED}
    reader = trunk(MemoryClaims([seen, cause]), evidence_state=lambda item: changed.get(item.source_ref))
    request = ReadRequest(query="gateway answers 409")
    (item,) = reader.read_view("debugging", "prior_occurrences", request).items
    assert item.stale_reason == "repo:src/refunds.py has changed since the claim was written"
    (item,) = _read([seen], query="gateway answers 409").items
    assert "stay fresh" in (item.stale_reason or "")
