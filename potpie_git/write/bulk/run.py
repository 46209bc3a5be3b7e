"""Applies a long list of operations and records in chunks, each a plan of its own that commits once or not at all."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import Any, Final

from potpie_git.domain.errors import (
    ConflictError,
    InvalidInputError,
    IssuesError,
    PotpieError,
    UnavailableError,
)
from potpie_git.domain.mutation import MAX_OPERATIONS
from potpie_git.domain.plan import PlanState
from potpie_git.domain.text import canonical_json, sha256_hex
from potpie_git.domain.vocabulary import RECORD_SCHEMAS, RECORD_TYPES
from potpie_git.write.bulk.items import Item
from potpie_git.write.bulk.manifest import DONE, ChunkResult, Manifest
from potpie_git.write.immediate import write_now
from potpie_git.write.records import Record
from potpie_git.write.results import CommitResult
from potpie_git.write.writer import Writer

DEFAULT_CHUNK: Final = 2_000
# Called with the number of items that are done.
Progress = Callable[[int], None]
_FRAME: Final = frozenset({"type", "scope", "evidence"})
# What any record may say beside the fields of its type.
_OPTIONS: Final = {one.name for one in fields(Record)} - {"record_type", "fields", "scope", "evidence"}


@dataclass(frozen=True, slots=True)
class BulkOptions:
    """How to apply: items a chunk, the first chunk to apply (from 1), and what to do about a chunk that fails.

    `manifest` is a file that remembers chunks; `idempotency_key` makes every chunk's plan the one of an earlier run
    with the same key. `stage` leaves committing to the user: all chunks are then staged together.
    """

    chunk_size: int = DEFAULT_CHUNK
    start_chunk: int = 1
    manifest: Path | None = None
    continue_on_error: bool = False
    idempotency_key: str | None = None
    stage: bool = False
    message: str | None = None

    def checked(self) -> BulkOptions:
        """Raises `InvalidInputError` for numbers out of range."""
        if not 1 <= self.chunk_size <= MAX_OPERATIONS:
            raise InvalidInputError(
                f"a chunk has 1 to {MAX_OPERATIONS} items, not {self.chunk_size}", code="usage"
            )
        if self.start_chunk < 1:
            raise InvalidInputError("chunks are numbered from 1", code="usage")
        return self


@dataclass
class BulkReport:
    """What became of a run, chunk by chunk; `stopped` if a failure kept later chunks from being tried."""

    chunks: list[ChunkResult] = field(default_factory=list)
    stopped: bool = False

    @property
    def applied(self) -> list[ChunkResult]:
        return [chunk for chunk in self.chunks if chunk.state in DONE]

    @property
    def failed(self) -> list[ChunkResult]:
        return [chunk for chunk in self.chunks if chunk.state == "failed"]

    def as_dict(self) -> dict[str, Any]:
        return {
            "chunks": [chunk.model_dump(mode="json") for chunk in self.chunks],
            "items": sum(chunk.items for chunk in self.applied),
            "operations": sum(chunk.operations for chunk in self.applied),
            "claims": sum(chunk.claims for chunk in self.applied),
            "failed": len(self.failed),
            "stopped": self.stopped,
        }


def apply_bulk(
    writer: Writer, items: Iterable[Item], options: BulkOptions, progress: Progress | None = None
) -> BulkReport:
    """Apply items in chunks. Everything that is wrong with a chunk is said at once, with its lines.

    A chunk that fails stops the run, unless it is to go on; chunks before it stay applied. What no other chunk would
    escape either (a full disk, a lock) stops it in any case. Raises `InvalidInputError` for a manifest of another run.
    """
    options = options.checked()
    manifest = (
        Manifest.open(options.manifest, options.chunk_size)
        if options.manifest
        else Manifest(chunk_size=options.chunk_size)
    )
    run = _Run(writer, options, manifest)
    report = BulkReport()
    done = 0
    for number, chunk in enumerate(_chunks(items, options.chunk_size), 1):
        done += len(chunk)
        with _collecting_later():
            report.chunks.append(run.chunk(number, chunk))
        if progress is not None:
            progress(done)
        if report.chunks[-1].state == "failed" and (run.hopeless or not options.continue_on_error):
            report.stopped = True
            break
    return report


@contextmanager
def _collecting_later() -> Iterator[None]:
    """Leave cyclic garbage alone for a while: a chunk makes many objects that live, and hardly any garbage."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    left = iter(items)
    while chunk := list(islice(left, size)):
        yield chunk


class _Run:
    """One run: what is the same for all of its chunks."""

    def __init__(self, writer: Writer, options: BulkOptions, manifest: Manifest) -> None:
        self._writer = writer
        self._options = options
        self._manifest = manifest
        # Set by a failure that is no chunk's own.
        self.hopeless = False

    def chunk(self, number: int, items: list[Item]) -> ChunkResult:
        result = ChunkResult(
            chunk=number, first_line=items[0].line, last_line=items[-1].line, items=len(items)
        )
        if number < self._options.start_chunk:
            result.state = "skipped"
            return result
        result.digest = sha256_hex(canonical_json([item.payload for item in items]))
        known = self._manifest.done(result)
        if known is not None:
            return known
        self._apply(result, items)
        self._manifest.note(result, self._options.manifest)
        return result

    def _apply(self, result: ChunkResult, items: list[Item]) -> None:
        operations: list[dict[str, Any]] = []
        # The item of each operation, and its number within that item.
        origins: list[tuple[Item, int]] = []
        for item in items:
            try:
                made = self._operations(item)
            except IssuesError as error:
                result.issues += [_located(issue, item, issue.get("op_index")) for issue in error.issues]
                continue
            except PotpieError as error:
                result.issues.append(_located(_issue(error), item, None))
                continue
            operations += made
            origins += [(item, index) for index in range(len(made))]
        result.operations = len(operations)
        if result.issues:
            # The others are judged as well, so that one run tells everything that is to be mended.
            result.issues += self._judged(operations, origins)
            result.issues.sort(key=lambda issue: (issue["item"], issue["op_index"] or 0))
            return
        try:
            _note(result, self._written(result, operations))
        except IssuesError as error:
            result.issues += [_of_chunk(issue, origins) for issue in error.issues]
        except PotpieError as error:
            self.hopeless = isinstance(error, UnavailableError)
            result.issues += _issues_of(error, origins)

    def _operations(self, item: Item) -> list[dict[str, Any]]:
        if item.fault is not None:
            raise InvalidInputError(
                item.fault, hint="Write one operation or record a line.", code="malformed_payload"
            )
        if not item.is_record:
            return [item.payload]
        return self._writer.lower_record(record_of(item.payload))

    def _judged(
        self, operations: list[dict[str, Any]], origins: list[tuple[Item, int]]
    ) -> list[dict[str, Any]]:
        """What is wrong with the readable rest of a chunk that cannot be applied; its plan is given up."""
        if not operations:
            return []
        try:
            plan = self._writer.propose({"operations": operations})
        except PotpieError as error:
            return _issues_of(error, origins)
        self._writer.abandon(plan.plan_id)
        return []

    def _written(self, result: ChunkResult, operations: list[dict[str, Any]]) -> CommitResult:
        options = self._options
        key = f"{options.idempotency_key}:{result.chunk}" if options.idempotency_key else None
        if key is None and options.manifest is not None:
            # The digest tells a mended chunk from the one that failed; the manifest guards what was applied.
            key = f"{self._manifest.run}:{result.chunk}:{result.digest}"
        lines = f"lines {result.first_line}-{result.last_line}"
        message = f"{options.message or 'Memory: bulk'}, chunk {result.chunk} ({lines})"
        return write_now(
            self._writer,
            {"operations": operations},
            idempotency_key=key,
            message=message,
            stage=options.stage,
        )


def record_of(payload: dict[str, Any]) -> Record:
    """A record from its JSON form, as `record --file` takes it. Raises `InvalidInputError`."""
    record_type = str(payload["type"])
    declared = RECORD_TYPES.get(record_type)
    schema = RECORD_SCHEMAS.get(declared.schema or "") if declared else None
    own = schema.fields if schema else ()
    given: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for name, held in payload.items():
        if name not in _FRAME:
            (options if name in _OPTIONS and name not in own else given)[name] = held
    scope, evidence = payload.get("scope", {}), payload.get("evidence", [])
    if not isinstance(scope, dict) or not isinstance(evidence, list):
        raise InvalidInputError(
            "a record's scope is an object of dimensions, and its evidence a list of references",
            hint='Write "scope": {"service": "pay"} and "evidence": ["linear:ENG-1"].',
            code="malformed_field",
        )
    return Record.of(record_type, given, scope, evidence, options)


def _note(result: ChunkResult, written: CommitResult) -> None:
    plan = written.plan
    result.plan_id, result.commit = plan.plan_id, written.commit
    result.claims, result.files = len(plan.diff.claims_asserted), len(written.files)
    result.warnings, result.pending = len(plan.warnings), written.pending
    if written.commit is not None:
        result.state = "committed"
    else:
        staged = written.staged or (plan.state is PlanState.COMMITTED and bool(plan.edits))
        result.state = "staged" if staged else "unchanged"


def _issues_of(error: PotpieError, origins: list[tuple[Item, int]]) -> list[dict[str, Any]]:
    """A failure of a whole chunk as issues: those that it lists, or itself."""
    listed = error.detail.get("issues")
    if isinstance(error, IssuesError | ConflictError) and listed:
        return [_of_chunk(issue, origins) for issue in listed]
    item = origins[0][0]
    return [_located(_issue(error), item, None)]


def _issue(error: PotpieError) -> dict[str, Any]:
    return {"code": error.code, "field": None, "message": error.message, "hint": error.hint}


def _of_chunk(issue: dict[str, Any], origins: list[tuple[Item, int]]) -> dict[str, Any]:
    """An issue of the chunk's payload, told by line, item and operation."""
    index = issue.get("op_index")
    item, within = (
        origins[index] if isinstance(index, int) and index < len(origins) else (origins[0][0], None)
    )
    return _located(issue, item, within)


def _located(issue: dict[str, Any], item: Item, op_index: int | None) -> dict[str, Any]:
    return {**issue, "line": item.line, "item": item.place, "op_index": op_index}
