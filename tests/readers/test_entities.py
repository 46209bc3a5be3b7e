"""Who is who before a write: entities by hard filters and by words."""

import pytest

from potpie_git.readers.entities import EntityQuery, search_entities
from potpie_git.readers.errors import BadFilterError, UnknownSubgraphError
from potpie_git.readers.request import ReadContext, ReadRequest
from tests.readers.support import NOW, MemoryClaims, claim, entity, scope

CLAIMS = [
    claim(
        "service:refunds-api",
        "USES_ADAPTER",
        "adapter:payments:stripe",
        environment="prod",
        refs=["github:pr:acme/x:1"],
    ),
    claim(
        "service:refunds-api",
        "USES_ADAPTER",
        "adapter:payments:fake",
        environment="staging",
        refs=["linear:ENG-1"],
    ),
    claim(
        "decision:aa",
        "DECIDED",
        "service:refunds-api",
        truth="user_decision",
        fact="Refund in minor units",
        system="github",
    ),
    claim("decision:bb", "DECIDED", "service:ledger", fact="Books are append only"),
]
KNOWN = [
    entity(
        "service:refunds-api", "Service", name="Refunds", summary="Gives money back", external_ids=["pd:P123"]
    )
]


def _find(*, claims=CLAIMS, aliases=None, known=KNOWN, **fields):
    request = {name: fields.pop(name) for name in list(fields) if name in ReadRequest.__dataclass_fields__}
    truth = fields.pop("truths", ())
    entities = {one.key: one for one in known}
    return search_entities(
        MemoryClaims(claims, aliases=aliases),
        lambda: NOW,
        ReadContext(entity=entities.get, repository="repo:github.com/acme/payments"),
        EntityQuery(request=ReadRequest(**request), truth=truth, **fields),
        authored=lambda: known,
    )


def _keys(**fields) -> set[str]:
    return {one.entity_key for one in _find(**fields).entities}


def test_types_and_predicates() -> None:
    assert _keys(types=("Decision",)) == {"decision:aa", "decision:bb"}
    assert _keys(types=("Adapter",), environment="prod") == {"adapter:payments:stripe"}
    assert _keys(predicates=("DECIDED",), types=("Service",)) == {"service:refunds-api", "service:ledger"}


def test_subgraph_truth_scope_and_sources() -> None:
    assert _keys(subgraph="infra_topology") == {
        "service:refunds-api",
        "adapter:payments:stripe",
        "adapter:payments:fake",
    }
    assert _keys(truths=("user_decision",), types=("Decision",)) == {"decision:aa"}
    assert _keys(types=("Decision",), scope=scope("service:ledger")) == {"decision:bb"}
    assert _keys(source_refs=("linear:ENG-1",), types=("Adapter",)) == {"adapter:payments:fake"}
    assert _keys(source_refs=("linear:ENG-1", "github:pr:acme/x:1"), types=("Adapter",)) == {
        "adapter:payments:fake",
        "adapter:payments:stripe",
    }
    assert _keys(source_family="linear") == {"service:refunds-api", "adapter:payments:fake"}
    assert _keys(source_system="github") == {"decision:aa", "service:refunds-api"}


def test_an_entity_is_one_candidate_with_all_that_names_it() -> None:
    found = _find(types=("Service",), supporting_claims=True)
    first = next(one for one in found.entities if one.entity_key == "service:refunds-api")
    assert (first.name, first.description, first.claims) == ("Refunds", "Gives money back", 3)
    assert sorted(first.source_refs) == ["github:pr:acme/x:1", "linear:ENG-1"]
    assert {one["claim_id"] for one in first.supporting_claims} == {one.id for one in CLAIMS[:3]}


def test_words_rank_and_the_best_claim_counts() -> None:
    found = _find(query="minor units", types=("Decision",))
    assert [one.entity_key for one in found.entities] == ["decision:aa"]
    assert found.entities[0].similarity is not None
    assert found.match_mode.value == "lexical"


def test_a_name_finds_the_entity_whose_key_it_spells() -> None:
    for text in ("service:refunds-api", "Refunds API", "refunds-api"):
        first = _find(query=text, types=("Service",)).entities[0]
        assert (first.entity_key, first.similarity) == ("service:refunds-api", 1.0), text


def test_an_alias_leads_to_what_it_was_merged_into() -> None:
    merged = [*CLAIMS, claim("service:refund-api", "USES", "datastore:x")]
    found = _find(claims=merged, aliases={"service:refund-api": "service:refunds-api"}, types=("Service",))
    assert {one.entity_key for one in found.entities} == {"service:refunds-api", "service:ledger"}
    assert max(one.claims for one in found.entities) == 4


def test_an_external_id_names_one_entity() -> None:
    assert _keys(external_id="pd:P123") == {"service:refunds-api"}
    assert _keys(external_id="nothing") == set()
    activity = claim("activity:github:pr-812", "TOUCHED", "service:ledger")
    assert _keys(claims=[activity], external_id="pr-812") == {"activity:github:pr-812"}


def test_coverage() -> None:
    assert _find(types=("Cluster",)).coverage == "empty"
    assert _find(limit=1).coverage == "partial"
    assert _find(query="units about zebras in the serengeti plains", types=("Decision",)).coverage == "sparse"


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"types": ("Servce",)}, BadFilterError),
        ({"predicates": ("USE",)}, BadFilterError),
        ({"truths": ("certain",)}, BadFilterError),
        ({"subgraph": "bugs"}, UnknownSubgraphError),
    ],
)
def test_names_that_are_not_in_the_vocabulary_are_refused(fields, error) -> None:
    with pytest.raises(error):
        _find(**fields)
