"""supersede_claim: the replacement, the stamps, the SUPERSEDES claim and the tombstone, in one plan."""

from __future__ import annotations

from typing import Any

import pytest

from potpie_git.domain.claim import value_digest
from potpie_git.domain.keys import claim_key
from tests.write.conftest import Desk, depends, fixes, retract


def supersede(claim_id: str, by: Any, reason: str = "Changed.", **fields: Any) -> dict[str, Any]:
    return {"op": "supersede_claim", "claim": claim_id, "superseded_by": by, "reason": reason, **fields}


def test_an_inline_replacement_takes_what_it_leaves_out_from_the_old_claim(desk: Desk) -> None:
    desk.write(fixes("Retry it.", environment="prod"))
    old = desk.only("RESOLVED")
    done = desk.write(supersede(old.id, {"fact": "Split the refund.", "evidence": ["linear:ENG-3"]}))
    new = next(claim for claim in desk.of("RESOLVED") if claim.live)
    assert (new.subject, new.object, new.environment) == (old.subject, old.object, "prod")
    assert new.fact == "Split the refund."
    withdrawn = desk.claims()[old.id]
    assert withdrawn.invalidation.superseded_by == new.id
    link = desk.only("SUPERSEDES")
    assert (link.subject, link.object) == (claim_key(new.id), claim_key(old.id))
    assert link.subgraph == "admin"
    (stone,) = desk.tree().tombstones()
    assert (stone.claim, stone.op, stone.reason) == (old.id, "supersede_claim", "Changed.")
    assert stone.value_digest == value_digest(old)
    assert done.plan.risk == "high"
    assert set(done.plan.base_versions) == {"debugging"}


def test_a_key_takes_the_objects_place(desk: Desk) -> None:
    desk.write({"op": "assert_claim", "subject": "service:a", "predicate": "OWNED_BY", "object": "team:x"})
    desk.write(supersede(desk.only("OWNED_BY").id, "team:y", "Handed over."))
    assert [claim.object for claim in desk.of("OWNED_BY") if claim.live] == ["team:y"]


def test_a_claim_that_stands_may_take_over(desk: Desk) -> None:
    desk.write(depends("a", "b"), depends("a", "c"))
    old = next(claim for claim in desk.of("DEPENDS_ON") if claim.object == "service:b")
    new = next(claim for claim in desk.of("DEPENDS_ON") if claim.object == "service:c")
    desk.write(supersede(old.id, new.id))
    assert [claim.id for claim in desk.of("DEPENDS_ON") if claim.live] == [new.id]


def test_every_corroborating_claim_is_replaced_and_linked(desk: Desk) -> None:
    desk.write(depends(fact="One.", evidence=["x:1"]), depends(fact="Two.", evidence=["x:2"]))
    olds = {claim.id for claim in desk.of("DEPENDS_ON")}
    desk.write(supersede(next(iter(olds)), "service:c"))
    assert {claim.object for claim in desk.of("SUPERSEDES")} == {claim_key(one) for one in olds}
    assert {stone.claim for stone in desk.tree().tombstones()} == olds


@pytest.mark.parametrize(
    ("by", "code"),
    [
        ({"fact": "retry IT"}, "supersedes_itself"),
        ({"fact": "Other.", "supersedes": "x"}, "unknown_field"),
        ({"op": "retract_claim", "fact": "Other."}, "malformed_field"),
        ({"fact": "Other.", "predicate": "DEPENDS_ON"}, "PG-S04"),
        ("not-a-key", "malformed_field"),
        ("c-" + "0" * 32, "not_found"),
        ("service:x", "PG-S04"),
    ],
)
def test_replacements_that_replace_nothing_are_refused(desk: Desk, by: Any, code: str) -> None:
    desk.write(fixes("Retry it."))
    operation = supersede(desk.only("RESOLVED").id, by)
    assert code in [found for _, found in desk.codes(operation)]


def test_neither_itself_nor_a_withdrawn_claim_can_replace(desk: Desk) -> None:
    desk.write(fixes("Retry it."), fixes("Wait.", "fix:222222222222"))
    one = next(claim for claim in desk.of("RESOLVED") if claim.fact == "Retry it.")
    other = next(claim for claim in desk.of("RESOLVED") if claim.fact == "Wait.")
    assert desk.codes(supersede(one.id, one.id)) == [(0, "supersedes_itself")]
    desk.write(retract(other))
    assert desk.codes(supersede(one.id, other.id)) == [(0, "not_live")]


def test_a_replaced_decision_moves_along_its_lifecycle_and_keeps_its_history(desk: Desk) -> None:
    fields = {"title": "Use cron", "summary": "Jobs run by cron.", "rationale": "Simple."}
    desk.writer.record("decision", fields, scope={"service": "jobs"})
    old = desk.only("DECIDED")
    desk.write(
        supersede(
            old.id,
            {"subject": "decision:bbbbbbbbbbbb", "fact": "Jobs run in a queue."},
            "Cron lost jobs.",
        )
    )
    entity = desk.tree().entity(old.subject).record
    assert entity.state == "superseded"
    (step,) = entity.transitions
    assert (step.from_state, step.to_state) == ("accepted", "superseded")
    assert "Cron lost jobs." in step.reason
    assert entity.name == "Use cron"
