"""Files of the index beside its tables: which tables are in use, what each covers, and a seal over their files.

Layout of the index directory:

    current             names of the claims and the vectors directory in use
    lock                held by whoever writes
    claims-<hex>/       one build of the claims: `claims.lance`, its `state` and the `covered` trees
    vectors-<hex>/      the vectors: `vectors.lance` and its `state`

Every small file carries its own digest and is replaced as a whole, so a reader sees the old or the new one. Tables are
read at the version that their state names, whose files are sealed: none of them ever changes, so a file whose size,
time or (where the time differs) digest is another one has been damaged.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeAlias

from filelock import FileLock, Timeout

from potpie_git.domain.errors import LockedError, StorageError
from potpie_git.domain.version import __version__
from potpie_git.index.errors import IndexDamagedError, IndexMissingError
from potpie_git.store.errors import storage_errors

# Rises when rows, cards or the way in which text is searched change; an index of another number is made anew.
FORMAT = 1
CLAIMS, VECTORS = "claims", "vectors"
# Written in place by Lance as a shortcut to the latest version, which sealed reads do not use.
_UNSEALED = "latest_version_hint.json"

# Size in bytes, modification time in nanoseconds, digest.
Sealed: TypeAlias = tuple[int, int, str]
Seal: TypeAlias = dict[str, Sealed]


@dataclass(frozen=True, slots=True)
class Pointer:
    """Which directories are in use, relative to the index directory."""

    claims: str
    vectors: str


@dataclass(frozen=True, slots=True)
class TableState:
    """What a table's directory holds: the version to read, its rows, and the seal over its files.

    `roots` are ids of `claims/` trees, latest last, all of whose claims have rows. `pending` are digests of cards
    without a vector, or None if they are too many to list. `settled` is the number of rows after the last rebuild.
    `model` says what made the vectors.
    """

    version: int
    rows: int = 0
    roots: tuple[str, ...] = ()
    pending: tuple[str, ...] | None = ()
    settled: int = 0
    model: str = ""
    seal: Seal = field(default_factory=dict)


def write_checked(path: Path, body: Mapping[str, Any]) -> None:
    """Replace `path` by `body` as JSON with a digest, in one step. Raises `StorageError`."""
    text = json.dumps(body, separators=(",", ":"))
    replace_file(path, f"{_digest(text.encode())}\n{text}\n".encode())


def replace_file(path: Path, raw: bytes) -> None:
    """Replace the content of `path` in one step. Raises `StorageError`.

    It is not flushed to the disk: what a power cut leaves fails its digest, and the index is made anew.
    """
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        aside.write_bytes(raw)
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise StorageError(f"cannot write {path}: {error.strerror}") from error


def read_checked(path: Path) -> dict[str, Any]:
    """The JSON that `write_checked` wrote. Raises `FileNotFoundError`, or `IndexDamagedError` if it changed since."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise IndexDamagedError(f"cannot read {path}: {error.strerror}") from error
    digest, _, text = raw.partition(b"\n")
    text = text.removesuffix(b"\n")
    if _digest(text).encode() != digest:
        raise IndexDamagedError(f"{path} is damaged")
    body = json.loads(text)
    assert isinstance(body, dict)
    return body


def _digest(raw: bytes) -> str:
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def read_pointer(directory: Path) -> Pointer:
    """Which tables are in use. Raises `IndexMissingError` or `IndexDamagedError`."""
    try:
        body = read_checked(directory / "current")
    except (FileNotFoundError, NotADirectoryError):
        raise IndexMissingError("there is no index yet") from None
    if (body.get("format"), body.get("program")) != (FORMAT, __version__):
        raise IndexMissingError("the index was made by another version of this program")
    return Pointer(body[CLAIMS], body[VECTORS])


def write_pointer(directory: Path, pointer: Pointer) -> None:
    body = {"format": FORMAT, "program": __version__, CLAIMS: pointer.claims, VECTORS: pointer.vectors}
    write_checked(directory / "current", body)


def new_directory(directory: Path, kind: str) -> str:
    """Make an empty directory for a new build and return its name. Raises `StorageError`."""
    name = f"{kind}-{secrets.token_hex(6)}"
    try:
        (directory / name).mkdir(parents=True)
    except OSError as error:
        raise StorageError(f"cannot write in {directory}: {error.strerror}") from error
    return name


def write_state(folder: Path, state: TableState) -> None:
    write_checked(folder / "state", {held.name: getattr(state, held.name) for held in fields(state)})


def read_state(folder: Path) -> TableState:
    """The state of one table's directory. Raises `IndexDamagedError`."""
    try:
        body = read_checked(folder / "state")
    except (FileNotFoundError, NotADirectoryError):
        raise IndexDamagedError(f"{folder / 'state'} is missing") from None
    pending = body["pending"]
    return TableState(
        version=body["version"],
        rows=body["rows"],
        roots=tuple(body["roots"]),
        pending=None if pending is None else tuple(pending),
        settled=body["settled"],
        model=body["model"],
        seal={name: (size, time, digest) for name, (size, time, digest) in body["seal"].items()},
    )


def seal_of(table: Path, known: Seal) -> Seal:
    """The seal over the files that a table's directory holds now; files in `known` are not read again."""
    seal: Seal = {}
    for name, (size, time) in _listing(table).items():
        before = known.get(name)
        unchanged = before is not None and before[:2] == (size, time)
        seal[name] = before if before and unchanged else (size, time, _file_digest(table / name))
    return seal


def check_seal(table: Path, seal: Seal, *, thorough: bool = False) -> None:
    """Compare the table's files with their seal, by size and time (`thorough`: by content).

    Raises `IndexDamagedError` naming the first file that is gone or has changed. Files that the seal does not know
    belong to a write that has not been finished, and are not read.
    """
    found = _listing(table)
    for name, (size, time, digest) in seal.items():
        if name not in found:
            raise IndexDamagedError(f"{table / name} is missing")
        same = found[name] == (size, time) and not thorough
        if not same and (found[name][0] != size or _file_digest(table / name) != digest):
            raise IndexDamagedError(f"{table / name} has changed since it was written")


def _listing(table: Path) -> dict[str, tuple[int, int]]:
    """Size and modification time of every file under `table`, by relative path."""
    found: dict[str, tuple[int, int]] = {}
    _list_into(found, os.fspath(table), "")
    return found


def _list_into(found: dict[str, tuple[int, int]], folder: str, prefix: str) -> None:
    try:
        entries = list(os.scandir(folder))
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _list_into(found, entry.path, f"{prefix}{entry.name}/")
            elif entry.name != _UNSEALED:
                about = entry.stat(follow_symlinks=False)
                found[prefix + entry.name] = (about.st_size, about.st_mtime_ns)
    except FileNotFoundError:
        return  # removed by a writer in the meantime: whoever misses it says so
    except OSError as error:
        raise IndexDamagedError(f"cannot read {folder}: {error.strerror}") from error


def _file_digest(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    try:
        with path.open("rb") as stream:
            while piece := stream.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise IndexDamagedError(f"cannot read {path}: {error.strerror}") from error
    return digest.hexdigest()


def disk_use(directory: Path) -> int:
    """Bytes of all files under `directory`; 0 if it does not exist."""
    return sum(size for size, _ in _listing(directory).values())


def remove_unused(directory: Path, used: Pointer | None) -> None:
    """Remove what killed builds and replaced tables left. Only for whoever holds the builder's lock."""
    kept = {used.claims, used.vectors} if used else set()
    for path in directory.iterdir():
        if path.name.startswith((f"{CLAIMS}-", f"{VECTORS}-")) and path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)
        elif path.name.startswith(".current."):
            path.unlink(missing_ok=True)


@contextmanager
def builder_lock(directory: Path, timeout: float, name: str = "lock") -> Iterator[None]:
    """Hold the lock of whoever writes; the operating system frees it when the process ends, however it ends.

    Raises `LockedError` after `timeout` seconds, and `StorageError` where the directory cannot be written.
    """
    with storage_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
        lock = FileLock(directory / name)
        try:
            lock.acquire(timeout=timeout)
        except Timeout:
            raise LockedError(
                "another process is writing the index", detail={"lock": str(directory / name)}
            ) from None
    try:
        yield
    finally:
        lock.release()


def stamp(directory: Path) -> bytes:
    """What changes whenever a write has been finished: a digest over the pointer and the states."""
    digest = hashlib.blake2b(digest_size=16)
    try:
        digest.update((directory / "current").read_bytes())
        pointer = read_pointer(directory)
        for name in (pointer.claims, pointer.vectors):
            digest.update((directory / name / "state").read_bytes())
    except (OSError, IndexDamagedError, IndexMissingError):
        digest.update(b"?")
    return digest.digest()
