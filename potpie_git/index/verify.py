"""Proof that the index equals the files: every claim has one row, and every row says what its file says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from potpie_git.domain.layout import CLAIMS as CLAIM_FOLDER
from potpie_git.index import storage
from potpie_git.index.build import Build, decode_rows, in_chunks, open_build, root_of
from potpie_git.index.embedder import MODEL_ID, Embedder, EmbedderUnavailableError
from potpie_git.index.errors import IndexDamagedError, IndexMissingError
from potpie_git.index.schema import claims_schema, one_of
from potpie_git.index.tables import count_through_lancedb, open_table, reading
from potpie_git.store.snapshot import Snapshot

_MOST_PROBLEMS = 50
_ROWS_AT_ONCE = 1000
# Cards whose vectors are made again and compared.
_SAMPLE = 16
_SAME = 1e-4


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Whether the index equals the snapshot's claims; `problems` (at most 50) say where it does not."""

    claims: int
    vectors: int
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems


def verify(directory: Path, snapshot: Snapshot, embedder: Embedder | None) -> VerifyReport:
    """Compare every row with its file, every file with its row, and the tables with their seals.

    Raises `InvalidFileError` if a file of the snapshot does not decode.
    """
    try:
        build = open_build(directory)
        storage.check_seal(build.table, build.state.seal, thorough=True)
        vectors = storage.read_state(build.vectors)
        storage.check_seal(build.vector_table, vectors.seal, thorough=True)
        count, problems = _compare(build, snapshot)
        problems += _vector_problems(build, vectors, embedder)
    except (IndexMissingError, IndexDamagedError) as error:
        return VerifyReport(0, 0, (error.message,))
    return VerifyReport(count, vectors.rows, tuple(problems[:_MOST_PROBLEMS]))


def _compare(build: Build, snapshot: Snapshot) -> tuple[int, list[str]]:
    """How many claims the snapshot has, and where the claims table differs from them."""
    problems: list[str] = []
    if root_of(snapshot) not in build.state.roots:
        problems.append("this snapshot was not synced: run `git potpie index sync`")
    rows = count_through_lancedb(build.claims, storage.CLAIMS, build.state.version)
    if rows != build.state.rows:
        problems.append(f"the state counts {build.state.rows} rows, the table has {rows}")
    entries = list(snapshot.entries(CLAIM_FOLDER))
    for wanted in in_chunks(decode_rows(snapshot, entries, None), _ROWS_AT_ONCE):
        problems += _row_problems(build, wanted)
    return len(entries), problems


def _row_problems(build: Build, wanted: list[dict[str, Any]]) -> Iterator[str]:
    table = open_table(build.table, build.state.version)
    with reading(build.table):
        found = table.scanner(filter=one_of("path", (row["path"] for row in wanted))).to_table().to_pylist()
    counted = Counter((row["blob"], row["path"]) for row in found)
    held = {(row["blob"], row["path"]): row for row in found}
    for row in wanted:
        key = row["blob"], row["path"]
        if counted[key] != 1:
            yield f"{row['path']}: {counted[key]} rows instead of one"
            continue
        wrong = [field.name for field in claims_schema() if held[key][field.name] != row[field.name]]
        if wrong:
            yield f"{row['path']}: differs from its file in {', '.join(wrong)}"


def _vector_problems(build: Build, state: storage.TableState, embedder: Embedder | None) -> list[str]:
    """Vectors that are doubled, not of length 1, or not what the embedder makes of a sample of cards."""
    import numpy as np

    if state.model != MODEL_ID:
        return ["the vectors were made by another model"]
    table = open_table(build.vector_table, state.version)
    with reading(build.vector_table):
        found = table.to_table()
        digests = found["card_digest"].to_pylist()
        flat = found["vector"].combine_chunks().flatten().to_numpy()
    vectors = flat.reshape(len(digests), -1) if digests else np.zeros((0, 1), dtype=np.float32)
    problems = []
    if len(set(digests)) != len(digests):
        problems.append(f"{len(digests) - len(set(digests))} cards have more than one vector")
    off = np.abs(np.linalg.norm(vectors, axis=1) - 1) > _SAME if digests else np.zeros(0, dtype=bool)
    problems += [f"the vector of card {digests[place]} is not of length 1" for place in np.flatnonzero(off)]
    return problems + _resampled(build, dict(zip(digests, vectors, strict=True)), embedder)


def _resampled(build: Build, vectors: dict[str, Any], embedder: Embedder | None) -> list[str]:
    import numpy as np

    sample = sorted(vectors)[:: max(1, len(vectors) // _SAMPLE)]
    table = open_table(build.table, build.state.version)
    with reading(build.table):
        columns = ["card", "card_digest"]
        found = table.scanner(columns=columns, filter=one_of("card_digest", sample)).to_table()
        cards = dict(zip(found["card_digest"].to_pylist(), found["card"].to_pylist(), strict=True))
    if embedder is None or not cards:
        return []
    try:
        made = embedder.embed_cards(list(cards.values()))
    except EmbedderUnavailableError as error:
        return [f"vectors were not compared: {error.message}"]
    return [
        f"the vector of card {digest} is not what the embedder makes"
        for digest, vector in zip(cards, made, strict=True)
        if float(np.abs(vectors[digest] - vector).max()) > _SAME
    ]
