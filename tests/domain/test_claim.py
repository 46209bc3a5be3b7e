"""Identities of a claim: the asserted part makes the id, stamps do not, and the value digest ignores minted keys."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potpie_git.domain.claim import Claim, new_claim, value_digest
from potpie_git.domain.layout import MAX_NAME_BYTES, claim_path, kind_of
from potpie_git.domain.times import TimeFormatError, parse_time
from potpie_git.domain.validation.claims import claim_problems

STAMP = {"mutation": "m-1", "recorded_at": "2026-06-02T08:15:00Z", "actor": {"user": "rae"}}
BASE: dict[str, Any] = {
    "subject": "fix:9f3a1c77b2e0",
    "predicate": "RESOLVED",
    "object": "bug_pattern:partial-capture",
    "fact": "Retry the refund with the remaining captured amount.",
    "provenance": STAMP,
}


def claim(**changes: Any) -> Claim:
    return new_claim(**{**BASE, **changes})


def test_a_retry_makes_the_same_claim_whoever_records_it() -> None:
    again = claim(
        provenance={
            **STAMP,
            "mutation": "m-2",
            "recorded_at": "2026-07-01T00:00:00Z",
            "actor": {"user": "bo"},
        }
    )
    assert again.id == claim().id
    assert claim_path(again) == claim_path(claim())


@pytest.mark.parametrize(
    "changes",
    [
        {"fact": "Something else."},
        {"description": "a description"},
        {"environment": "prod"},
        {"truth": "user_decision"},
        {"valid_from": "2026-06-01T00:00:00Z"},
        {"evidence": [{"source_ref": "linear:ENG-1"}]},
        {"code_scope": {"language": "python"}},
        {"details": {"root_cause": "a race"}},
        {"provenance": {**STAMP, "confidence": 0.5}},
        {"provenance": {**STAMP, "source_system": "github"}},
    ],
)
def test_every_asserted_field_is_part_of_the_identity(changes: dict[str, Any]) -> None:
    assert claim(**changes).id != claim().id


def test_a_withdrawal_keeps_the_identity() -> None:
    withdrawn = claim().model_copy(update={"valid_to": "2026-07-01T00:00:00Z"})
    assert withdrawn.content_id() == claim().id
    assert not withdrawn.live
    assert withdrawn.ends == parse_time("2026-07-01T00:00:00Z")


def test_composed_and_decomposed_text_is_one_claim() -> None:
    assert claim(fact="cafe\u0301").id == claim(fact="caf\u00e9").id


@pytest.mark.parametrize(
    "fact",
    [
        "RETRY THE REFUND WITH THE REMAINING CAPTURED AMOUNT",
        "Ｒｅｔｒｙ the refund with the remaining captured amount.",
        "Retry  the refund\twith the\nremaining captured amount",
        "Retry the refund, with the remaining captured amount!",
        "Re\u200btry the refund with the remain\u00ading captured amount.",
    ],
)
def test_a_rewritten_value_is_the_same_value_under_any_key(fact: str) -> None:
    other = claim(subject="fix:aaaaaaaaaaaa", object="bug_pattern:another", fact=fact)
    assert value_digest(other) == value_digest(claim())


@pytest.mark.parametrize(
    "changes",
    [
        {"fact": "Do not retry the refund with the remaining captured amount."},
        {"environment": "prod"},
        {"predicate": "ATTEMPTED_FIX_FAILED"},
    ],
)
def test_another_statement_is_another_value(changes: dict[str, Any]) -> None:
    assert value_digest(claim(**changes)) != value_digest(claim())


def test_a_claim_without_text_is_valued_by_its_ends() -> None:
    bare = {"fact": None}
    assert value_digest(claim(**bare)) != value_digest(claim(**bare, object="bug_pattern:another"))


def test_numbers_keep_their_points_and_signs() -> None:
    assert value_digest(claim(fact="Retry after 1.5 s")) != value_digest(claim(fact="Retry after 15 s"))
    assert value_digest(claim(fact="An offset of -3")) != value_digest(claim(fact="An offset of 3"))


@given(st.text(min_size=1, max_size=400), st.text(min_size=1, max_size=400))
def test_a_claims_name_is_safe_on_every_file_system(subject: str, value: str) -> None:
    made = Claim(
        id="c-" + "0" * 32,
        subject=subject,
        predicate="RELATED_TO",
        value=value,
        provenance={"recorded_at": "2026-01-01T00:00:00Z"},
    )  # type: ignore[arg-type]
    path = claim_path(made)
    name = path.rpartition("/")[2]
    assert path.isascii()
    assert len(name) <= MAX_NAME_BYTES
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789-._RELATED_TO")
    assert kind_of(path) is not None


@pytest.mark.parametrize(
    "text",
    ["2026-06-01", "2026-06-01T10:00:00", "yesterday", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+23:00"],
)
def test_a_time_without_an_instant_is_refused(text: str) -> None:
    with pytest.raises(TimeFormatError):
        parse_time(text)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"predicate": "RESOLVES"}, "PG-S02"),
        ({"subject": "fx:1"}, "PG-S03"),
        ({"object": "service:payments"}, "PG-S04"),
        ({"truth": "gospel"}, "PG-S05"),
        ({"truth": "authoritative_fact"}, "PG-S08"),
        (
            {
                "truth": "source_observation",
                "evidence": [{"source_ref": "linear:E-1", "authority": "agent_observation"}],
            },
            "PG-S08",
        ),
        ({"evidence": [{"source_ref": "see the wiki"}]}, "PG-S09"),
        ({"evidence": [{"source_ref": "repo:../x#L1"}]}, "PG-S09"),
        ({"evidence": [{"source_ref": "linear:E-1", "authority": "hearsay"}]}, "PG-S09"),
        ({"value": "both"}, "PG-S11"),
        ({"valid_to": "2026-07-01T00:00:00Z"}, "PG-S12"),
        ({"environment": "Prod EU"}, "PG-S15"),
        ({"valid_from": "2026-06-02T00:00:00Z", "valid_until": "2026-06-01T00:00:00Z"}, "PG-S16"),
        ({"reinstates": "c-" + "0" * 32}, "PG-S17"),
        ({"code_scope": {"lang": "python"}}, "PG-S18"),
    ],
)
def test_a_broken_rule_is_told_with_its_code_and_a_remedy(changes: dict[str, Any], code: str) -> None:
    problems = claim_problems(claim(**changes))
    assert code in {problem.code for problem in problems}
    assert all(problem.message and problem.hint for problem in problems)


def test_a_sound_claim_has_no_problem() -> None:
    assert claim_problems(claim()) == []


def test_a_changed_claim_under_its_old_id_is_told() -> None:
    forged = claim().model_copy(update={"fact": "Never retry."})
    assert [problem.code for problem in claim_problems(forged)] == ["PG-S10"]
