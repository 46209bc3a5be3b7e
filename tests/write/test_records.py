"""Records: typed shapes and free form, lowered the same way every time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potpie_git.domain.claim import Actor
from potpie_git.domain.errors import InvalidInputError, IssuesError
from potpie_git.domain.mutation import parse_payload
from potpie_git.domain.vocabulary import RECORD_TYPES
from potpie_git.write.records import Record, bug_key, fix_key, lower_record
from tests.write.conftest import Desk

OWN = "repo:github.com/acme/payments"
SYMPTOM = "Refund fails with 409 after a partial capture"
FIX: dict[str, Any] = {"symptom_signature": SYMPTOM, "fix_steps": ["Retry with what is left."]}


def lowered(
    record_type: str, fields: dict[str, Any], scope: dict[str, Any] | None = None, **options: Any
) -> Any:
    record = Record.of(record_type, fields, scope or {}, options.pop("evidence", ()), options)
    return lower_record(record, OWN, Actor(user="rae"))


def refused(
    record_type: str, fields: dict[str, Any], scope: dict[str, Any] | None = None, **options: Any
) -> list:
    with pytest.raises(IssuesError) as error:
        lowered(record_type, fields, scope, **options)
    return [(issue["code"], issue["field"]) for issue in error.value.issues]


def test_a_fix_meets_its_bug_and_keeps_what_failed(desk: Desk) -> None:
    desk.writer.record(
        "bug_pattern",
        {"kind": "race", "symptom_signature": SYMPTOM, "summary": "Refund and capture collide."},
    )
    done = desk.writer.record(
        "fix",
        {
            **FIX,
            "root_cause": "No lock.",
            "attempted_failed_fixes": ["Wait a second.", "Restart the worker."],
        },
        scope={"service": "refunds-api"},
        evidence=["github:pr:acme/payments:812"],
    )
    bug = desk.only("REPRODUCES").subject
    fix = desk.only("RESOLVED")
    assert fix.object == bug == bug_key(SYMPTOM)
    assert fix.fact == "Retry with what is left."
    assert fix.details["root_cause"] == "No lock."
    assert fix.details["verification_status"] == "unverified"
    assert fix.code_scope == {"service": "refunds-api"}
    assert SYMPTOM in fix.description
    assert "refunds-api" in fix.description
    failed = desk.of("ATTEMPTED_FIX_FAILED")
    assert {claim.fact for claim in failed} == {"Wait a second.", "Restart the worker."}
    assert {claim.object for claim in failed} == {bug}
    assert all(claim.evidence[0].source_ref == "github:pr:acme/payments:812" for claim in failed)
    assert done.subject == fix.subject
    assert {claim.status for claim in done.claims} == {"created"}


def test_a_record_is_one_commit_and_a_retry_is_none(desk: Desk) -> None:
    first = desk.writer.record("fix", FIX)
    desk.later(days=2)
    again = desk.writer.record("fix", FIX)
    assert first.commit == desk.head()
    assert again.commit is None
    assert [claim.status for claim in again.claims] == ["unchanged"]
    assert again.subject == first.subject
    subject = desk.repo.git("log", "-1", "--format=%s")
    assert subject == f"Record fix: {SYMPTOM}"


def test_several_steps_are_kept_as_steps() -> None:
    (operation,) = lowered("fix", {**FIX, "fix_steps": ["Stop it.", "Start it."]})
    assert operation["fact"] == "1. Stop it. 2. Start it."
    assert operation["details"]["fix_steps"] == ["Stop it.", "Start it."]


def test_a_fix_known_to_have_failed_is_a_failed_attempt() -> None:
    (operation,) = lowered("fix", {**FIX, "verification_status": "refuted"})
    assert operation["predicate"] == "ATTEMPTED_FIX_FAILED"


def test_the_fix_that_repeats_a_failed_attempt_has_its_key_and_is_warned(desk: Desk) -> None:
    desk.writer.record("fix", {**FIX, "attempted_failed_fixes": ["Restart the worker every hour."]})
    again = desk.writer.record("fix", {**FIX, "fix_steps": ["Restart the worker every hour."]}, dry_run=True)
    assert again.subject == fix_key(bug_key(SYMPTOM), ["Restart the worker every hour."])
    reworded = desk.writer.record(
        "fix", {**FIX, "fix_steps": ["Every hour, restart the worker."]}, dry_run=True
    )
    attempt = desk.only("ATTEMPTED_FIX_FAILED")
    for done in (again, reworded):
        (warning,) = [one for one in done.plan.warnings if one["code"] == "repeats_failed_attempt"]
        assert warning["reference"]["claim"] == attempt.id
        assert "Restart the worker every hour." in warning["message"]
    other = desk.writer.record(
        "fix",
        {"symptom_signature": "Something else", "fix_steps": ["Restart the worker every hour."]},
        dry_run=True,
    )
    assert other.plan.warnings == []


def test_a_decision_keeps_what_it_rejected_and_warns_who_revives_it(desk: Desk) -> None:
    fields = {
        "title": "Use a queue",
        "summary": "Refunds go through a queue.",
        "rationale": "Back pressure.",
        "alternatives_rejected": [
            "Synchronous calls to the gateway",
            {"option": "Cron jobs", "reason": "Late."},
        ],
        "affects_refs": ["service:ledger"],
    }
    desk.writer.record("decision", fields, scope={"service": ["refunds-api"], "path": "src/pay.py"})
    decided = desk.only("DECIDED")
    assert decided.object == "service:refunds-api"
    assert decided.fact == "Refunds go through a queue."
    assert decided.details["alternatives_rejected"] == [
        {"option": "Synchronous calls to the gateway"},
        {"option": "Cron jobs", "reason": "Late."},
    ]
    assert {claim.object for claim in desk.of("AFFECTS")} == {"service:ledger", "code:refunds-api:src/pay.py"}
    entity = desk.tree().entity(decided.subject).record
    assert (entity.name, entity.state) == ("Use a queue", "accepted")
    later = desk.writer.record(
        "decision",
        {"title": "Go direct", "summary": "Refunds make synchronous calls to the gateway.", "rationale": "x"},
        scope={"service": "refunds-api"},
        dry_run=True,
    )
    (warning,) = later.plan.warnings
    assert warning["code"] == "repeats_rejected_alternative"
    assert warning["reference"]["subject"] == decided.subject


@pytest.mark.parametrize(("outcome", "marked"), [("worked", 0), ("partial", 0), ("didnt_work", 1)])
def test_a_verification_is_a_claim_against_a_fix(desk: Desk, outcome: str, marked: int) -> None:
    fix = desk.writer.record("fix", FIX).claims[0]
    fields = {"target_ref": fix.id, "outcome": outcome, "notes": "Tried on staging."}
    done = desk.writer.record("verification", fields, environment="staging")
    claim = desk.only("VERIFIED")
    assert claim.object == fix.subject
    assert claim.details == {"outcome": outcome, "notes": "Tried on staging."}
    assert claim.environment == "staging"
    failed = desk.of("ATTEMPTED_FIX_FAILED")
    assert [(one.subject, one.object) for one in failed] == [(fix.subject, fix.object)] * marked
    assert done.subject == claim.subject
    again = desk.writer.record("verification", {**fields, "target_ref": fix.subject}, environment="staging")
    assert again.commit is None


def test_a_verification_needs_a_fix_that_was_recorded(desk: Desk) -> None:
    with pytest.raises(IssuesError) as error:
        desk.writer.record("verification", {"target_ref": "fix:000000000000", "outcome": "workd"})
    assert [issue["code"] for issue in error.value.issues] == ["unknown_value", "unknown_target"]
    assert "Did you mean 'worked'" in error.value.issues[0]["message"]
    assert refused("verification", {"target_ref": "service:a", "outcome": "worked"}) == [
        ("type_mismatch", "target_ref")
    ]


@pytest.mark.parametrize("record_type", ["preference", "policy"])
def test_a_rule_applies_to_its_scope(desk: Desk, record_type: str) -> None:
    fields = {
        "policy_kind": "style",
        "prescription": "Use async clients for outgoing calls.",
        "code_scope": {"language": "python"},
    }
    done = desk.writer.record(record_type, fields, scope={"service": ["pay", "ledger"]})
    claims = desk.of("POLICY_APPLIES_TO")
    assert {claim.object for claim in claims} == {"service:pay", "service:ledger"}
    assert {claim.subject for claim in claims} == {f"{record_type}:use-async-clients-for-outgoing-calls"}
    assert claims[0].truth == "preference"
    assert claims[0].code_scope == {"language": "python", "service": ["pay", "ledger"]}
    assert claims[0].details == {"policy_kind": "style", "strength": "soft", "audience": "team"}
    assert done.plan.risk == "low"


def test_a_user_decision_is_graded_medium(desk: Desk) -> None:
    fields = {"title": "T", "summary": "S is done.", "rationale": "R"}
    assert desk.writer.record("decision", fields, truth="user_decision", dry_run=True).plan.risk == "medium"


@pytest.mark.parametrize("record_type", [*RECORD_TYPES, "postmortem"])
def test_every_type_is_lowered_to_operations_that_parse(record_type: str) -> None:
    fields = {
        "fix": FIX,
        "bug_pattern": {"kind": "race", "symptom_signature": SYMPTOM, "summary": "They collide."},
        "preference": {"policy_kind": "style", "prescription": "Do."},
        "policy": {"policy_kind": "style", "prescription": "Do."},
        "decision": {"title": "T", "summary": "S", "rationale": "R"},
        "verification": {"target_ref": "fix:000000000000", "outcome": "worked"},
    }.get(record_type, {"summary": "What it says.", "impact": "None", "steps": ["a", "b"]})
    operations = lowered(record_type, fields)
    parsed, issues = parse_payload({"operations": operations})
    assert issues == []
    declared = RECORD_TYPES.get(record_type)
    first = parsed[0]
    assert first is not None
    prefix = (first.subject.key or "").partition(":")[0]
    wanted = (
        {"BugPattern": "bug_pattern"}.get(declared.anchor, declared.anchor.lower())
        if declared
        else "document"
    )
    assert prefix == wanted
    assert first.predicate == ((declared.emits if declared else None) or "RELATED_TO")
    if record_type not in {"fix", "verification"}:
        assert (first.object.key or "") == OWN


def test_an_unknown_type_is_kept_in_free_form(desk: Desk) -> None:
    done = desk.writer.record(
        "postmortem", {"impact": "12 shops", "title": "Outage of May"}, summary="Disk was full."
    )
    claim = desk.only("RELATED_TO")
    assert claim.fact == "Disk was full."
    assert claim.details == {"record_type": "postmortem", "impact": "12 shops", "title": "Outage of May"}
    assert desk.tree().entity(done.subject).record.name == "Outage of May"
    assert refused("postmortem", {"impact": "x"}) == [("missing_field", "summary")]


def test_every_fault_of_a_record_is_told_at_once() -> None:
    fields = {
        "symptom_signatur": "x",
        "fix_steps": [],
        "scope_kind": "servce",
        "kind": 3.5,
        "root_cause": {"a": 1},
    }
    assert refused("fix", fields, {"servce": ["x"]}) == [
        ("unknown_field", "symptom_signatur"),
        ("malformed_field", "root_cause"),
        ("missing_field", "symptom_signature"),
        ("missing_field", "fix_steps"),
        ("unknown_value", "scope_kind"),
        ("unknown_scope", "scope"),
    ]
    with pytest.raises(InvalidInputError, match="Did you mean 'environment'"):
        lowered("fix", FIX, enviroment="x")
    with pytest.raises(InvalidInputError):
        lowered(" ", FIX)


@pytest.mark.parametrize(
    ("scope", "place", "asset"),
    [
        ({}, OWN, None),
        ({"service": "Payments API"}, "service:payments-api", None),
        ({"service": "service:pay"}, "service:pay", None),
        ({"repo": "payments"}, OWN, None),
        ({"repo": "acme/payments"}, OWN, None),
        ({"repo": "acme/other"}, "repo:github.com/acme/other", None),
        ({"repo": "git@gitlab.com:x/y.git"}, "repo:gitlab.com/x/y", None),
        ({"environment": "prod"}, "environment:prod", None),
        ({"path": "src/pay.py"}, "code:payments:src/pay.py", None),
        ({"path": "src/*.py"}, OWN, None),
        ({"service": "pay", "path": "src/pay.py"}, "service:pay", "code:pay:src/pay.py"),
        ({"language": "python"}, OWN, None),
    ],
)
def test_a_scope_says_what_a_record_is_about(scope: dict, place: str, asset: str | None) -> None:
    fields = {"kind": "race", "symptom_signature": SYMPTOM, "summary": "They collide."}
    operations = lowered("bug_pattern", fields, scope)
    assert [operation["object"] for operation in operations] == [place, *([asset] if asset else [])]
    assert operations[0].get("code_scope", {}) == scope


def test_a_record_may_name_its_entity() -> None:
    (operation,) = lowered("preference", {"policy_kind": "x", "prescription": "Do."}, subject="preference:do")
    assert operation["subject"] == "preference:do"
    assert refused("preference", {"policy_kind": "x", "prescription": "Do."}, subject="policy:do") == [
        ("type_mismatch", "subject")
    ]
    assert refused("fix", {**FIX, "bug": "service:x"}) == [("type_mismatch", "bug")]
    (operation,) = lowered("fix", {**FIX, "bug": "bug_pattern:known"})
    assert operation["object"] == "bug_pattern:known"


def test_a_record_may_reinstate_what_was_withdrawn(desk: Desk) -> None:
    claim = desk.writer.record("fix", FIX).claims[0]
    desk.write({"op": "retract_claim", "claim": claim.id, "reason": "No."})
    done = desk.writer.record("fix", FIX, reinstates=claim.id, reason="Yes after all.")
    assert done.plan.risk == "high"
    assert [one.reinstates for one in desk.of("RESOLVED") if one.live] == [claim.id]


TEXT = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), min_size=1, max_size=60
).filter(str.strip)


@settings(max_examples=60, deadline=None)
@given(
    symptom=TEXT,
    steps=st.lists(TEXT, min_size=1, max_size=3),
    failed=st.lists(TEXT, max_size=2),
    service=TEXT,
)
def test_lowering_is_the_same_every_time(symptom: str, steps: list, failed: list, service: str) -> None:
    fields = {"symptom_signature": symptom, "fix_steps": steps, "attempted_failed_fixes": failed}
    once = lowered("fix", fields, {"service": service})
    again = lowered("fix", dict(reversed(fields.items())), {"service": [service]})
    assert once == again
    assert parse_payload({"operations": once})[1] == []


def test_a_reason_without_what_it_is_for_is_not_passed_over() -> None:
    with pytest.raises(InvalidInputError, match="reinstates"):
        lowered("service_note", {}, summary="The ledger is slow.", reason="Seen twice.")


def test_a_lone_surrogate_is_no_text() -> None:
    for fields, options in ((FIX | {"root_cause": "\ud83d"}, {}), (FIX, {"description": "\ud83d"})):
        with pytest.raises(InvalidInputError, match="lone surrogate"):
            lowered("fix", fields, **options)
