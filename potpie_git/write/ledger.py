"""What an agent's session has been shown, so that a nudge tells nothing twice: local state, never a record."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from potpie_git.domain.text import sha256_hex
from potpie_git.store.errors import storage_errors
from potpie_git.store.repository import Repository
from potpie_git.write.plans import write_whole

_FOLDER: Final = "nudges"
# A session that has been silent for so long is over, and one that was shown so much may see the oldest again.
_KEPT_SECONDS: Final = 14 * 24 * 3600
_MOST_KEYS: Final = 1000


class NudgeLedger:
    """The keys of one session; `session` is any text that the agent's host uses for it."""

    def __init__(self, repository: Repository, session: str) -> None:
        self._folder = repository.state_dir / _FOLDER
        self._file = self._folder / f"{sha256_hex(session)[:32]}.json"

    def seen(self) -> list[str]:
        """What was shown, the oldest first. A torn ledger counts as an empty one."""
        try:
            data: Any = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return []
        return [key for key in data if isinstance(key, str)] if isinstance(data, list) else []

    def add(self, keys: Iterable[str]) -> None:
        """Remember what is shown now, and forget sessions that are over. Raises `StorageError`."""
        kept = list(dict.fromkeys([*self.seen(), *keys]))[-_MOST_KEYS:]
        with storage_errors(self._file):
            write_whole(self._file, json.dumps(kept).encode())
            for old in self._others():
                if time.time() - old.stat().st_mtime > _KEPT_SECONDS:
                    old.unlink(missing_ok=True)

    def _others(self) -> list[Path]:
        return [file for file in self._folder.glob("*.json") if file != self._file]
