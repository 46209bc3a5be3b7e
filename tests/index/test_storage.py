"""Small files with a digest, seals over tables, and the lock."""

import os
from pathlib import Path

import pytest

from potpie_git.domain.errors import LockedError, StorageError
from potpie_git.index import IndexDamagedError, IndexMissingError, storage
from potpie_git.index.storage import Pointer, TableState


def test_what_was_written_is_read(tmp_path: Path) -> None:
    state = TableState(7, 3, ("a", "b"), None, 3, "m", {"data/x": (1, 2, "d")})
    storage.write_state(tmp_path, state)
    assert storage.read_state(tmp_path) == state
    storage.write_pointer(tmp_path, Pointer("claims-1", "vectors-1"))
    assert storage.read_pointer(tmp_path) == Pointer("claims-1", "vectors-1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["current", "state"]


def test_every_change_of_a_small_file_is_noticed(tmp_path: Path) -> None:
    storage.write_state(tmp_path, TableState(7))
    raw = (tmp_path / "state").read_bytes()
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= 0x04
        (tmp_path / "state").write_bytes(changed)
        with pytest.raises(IndexDamagedError):
            storage.read_state(tmp_path)


def test_a_missing_state_is_damage_and_a_missing_pointer_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexDamagedError):
        storage.read_state(tmp_path)
    with pytest.raises(IndexMissingError):
        storage.read_pointer(tmp_path / "nowhere")


@pytest.fixture
def sealed(tmp_path: Path) -> tuple[Path, storage.Seal]:
    table = tmp_path / "t.lance"
    (table / "data").mkdir(parents=True)
    (table / "data" / "a").write_bytes(b"one")
    (table / "b").write_bytes(b"two")
    return table, storage.seal_of(table, {})


def test_a_seal_holds_while_nothing_changes(sealed: tuple[Path, storage.Seal]) -> None:
    table, seal = sealed
    assert set(seal) == {"data/a", "b"}
    storage.check_seal(table, seal)
    (table / "new").write_bytes(b"of an unfinished write")
    storage.check_seal(table, seal, thorough=True)
    os.utime(table / "b", ns=(1, 1))
    storage.check_seal(table, seal)


def test_a_seal_breaks_on_change_and_loss(sealed: tuple[Path, storage.Seal]) -> None:
    table, seal = sealed
    (table / "b").write_bytes(b"2wo")
    with pytest.raises(IndexDamagedError, match="has changed"):
        storage.check_seal(table, seal)
    (table / "b").unlink()
    with pytest.raises(IndexDamagedError, match="is missing"):
        storage.check_seal(table, seal)


def test_only_a_thorough_check_sees_a_change_that_kept_size_and_time(
    sealed: tuple[Path, storage.Seal],
) -> None:
    table, seal = sealed
    about = (table / "b").stat()
    (table / "b").write_bytes(b"2wo")
    os.utime(table / "b", ns=(about.st_atime_ns, about.st_mtime_ns))
    storage.check_seal(table, seal)
    with pytest.raises(IndexDamagedError):
        storage.check_seal(table, seal, thorough=True)


def test_known_files_are_not_read_again(sealed: tuple[Path, storage.Seal]) -> None:
    table, seal = sealed
    marked = {name: (size, time, "as before") for name, (size, time, _) in seal.items()}
    (table / "c").write_bytes(b"three")
    again = storage.seal_of(table, marked)
    assert again["b"][2] == "as before"
    assert again["c"][2] != "as before"


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with (
        storage.builder_lock(tmp_path / "index", 0.0),
        pytest.raises(LockedError),
        storage.builder_lock(tmp_path / "index", 0.0),
    ):
        pass
    with storage.builder_lock(tmp_path / "index", 0.0):
        pass


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError), storage.builder_lock(tmp_path / "file" / "index", 0.0):
        pass
    with pytest.raises(StorageError):
        storage.replace_file(tmp_path / "none" / "state", b"")


def test_what_killed_builds_left_is_removed(tmp_path: Path) -> None:
    for name in ("claims-1", "claims-2", "vectors-1", "vectors-2", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / ".current.ab12").write_text("")
    storage.remove_unused(tmp_path, Pointer("claims-2", "vectors-1"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["claims-2", "other", "vectors-1"]
