"""Contract discovery from the declarations alone, and what a session's events bring up."""

import pytest

from potpie_git.domain.vocabulary import ENTITY_TYPES, MUTATION_OPS, NUDGES, PREDICATES, SUBGRAPHS, VIEWS
from potpie_git.readers.catalog import catalog, describe
from potpie_git.readers.errors import UnknownNudgeError, UnknownSubgraphError, UnknownViewError
from potpie_git.readers.nudge import nudge
from potpie_git.readers.request import ReadRequest, parse_scope
from tests.readers.support import MemoryClaims, claim, scope, trunk


def test_the_catalogue_holds_every_declaration() -> None:
    found = catalog()
    assert {view["key"] for view in found["views"]} == set(VIEWS)
    assert {one["name"] for one in found["entity_types"]} == {
        one.name for one in ENTITY_TYPES.values() if one.public
    }
    assert {one["name"] for one in found["predicates"]} == {
        one.name for one in PREDICATES.values() if one.public
    }
    assert [one["op"] for one in found["mutation_ops"]] == list(MUTATION_OPS)


def test_the_read_profile_leaves_out_how_to_write() -> None:
    assert not {"mutation_ops", "record_types", "source_authorities"} & catalog(profile="read").keys()


def test_a_subgraph_narrows_the_catalogue() -> None:
    found = catalog(subgraph="debugging")
    assert [view["key"] for view in found["views"]] == ["debugging.prior_occurrences"]
    assert {one["name"] for one in found["predicates"]} == set(SUBGRAPHS["debugging"].predicates)


@pytest.mark.parametrize(
    ("task", "view"),
    [
        ("fix a bug that customers have seen before", "debugging.prior_occurrences"),
        ("which conventions and preferences must my code follow", "decisions.preferences_for_scope"),
        ("who owns this path", "code_topology.ownership_by_path"),
        ("who owns this file", "code_topology.ownership_by_path"),
        ("who is the owner of src/app.py", "code_topology.ownership_by_path"),
        ("was this symptom fixed before", "debugging.prior_occurrences"),
        ("which services run on staging", "infra_topology.service_neighborhood"),
        ("coding conventions for python", "decisions.preferences_for_scope"),
        ("what changed recently", "recent_changes.timeline"),
        ("what does the service depend on in production", "infra_topology.service_neighborhood"),
        ("find the runbook document", "knowledge.document_context"),
        ("why was this architecture decided and what was rejected", "decisions.active_decisions"),
        ("where is the feature implemented", "features.feature_context"),
    ],
)
def test_a_task_ranks_the_view_that_serves_it_first(task: str, view: str) -> None:
    assert catalog(task=task)["views"][0]["key"] == view


def test_describe_with_examples_that_the_views_accept() -> None:
    for key, view in VIEWS.items():
        shown = describe(view.subgraph, view=view.name, examples=True)["view"]
        assert shown["required_any_scope"] == list(view.required_any_scope)
        words = shown["example"].split(" --")
        pairs = [word.removeprefix("scope ") for word in words if word.startswith("scope ")]
        query = next(
            (word.removeprefix("query ").strip('"') for word in words if word.startswith("query ")), None
        )
        request = ReadRequest(query=query, scope=parse_scope(pairs))
        assert trunk(MemoryClaims([])).read_view(view.subgraph, view.name, request).coverage[0].view == key


def test_describe_of_what_is_not_there() -> None:
    with pytest.raises(UnknownSubgraphError) as error:
        describe("bugs")
    assert error.value.detail["did_you_mean"] == "debugging"
    with pytest.raises(UnknownViewError):
        describe("debugging", view="timeline")
    assert len(describe()["subgraphs"]) == len(SUBGRAPHS)


DECIDED = claim("decision:aa", "DECIDED", "repo:github.com/acme/payments", fact="Minor units")
RULE = claim("preference:x", "POLICY_APPLIES_TO", "repo:github.com/acme/payments", fact="Wrap retries")
BUG = claim("bug_pattern:x", "REPRODUCES", "service:refunds", fact="KeyError: amount in refunds")


def test_a_session_starts_with_decisions_and_preferences_of_its_repository() -> None:
    found = nudge(trunk(MemoryClaims([DECIDED, RULE, BUG])), "session_start", ReadRequest())
    assert {item.view for item in found.items} == set(NUDGES["session_start"].reads)
    assert not found.silent


def test_what_a_session_has_seen_is_not_told_again() -> None:
    reader = trunk(MemoryClaims([DECIDED, RULE]))
    first = nudge(reader, "session_start", ReadRequest(), limit=1)
    second = nudge(reader, "session_start", ReadRequest(), seen=first.keys)
    assert len(first.items) == len(second.items) == 1
    assert not set(first.keys) & set(second.keys)
    assert nudge(reader, "session_start", ReadRequest(), seen=[*first.keys, *second.keys]).silent


def test_a_failed_test_asks_with_its_message() -> None:
    found = nudge(trunk(MemoryClaims([BUG, RULE])), "test-failed", ReadRequest(query="KeyError: amount"))
    assert [item.item.candidate_key for item in found.items] == ["bug_pattern:x"]


def test_weak_matches_are_not_pushed() -> None:
    request = ReadRequest(query="some amount of completely unrelated trouble with zebras")
    assert nudge(trunk(MemoryClaims([BUG])), "test_failed", request).items == ()


def test_an_edit_brings_up_the_rules_of_its_path() -> None:
    rule = claim("preference:y", "POLICY_APPLIES_TO", "code:payments:src/refunds.py", fact="No floats")
    other = claim("preference:z", "POLICY_APPLIES_TO", "code:payments:src/ledger.py", fact="No locks")
    found = nudge(
        trunk(MemoryClaims([rule, other])), "pre_edit", ReadRequest(scope=scope("path:src/refunds.py"))
    )
    assert [item.item.candidate_key for item in found.items] == ["preference:y"]


def test_a_view_whose_scope_is_missing_is_skipped_and_named() -> None:
    found = nudge(trunk(MemoryClaims([])), "pre_deploy", ReadRequest())
    assert found.skipped == ("infra_topology.service_neighborhood",)
    assert found.silent


def test_instructions_and_unknown_events() -> None:
    assert "record" in (nudge(trunk(MemoryClaims([])), "test_passed", ReadRequest()).instruction or "")
    with pytest.raises(UnknownNudgeError, match="pre_edit"):
        nudge(trunk(MemoryClaims([])), "pre_edits", ReadRequest())
