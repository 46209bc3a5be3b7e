"""How much a file's change takes away, from its content alone: what decides whether somebody has to approve it."""

from __future__ import annotations

from potpie_git.domain.files import Entity
from potpie_git.domain.risk import entity_change_risk
from potpie_git.domain.vocabulary import Risk

STAMP = {"recorded_at": "2026-06-01T00:00:00Z"}
STEP = {"to_state": "accepted", "reason": "Agreed.", "provenance": STAMP}
MERGED = {"into": "service:payments", "reason": "The same.", "provenance": STAMP}


def entity(**fields: object) -> Entity:
    return Entity.model_validate({"key": "service:pay", "type": "Service", "provenance": STAMP, **fields})


def test_an_entity_that_is_written_anew_takes_nothing_away() -> None:
    assert entity_change_risk(None, entity(summary="Pays.")) is Risk.LOW


def test_a_patch_and_a_transition_are_of_medium_risk_even_where_there_was_no_file() -> None:
    assert entity_change_risk(entity(), entity(summary="Pays.")) is Risk.MEDIUM
    assert entity_change_risk(None, entity(state="accepted", transitions=[STEP])) is Risk.MEDIUM


def test_a_merge_is_of_high_risk_even_where_there_was_no_file() -> None:
    assert entity_change_risk(None, entity(merged=MERGED)) is Risk.HIGH
    assert entity_change_risk(entity(), entity(merged=MERGED)) is Risk.HIGH
    assert entity_change_risk(entity(merged=MERGED), entity(merged=MERGED, summary="Old.")) is Risk.MEDIUM
