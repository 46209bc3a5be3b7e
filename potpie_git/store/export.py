"""A pot as NDJSON: one governed file a line, with its text byte for byte, so that an import makes the same files."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from potpie_git.domain.errors import InvalidFileError, RefusedError
from potpie_git.domain.layout import FileKind, kind_of
from potpie_git.store.codec import decode, repository_path
from potpie_git.store.objects import FILE_MODE
from potpie_git.store.snapshot import Entry, Snapshot

# Files that say what a pot is and who may approve; everything else is a record.
SETTINGS = frozenset({FileKind.POT, FileKind.POLICY, FileKind.ATTRIBUTES})


def export_lines(snapshot: Snapshot, kinds: Collection[FileKind] = ()) -> Iterator[str]:
    """One line of JSON for each governed file of `kinds` (all, if there are none), by path.

    A line has `path` (in the pot), `kind`, `raw` (the file's text) and, except for `.gitattributes`, `record` (what the
    text says, as data). Raises `InvalidFileError` at a file that does not parse, and `RefusedError` at what is no plain
    file: nothing is left out silently.
    """
    wanted = [entry for entry in snapshot.entries() if not kinds or kind_of(entry.path) in kinds]
    for entry, raw in snapshot.read_many(wanted):
        yield _line(entry, raw)


def _line(entry: Entry, raw: bytes) -> str:
    if entry.mode != FILE_MODE:
        raise RefusedError(
            f"{repository_path(entry.path)} has mode {entry.mode}, and an export holds plain files",
            hint="Run `git potpie check --rev HEAD`, and mend what it finds first.",
            code="unsafe_path",
        )
    kind = kind_of(entry.path)
    data = {"path": entry.path, "kind": kind.value if kind else None, "raw": _text(entry.path, raw)}
    if kind is not FileKind.ATTRIBUTES:
        data["record"] = decode(entry.path, raw).record.model_dump(mode="json", exclude_none=True)
    return json.dumps(data, ensure_ascii=True) + "\n"


def _text(path: str, raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        where = repository_path(path)
        issue = {
            "code": "PG-F01",
            "path": where,
            "line": 1,
            "message": f"the file is not UTF-8: {error.reason}",
        }
        raise InvalidFileError(f"{where}: the file is not UTF-8", [issue]) from error
