"""What the index's tables hold, rows from claims and back, and hard filters as Lance understands them.

`claims` has a row for every (blob, path) that was seen; `vectors` a unit vector for every card that was embedded, keyed
by the card's digest, so that no card is embedded twice whatever branch, worktree or commit it comes from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from potpie_git.domain.card import card_digest, retrieval_card
from potpie_git.domain.claim import Claim
from potpie_git.domain.query import ClaimQuery
from potpie_git.index.embedder import DIMENSION
from potpie_git.index.errors import IndexDamagedError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

# Filled columns that a filter reads; all are text but the times (microseconds since 1970, UTC) and `live`.
_TEXT_COLUMNS = (
    "blob",
    "claim_id",
    "path",
    "subgraph",
    "subject",
    "subject_type",
    "predicate",
    "object",
    "object_type",
    "environment",
    "truth",
    "source_system",
    "card",
    "card_digest",
    "payload",
    "check",
)
ROW_COLUMNS = ("blob", "path", "card_digest", "payload", "check")


@dataclass(frozen=True, slots=True)
class IndexedRow:
    """A row whose text was found to be what was written: which file it is of, its card, and the claim as JSON."""

    blob: str
    path: str
    card_digest: str
    payload: str

    def claim(self) -> Claim:
        """The claim. Raises `IndexDamagedError` if the payload is not one."""
        try:
            return Claim.model_validate_json(self.payload)
        except ValidationError as error:
            raise IndexDamagedError(f"the index holds no claim for {self.path}") from error


def claims_schema() -> pa.Schema:
    import pyarrow as pa

    fields = [pa.field(name, pa.string(), nullable=False) for name in _TEXT_COLUMNS]
    return pa.schema(
        [
            *fields,
            pa.field("source_refs", pa.list_(pa.string())),
            pa.field("begins", pa.int64(), nullable=False),
            pa.field("ends", pa.int64()),
            pa.field("live", pa.bool_(), nullable=False),
        ]
    )


def vectors_schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("card_digest", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), DIMENSION), nullable=False),
        ]
    )


def row_of(path: str, blob: str, claim: Claim) -> dict[str, Any]:
    """The row of one claim file."""
    card = retrieval_card(claim)
    payload = payload_of(claim)
    ends = claim.ends
    return {
        "blob": blob,
        "claim_id": claim.id,
        "path": path,
        "subgraph": claim.subgraph,
        "subject": claim.subject,
        "subject_type": claim.subject_type,
        "predicate": claim.predicate,
        "object": claim.object or "",
        "object_type": claim.object_type,
        "environment": claim.environment or "",
        "truth": claim.truth,
        "source_system": claim.provenance.source_system or "",
        "card": card,
        "card_digest": card_digest(card),
        "payload": payload,
        "check": check_of(blob, path, payload),
        "source_refs": claim.source_refs,
        "begins": microseconds(claim.begins),
        "ends": None if ends is None else microseconds(ends),
        "live": claim.live,
    }


def payload_of(claim: Claim) -> str:
    return claim.model_dump_json(exclude_none=True)


def check_of(blob: str, path: str, payload: str) -> str:
    """A digest over what a row serves: Lance does not notice a flipped bit in a text."""
    return hashlib.blake2b(f"{blob}\0{path}\0{payload}".encode(), digest_size=8).hexdigest()


def claims_batch(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    import pyarrow as pa

    schema = claims_schema()
    columns = [pa.array([row[field.name] for row in rows], type=field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def vectors_batch(digests: Sequence[str], vectors: np.ndarray) -> pa.Table:
    """Rows of the vectors table; `vectors` has shape (len(digests), DIMENSION)."""
    import pyarrow as pa

    schema = vectors_schema()
    flat = pa.array(vectors.reshape(-1), type=pa.float32())
    held = pa.FixedSizeListArray.from_arrays(flat, DIMENSION)
    return pa.Table.from_arrays([pa.array(digests, type=pa.string()), held], schema=schema)


def read_rows(table: pa.Table) -> list[IndexedRow]:
    """The rows of a result that has `ROW_COLUMNS`. Raises `IndexDamagedError` if a text is not what was written."""
    columns = [table.column(name).to_pylist() for name in ROW_COLUMNS]
    rows = []
    for blob, path, digest, payload, check in zip(*columns, strict=True):
        if check != check_of(blob, path, payload):
            raise IndexDamagedError(f"the index's row for {path} is damaged")
        rows.append(IndexedRow(blob, path, digest, payload))
    return rows


def microseconds(moment: datetime) -> int:
    """`moment` in microseconds since 1970, UTC, exactly."""
    since = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def quoted(text: str) -> str:
    """A text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """A SQL condition: the column is one of `values`; never true if there are none."""
    listed = ", ".join(quoted(value) for value in sorted(set(values)))
    return f"{column} IN ({listed})" if listed else "false"


def in_folder(folder: str) -> str:
    """A SQL condition: the file stands in `folder` or below. As a range it reads one stretch of the index of paths."""
    return f"(path >= {quoted(folder + '/')} AND path < {quoted(folder + chr(ord('/') + 1))})"


def sql_filter(query: ClaimQuery, now: datetime) -> str | None:
    """The hard filters of `query` as SQL, no stricter than `query.admits`; None if there are none."""
    conditions = [*_form_conditions(query), *_time_conditions(query, now)]
    return " AND ".join(conditions) or None


def _form_conditions(query: ClaimQuery) -> list[str]:
    sets = {
        "predicate": query.predicates,
        "subject": query.subjects,
        "object": query.objects,
        "subject_type": query.subject_types,
        "object_type": query.object_types,
        "claim_id": query.ids,
        "truth": query.truth,
    }
    conditions = [one_of(column, values) for column, values in sets.items() if values is not None]
    if query.about is not None:
        conditions.append(f"({one_of('subject', query.about)} OR {one_of('object', query.about)})")
    exact = {
        "subgraph": query.subgraph,
        "environment": query.environment,
        "source_system": query.source_system,
    }
    conditions += [f"{column} = {quoted(value)}" for column, value in exact.items() if value is not None]
    if query.source_ref is not None:
        conditions.append(f"array_has(source_refs, {quoted(query.source_ref)})")
    return conditions


def _time_conditions(query: ClaimQuery, now: datetime) -> list[str]:
    conditions = []
    if query.since is not None:
        conditions.append(f"begins >= {microseconds(query.since)}")
    if query.until is not None:
        conditions.append(f"begins < {microseconds(query.until)}")
    if query.as_of is not None:
        moment = microseconds(query.as_of)
        conditions.append(f"begins <= {moment} AND (ends IS NULL OR ends > {moment})")
    elif not query.include_invalidated:
        conditions.append(f"live AND (ends IS NULL OR ends > {microseconds(now)})")
    return conditions
