"""`fmt`: governed files of the working tree in their canonical form, written one by one and whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from potpie_git.domain.errors import InvalidFileError, NotFoundError, StorageError
from potpie_git.domain.findings import Finding
from potpie_git.domain.layout import POT_DIRECTORY, kind_of
from potpie_git.store.codec import canonical, repository_path
from potpie_git.store.repository import Repository
from potpie_git.store.second_reader import reads_alike
from potpie_git.store.snapshot import Entry, WorktreeSnapshot


@dataclass(frozen=True, slots=True)
class FormatReport:
    """Files that were (or would be) rewritten, paths in the repository, and what could not be read."""

    examined: int
    changed: tuple[str, ...]
    findings: tuple[Finding, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "examined": self.examined,
            "changed": list(self.changed),
            "findings": [finding.as_dict() for finding in self.findings],
        }


def format_files(repository: Repository, paths: Sequence[Path], *, write: bool) -> FormatReport:
    """Rewrite files that are not in canonical form, comments kept; one that does not parse is named and left alone.

    `paths` are files or folders below `.potpie/`, everything by default. Raises `NotFoundError` for a path with no
    governed file, and `StorageError`.
    """
    snapshot = WorktreeSnapshot(repository)
    chosen = list(_chosen(repository, snapshot, paths))
    changed: list[str] = []
    findings: list[Finding] = []
    for entry, raw in snapshot.read_many(chosen):
        try:
            made = canonical(entry.path, raw)
        except InvalidFileError as error:
            findings += [Finding.model_validate(issue) for issue in error.issues]
            continue
        if made != raw:
            # A text that changed on the way would be a loss that nobody sees.
            if not reads_alike(raw, made):
                findings.append(_disagreement(entry.path))
                continue
            changed.append(repository_path(entry.path))
            if write:
                _replace(repository.potpie_dir / entry.path, made)
    return FormatReport(len(chosen), tuple(changed), tuple(findings))


def _disagreement(path: str) -> Finding:
    return Finding(
        code="PG-F12",
        path=repository_path(path),
        message="the canonical form would read differently to another YAML reader, so the file was left as it is",
        hint="Please report the file; until then write it in canonical form by hand.",
    )


def _chosen(repository: Repository, snapshot: WorktreeSnapshot, paths: Sequence[Path]) -> Iterable[Entry]:
    entries = [entry for entry in snapshot.entries() if kind_of(entry.path) is not None]
    if not paths:
        yield from entries
        return
    for path in paths:
        wanted = _relative(repository, path)
        below = [
            entry for entry in entries if wanted in {"", entry.path} or entry.path.startswith(f"{wanted}/")
        ]
        if not below:
            raise NotFoundError(
                f"{path} holds no governed file", hint=f"Name a file or folder below {POT_DIRECTORY}/."
            )
        yield from below


def _relative(repository: Repository, path: Path) -> str:
    """The path below the pot, judged by name alone: nothing is followed."""
    pot = repository.potpie_dir
    for base in (Path.cwd(), repository.root):
        absolute = Path(os.path.normpath(base / path))
        if absolute == pot or pot in absolute.parents:
            below = absolute.relative_to(pot).as_posix()
            return "" if below == "." else below
    raise NotFoundError(
        f"{path} is not below {POT_DIRECTORY}/", hint=f"Name a file or folder below {POT_DIRECTORY}/."
    )


def _replace(target: Path, raw: bytes) -> None:
    aside = target.with_name(f".{target.name}.fmt")
    try:
        aside.write_bytes(raw)
        aside.replace(target)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise StorageError(f"cannot write {target}: {error.strerror}") from error
