"""Verify finds every way in which the index can differ from the files."""

from collections.abc import Callable

import lance
import lancedb
import pytest

from potpie_git.domain.layout import claim_path
from potpie_git.index import build, storage
from tests.index.conftest import Pot, bug


def resealed(pot: Pot, change: Callable[[lance.LanceDataset], object], kind: str = storage.CLAIMS) -> None:
    """Change a table as only a fault of this program could, and seal it again."""
    made = build.open_build(pot.index.directory)
    folder, table = (made.claims, made.table) if kind == storage.CLAIMS else (made.vectors, made.vector_table)
    change(lance.dataset(str(table)))
    state = storage.read_state(folder)
    held = {name: getattr(state, name) for name in state.__slots__}
    held |= {"version": lance.dataset(str(table)).version, "seal": storage.seal_of(table, {})}
    storage.write_state(folder, storage.TableState(**held))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda table: table.delete("subject LIKE '%price%'"), "0 rows instead of one"),
        (lambda table: table.insert(table.to_table(limit=1)), "2 rows instead of one"),
        (lambda table: table.update({"payload": "'{}'"}, "subject LIKE '%price%'"), "in payload"),
        (lambda table: table.update({"live": "false"}, "subject LIKE '%price%'"), "in live"),
        (lambda table: table.update({"card": "'other'"}, "subject LIKE '%price%'"), "in card"),
    ],
)
def test_a_row_that_is_not_its_file_is_named(
    synced: Pot, change: Callable[[lance.LanceDataset], object], told: str
) -> None:
    resealed(synced, change)
    problems = synced.index.verify(synced.worktree).problems
    assert any(told in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda table: table.insert(table.to_table(limit=1)), "more than one vector"),
        (
            lambda table: table.update({"card_digest": "'x'"}, "true") and table.insert(table.to_table()),
            "more than one vector",
        ),
    ],
)
def test_a_vector_that_is_doubled_is_told(
    synced: Pot, change: Callable[[lance.LanceDataset], object], told: str
) -> None:
    resealed(synced, change, storage.VECTORS)
    problems = synced.index.verify(synced.worktree).problems
    assert any(told in problem for problem in problems), problems


def test_a_vector_of_another_text_is_told(synced: Pot) -> None:
    def swap(table: lance.LanceDataset) -> None:
        held = table.to_table()
        digests = held["card_digest"].to_pylist()
        turned = held.set_column(0, held.schema.field(0), [digests[1:] + digests[:1]])
        lance.write_dataset(turned, table.uri, mode="overwrite")

    resealed(synced, swap, storage.VECTORS)
    problems = synced.index.verify(synced.worktree).problems
    assert len([problem for problem in problems if "is not what the embedder makes" in problem]) == 3


def test_a_snapshot_that_was_not_synced_differs(synced: Pot) -> None:
    new = bug("new", "Not synced yet.")
    synced.write(new)
    problems = synced.index.verify(synced.worktree).problems
    assert any("was not synced" in problem for problem in problems)
    assert any(problem.startswith(claim_path(new)) for problem in problems)


def test_no_index_is_a_problem_too(pot: Pot) -> None:
    assert pot.index.verify(pot.worktree).problems == ("there is no index yet",)


def test_a_change_that_kept_size_and_time_is_found(synced: Pot) -> None:
    made = build.open_build(synced.index.directory)
    seal = {name: (size, time, "0" * 32) for name, (size, time, _) in made.state.seal.items()}
    held = {name: getattr(made.state, name) for name in made.state.__slots__} | {"seal": seal}
    storage.write_state(made.claims, storage.TableState(**held))
    (problem,) = synced.index.verify(synced.worktree).problems
    assert "has changed since it was written" in problem


def test_the_tables_are_a_lancedb_database(synced: Pot) -> None:
    made = build.open_build(synced.index.directory)
    claims = lancedb.connect(made.claims).open_table("claims")
    vectors = lancedb.connect(made.vectors).open_table("vectors")
    assert (claims.count_rows(), vectors.count_rows()) == (3, 3)
    (best,) = claims.search("wallet row", query_type="fts").limit(1).to_list()
    assert "refund-deadlock" in best["path"]
    question = synced.embedder.embed_question("outdated amount of a product")
    (nearest,) = vectors.search(question).limit(1).to_list()
    assert nearest["card_digest"] in {
        row["card_digest"] for row in claims.search().where("subject LIKE '%price%'").to_list()
    }
