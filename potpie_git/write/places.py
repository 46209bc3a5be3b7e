"""Where a write keeps its local state; apart from the journal, because every command looks whether there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from potpie_git.store.repository import Repository

_JOURNAL: Final = "journal.json"


def journal_path(repository: Repository) -> Path:
    """The journal of the write that is under way, or that was cut short."""
    return repository.state_dir / _JOURNAL
