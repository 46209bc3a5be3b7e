"""Proposing: every failure at once, the plan's content, and nothing written."""

from __future__ import annotations

from typing import Any

import pytest

from potpie_git.domain.errors import InvalidInputError, IssuesError, NoPotError
from potpie_git.domain.plan import PlanState
from tests.support.git_repo import GitRepo
from tests.write.conftest import START, Desk, depends, fixes, retract


def test_a_plan_holds_exact_edits_and_writes_nothing(desk: Desk) -> None:
    before = desk.state()
    plan = desk.propose(depends(fact="Every payment asks it.", evidence=["linear:ENG-1"]))
    assert desk.state() == before
    (claim,) = desk.planned(plan)
    assert (claim.subject, claim.predicate, claim.object) == ("service:a", "DEPENDS_ON", "service:b")
    assert claim.provenance.mutation == plan.mutation_id
    assert claim.provenance.recorded_at == "2026-06-01T09:00:00Z"
    assert claim.provenance.actor.user == "rae"
    assert plan.state is PlanState.VALIDATED
    assert plan.risk == "low"
    assert plan.base_versions == {"infra_topology": None}
    assert plan.expires_at == "2026-06-02T09:00:00Z"
    assert plan.diff.claims_asserted == [claim.id] == plan.diff.claim_keys
    assert plan.diff.edge_upserts == ["service:a DEPENDS_ON service:b"]


def test_the_user_is_gits_unless_the_caller_names_one(desk: Desk) -> None:
    desk.user = None
    (claim,) = desk.planned(desk.propose(depends()))
    assert claim.provenance.actor.user == "rae"
    (named,) = desk.planned(desk.propose(depends(actor={"user": "kim", "harness": "claude"})))
    assert (named.provenance.actor.surface, named.provenance.actor.harness) == ("library", "claude")
    assert named.provenance.actor.user == "kim"


def test_every_failure_is_told_at_once(desk: Desk) -> None:
    found = desk.codes(
        {"op": "assert_clam", "subject": "service:a"},
        depends(confidence=1.5, valid_from="2026-06-01T10:00:00", fct="x"),
        {"op": "retract_claim", "subject": "servce:a", "predicate": "DEPEND_ON", "object": "service:b"},
        {"op": "assert_claim", "subject": "team:x", "predicate": "DEPENDS_ON", "object": "service:b"},
        depends("c", truth="authoritative_fact"),
        depends("d", truth="agent_clam", environment="Prod Env"),
        depends("e", evidence=["nonsense"], code_scope={"langage": "python"}),
        {"op": "assert_claim", "subject": "service:f", "predicate": "SUPERSEDES", "object": "service:b"},
        "not an object",
    )
    assert found == [
        (0, "unknown_op"),
        (1, "unknown_field"),
        (1, "confidence_out_of_range"),
        (1, "PG-S07"),
        (2, "reason_required"),
        (2, "PG-S02"),
        (3, "PG-S04"),
        (4, "PG-S08"),
        (5, "PG-S05"),
        (5, "PG-S15"),
        (6, "PG-S09"),
        (6, "PG-S18"),
        (7, "system_predicate"),
        (8, "malformed_operation"),
    ]


@pytest.mark.parametrize(
    ("operation", "suggested"),
    [
        ({"op": "retract_clam"}, "retract_claim"),
        (depends(evidnce=[]), "evidence"),
        ({**depends(), "predicate": "DEPENDS_UPON"}, "DEPENDS_ON"),
        ({**depends(), "subject": "servce:a"}, "service"),
        (depends(truth="agent_clam"), "agent_claim"),
        (depends(evidence=[{"source_ref": "ci:1", "authority": "ci_rn"}]), "ci_run"),
        ({**depends(), "subject": {"type": "Servce", "name": "x"}}, "Service"),
    ],
)
def test_near_names_are_suggested(desk: Desk, operation: dict, suggested: str) -> None:
    assert any(f"Did you mean '{suggested}'" in issue["message"] for issue in desk.issues(operation))
    assert all(issue["hint"] for issue in desk.issues(operation))


def test_one_bad_operation_rejects_the_whole_batch_and_is_kept_for_inspection(desk: Desk) -> None:
    with pytest.raises(IssuesError) as refused:
        desk.propose(depends(), depends("x", truth="nonsense"))
    plan = desk.writer.plan(refused.value.detail["plan_id"])
    assert plan.state is PlanState.INVALID
    assert plan.edits == []
    assert [issue["op_index"] for issue in plan.issues] == [1]
    assert desk.claims() == {}


@pytest.mark.parametrize(
    "payload",
    [
        [],
        "text",
        {},
        {"operations": []},
        {"operations": {"op": "assert_claim"}},
        {"payload": {"operations": [depends()]}},
        {"operations": [{"operations": [depends()]}]},
        {"operations": [depends()], "extra": 1},
    ],
)
def test_wrappers_and_shapeless_payloads_do_not_parse(desk: Desk, payload: object) -> None:
    with pytest.raises(IssuesError):
        desk.writer.propose(payload)


def test_hidden_characters_are_refused_with_their_place(desk: Desk) -> None:
    issues = desk.issues(
        fixes("Retry\u200b it.", description="fine", details={"why": "be\u202ecause"}), depends("a\u00adb")
    )
    assert {(issue["op_index"], issue["field"]) for issue in issues if issue["code"] == "PG-F04"} == {
        (0, "fact"),
        (0, "details.why"),
        (1, "subject.key"),
    }
    assert "U+200B" in issues[0]["message"]


def test_texts_are_composed_so_that_equal_texts_make_one_claim(desk: Desk) -> None:
    one = desk.propose(fixes("Caf\u00e9 is open."))
    other = desk.propose(fixes("Cafe\u0301 is open."))
    assert one.diff.claims_asserted == other.diff.claims_asserted
    assert "Caf\u00e9" in other.edits[0].after


def test_scalars_stay_texts(desk: Desk) -> None:
    for text in (
        "no",
        "010",
        "0o17",
        "12:30:45",
        "1e3",
        "1.10",
        "2026-09-01",
        "=",
        "- a: 'b'",
        "x: y ",
        "🚀",
    ):
        desk.write({"op": "assert_claim", "subject": "service:a", "predicate": "USES", "value": text})
    assert {claim.value for claim in desk.of("USES")} >= {
        "no",
        "010",
        "1.10",
        "2026-09-01",
        "=",
        "x: y ",
        "🚀",
    }


def test_an_object_and_a_value_exclude_each_other(desk: Desk) -> None:
    assert (0, "PG-S11") in desk.codes(depends(value="x"))
    assert (0, "PG-S11") in desk.codes(
        {"op": "assert_claim", "subject": "service:a", "predicate": "DEPENDS_ON"}
    )
    assert (0, "missing_field") in desk.codes(
        {"op": "link_entities", "subject": "service:a", "predicate": "DEPENDS_ON"}
    )


def test_a_payload_may_name_its_source_and_actor(desk: Desk) -> None:
    plan = desk.writer.propose(
        {"operations": [depends()], "source_system": "github", "actor": {"harness": "importer"}}
    )
    (claim,) = desk.planned(plan)
    assert claim.provenance.source_system == "github"
    assert claim.provenance.actor.harness == "importer"


def test_without_a_pot_nothing_can_be_proposed(git_repo: GitRepo) -> None:
    git_repo.commit("Start")
    with pytest.raises(NoPotError):
        Desk(git_repo, START).propose(depends())


def test_a_governed_file_that_does_not_parse_is_named(desk: Desk) -> None:
    desk.write(fixes("Retry it."))
    claim = desk.only("RESOLVED")
    desk.path_of(claim).write_text("id: [\n")
    with pytest.raises(IssuesError) as refused:
        desk.propose(retract(claim))
    assert refused.value.code == "invalid_file"
    assert desk.path_of(claim).name in refused.value.message


@pytest.mark.parametrize(
    ("operation", "message"), [(depends(fact="Half an emoji: \ud83d"), None), (depends(), "\udcff")]
)
def test_a_text_that_no_file_could_hold_is_refused(
    desk: Desk, operation: dict[str, Any], message: str | None
) -> None:
    with pytest.raises(InvalidInputError, match="lone surrogate") as refused:
        desk.propose(operation, message=message)
    assert refused.value.code == "malformed_payload"
    assert desk.writer.plans() == []
