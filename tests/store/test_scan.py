"""Claims found by reading a snapshot's files, with the same filters as any other search."""

from datetime import UTC, datetime, timedelta

import pytest

from potpie_git.domain.claim import Claim, Invalidation, Provenance, new_claim
from potpie_git.domain.errors import InvalidFileError
from potpie_git.domain.files import Entity, MergeRecord
from potpie_git.domain.layout import expected_path
from potpie_git.domain.query import ClaimQuery, MatchMode
from potpie_git.store.codec import encode
from potpie_git.store.repository import Repository
from potpie_git.store.scan import ScannedClaims
from potpie_git.store.snapshot import TreeSnapshot, WorktreeSnapshot
from tests.support.git_repo import GitRepo

NOW = datetime(2026, 7, 1, tzinfo=UTC)


def _claim(subject: str, predicate: str, target: str, hour: int = 0, **fields) -> Claim:
    when = (NOW - timedelta(hours=hour + 1)).isoformat()
    return new_claim(
        subject=subject,
        predicate=predicate,
        object=target,
        valid_from=when,
        provenance=Provenance(recorded_at=when),
        **fields,
    )


BUG = _claim(
    "bug_pattern:refund-409", "REPRODUCES", "service:refunds", 3, fact="Refund fails with a conflict"
)
FIX = _claim("fix:aaaaaaaaaaaa", "RESOLVED", "bug_pattern:refund-409", 2, fact="Ask for what is left")
OWNED = _claim("service:refunds", "OWNED_BY", "team:core", 1)


@pytest.fixture
def pot(git_repo: GitRepo) -> GitRepo:
    for record in (BUG, FIX, OWNED):
        _write(git_repo, record)
    git_repo.commit("claims")
    return git_repo


def _write(repo: GitRepo, record: Claim | Entity) -> None:
    repo.write(f".potpie/{expected_path(record)}", encode(record))


def _search(pot: GitRepo, rev: str | None = None) -> ScannedClaims:
    repository = Repository.discover(pot.root)
    snapshot = TreeSnapshot(repository, rev) if rev else WorktreeSnapshot(repository)
    return ScannedClaims(snapshot, clock=lambda: NOW)


def _ids(search: ScannedClaims, **fields) -> list[str]:
    return [row.claim.id for row in search.find_claims(ClaimQuery(**fields)).rows]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, [OWNED, FIX, BUG]),
        ({"limit": 2}, [OWNED, FIX]),
        ({"predicates": frozenset({"RESOLVED", "REPRODUCES"})}, [FIX, BUG]),
        ({"about": frozenset({"bug_pattern:refund-409"})}, [FIX, BUG]),
        ({"subjects": frozenset({"service:refunds"})}, [OWNED]),
        ({"subjects": frozenset({"service:refunds"}), "predicates": frozenset({"OWNED_BY"})}, [OWNED]),
        ({"subjects": frozenset({"service:refund"}), "predicates": frozenset({"OWNED_BY"})}, []),
        ({"objects": frozenset({"service:refunds"})}, [BUG]),
        ({"ids": frozenset({FIX.id})}, [FIX]),
        ({"subgraph": "code_topology"}, [OWNED]),
        ({"since": NOW - timedelta(hours=3, minutes=30)}, [OWNED, FIX]),
    ],
)
def test_hard_filters_and_the_newest_first(pot: GitRepo, fields, expected: list[Claim]) -> None:
    assert _ids(_search(pot), **fields) == [claim.id for claim in expected]


def test_rows_say_which_file_they_are(pot: GitRepo) -> None:
    row = _search(pot).find_claims(ClaimQuery(ids=frozenset({BUG.id}))).rows[0]
    assert row.path == expected_path(BUG)
    assert row.blob == pot.git("rev-parse", f"HEAD:.potpie/{row.path}")


def test_words_rank_and_say_so(pot: GitRepo) -> None:
    hits = _search(pot).find_claims(ClaimQuery(text="conflict when a refund fails"))
    assert hits.match_mode is MatchMode.LEXICAL
    assert hits.rows[0].claim.id == BUG.id
    assert not hits.rows[0].weak
    weak = _search(pot).find_claims(ClaimQuery(text="zebras that refund nobody in the serengeti plains"))
    assert weak.rows
    assert all(row.weak for row in weak.rows)
    assert _search(pot).find_claims(ClaimQuery(text="zebra")).rows == ()


def test_a_withdrawn_claim_is_found_only_on_request_or_at_its_time(pot: GitRepo) -> None:
    gone = OWNED.model_copy(
        update={
            "valid_to": NOW.isoformat(),
            "invalidation": Invalidation(
                op="retract_claim", reason="x", provenance=Provenance(recorded_at=NOW.isoformat())
            ),
        }
    )
    before = pot.git("rev-parse", "HEAD")
    _write(pot, gone)
    pot.commit("withdraw")
    asked = {"predicates": frozenset({"OWNED_BY"})}
    assert _ids(_search(pot), **asked) == []
    assert _ids(_search(pot), **asked, include_invalidated=True) == [OWNED.id]
    assert _ids(_search(pot), **asked, as_of=NOW - timedelta(minutes=5)) == [OWNED.id]
    assert _ids(_search(pot, before), **asked) == [OWNED.id]


def test_a_file_that_does_not_parse_is_an_error_that_names_it(pot: GitRepo) -> None:
    pot.write(f".potpie/{expected_path(BUG)}", b"subject: [\n")
    with pytest.raises(InvalidFileError) as error:
        _search(pot).find_claims(ClaimQuery())
    assert expected_path(BUG) in str(error.value.detail)


def test_a_merged_entity_is_read_under_the_key_that_it_was_merged_into(pot: GitRepo) -> None:
    merged = Entity(
        key="service:refund-api",
        type="Service",
        merged=MergeRecord(
            into="service:refunds", reason="twins", provenance=Provenance(recorded_at="2026-06-01T00:00:00Z")
        ),
        provenance=Provenance(recorded_at="2026-06-01T00:00:00Z"),
    )
    _write(pot, merged)
    search = _search(pot)
    assert search.resolve_alias("service:refund-api") == "service:refunds"
    assert search.resolve_alias("service:other") == "service:other"
