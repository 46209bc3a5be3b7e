"""A bounded walk: depth, direction, environment; and the standalone neighbourhood that shares it."""

import pytest

from potpie_git.readers.errors import BadFilterError
from potpie_git.readers.neighborhood import neighborhood
from potpie_git.readers.request import ReadContext, ReadRequest
from tests.readers.support import NOW, MemoryClaims, claim, entity, replaces, scope, trunk

CHAIN = [
    claim(f"service:{one}", "DEPENDS_ON", f"service:{two}")
    for one, two in zip("abcdef", "bcdefg", strict=True)
]
PROD = claim("service:a", "USES", "datastore:main", environment="prod")
STAGING = claim("service:a", "USES", "datastore:main", environment="staging")
UNQUALIFIED = claim("service:a", "USES", "dependency:pypi:httpx")


def _view(claims, *pairs: str, entities=(), **options):
    request = ReadRequest(scope=scope(*pairs), **options)
    reader = trunk(MemoryClaims(claims), entities=entities)
    return reader.read_view("infra_topology", "service_neighborhood", request)


def _edges(envelope) -> set[str]:
    return {relation["claim_id"] for item in envelope.items for relation in item.payload["relations"]}


def test_prod_and_staging_of_one_relation_stand_side_by_side() -> None:
    assert _edges(_view([PROD, STAGING], "service:a")) == {PROD.id, STAGING.id}


def test_a_read_for_prod_shows_prod_alone() -> None:
    assert _edges(_view([PROD, STAGING, UNQUALIFIED], "service:a", environment="prod")) == {PROD.id}
    both = _view(
        [PROD, STAGING, UNQUALIFIED], "service:a", environment="prod", include_unqualified_environment=True
    )
    assert _edges(both) == {PROD.id, UNQUALIFIED.id}


def test_an_edge_to_an_environment_belongs_to_it() -> None:
    deployed = claim("service:a", "DEPLOYED_TO", "environment:prod")
    target = claim("service:a", "DEPLOYED_WITH", "deployment_target:staging:helm")
    assert _edges(_view([deployed, target], "service:a", environment="prod")) == {deployed.id}
    assert _edges(_view([deployed, target], "service:a", environment="staging")) == {target.id}


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_walk_goes_as_far_as_it_is_told_and_never_further(depth: int) -> None:
    assert _edges(_view(CHAIN, "service:a", depth=depth)) == {one.id for one in CHAIN[:depth]}


def test_the_default_is_two_hops_and_five_are_refused() -> None:
    assert len(_edges(_view(CHAIN, "service:a"))) == 2
    with pytest.raises(BadFilterError):
        _view(CHAIN, "service:a", depth=5)


def test_directions() -> None:
    def edges(direction):
        return _edges(_view(CHAIN, "service:c", depth=1, direction=direction))

    assert edges("out") == {CHAIN[2].id}
    assert edges("in") == {CHAIN[1].id}
    assert edges("both") == {CHAIN[1].id, CHAIN[2].id}


def test_an_item_is_an_entity_with_the_edges_that_it_brings_and_the_nearest_comes_first() -> None:
    described = [entity("service:a", "Service", name="A", description="Takes the money")]
    envelope = _view(CHAIN, "service:a", depth=3, entities=described)
    assert [(item.candidate_key, item.payload["depth"]) for item in envelope.items] == [
        ("service:a", 0),
        ("service:b", 1),
        ("service:c", 2),
    ]
    assert envelope.items[0].payload["description"] == "Takes the money"
    assert [len(item.payload["relations"]) for item in envelope.items] == [1, 1, 1]


def test_a_circle_ends() -> None:
    circle = [claim("service:a", "DEPENDS_ON", "service:b"), claim("service:b", "DEPENDS_ON", "service:a")]
    assert _edges(_view(circle, "service:a", depth=4)) == {one.id for one in circle}


def test_a_text_tells_what_matches_without_deciding_what_is_found() -> None:
    plain = _view([*CHAIN, PROD], "service:a", depth=1)
    asked = _view([*CHAIN, PROD], "service:a", depth=1, query="main datastore")
    assert _edges(asked) == _edges(plain)
    assert asked.items[0].breakdown["semantic_similarity"] > 0


def test_another_spelling_and_an_alias_start_the_same_walk() -> None:
    search = MemoryClaims(CHAIN, aliases={"service:old-a": "service:a"})
    request = ReadRequest(scope=scope("service:old-a"), depth=1)
    envelope = trunk(search).read_view("infra_topology", "service_neighborhood", request)
    assert _edges(envelope) == {CHAIN[0].id}


def _around(claims, key: str, *, predicates=(), **options):
    return neighborhood(
        MemoryClaims(claims), lambda: NOW, ReadContext(), key, ReadRequest(**options), predicates=predicates
    )


def test_a_bug_is_walked_to_its_fix_and_to_what_proved_it() -> None:
    claims = [
        claim("bug_pattern:x", "REPRODUCES", "service:a"),
        claim("fix:aa", "RESOLVED", "bug_pattern:x"),
        claim("activity:ci:1", "VERIFIED", "fix:aa"),
        claim("activity:ci:1", "TOUCHED", "service:far"),
    ]
    found = _around(claims, "bug_pattern:x", depth=2)
    assert {(node.entity_key, node.depth) for node in found.nodes} == {
        ("bug_pattern:x", 0),
        ("service:a", 1),
        ("fix:aa", 1),
        ("activity:ci:1", 2),
    }
    assert [edge["depth"] for edge in found.edges] == [1, 1, 2]
    assert not found.truncated


def test_predicates_and_environment_bound_the_walk() -> None:
    found = _around(
        [*CHAIN, PROD, STAGING], "service:a", predicates=("USES",), environment="staging", depth=4
    )
    assert [edge["claim_id"] for edge in found.edges] == [STAGING.id]


def test_a_limit_is_told() -> None:
    claims = [claim("service:a", "DEPENDS_ON", f"service:n{number}") for number in range(20)]
    found = _around(claims, "service:a", limit=5)
    assert (len(found.edges), len(found.nodes), found.truncated) == (5, 6, True)


def test_the_systems_own_edges_show_only_when_named() -> None:
    new, old = CHAIN[0], CHAIN[1]
    edge = replaces(new, old)
    alias = claim("service:a", "ALIAS_OF", "service:b")
    assert _around([edge, alias], "service:a").edges == []
    assert [
        one["claim_id"] for one in _around([edge, alias], "service:a", predicates=("ALIAS_OF",)).edges
    ] == [alias.id]


@pytest.mark.parametrize(
    ("key", "predicates"), [("nonsense", ()), ("sevrice:a", ()), ("service:a", ("USE",))]
)
def test_what_cannot_be_walked_is_refused(key: str, predicates: tuple[str, ...]) -> None:
    with pytest.raises(BadFilterError):
        _around([], key, predicates=predicates)
