"""Search over the index alone: what is found, in which order, how it is labelled, and what happens without vectors."""

import pytest

from potpie_git.domain.query import MatchMode
from potpie_git.index import Index, IndexMissingError, search
from potpie_git.index.schema import IndexedRow, one_of
from tests.index.conftest import Pot, bug, many


def test_words_and_meaning_are_fused(synced: Pot) -> None:
    result = synced.index.search("refunds lock the wallet row", limit=3)
    first = result.hits[0]
    assert result.match_mode is first.matched_by is MatchMode.HYBRID
    assert result.notes == ()
    assert "refund-deadlock" in first.row.path
    assert not first.weak
    assert first.similarity is not None
    assert first.similarity > 0.3
    assert first.bm25 > 0
    blended = (first.similarity + 0.5 * first.bm25 / (first.bm25 + 25)) / 1.5
    assert first.score == pytest.approx(blended, abs=1e-4)


@pytest.mark.parametrize("mode", [MatchMode.LEXICAL, MatchMode.VECTOR, MatchMode.HYBRID])
def test_the_mode_asked_for_answers(synced: Pot, mode: MatchMode) -> None:
    result = synced.index.search("CSV export memory", limit=3, mode=mode)
    assert result.match_mode is mode
    assert "slow-export" in result.hits[0].row.path
    if mode is MatchMode.LEXICAL:
        assert {hit.similarity for hit in result.hits} == {None}
    if mode is MatchMode.VECTOR:
        assert {hit.bm25 for hit in result.hits} == {0.0}


def test_words_are_found_in_any_inflection_and_inside_identifiers(synced: Pot) -> None:
    synced.write(bug("shard", "drain_shard_queue() in payments/legacy_soap.py is never called."))
    synced.index.sync(synced.worktree)
    for text in ("drain_shard_queue", "legacy_soap", "shards queued", "SHARD", "payments/legacy_soap.py"):
        hits = synced.index.search(text, limit=1, mode=MatchMode.LEXICAL).hits
        assert ["pattern-shard" in hit.row.path for hit in hits] == [True], text


@pytest.mark.parametrize(
    "text", ["quantum chromodynamics", "the of and", "", "   ", "?!", "'; DROP TABLE claims; --"]
)
def test_what_nothing_matches_returns_nothing(synced: Pot, text: str) -> None:
    assert synced.index.search(text, limit=5).hits == ()


def test_a_passing_resemblance_is_weak(synced: Pot) -> None:
    hits = synced.index.search(
        "is the amount of rain in the annual weather report of the coast guard high", limit=5
    ).hits
    assert hits
    assert all(hit.weak for hit in hits)


def test_without_an_embedder_search_is_by_words_and_says_so(synced: Pot) -> None:
    result = Index(synced.index.directory, None).search("wallet row", limit=3)
    assert result.match_mode is MatchMode.LEXICAL
    assert "no embedder" in result.notes[0]
    assert "refund-deadlock" in result.hits[0].row.path
    assert not result.hits[0].weak


def test_an_embedder_that_fails_leaves_the_words(synced: Pot) -> None:
    synced.embedder.broken = True
    result = synced.index.search("wallet row", limit=3)
    assert (result.match_mode, result.notes) == (
        MatchMode.LEXICAL,
        ("searched by words: the model is not installed",),
    )
    assert "refund-deadlock" in result.hits[0].row.path


def test_a_fresh_pot_answers_by_words_until_half_of_it_is_embedded(pot: Pot) -> None:
    pot.commit(*many(6))
    pot.index.sync(pot.worktree)
    first = pot.index.search("invoice 3 rounded", limit=6)
    assert (first.match_mode, len(first.hits)) == (MatchMode.LEXICAL, 6)
    assert "0 of 6 cards have a vector so far" in first.notes[0]
    pot.index.embed_pending(limit=4)
    second = pot.index.search("invoice 3 rounded", limit=6)
    assert (second.match_mode, len(second.hits)) == (MatchMode.HYBRID, 6)
    assert sorted(hit.similarity is None for hit in second.hits) == [False] * 4 + [True] * 2
    assert "case-3" in second.hits[0].row.path


def test_without_an_index_search_says_so(pot: Pot) -> None:
    with pytest.raises(IndexMissingError):
        pot.index.search("anything", limit=1)


def test_rows_that_are_not_admitted_make_room_for_others(pot: Pot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_LEAST_CANDIDATES", 5)
    monkeypatch.setattr(search, "_ALL_VECTORS", 5)
    pot.commit(*many(60))
    pot.index.sync(pot.worktree)
    pot.index.embed_pending()
    asked: list[str] = []

    def admit(row: IndexedRow) -> bool:
        asked.append(row.path)
        return "case-59." in row.path

    for mode in (MatchMode.LEXICAL, MatchMode.VECTOR, MatchMode.HYBRID):
        asked.clear()
        result = pot.index.search("invoice 7 was rounded twice", limit=1, admit=admit, mode=mode)
        assert ["case-59." in hit.row.path for hit in result.hits] == [True], mode
        assert len(asked) == len(set(asked)) > 5


def test_a_filter_that_leaves_few_rows_scores_every_one_of_them(
    pot: Pot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_ALL_VECTORS", 5)
    pot.commit(*many(60), bug("far", "Nothing of the kind."))
    pot.index.sync(pot.worktree)
    pot.index.embed_pending()
    where = one_of("subject", ["bug_pattern:far", "bug_pattern:case-8"])
    result = pot.index.search("invoice rounded kind", limit=10, where=where)
    assert len(result.hits) == 2
    assert {hit.similarity is None for hit in result.hits} == {False}


def test_the_order_is_the_same_every_time(pot: Pot) -> None:
    pot.commit(*many(40))
    pot.index.sync(pot.worktree)
    pot.index.embed_pending()
    first = [hit.row.path for hit in pot.index.search("invoice rounded", limit=20).hits]
    pot.index.rebuild(pot.worktree)
    assert [hit.row.path for hit in pot.index.search("invoice rounded", limit=20).hits] == first


def test_many_vectors_are_searched_through_partitions(pot: Pot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("potpie_git.index.tables._VECTOR_INDEX_ROWS", 100)
    monkeypatch.setattr("potpie_git.index.tables._ROWS_PER_PARTITION", 50)
    claims = [bug(f"word-{number}", f"w{number} x{number % 7}") for number in range(150)]
    pot.commit(*claims)
    pot.index.sync(pot.worktree)
    before = {text: pot.found(text) for text in ("w12 x5", "w77 x0", "x3")}
    pot.index.embed_pending()
    plan = pot.index.read(lambda reader: reader._vectors.describe_indices())
    assert "vector" in [name for index in plan for name in index.field_names]
    for text in ("w12 x5", "w77 x0"):
        assert pot.found(text)[0] == before[text][0]
    more = [bug(f"later-{number}", f"v{number}") for number in range(500)]
    pot.write(*more)
    pot.index.sync(pot.worktree)
    pot.index.embed_pending()
    assert "later-499" in pot.found("v499")[0]
    assert pot.index.verify(pot.worktree).ok


def test_a_pasted_log_is_a_question_like_any_other(synced: Pot) -> None:
    log = "refunds lock the wallet row\n" + "\x1b[31mTraceback\x1b[0m 'quoted' \0 line\n" * 20_000
    assert "refund-deadlock" in synced.index.search(log, limit=1).hits[0].row.path
