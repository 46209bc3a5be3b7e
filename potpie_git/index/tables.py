"""Lance tables: made through LanceDB, read and appended to through the same library's light core.

A directory of tables is a LanceDB database: `lancedb.connect(directory).open_table("claims")` reads it. Reads and
appends use the `lance` package, which opens the same files and loads in a fifth of the time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from potpie_git.domain.errors import StorageError
from potpie_git.domain.lexical import MAX_TOKEN_LENGTH, STOP_WORDS
from potpie_git.index.errors import IndexDamagedError

if TYPE_CHECKING:
    import pyarrow as pa

# Fragments below this many rows are merged; larger ones are left alone, so that upkeep costs follow the change.
_FRAGMENT_ROWS: Final = 8192
_SMALL_FRAGMENTS: Final = 16
# Rows outside an index are searched one by one, about 10 microseconds each.
_UNINDEXED_ROWS: Final = 1000
_SEGMENTS: Final = 8
# A reader goes on with the version that it opened. One round of upkeep makes at most five, so twelve leave it time.
_KEPT_VERSIONS: Final = 12
# From here on vectors are kept in partitions: an eighth of the time of a plain scan, exact while all are probed
# (65,536 rows), and at 100,000 rows still 99 of the 100 nearest.
_VECTOR_INDEX_ROWS: Final = 4096
_ROWS_PER_PARTITION: Final = 2048
PROBES: Final = 32
# Partitions are laid anew once the table has outgrown them by this factor.
_PARTITION_GROWTH: Final = 4


@contextmanager
def reading(table: Path) -> Iterator[None]:
    """Turn whatever Lance and Arrow raise over a file that they cannot read into `IndexDamagedError`."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, LookupError, MemoryError) as error:
        raise IndexDamagedError(f"{table} cannot be read: {_first_line(error)}") from error


@contextmanager
def writing(table: Path) -> Iterator[None]:
    """Turn a failed write (disk full, read-only directory) into `StorageError`."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        raise StorageError(f"{table} cannot be written: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


@dataclass(frozen=True, slots=True)
class Columns:
    """What a table is searched by: a full-text column, columns looked up by value, and a vector column."""

    text: str | None = None
    keys: tuple[str, ...] = ()
    vector: str | None = None


CLAIMS_COLUMNS: Final = Columns(text="card", keys=("path", "card_digest"))
VECTORS_COLUMNS: Final = Columns(keys=("card_digest",), vector="vector")


def _lance() -> Any:
    """The lance package, told to keep its warnings about sizes and clusters off the user's terminal."""
    os.environ.setdefault("LANCE_LOG", "error")
    import lance

    return lance


def table_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.lance"


def create_table(folder: Path, name: str, schema: pa.Schema) -> int:
    """Make an empty table in the LanceDB database `folder` and return its version. Raises `StorageError`."""
    import lancedb

    with writing(table_path(folder, name)):
        table = lancedb.connect(folder).create_table(name, schema=schema)
        return int(table.version)


def open_table(table: Path, version: int | None = None) -> Any:
    """Open a table at a version, or at the latest. Raises `IndexDamagedError`."""
    with reading(table):
        return _lance().dataset(str(table), version=version)


def count_through_lancedb(folder: Path, name: str, version: int) -> int:
    """Rows of a table at a version, as LanceDB itself counts them. Raises `IndexDamagedError`."""
    import lancedb

    with reading(table_path(folder, name)):
        table = lancedb.connect(folder).open_table(name)
        table.checkout(version)
        return int(table.count_rows())


def append(table: Path, batches: Sequence[pa.Table]) -> None:
    """Add rows in one transaction. Raises `StorageError`."""
    import pyarrow as pa

    with writing(table):
        _lance().write_dataset(pa.concat_tables(batches), str(table), mode="append")


def tend(table: Path, columns: Columns) -> int:
    """Keep the table quick and small if that is due, and return its latest version.

    Small fragments are merged, new rows enter the search indices, and old versions are removed. Raises `StorageError`.
    """
    lance = _lance()
    with writing(table):
        dataset = lance.dataset(str(table))
        rows = dataset.count_rows()
        indices = dataset.describe_indices()
        if rows and not indices:
            _create_indices(dataset, columns)
        elif rows and _due(dataset, indices, rows):
            dataset.optimize.compact_files(target_rows_per_fragment=_FRAGMENT_ROWS)
            _merge_segments(lance.dataset(str(table)))
            _remove_old(lance.dataset(str(table)))
        dataset = lance.dataset(str(table))
        if columns.vector and _outgrown(dataset, columns.vector, rows):
            _partition(dataset, columns.vector, rows)
            _remove_old(lance.dataset(str(table)))
        return int(lance.dataset(str(table)).version)


def _remove_old(dataset: Any) -> None:
    """Remove old versions, and what a killed write left: the caller is the only writer."""
    dataset.cleanup_old_versions(retain_versions=_KEPT_VERSIONS, delete_unverified=True)


def _due(dataset: Any, indices: Sequence[Any], rows: int) -> bool:
    small = sum(1 for part in dataset.get_fragments() if part.physical_rows < _FRAGMENT_ROWS)
    indexed = min(index.num_rows_indexed for index in indices)
    return small > _SMALL_FRAGMENTS or rows - indexed > _UNINDEXED_ROWS


def _create_indices(dataset: Any, columns: Columns) -> None:
    if columns.text:
        dataset.create_scalar_index(
            columns.text,
            "INVERTED",
            with_position=False,
            base_tokenizer="simple",
            language="English",
            stem=True,
            remove_stop_words=True,
            custom_stop_words=sorted(STOP_WORDS),
            ascii_folding=True,
            max_token_length=MAX_TOKEN_LENGTH,
        )
    for column in columns.keys:
        dataset.create_scalar_index(column, "BTREE")


def _merge_segments(dataset: Any) -> None:
    """Index new rows in a segment of their own; once there are many, merge all but the oldest, which is the largest."""
    segments = max(len(index.segments) for index in dataset.describe_indices())
    merged = segments - 1 if segments >= _SEGMENTS else 0
    dataset.optimize.optimize_indices(num_indices_to_merge=merged)


def _outgrown(dataset: Any, column: str, rows: int) -> bool:
    if rows < _VECTOR_INDEX_ROWS:
        return False
    name = next((index.name for index in dataset.describe_indices() if column in index.field_names), None)
    if name is None:
        return True
    return rows // _ROWS_PER_PARTITION > len(dataset.centroids(index_name=name)) * _PARTITION_GROWTH


def _partition(dataset: Any, column: str, rows: int) -> None:
    dataset.create_index(
        column, "IVF_FLAT", metric="cosine", num_partitions=rows // _ROWS_PER_PARTITION, replace=True
    )
