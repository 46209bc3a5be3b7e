"""What a bulk run has done so far, in a file that is whole at every moment: the next run goes on from there."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from potpie_git.domain.errors import InvalidInputError
from potpie_git.store.errors import storage_errors
from potpie_git.write.plans import write_whole

_FORMAT: Final = 1
ChunkState = Literal["committed", "staged", "unchanged", "failed", "skipped"]
DONE: Final = frozenset({"committed", "staged", "unchanged"})


class ChunkResult(BaseModel):
    """What became of one chunk (numbered from 1): its lines, the digest of what it says, and the plan that wrote it.

    `issues` are the failures of a failed chunk, each with `line`, `item` (its number in the file, from 0), `op_index`
    (within the item), code, message and hint.
    """

    model_config = ConfigDict(extra="forbid")

    chunk: int
    first_line: int
    last_line: int
    items: int
    operations: int = 0
    digest: str = ""
    state: ChunkState = "failed"
    plan_id: str | None = None
    commit: str | None = None
    claims: int = 0
    files: int = 0
    warnings: int = 0
    pending: list[str] = Field(default_factory=list)
    issues: list[dict[str, Any]] = Field(default_factory=list)


class Manifest(BaseModel):
    """The chunks of one run. `run` names it, so that a chunk whose commit was not noted any more is found again."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[1] = _FORMAT
    run: str = Field(default_factory=lambda: f"b-{secrets.token_hex(8)}")
    chunk_size: int
    chunks: dict[int, ChunkResult] = Field(default_factory=dict)

    @classmethod
    def open(cls, path: Path, chunk_size: int) -> Manifest:
        """The manifest at `path`, or a new one.

        Raises `InvalidInputError` if the file is no manifest, or one of a run with other chunks.
        """
        with storage_errors(path):
            try:
                raw = path.read_bytes()
            except FileNotFoundError:
                return cls(chunk_size=chunk_size)
        try:
            found = cls.model_validate_json(raw)
        except ValidationError as error:
            raise InvalidInputError(
                f"{path} is no manifest of a bulk run ({error.error_count()} faults)",
                hint="Name a file that does not exist yet; a manifest is written by the run itself.",
                code="malformed_manifest",
            ) from error
        if found.chunk_size != chunk_size:
            raise InvalidInputError(
                f"{path} is of a run with chunks of {found.chunk_size}, not of {chunk_size}",
                hint=f"Give --chunk-size {found.chunk_size}, or another manifest.",
                code="manifest_mismatch",
            )
        return found

    def done(self, result: ChunkResult) -> ChunkResult | None:
        """What an earlier run made of this chunk; None if it is still to be applied.

        Raises `InvalidInputError` if the chunk was applied with other content.
        """
        known = self.chunks.get(result.chunk)
        if known is None or known.state not in DONE:
            return None
        if known.digest != result.digest:
            raise InvalidInputError(
                f"chunk {result.chunk} (from line {result.first_line}) was applied with other content",
                hint="Keep what was applied as it was, or put what is new into a file of its own.",
                code="manifest_mismatch",
            )
        return known

    def note(self, result: ChunkResult, path: Path | None) -> None:
        """Keep what became of a chunk; on disk as well, if the manifest has a place there."""
        self.chunks[result.chunk] = result
        if path is not None:
            write_whole(path, self.model_dump_json(indent=1).encode() + b"\n", durable=True)
