"""Assertions: identity, retries, endpoints, look-alike keys, singletons and pinned evidence."""

from __future__ import annotations

from typing import Any

import pytest

from potpie_git.domain.claim import Claim
from potpie_git.domain.files import Entity
from tests.write.conftest import Desk, depends, fixes, retract


def test_a_retry_is_a_no_op(desk: Desk) -> None:
    first = desk.write(depends(fact="It asks for limits.", confidence=0.8))
    claim = desk.only("DEPENDS_ON")
    kept = desk.path_of(claim).read_bytes()
    desk.later(days=3)
    desk.user = "kim"
    again = desk.write(depends(fact="It asks for limits.", confidence=0.8))
    assert again.commit is None
    assert again.files == []
    assert again.plan.diff.claims_asserted == []
    assert list(again.plan.diff.claims_unchanged) == [claim.id]
    assert desk.path_of(claim).read_bytes() == kept
    assert desk.head() == first.commit


def test_two_sources_of_one_statement_are_two_claims(desk: Desk) -> None:
    desk.write(depends(evidence=["linear:ENG-1"]), depends(evidence=["github:pr:acme/pay:1"]))
    claims = desk.of("DEPENDS_ON")
    assert len(claims) == 2
    assert len({claim.statement for claim in claims}) == 1
    assert len({desk.path_of(claim).parent for claim in claims}) == 1


def test_environments_do_not_meet(desk: Desk) -> None:
    desk.write(depends(environment="prod"), depends(environment="staging"))
    assert {claim.environment for claim in desk.of("DEPENDS_ON")} == {"prod", "staging"}


def test_one_batch_that_says_one_thing_twice_writes_it_once(desk: Desk) -> None:
    done = desk.write(depends(), depends())
    assert len(done.files) == 1
    assert done.plan.diff.claims_asserted == [desk.only("DEPENDS_ON").id]
    assert done.plan.diff.claims_unchanged == {}


@pytest.mark.parametrize(
    ("endpoint", "key"),
    [
        ({"type": "Service", "name": "Payments API"}, "service:payments-api"),
        ({"key": "service:x", "type": "Service"}, "service:x"),
        ("service:y", "service:y"),
    ],
)
def test_endpoints_are_keys_or_minted(desk: Desk, endpoint: Any, key: str) -> None:
    plan = desk.propose({**depends(), "subject": endpoint})
    assert next(one for one in desk.planned(plan) if isinstance(one, Claim)).subject == key


@pytest.mark.parametrize(
    ("endpoint", "code"),
    [
        ({"name": "x"}, "endpoint_incomplete"),
        ({"type": "Service"}, "endpoint_incomplete"),
        ({"type": "Adapter", "name": "stripe"}, "endpoint_incomplete"),
        ({"type": "Fix"}, "endpoint_incomplete"),
        ({"type": "Thing", "name": "x"}, "unknown_type"),
        ({"key": "service:x", "type": "Team"}, "type_mismatch"),
        ("service:", "PG-S03"),
        ("service:x ", "PG-S03"),
        ("x" * 600, "PG-S03"),
    ],
)
def test_endpoints_that_name_nothing_are_refused(desk: Desk, endpoint: Any, code: str) -> None:
    assert code in [found for _, found in desk.codes({**depends(), "subject": endpoint})]


def test_a_bare_reference_writes_no_entity_file_and_an_authored_one_does(desk: Desk) -> None:
    assert len(desk.write(depends()).files) == 1
    done = desk.write(depends("c", "d") | {"object": {"key": "service:d", "name": "D", "summary": "Does D."}})
    entity = desk.tree().entity("service:d").record
    assert isinstance(entity, Entity)
    assert (entity.name, entity.summary) == ("D", "Does D.")
    assert done.plan.diff.entity_upserts == ["service:d"]


def test_what_is_authored_by_the_way_changes_no_file_that_is_there(desk: Desk) -> None:
    desk.write({"op": "upsert_entity", "subject": {"key": "service:d", "name": "D"}})
    plan = desk.propose(depends("c") | {"object": {"key": "service:d", "name": "Other"}})
    assert [warning["code"] for warning in plan.warnings] == ["entity_kept"]
    assert plan.risk == "low"
    assert [type(one) for one in desk.planned(plan)] == [Claim]


@pytest.mark.parametrize(
    ("there", "new"),
    [
        ("service:pay", "service:Pay"),
        ("service:Pay", "service:pay"),
        ("service:naïve", "service:NAÏVE"),
        ("service:pay", "service:ｐａｙ"),
    ],
)
def test_a_key_beside_its_look_alike_is_refused(desk: Desk, there: str, new: str) -> None:
    desk.write({**depends(), "subject": there})
    for end in ("subject", "object"):
        issues = desk.issues({**depends("x", "y"), end: new})
        assert [(issue["code"], there in issue["message"]) for issue in issues] == [("key_clash", True)]
    desk.propose({**depends("x", "y"), "object": there})


def test_look_alikes_inside_one_batch_and_beside_authored_entities_are_refused(desk: Desk) -> None:
    assert desk.codes(depends("Pay"), depends("pay", "c")) == [(1, "key_clash")]
    desk.write({"op": "upsert_entity", "subject": {"key": "team:Core", "name": "Core"}})
    owned = {"op": "assert_claim", "subject": "service:a", "predicate": "OWNED_BY", "object": "team:core"}
    assert desk.codes(owned) == [(0, "key_clash")]


def test_where_case_may_matter_a_look_alike_is_only_told(desk: Desk) -> None:
    def exposes(path: str) -> dict:
        return {
            "op": "assert_claim",
            "subject": "service:a",
            "predicate": "CONFIGURES",
            "object": f"config:a:{path}",
        }

    plan = desk.propose(exposes("TIMEOUT"), exposes("timeout"))
    assert [warning["code"] for warning in plan.warnings] == ["key_look_alike"]


def owned(team: str, service: str = "service:pay", **fields: Any) -> dict[str, Any]:
    return {
        "op": "assert_claim",
        "subject": service,
        "predicate": "OWNED_BY",
        "object": f"team:{team}",
        **fields,
    }


def test_a_second_live_owner_is_refused_naming_the_first(desk: Desk) -> None:
    desk.write(owned("core"))
    rival = desk.only("OWNED_BY")
    (issue,) = desk.issues(owned("edge"))
    assert issue["code"] == "singleton_conflict"
    assert rival.id in issue["message"]
    assert "supersede_claim" in issue["hint"]
    desk.propose(owned("edge", environment="prod"))
    desk.propose(owned("core", evidence=["linear:ENG-2"]))
    assert desk.codes(owned("x", "service:new"), owned("y", "service:new")) == [
        (0, "singleton_conflict"),
        (1, "singleton_conflict"),
    ]


@pytest.mark.parametrize("order", [0, 1])
def test_withdrawing_and_asserting_in_one_batch_is_fine_in_any_order(desk: Desk, order: int) -> None:
    desk.write(owned("core"))
    operations = [retract(desk.only("OWNED_BY"), "Handed over."), owned("edge")]
    desk.write(*(operations if order else reversed(operations)))
    assert [claim.object for claim in desk.of("OWNED_BY") if claim.live] == ["team:edge"]


def test_a_cited_place_is_pinned_to_its_blob(desk: Desk) -> None:
    desk.write(
        fixes("Retry.", evidence=[{"source_ref": "repo:src/pay.py#L1-L2", "quote": "return retry(3)"}])
    )
    (item,) = desk.only("RESOLVED").evidence
    assert item.blob == desk.repo.git("rev-parse", "HEAD:src/pay.py")


@pytest.mark.parametrize(
    ("evidence", "code", "field"),
    [
        ("repo:src/gone.py", "evidence_missing", "evidence.0.source_ref"),
        ("repo:src", "evidence_missing", "evidence.0.source_ref"),
        ("repo:src/pay.py#L5-L70", "evidence_out_of_range", "evidence.0.source_ref"),
        ("repo:../outside.py", "PG-S09", "evidence.0.source_ref"),
        ({"source_ref": "repo:src/pay.py#L4-L6", "quote": "retry(3)"}, "quote_not_found", "evidence.0.quote"),
    ],
)
def test_a_place_that_is_not_there_is_refused(desk: Desk, evidence: Any, code: str, field: str) -> None:
    issues = desk.issues(fixes("Retry.", evidence=[evidence]))
    assert [(issue["code"], issue["field"]) for issue in issues] == [(code, field)]


def test_a_place_with_uncommitted_changes_is_pinned_to_them_and_told(desk: Desk) -> None:
    desk.repo.write("src/pay.py", "def pay():\n    return once()\n")
    plan = desk.propose(fixes("Retry.", evidence=[{"source_ref": "repo:src/pay.py#L2", "quote": "once()"}]))
    assert [warning["code"] for warning in plan.warnings] == ["evidence_uncommitted"]
    (claim,) = desk.planned(plan)
    assert desk.repo.git("cat-file", "-p", claim.evidence[0].blob).endswith("return once()")


def test_a_link_is_never_followed_for_evidence(desk: Desk) -> None:
    (desk.repo.root / "link.py").symlink_to("/etc/hostname")
    assert desk.codes(fixes("Retry.", evidence=["repo:link.py"])) == [(0, "evidence_missing")]
