"""Creates a pot in a working tree: idempotent, and it touches nothing that is there already."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from potpie_git.domain.errors import RefusedError, StorageError
from potpie_git.domain.files import Approver, Policy, Pot
from potpie_git.domain.layout import ATTRIBUTES_FILE, ATTRIBUTES_TEXT, POLICY_FILE, POT_DIRECTORY, POT_FILE
from potpie_git.domain.text import slug
from potpie_git.domain.times import format_time
from potpie_git.store.codec import decode, encode
from potpie_git.store.repository import PotEntryKind, Repository


@dataclass(frozen=True, slots=True)
class SetupReport:
    """What `create_pot` did, file by file (paths in the repository), and who may approve."""

    pot_id: str
    created: tuple[str, ...]
    kept: tuple[str, ...]
    approver: str | None


_PURPOSE = {
    POT_FILE: "names this pot and the versions its files follow",
    POLICY_FILE: "says who may approve risky changes, and on which refs that is asked for",
    ATTRIBUTES_FILE: "keeps git from rewriting line ends and from blending two edits of one file",
}


def purpose(path: str) -> str:
    """What a file that `init` makes is for; `path` is relative to the pot."""
    return _PURPOSE[path]


def create_pot(repository: Repository, now: datetime, name: str | None = None) -> SetupReport:
    """Write the pot's own files where they are missing.

    Raises `RefusedError` if something else stands at `.potpie` or git would ignore it, and `StorageError` if the
    disk refuses.
    """
    kind = repository.pot_entry_kind()
    if kind not in {PotEntryKind.ABSENT, PotEntryKind.DIRECTORY}:
        raise RefusedError(
            f"{POT_DIRECTORY} is a {kind.value}, not a directory",
            hint=f"Move it away; the pot lives in a plain directory {POT_DIRECTORY}/.",
        )
    ignored = repository.ignored([POT_FILE])
    if ignored:
        raise RefusedError(
            f"git ignores {POT_DIRECTORY}/, so nothing written there would be committed",
            hint=f"Remove the line that matches (`git check-ignore -v {POT_DIRECTORY}/{POT_FILE}` names it).",
            code="ignored_pot",
        )
    identity = repository.user_identity()
    files = _initial_files(repository, now, name, identity)
    created, kept = _write_missing(repository, files)
    pot = decode(POT_FILE, (repository.potpie_dir / POT_FILE).read_bytes()).record
    return SetupReport(pot.pot_id, tuple(created), tuple(kept), _signature(identity))


def _signature(identity: tuple[str, str] | None) -> str | None:
    return f"{identity[0]} <{identity[1]}>" if identity else None


def _initial_files(
    repository: Repository, now: datetime, name: str | None, identity: tuple[str, str] | None
) -> Mapping[str, bytes]:
    label = name or repository.root.name
    pot = Pot(
        pot_id=f"{slug(label, 24)}-{uuid.uuid4().hex[:12]}",
        name=label,
        created_at=format_time(now),
    )
    approvers = [Approver(name=identity[0], emails=[identity[1]])] if identity else []
    refs = ["refs/heads/main", "refs/heads/master"]
    policy = Policy(version=1, approvers=approvers, protected=refs)
    return {
        POT_FILE: encode(pot),
        POLICY_FILE: encode(policy),
        ATTRIBUTES_FILE: ATTRIBUTES_TEXT.encode(),
    }


def _write_missing(repository: Repository, files: Mapping[str, bytes]) -> tuple[list[str], list[str]]:
    created: list[str] = []
    kept: list[str] = []
    try:
        repository.potpie_dir.mkdir(exist_ok=True)
        for path, raw in files.items():
            target = repository.potpie_dir / path
            if target.exists() or target.is_symlink():
                kept.append(path)
                continue
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            with os.fdopen(descriptor, "wb") as handle:
                created.append(path)
                handle.write(raw)
    except OSError as error:
        for path in created:
            (repository.potpie_dir / path).unlink(missing_ok=True)
        raise StorageError(f"cannot write {error.filename or POT_DIRECTORY}: {error.strerror}") from error
    return created, kept
