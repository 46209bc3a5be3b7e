"""Claims through the index, as the readers ask for them: the same answers as from the files."""

from datetime import UTC, datetime
from typing import Any

import pytest

from potpie_git.domain.claim import Claim, new_claim
from potpie_git.domain.query import ClaimQuery, MatchMode
from potpie_git.index import Index, IndexedClaims, IndexMissingError, claims
from potpie_git.store.snapshot import Snapshot, TreeSnapshot
from tests.index.conftest import Pot, bug, many, withdrawn

NOW = datetime(2026, 8, 1, tzinfo=UTC)
STAMP = {"recorded_at": "2026-06-02T08:15:00Z"}


def owned(service: str, team: str, **fields: Any) -> Claim:
    return new_claim(
        subject=f"service:{service}",
        predicate="OWNED_BY",
        object=f"team:{team}",
        **{"provenance": STAMP, **fields},
    )


CLAIMS = [
    bug("refund-deadlock", "Two refunds lock rows in opposite order.", environment="prod"),
    bug("stale-price", "The list displays an outdated amount.", valid_from="2026-03-01T10:00:00+05:30"),
    bug("it's-quoted", "A key with a quote.", valid_until="2026-07-15T00:00:00Z"),
    bug("later", "Begins only in September.", valid_from="2026-09-01T00:00:00Z"),
    withdrawn(bug("withdrawn", "Refunds were thought to be slow.")),
    owned("refunds", "payments", evidence=[{"source_ref": "github:pr:acme/payments:812"}]),
    owned("search", "discovery", truth="user_decision", environment="staging"),
    owned("cart", "shop", provenance={**STAMP, "source_system": "github"}),
]

QUERIES = [
    ClaimQuery(),
    ClaimQuery(include_invalidated=True),
    ClaimQuery(as_of=datetime(2026, 6, 20, tzinfo=UTC)),
    ClaimQuery(as_of=datetime(2026, 3, 1, 4, 30, tzinfo=UTC)),
    ClaimQuery(predicates=frozenset({"OWNED_BY"})),
    ClaimQuery(predicates=frozenset()),
    ClaimQuery(subjects=frozenset({"bug_pattern:it's-quoted", "service:cart"})),
    ClaimQuery(objects=frozenset({"service:refunds"})),
    ClaimQuery(about=frozenset({"service:refunds", "team:shop"})),
    ClaimQuery(subject_types=frozenset({"Service"})),
    ClaimQuery(object_types=frozenset({"Team"})),
    ClaimQuery(ids=frozenset({CLAIMS[0].id, CLAIMS[5].id})),
    ClaimQuery(subgraph="debugging"),
    ClaimQuery(environment="prod"),
    ClaimQuery(truth=frozenset({"user_decision"})),
    ClaimQuery(source_system="github"),
    ClaimQuery(source_ref="github:pr:acme/payments:812"),
    ClaimQuery(since=datetime(2026, 6, 1, tzinfo=UTC)),
    ClaimQuery(until=datetime(2026, 6, 1, tzinfo=UTC), include_invalidated=True),
    ClaimQuery(limit=2),
]


def through(pot: Pot, snapshot: Snapshot | None = None) -> IndexedClaims:
    return IndexedClaims(pot.index, snapshot or pot.worktree, clock=lambda: NOW)


def ids(pot: Pot, query: ClaimQuery, snapshot: Snapshot | None = None) -> list[str]:
    return [row.claim.id for row in through(pot, snapshot).find_claims(query).rows]


@pytest.fixture
def filled(pot: Pot) -> Pot:
    pot.commit(*CLAIMS)
    pot.index.sync(pot.worktree)
    pot.index.embed_pending()
    return pot


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_a_listing_equals_what_the_files_say(filled: Pot, query: ClaimQuery) -> None:
    wanted = [claim for claim in CLAIMS if query.admits(claim, NOW)]
    wanted.sort(key=lambda claim: claim.begins, reverse=True)
    rows = through(filled).find_claims(query).rows
    assert [row.claim.begins for row in rows] == [claim.begins for claim in wanted][: query.limit]
    assert {row.claim.id for row in rows} <= {claim.id for claim in wanted}
    if query.limit is None:
        assert [row.claim for row in rows] == [
            held for row in rows for held in wanted if held.id == row.claim.id
        ]


def test_a_text_ranks_what_passes_the_filters(filled: Pot) -> None:
    query = ClaimQuery(text="refunds lock rows", subgraph="debugging")
    hits = through(filled).find_claims(query)
    assert hits.match_mode is MatchMode.HYBRID
    assert hits.rows[0].claim == CLAIMS[0]
    assert hits.rows[0].similarity is not None
    assert 0 < hits.rows[0].similarity <= 1
    assert CLAIMS[4].id not in {row.claim.id for row in hits.rows}
    assert {row.claim.subgraph for row in hits.rows} == {"debugging"}
    everything = ClaimQuery(text="refunds slow", include_invalidated=True)
    assert CLAIMS[4].id in ids(filled, everything)
    assert len(ids(filled, ClaimQuery(text="refunds", limit=1))) == 1


def test_a_claim_that_was_withdrawn_since_is_never_served_as_current(filled: Pot) -> None:
    filled.write(withdrawn(CLAIMS[0]))
    for text in (None, "refunds lock rows"):
        assert CLAIMS[0].id not in ids(filled, ClaimQuery(text=text))
        shown = through(filled).find_claims(ClaimQuery(text=text, include_invalidated=True)).rows
        found = [row.claim for row in shown if row.claim.id == CLAIMS[0].id]
        assert [claim.live for claim in found] == [False]
    assert CLAIMS[0].id in ids(filled, ClaimQuery(text="refunds lock rows"), filled.head)


def test_a_file_that_is_gone_is_not_found(filled: Pot) -> None:
    filled.remove(CLAIMS[5])
    assert CLAIMS[5].id not in ids(filled, ClaimQuery())
    assert CLAIMS[5].id not in ids(filled, ClaimQuery(text="refunds payments"))


def test_files_that_the_index_does_not_know_are_read(filled: Pot) -> None:
    new = bug("new-one", "Refunds vanish at midnight.")
    filled.write(new)
    assert new.id in ids(filled, ClaimQuery())
    hits = through(filled).find_claims(ClaimQuery(text="vanish at midnight"))
    assert hits.rows[0].claim == new
    assert not hits.rows[0].weak
    assert hits.rows[0].blob == filled.worktree.entry(hits.rows[0].path).oid
    by_words = IndexedClaims(Index(filled.index.directory), filled.worktree)
    assert by_words.find_claims(ClaimQuery(text="vanish at midnight")).rows[0].claim == new
    assert ids(filled, ClaimQuery(text="quantum chromodynamics")) == []


def test_a_snapshot_that_was_never_synced_is_left_to_the_scan(
    filled: Pot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "MOST_FRESH", 3)
    filled.write(*many(4))
    with pytest.raises(IndexMissingError):
        through(filled).find_claims(ClaimQuery())
    assert ids(filled, ClaimQuery(), filled.head)


def test_nothing_of_another_branch_is_found(filled: Pot) -> None:
    first = filled.git.git("rev-parse", "HEAD")
    filled.git.branch("other")
    other = bug("other-branch", "Only there: the moon is full.")
    filled.commit(other)
    filled.index.sync(filled.worktree)
    filled.index.embed_pending()
    assert ids(filled, ClaimQuery(text="moon is full"))[0] == other.id

    filled.git.switch("main")
    filled.index.sync(filled.worktree)
    assert other.id not in ids(filled, ClaimQuery(text="moon is full"))
    assert other.id not in ids(filled, ClaimQuery())
    assert ids(filled, ClaimQuery(text="moon is full"), TreeSnapshot(filled.repo, "other"))[0] == other.id
    filled.git.git("reset", "--quiet", "--hard", first)
    assert other.id not in ids(filled, ClaimQuery())
