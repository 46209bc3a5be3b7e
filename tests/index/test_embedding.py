"""Vectors: made once a card, in batches that count at once, and never needed for an answer."""

from collections.abc import Sequence

import numpy as np
import pytest

from potpie_git.index import EmbedderUnavailableError, Index, build, embedding, storage
from tests.index.conftest import Pot, WordEmbedder, bug, many


def test_without_an_index_there_is_nothing_to_embed(pot: Pot) -> None:
    assert pot.index.embed_pending() == embedding.EmbedReport()


def test_a_limit_leaves_the_rest_for_later(pot: Pot) -> None:
    pot.commit(*many(5))
    pot.index.sync(pot.worktree)
    assert pot.index.embed_pending(limit=2) == embedding.EmbedReport(made=2, left=3)
    assert pot.index.status().pending == 3
    assert pot.index.embed_pending() == embedding.EmbedReport(made=3, left=0)
    assert len(pot.embedder.embedded) == len(set(pot.embedder.embedded)) == 5


def test_many_cards_without_a_vector_are_found_by_comparing(
    pot: Pot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MOST_PENDING", 3)
    monkeypatch.setattr(embedding, "MOST_PENDING", 3)
    pot.commit(*many(8))
    assert pot.index.sync(pot.worktree).pending == 8
    assert pot.index.status().pending == 8
    assert pot.index.embed_pending(limit=2) == embedding.EmbedReport(made=2, left=6)
    assert pot.index.embed_pending() == embedding.EmbedReport(made=6, left=0)
    assert pot.index.verify(pot.worktree).ok


class Stopped(Exception):
    """Stands for whatever ends a process."""


class StoppedEmbedder(WordEmbedder):
    def embed_cards(self, texts: Sequence[str]) -> np.ndarray:
        if self.embedded:
            raise Stopped
        return super().embed_cards(texts)


def test_what_was_embedded_before_a_stop_counts(pot: Pot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_BATCH", 2)
    pot.commit(*many(5))
    pot.index.sync(pot.worktree)
    with pytest.raises(Stopped):
        Index(pot.index.directory, StoppedEmbedder()).embed_pending()
    assert pot.index.embed_pending() == embedding.EmbedReport(made=3, left=0)
    assert pot.index.verify(pot.worktree).ok


def test_equal_cards_share_a_vector(pot: Pot) -> None:
    one = bug("twice", "Said by two.", evidence=[{"source_ref": "github:pr:acme/a:1"}])
    other = bug("twice", "Said by two.", evidence=[{"source_ref": "github:pr:acme/a:2"}])
    pot.commit(one, other)
    report = pot.index.sync(pot.worktree)
    assert (report.rows, report.pending) == (2, 1)
    assert pot.index.embed_pending().made == 1
    assert len(pot.found("said by two")) == 2


def test_only_one_process_embeds(pot: Pot) -> None:
    pot.commit(*many(2))
    pot.index.sync(pot.worktree)
    with storage.builder_lock(pot.index.directory, 0.0, "embed.lock"):
        assert pot.index.embed_pending() == embedding.EmbedReport(left=2, busy=True)
    assert pot.embedder.embedded == []


def test_an_embedder_that_is_missing_says_so_and_the_index_stays(pot: Pot) -> None:
    pot.commit(*many(2))
    pot.index.sync(pot.worktree)
    pot.embedder.broken = True
    with pytest.raises(EmbedderUnavailableError):
        pot.index.embed_pending()
    assert pot.index.verify(pot.worktree).problems == ()


def test_vectors_of_another_model_are_made_again(synced: Pot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "MODEL_ID", "another")
    monkeypatch.setattr("potpie_git.index.reader.MODEL_ID", "another")
    monkeypatch.setattr("potpie_git.index.verify.MODEL_ID", "another")
    assert "another model" in synced.index.status().problem
    synced.write(bug("new"))
    synced.index.sync(synced.worktree)
    assert synced.index.embed_pending().made == 4
    assert synced.index.verify(synced.worktree).ok
