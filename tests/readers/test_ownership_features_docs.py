"""Owners, features, documents and the raw slice."""

from potpie_git.readers.request import ReadRequest
from tests.readers.support import MemoryClaims, claim, replaces, scope, trunk


def _read(key: str, claims, *pairs: str, **options):
    subgraph, _, view = key.partition(".")
    request = ReadRequest(scope=scope(*pairs), **options)
    return trunk(MemoryClaims(claims)).read_view(subgraph, view, request).items


OWNED = claim("service:refunds", "OWNED_BY", "team:core")
MEMBER = claim("person:kim", "MEMBER_OF", "team:core")
REPO = claim("repo:github.com/acme/payments", "OWNED_BY", "person:kim")


def test_the_owner_of_a_service_comes_with_the_team_behind_it() -> None:
    (item,) = _read("code_topology.ownership_by_path", [OWNED, MEMBER, REPO], "service:refunds")
    assert item.candidate_key == "service:refunds"
    assert item.payload["owners"] == ["team:core"]
    assert [one["type"] for one in item.payload["relations"]] == ["OWNED_BY", "MEMBER_OF"]


def test_the_repository_answers_for_a_path_that_nothing_closer_names() -> None:
    (item,) = _read("code_topology.ownership_by_path", [OWNED, MEMBER, REPO], "path:docs/x.md")
    assert (item.candidate_key, item.payload["owners"]) == ("repo:github.com/acme/payments", ["person:kim"])
    assert item.breakdown["scope_overlap"] == 0.5


def test_the_repository_of_a_service_answers_behind_the_services_own_owner() -> None:
    defined = claim("service:refunds", "DEFINED_IN", "repo:github.com/acme/payments")
    items = _read("code_topology.ownership_by_path", [OWNED, REPO, defined], "service:refunds")
    assert [item.candidate_key for item in items] == ["service:refunds", "repo:github.com/acme/payments"]


def test_a_team_is_asked_for_what_it_owns_and_who_is_in_it() -> None:
    items = _read("code_topology.ownership_by_path", [OWNED, MEMBER, REPO], "anchor_entity_key:team:core")
    assert {item.candidate_key for item in items} == {"service:refunds", "team:core"}


PROVIDED = claim("service:refunds", "PROVIDES", "feature:refund", fact="Customers get money back")
IMPLEMENTED = claim("feature:refund", "IMPLEMENTED_IN", "code:payments:src/refunds.py")
OTHER = claim("service:ledger", "PROVIDES", "feature:books")


def test_a_feature_comes_with_provider_place_and_owner() -> None:
    (item,) = _read("features.feature_context", [PROVIDED, IMPLEMENTED, OTHER, OWNED], "service:refunds")
    assert item.candidate_key == "feature:refund"
    assert [one["type"] for one in item.payload["relations"]] == ["PROVIDES", "IMPLEMENTED_IN", "OWNED_BY"]


def test_a_feature_is_asked_for_by_its_key_or_in_words() -> None:
    claims = [PROVIDED, IMPLEMENTED, OTHER]
    for items in (
        _read("features.feature_context", claims, "feature:refund"),
        _read("features.feature_context", claims, query="money back"),
    ):
        assert items[0].candidate_key == "feature:refund"
        assert len(items[0].payload["relations"]) == 2


NOTE = claim(
    "document:aa",
    "RELATED_TO",
    "service:refunds",
    fact="How to replay refunds",
    details={"title": "Replay runbook"},
)


def test_documents_of_a_scope() -> None:
    elsewhere = claim("document:bb", "RELATED_TO", "service:ledger")
    no_document = claim("team:core", "RELATED_TO", "service:refunds")
    (item,) = _read("knowledge.document_context", [NOTE, elsewhere, no_document], "service:refunds")
    assert item.candidate_key == "document:aa"
    assert (item.payload["title"], item.payload["fact"]) == ("Replay runbook", "How to replay refunds")
    (found,) = _read("knowledge.document_context", [NOTE, elsewhere], query="replay refunds")
    assert found.candidate_key == "document:aa"


def test_an_observation_that_a_decision_affects_is_a_document_too() -> None:
    claims = [claim("decision:aa", "AFFECTS", "observation:cc")]
    (item,) = _read("knowledge.document_context", claims, "observation:cc")
    assert item.candidate_key == "observation:cc"


def test_the_raw_slice_holds_every_claim_and_nothing_twice() -> None:
    claims = [OWNED, MEMBER, PROVIDED, NOTE, replaces(OWNED, MEMBER)]
    items = _read("admin.inspection_slice", claims)
    assert {item.candidate_key for item in items} == {one.id for one in claims}
    assert {item.payload["predicate"] for item in items} == {one.predicate for one in claims}
    few = trunk(MemoryClaims(claims)).read_view("admin", "inspection_slice", ReadRequest(limit=2))
    assert (len(few.items), few.coverage[0].status) == (2, "partial")
