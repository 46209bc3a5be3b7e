"""Damage, kills and read-only folders: an answer is right, or there is none and the next sync mends it."""

import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from potpie_git.domain.query import ClaimQuery, MatchMode
from potpie_git.index import Index, IndexDamagedError, IndexedClaims, IndexMissingError, storage
from tests.index.conftest import Pot, bug, copy_of, many

REPOSITORY = Path(__file__).resolve().parents[2]
QUESTIONS = (
    ClaimQuery(),
    ClaimQuery(text="refunds lock the wallet row", limit=3),
    ClaimQuery(text="CSV export memory", limit=3),
)


def answers(pot: Pot, index: Index) -> list[list[tuple[str, str | None, bool]]]:
    """What every question gets: file, fact and label of each row."""
    claims = IndexedClaims(index, pot.head)
    return [
        [(row.path, row.claim.fact, row.weak) for row in claims.find_claims(query).rows]
        for query in QUESTIONS
    ]


def flipped(path: Path, chance: random.Random) -> None:
    raw = bytearray(path.read_bytes())
    for place in chance.choices(range(len(raw)), k=1 + len(raw) // 2000):
        raw[place] ^= 1 << chance.randrange(8)
    path.write_bytes(raw)


def cut(path: Path, chance: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])


def removed(path: Path, chance: random.Random) -> None:
    path.unlink()


@pytest.mark.parametrize("harm", [flipped, cut, removed])
def test_a_harmed_file_never_changes_an_answer(
    synced: Pot, tmp_path: Path, harm: Callable[[Path, random.Random], None]
) -> None:
    chance = random.Random(7)
    right = answers(synced, synced.index)
    files = sorted(
        path for path in synced.index.directory.rglob("*") if path.is_file() and path.stat().st_size
    )
    noticed = 0
    for number, file in enumerate(files):
        directory = copy_of(synced.index.directory, tmp_path / str(number))
        harmed = directory / file.relative_to(synced.index.directory)
        harm(harmed, chance)
        index = Index(directory, synced.embedder)
        try:
            given = answers(synced, index)
        except (IndexDamagedError, IndexMissingError):
            noticed += 1
        else:
            by_words = answers(synced, Index(synced.index.directory, None))
            assert given in (right, by_words), harmed
        index.sync(synced.head)
        index.embed_pending()
        assert answers(synced, index) == right, harmed
        assert index.verify(synced.head).problems == (), harmed
        shutil.rmtree(directory)
    assert noticed > len(files) / 3


def test_text_that_changed_behind_an_unchanged_seal_is_never_served(synced: Pot) -> None:
    pointer = storage.read_pointer(synced.index.directory)
    folder = synced.index.directory / pointer.claims
    table = folder / "claims.lance"
    (data,) = (table / "data").iterdir()
    raw = data.read_bytes()
    assert raw.count(b"wallet row") >= 1
    data.write_bytes(raw.replace(b"wallet row", b"pocket row"))
    state = storage.read_state(folder)
    storage.write_state(folder, storage.TableState(**{**_fields(state), "seal": storage.seal_of(table, {})}))
    with pytest.raises(IndexDamagedError, match="row for"):
        synced.index.search("refunds lock", limit=3)


def _fields(state: storage.TableState) -> dict[str, object]:
    return {name: getattr(state, name) for name in state.__slots__}


def test_damaged_vectors_leave_the_words(synced: Pot) -> None:
    pointer = storage.read_pointer(synced.index.directory)
    for data in (synced.index.directory / pointer.vectors / "vectors.lance" / "data").iterdir():
        flipped(data, random.Random(1))
    result = synced.index.search("wallet row", limit=3)
    assert result.match_mode is MatchMode.LEXICAL
    assert "changed since it was written" in result.notes[0]
    report = synced.index.sync(synced.worktree)
    assert (report.rebuilt, report.pending) == (False, None)
    assert synced.index.embed_pending().made == 3
    assert synced.index.search("wallet row", limit=3).match_mode is MatchMode.HYBRID


def test_a_copy_with_other_times_is_as_good(synced: Pot, tmp_path: Path) -> None:
    directory = Path(
        shutil.copytree(synced.index.directory, tmp_path / "copy", copy_function=shutil.copyfile)
    )
    index = Index(directory, synced.embedder)
    assert answers(synced, index) == answers(synced, synced.index)
    assert not index.sync(synced.worktree).rebuilt


def test_reading_writes_nothing(synced: Pot) -> None:
    def listing() -> list[tuple[str, int, int]]:
        paths = sorted(synced.index.directory.rglob("*"))
        return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]

    before = listing()
    folders = [synced.index.directory, *(path for path in synced.index.directory.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        index = Index(synced.index.directory, synced.embedder)
        assert answers(synced, index) == answers(synced, synced.index)
        assert index.status(synced.worktree).covered
        assert index.verify(synced.worktree).ok
        assert index.sync(synced.worktree).added == 0
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert listing() == before


# Kills the process just before or after one step of a write.
KILLED = """
import os, signal, sys
from pathlib import Path
import importlib
from potpie_git.index import Index
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import WorktreeSnapshot
from tests.index.conftest import WordEmbedder

root, directory, module, name, when, what = sys.argv[1:]
place = importlib.import_module(module)
real = getattr(place, name)

def step(*args, **kwargs):
    if when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    real(*args, **kwargs)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(place, name, step)
index = Index(Path(directory), WordEmbedder())
snapshot = WorktreeSnapshot(Repository.discover(Path(root)))
if what == "embed_pending":
    index.embed_pending()
else:
    getattr(index, what)(snapshot)
"""
BUILD, STORAGE, EMBEDDING = (
    "potpie_git.index.build",
    "potpie_git.index.storage",
    "potpie_git.index.embedding",
)


@pytest.mark.parametrize(
    ("module", "name", "when", "what"),
    [
        (BUILD, "append", "before", "sync"),
        (BUILD, "append", "after", "sync"),
        (BUILD, "tend", "after", "sync"),
        (STORAGE, "write_state", "before", "sync"),
        (STORAGE, "write_state", "after", "sync"),
        (BUILD, "write_marks", "after", "sync"),
        (BUILD, "create_table", "after", "rebuild"),
        (BUILD, "append", "after", "rebuild"),
        (STORAGE, "write_pointer", "before", "rebuild"),
        (STORAGE, "write_pointer", "after", "rebuild"),
        (EMBEDDING, "append", "after", "embed_pending"),
        (STORAGE, "write_state", "after", "embed_pending"),
    ],
)
def test_a_kill_at_any_step_loses_nothing(synced: Pot, module: str, name: str, when: str, what: str) -> None:
    new = bug("newcomer", "A brand new wallet row.")
    synced.write(new)
    if what == "embed_pending":
        synced.index.sync(synced.worktree)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            KILLED,
            str(synced.git.root),
            str(synced.index.directory),
            module,
            name,
            when,
            what,
        ],
        cwd=REPOSITORY,
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()

    claims = IndexedClaims(synced.index, synced.worktree)
    found = {row.claim.id for row in claims.find_claims(ClaimQuery(text="brand new wallet row")).rows}
    assert new.id in found
    synced.index.sync(synced.worktree)
    synced.index.embed_pending()
    assert synced.index.verify(synced.worktree).problems == ()
    assert synced.index.status().rows == 4
    assert "newcomer" in synced.found("brand new wallet row")[0]


WORKER = """
import sys
from pathlib import Path
from potpie_git.domain.query import ClaimQuery
from potpie_git.index import Index, IndexedClaims, IndexMissingError
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import WorktreeSnapshot
from tests.index.conftest import WordEmbedder

root, directory, what = sys.argv[1:]
index = Index(Path(directory), WordEmbedder())
snapshot = WorktreeSnapshot(Repository.discover(Path(root)))
if what == "build":
    for _ in range(5):
        index.rebuild(snapshot)
        index.sync(snapshot)
        index.embed_pending()
else:
    for _ in range(60):
        rows = IndexedClaims(index, snapshot).find_claims(ClaimQuery(text="invoice rounded", limit=50)).rows
        assert len(rows) == 30, len(rows)
        assert len({row.claim.id for row in rows}) == 30
print("fine")
"""


def test_two_builders_and_a_reader_at_once(pot: Pot) -> None:
    pot.commit(*many(30))
    pot.index.sync(pot.worktree)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(pot.git.root), str(pot.index.directory), what],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for what in ("build", "build", "read")
    ]
    for worker in workers:
        out, err = worker.communicate()
        assert (worker.returncode, out) == (0, b"fine\n"), err.decode()
    assert pot.index.verify(pot.worktree).ok
    assert pot.index.status().rows == 30
    left = {path.name for path in pot.index.directory.iterdir() if path.is_dir()}
    in_use = storage.read_pointer(pot.index.directory)
    assert left == {in_use.claims, in_use.vectors}
