"""upsert_entity, patch_entity, transition_state and merge_duplicate_entities."""

from __future__ import annotations

from typing import Any

import pytest

from potpie_git.domain.errors import ConflictError
from potpie_git.domain.files import Entity
from potpie_git.domain.plan import PlanState
from tests.write.conftest import Desk, depends


def upsert(key: str, **said: Any) -> dict[str, Any]:
    fields = {name: said.pop(name) for name in ("to_state", "external_ids") if name in said}
    return {"op": "upsert_entity", "subject": {"key": key, **said}, **fields}


def patch(key: str, fields: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"op": "patch_entity", "subject": key, "patch": fields, **more}


def move(key: str, to: str, reason: str = "Decided.", **more: Any) -> dict[str, Any]:
    return {"op": "transition_state", "subject": key, "to_state": to, "reason": reason, **more}


def merge(duplicate: str, kept: str, **more: Any) -> dict[str, Any]:
    return {
        "op": "merge_duplicate_entities",
        "subject": duplicate,
        "object": kept,
        "reason": "One service.",
        "external_ids": ["backstage:pay"],
        **more,
    }


def entity(desk: Desk, key: str) -> Entity:
    stored = desk.tree().entity(key)
    assert stored is not None
    return stored.record


def test_an_entity_gets_a_file_only_if_something_is_said(desk: Desk) -> None:
    plan = desk.propose({"op": "upsert_entity", "subject": "service:a"})
    assert plan.edits == []
    assert [warning["code"] for warning in plan.warnings] == ["nothing_authored"]
    done = desk.write(upsert("service:a", name="A", properties={"tier": "1"}, external_ids=["backstage:a"]))
    assert done.plan.risk == "low"
    assert entity(desk, "service:a").properties == {"tier": "1"}


def test_an_upsert_adds_and_never_overwrites(desk: Desk) -> None:
    desk.write(upsert("service:a", name="A", properties={"tier": "1"}, external_ids=["x:1"]))
    done = desk.write(upsert("service:a", summary="Does A.", properties={"lang": "go"}, external_ids=["x:2"]))
    held = entity(desk, "service:a")
    assert (held.name, held.summary) == ("A", "Does A.")
    assert held.properties == {"tier": "1", "lang": "go"}
    assert held.external_ids == ["x:1", "x:2"]
    assert done.plan.risk == "medium"
    assert desk.codes(upsert("service:a", name="B")) == [(0, "entity_exists")]
    assert desk.codes(upsert("service:a", properties={"tier": "2"})) == [(0, "entity_exists")]
    assert desk.propose(upsert("service:a", name="A")).edits == []


def test_a_patch_changes_allowed_fields_alone(desk: Desk) -> None:
    desk.write(upsert("service:a", name="A"))
    done = desk.write(patch("service:a", {"description": "Takes payments and refunds for shops."}))
    assert done.plan.risk == "medium"
    assert entity(desk, "service:a").description == "Takes payments and refunds for shops."
    (issue,) = desk.issues(patch("service:a", {"sumary": "x"}))
    assert issue["code"] == "not_patchable"
    assert "Did you mean 'summary'" in issue["message"]
    assert desk.codes(patch("service:a", {"description": "Too short"})) == [(0, "description_too_short")]
    assert desk.codes(patch("service:a", {"name": "  "})) == [(0, "malformed_field")]
    assert desk.codes(patch("service:none", {"name": "N"})) == [(0, "entity_not_found")]
    assert desk.propose(patch("service:a", {"name": "A"})).edits == []


def test_a_patch_of_a_version_that_moved_is_a_conflict(desk: Desk) -> None:
    desk.write(upsert("service:a", name="A"))
    version = desk.tree().entity("service:a").entry.oid
    desk.write(patch("service:a", {"name": "B"}, expected_entity_version=version))
    with pytest.raises(ConflictError) as conflict:
        desk.propose(patch("service:a", {"name": "C"}, expected_entity_version=version))
    plan = desk.writer.plan(conflict.value.detail["plan_id"])
    assert plan.state is PlanState.CONFLICT
    assert version in conflict.value.message


def test_a_state_moves_along_the_lifecycle(desk: Desk) -> None:
    key = "decision:aaaaaaaaaaaa"
    desk.write(move(key, "proposed"))
    done = desk.write(move(key, "accepted", "The team agreed.", from_state="proposed"))
    assert done.plan.risk == "medium"
    held = entity(desk, key)
    assert held.state == "accepted"
    assert [(step.from_state, step.to_state) for step in held.transitions] == [
        (None, "proposed"),
        ("proposed", "accepted"),
    ]
    assert desk.codes(move(key, "proposed")) == [(0, "PG-S13")]
    assert desk.codes(move(key, "acepted")) == [(0, "PG-S13")]
    assert desk.codes(move("service:a", "accepted")) == [(0, "PG-S13")]
    assert (0, "reason_required") in desk.codes(
        {"op": "transition_state", "subject": key, "to_state": "deprecated"}
    )
    with pytest.raises(ConflictError):
        desk.propose(move(key, "deprecated", from_state="proposed"))


def test_two_steps_in_one_batch_follow_each_other(desk: Desk) -> None:
    key = "policy:two-people"
    desk.write(move(key, "proposed"), move(key, "active"), move(key, "deprecated"))
    assert entity(desk, key).state == "deprecated"
    assert len(entity(desk, key).transitions) == 3


def test_a_merge_writes_an_alias_and_a_record_and_rewrites_no_claim(desk: Desk) -> None:
    desk.write(depends("pay-api", "ledger"))
    before = desk.path_of(desk.only("DEPENDS_ON")).read_bytes()
    done = desk.write(merge("service:pay-api", "service:pay", evidence=["linear:ENG-4"]))
    assert done.plan.risk == "high"
    assert done.plan.base_versions == {}
    alias = desk.only("ALIAS_OF")
    assert (alias.subject, alias.object, alias.subgraph) == ("service:pay-api", "service:pay", "admin")
    held = entity(desk, "service:pay-api")
    assert (held.merged.into, held.merged.external_ids) == ("service:pay", ["backstage:pay"])
    assert desk.tree().resolve_alias("service:pay-api") == "service:pay"
    assert desk.path_of(desk.only("DEPENDS_ON")).read_bytes() == before
    again = desk.propose(merge("service:pay-api", "service:pay"))
    assert again.edits == []
    plan = desk.propose(depends("pay-api", "other"))
    assert [warning["code"] for warning in plan.warnings] == ["merged_entity"]


@pytest.mark.parametrize(
    ("duplicate", "kept", "more", "code"),
    [
        ("service:a", "service:a", {}, "merge_of_one"),
        ("service:a", "team:a", {}, "PG-S14"),
        ("service:a", "service:b", {"external_ids": []}, "missing_field"),
        ("service:a", "service:b", {"reason": ""}, "reason_required"),
    ],
)
def test_merges_that_merge_nothing_are_refused(
    desk: Desk, duplicate: str, kept: str, more: dict, code: str
) -> None:
    assert code in [found for _, found in desk.codes(merge(duplicate, kept, **more))]


def test_merges_make_no_circle(desk: Desk) -> None:
    desk.write(merge("service:a", "service:b"))
    assert desk.codes(merge("service:b", "service:a")) == [(0, "merge_cycle")]
    assert desk.codes(merge("service:a", "service:c")) == [(0, "already_merged")]
    desk.write(merge("service:b", "service:c"))
    assert desk.tree().resolve_alias("service:a") == "service:c"
