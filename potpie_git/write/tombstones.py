"""Every tombstone of the pot at the cost of listing names: what was read once is remembered beside the plans."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import ValidationError

from potpie_git.domain.errors import StorageError
from potpie_git.domain.files import Tombstone
from potpie_git.domain.layout import TOMBSTONES
from potpie_git.store.pot_tree import PotTree
from potpie_git.store.repository import Repository
from potpie_git.write.plans import write_whole

_CACHE: Final = "tombstones.json"
_FORMAT: Final = 1


def all_tombstones(repository: Repository, tree: PotTree) -> list[Tombstone]:
    """The tombstones of the working tree.

    A tombstone never changes and its name tells its content, so a file that was read before is not read again. The
    cache is disposable: what is wrong with it costs a reading.
    """
    snapshot = tree.snapshot
    names = [
        f"{TOMBSTONES}/{part}/{name}"
        for part in snapshot.names(TOMBSTONES)
        for name in snapshot.names(f"{TOMBSTONES}/{part}")
    ]
    if not names:
        return []
    known = _load(repository)
    missing = [name for name in names if name not in known]
    entries = [entry for name in missing if (entry := snapshot.entry(name))]
    fresh = {stored.path: stored.record for stored in tree.load(entries)}
    found = {name: known.get(name) or fresh[name] for name in names if name in known or name in fresh}
    if fresh or len(known) > 2 * len(names):
        _save(repository, found)
    return list(found.values())


def _load(repository: Repository) -> dict[str, Tombstone]:
    try:
        data: Any = json.loads((repository.state_dir / _CACHE).read_bytes())
        if data["format"] != _FORMAT:
            return {}
        return {name: Tombstone.model_validate(held) for name, held in data["stones"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ValidationError):
        return {}


def _save(repository: Repository, stones: dict[str, Tombstone]) -> None:
    data = {"format": _FORMAT, "stones": {name: stone.to_data() for name, stone in stones.items()}}
    try:
        write_whole(repository.state_dir / _CACHE, json.dumps(data).encode())
    except StorageError:
        # a full disk must not keep anybody from looking
        return
