"""Writing the index: incremental from what the trees say is new, or anew beside the old one and then swapped in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from potpie_git.domain.claim import Claim
from potpie_git.domain.errors import InvalidFileError
from potpie_git.domain.findings import Finding
from potpie_git.domain.layout import CLAIMS as CLAIM_FOLDER
from potpie_git.index import storage
from potpie_git.index.coverage import MOST_MARKS, all_marks, read_marks, uncovered, write_marks
from potpie_git.index.embedder import MODEL_ID
from potpie_git.index.errors import IndexDamagedError, IndexMissingError
from potpie_git.index.schema import claims_batch, claims_schema, in_folder, one_of, row_of, vectors_schema
from potpie_git.index.storage import Pointer, TableState
from potpie_git.index.tables import (
    CLAIMS_COLUMNS,
    append,
    create_table,
    open_table,
    reading,
    table_path,
    tend,
)
from potpie_git.store.codec import decode, repository_path
from potpie_git.store.snapshot import Entry, Snapshot

# Called with what is being done, how much is done, and how much there is.
Progress: TypeAlias = Callable[[str, int, int], None]
Row: TypeAlias = dict[str, Any]
Item = TypeVar("Item")

NO_CLAIMS = "empty"
_ROOTS = 64
# Digests of cards without a vector are listed up to here; beyond, they are found by comparing the tables.
MOST_PENDING = 1000
_ROWS_AT_ONCE = 20_000
_LOOKUP = 1000
_FOLDERS = 64
# Rows of branches that nobody reads any more are dropped once they outnumber the others.
_SPARE_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did: rows added, whether it made the index anew (and why), cards that wait for a vector."""

    added: int = 0
    rows: int = 0
    rebuilt: bool = False
    reason: str = ""
    pending: int | None = 0

    @property
    def changed(self) -> bool:
        return self.rebuilt or self.added > 0


@dataclass(frozen=True, slots=True)
class Build:
    """The tables in use, as a writer that holds the lock sees them."""

    directory: Path
    pointer: Pointer
    state: TableState

    @property
    def claims(self) -> Path:
        return self.directory / self.pointer.claims

    @property
    def table(self) -> Path:
        return table_path(self.claims, storage.CLAIMS)

    @property
    def vectors(self) -> Path:
        return self.directory / self.pointer.vectors

    @property
    def vector_table(self) -> Path:
        return table_path(self.vectors, storage.VECTORS)


def in_chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of at most `size`."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def root_of(snapshot: Snapshot) -> str:
    """What identifies all claims of a snapshot: the id of their tree."""
    return snapshot.subtree(CLAIM_FOLDER) or NO_CLAIMS


def open_build(directory: Path) -> Build:
    """The tables in use, their claims checked against the seal. Raises `IndexMissingError` or `IndexDamagedError`."""
    pointer = storage.read_pointer(directory)
    build = Build(directory, pointer, storage.read_state(directory / pointer.claims))
    storage.check_seal(build.table, build.state.seal)
    return build


def sync(directory: Path, snapshot: Snapshot, progress: Progress | None, wait: float) -> SyncReport:
    """Give every claim of the snapshot a row; costs what is new since any snapshot that was synced before.

    Raises `InvalidFileError` for files that do not decode (the index stays as it was), `LockedError`, `StorageError`.
    """
    report = _up_to_date(directory, snapshot)
    if report is not None:
        return report
    with storage.builder_lock(directory, wait):
        try:
            build = _mend_vectors(open_build(directory))
            if _crowded(build, snapshot):
                return rebuild(directory, snapshot, progress, "most rows were of files that are gone")
            return _extend(build, snapshot, progress)
        except IndexMissingError as error:
            return rebuild(directory, snapshot, progress, error.message)
        except IndexDamagedError as error:
            return rebuild(directory, snapshot, progress, error.message)


def _up_to_date(directory: Path, snapshot: Snapshot) -> SyncReport | None:
    try:
        build = open_build(directory)
        storage.check_seal(build.vector_table, storage.read_state(build.vectors).seal)
    except (IndexMissingError, IndexDamagedError):
        return None
    if root_of(snapshot) not in build.state.roots:
        return None
    return SyncReport(rows=build.state.rows, pending=_count(build.state.pending))


def _count(pending: Sequence[str] | None) -> int | None:
    return None if pending is None else len(pending)


def _extend(build: Build, snapshot: Snapshot, progress: Progress | None) -> SyncReport:
    marks = read_marks(build.claims)
    new = uncovered(snapshot, marks)
    entries = _without_known(build.table, new.entries)
    rows = list(decode_rows(snapshot, entries, progress))
    state = _with_unfinished(build)
    if rows:
        append(build.table, [claims_batch(rows)])
        version = tend(build.table, CLAIMS_COLUMNS)
        state = replace(
            state,
            version=version,
            rows=state.rows + len(rows),
            pending=_still_pending(build, state.pending, rows),
            seal=storage.seal_of(build.table, state.seal),
        )
    root = root_of(snapshot)
    state = replace(state, roots=(*(held for held in state.roots if held != root), root)[-_ROOTS:])
    # The state goes first: a mark must never promise a row that the state's version does not have.
    storage.write_state(build.claims, state)
    together = marks.union(new.marks)
    write_marks(build.claims, all_marks(snapshot) if len(together) > MOST_MARKS else together)
    return SyncReport(added=len(rows), rows=state.rows, pending=_count(state.pending))


def _with_unfinished(build: Build) -> TableState:
    """The state, with what a writer added that was killed before it could say so."""
    dataset = open_table(build.table)
    if dataset.version == build.state.version:
        return build.state
    with reading(build.table):
        rows = dataset.count_rows()
    seal = storage.seal_of(build.table, build.state.seal)
    return replace(build.state, version=dataset.version, rows=rows, pending=None, seal=seal)


def _without_known(table: Path, entries: Sequence[Entry]) -> list[Entry]:
    """Those of `entries`, which are all files of their directories, that have no row yet."""
    if not entries:
        return []
    known: set[tuple[str, str]] = set()
    folders = sorted({entry.path.rpartition("/")[0] for entry in entries})
    dataset = open_table(table)
    with reading(table):
        for some in in_chunks(folders, _FOLDERS):
            wanted = " OR ".join(map(in_folder, some))
            found = dataset.scanner(columns=["blob", "path"], filter=wanted).to_table()
            known.update(zip(found["blob"].to_pylist(), found["path"].to_pylist(), strict=True))
    return [entry for entry in entries if (entry.oid, entry.path) not in known]


def _still_pending(build: Build, before: Sequence[str] | None, rows: Sequence[Row]) -> tuple[str, ...] | None:
    """The cards without a vector after `rows` were added to a table that had `before`."""
    if before is None:
        return None
    fresh = {row["card_digest"] for row in rows}
    pending = set(before) | (fresh - vectors_held(build, fresh))
    return tuple(sorted(pending)) if len(pending) <= MOST_PENDING else None


def vectors_held(build: Build, digests: Iterable[str]) -> set[str]:
    """Those of `digests` that have a vector. Raises `IndexDamagedError`."""
    wanted = sorted(digests)
    held: set[str] = set()
    table = build.vector_table
    dataset = open_table(table, storage.read_state(build.vectors).version)
    with reading(table):
        for some in in_chunks(wanted, _LOOKUP):
            found = dataset.scanner(columns=["card_digest"], filter=one_of("card_digest", some)).to_table()
            held.update(found["card_digest"].to_pylist())
    return held


def decode_rows(snapshot: Snapshot, entries: Sequence[Entry], progress: Progress | None) -> Iterator[Row]:
    """The rows of claim files. Raises `InvalidFileError` at the end, naming every file that does not decode."""
    issues: list[dict[str, Any]] = []
    total = len(entries)
    for done, (entry, raw) in enumerate(snapshot.read_many(entries), 1):
        try:
            claim = decode(_plain_path(entry.path), raw).record
        except InvalidFileError as error:
            issues += error.issues
            continue
        assert isinstance(claim, Claim)
        yield row_of(entry.path, entry.oid, claim)
        if progress and (done % 500 == 0 or done == total):
            progress("reading claims", done, total)
    if issues:
        first = issues[0]
        raise InvalidFileError(
            f"{len(issues)} findings keep the index as it was; the first: "
            f"{first['path']}:{first['line']}: {first['message']} [{first['code']}]",
            issues,
        )


def _plain_path(path: str) -> str:
    """`path`, which must be ASCII as every governed name is."""
    if not path.isascii():
        finding = Finding(
            code="PG-F13",
            path=repository_path(path).encode("utf-8", "replace").decode(),
            message="the file's name is not ASCII",
            hint="Write claims with `git potpie`, which derives the name.",
        )
        raise InvalidFileError(finding.message, [finding.as_dict()])
    return path


def rebuild(directory: Path, snapshot: Snapshot, progress: Progress | None, reason: str) -> SyncReport:
    """Make the claims table anew from the snapshot, then swap it in; vectors are kept if they are sound.

    Whoever calls holds the lock. Raises like `sync`; whatever happens, the old tables or the new ones are in use.
    """
    in_use = _pointer_in_use(directory)
    storage.remove_unused(directory, in_use)
    try:
        vectors = _usable_vectors(directory, in_use) or _new_vectors(directory)
        pointer = Pointer(storage.new_directory(directory, storage.CLAIMS), vectors)
        state, pending = _fill(Build(directory, pointer, TableState(0)), snapshot, progress)
        storage.write_pointer(directory, pointer)
        in_use = pointer
    finally:
        storage.remove_unused(directory, in_use)
    return SyncReport(state.rows, state.rows, True, reason, pending)


def _fill(build: Build, snapshot: Snapshot, progress: Progress | None) -> tuple[TableState, int]:
    """Write every claim of the snapshot into a new table; its state, and how many cards have no vector."""
    create_table(build.claims, storage.CLAIMS, claims_schema())
    digests: set[str] = set()
    count = 0
    new = uncovered(snapshot, frozenset())
    for some in in_chunks(decode_rows(snapshot, new.entries, progress), _ROWS_AT_ONCE):
        append(build.table, [claims_batch(some)])
        digests.update(row["card_digest"] for row in some)
        count += len(some)
    pending = missing_vectors(build, digests)
    state = TableState(
        version=tend(build.table, CLAIMS_COLUMNS),
        rows=count,
        roots=(root_of(snapshot),),
        pending=tuple(sorted(pending)) if len(pending) <= MOST_PENDING else None,
        settled=count,
        seal=storage.seal_of(build.table, {}),
    )
    storage.write_state(build.claims, state)
    write_marks(build.claims, new.marks)
    return state, len(pending)


def _pointer_in_use(directory: Path) -> Pointer | None:
    try:
        return storage.read_pointer(directory)
    except (IndexMissingError, IndexDamagedError):
        return None


def _usable_vectors(directory: Path, used: Pointer | None) -> str | None:
    if used is None:
        return None
    folder = directory / used.vectors
    try:
        state = storage.read_state(folder)
        storage.check_seal(table_path(folder, storage.VECTORS), state.seal)
    except IndexDamagedError:
        return None
    return used.vectors if state.model == MODEL_ID else None


def _new_vectors(directory: Path) -> str:
    """An empty vectors directory; its name."""
    name = storage.new_directory(directory, storage.VECTORS)
    folder = directory / name
    version = create_table(folder, storage.VECTORS, vectors_schema())
    seal = storage.seal_of(table_path(folder, storage.VECTORS), {})
    storage.write_state(folder, TableState(version=version, model=MODEL_ID, seal=seal))
    return name


def _mend_vectors(build: Build) -> Build:
    """The same build, with an empty vectors table in the place of one that cannot be used."""
    if _usable_vectors(build.directory, build.pointer):
        return build
    pointer = Pointer(build.pointer.claims, _new_vectors(build.directory))
    state = replace(build.state, pending=None)
    storage.write_state(build.claims, state)
    storage.write_pointer(build.directory, pointer)
    storage.remove_unused(build.directory, pointer)
    return Build(build.directory, pointer, state)


def missing_vectors(build: Build, digests: set[str]) -> set[str]:
    """Those of `digests` that have no vector, by comparing whole columns."""
    table = build.vector_table
    dataset = open_table(table, storage.read_state(build.vectors).version)
    with reading(table):
        held = dataset.scanner(columns=["card_digest"]).to_table()["card_digest"].to_pylist()
    return digests.difference(held)


def _crowded(build: Build, snapshot: Snapshot) -> bool:
    """True if rows of files that this snapshot no longer has outnumber the others; counted only now and then."""
    if build.state.rows <= 2 * build.state.settled + _SPARE_ROWS:
        return False
    live = sum(1 for _ in snapshot.entries(CLAIM_FOLDER))
    return build.state.rows > 2 * live + _SPARE_ROWS
