"""Evidence that cites a place in this repository is pinned, on write, to the blob that it meant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from potpie_git.domain.claim import Evidence
from potpie_git.domain.mutation import EvidenceInput
from potpie_git.domain.text import nfc
from potpie_git.domain.validation.claims import repo_place
from potpie_git.store.objects import EXECUTABLE_MODE, FILE_MODE, hash_object
from potpie_git.store.repository import Repository
from potpie_git.store.workfiles import WorkFiles
from potpie_git.write.issues import Issue

# Beyond this a cited file is pinned to what is committed, and its lines are not counted.
LARGEST_READ: Final = 8 << 20
_MISSING = "evidence_missing"


@dataclass(frozen=True, slots=True)
class Cited:
    """A file that evidence cites: its blob id, its text if it could be read, and whether that text is committed."""

    blob: str
    text: str | None
    committed: bool


@dataclass
class Pinned:
    """Evidence as it is written, with what was wrong with it and what is worth telling."""

    evidence: list[Evidence] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    warnings: list[Issue] = field(default_factory=list)


class EvidencePins:
    """Looks cited places up in the working tree and at `head`; each file is read once."""

    def __init__(self, repository: Repository, head: str | None) -> None:
        self._repository = repository
        self._head = head
        self._files = WorkFiles(repository.root)
        self._cited: dict[str, Cited | None] = {}

    def pin(self, given: Iterable[EvidenceInput], op_index: int | None) -> Pinned:
        """Evidence ready to be written; places outside this repository stay as they are."""
        pinned = Pinned()
        for index, item in enumerate(given):
            blob = None
            place = repo_place(item.source_ref)
            if place is not None:
                blob = self._check(item, place, f"evidence.{index}.source_ref", op_index, pinned)
            pinned.evidence.append(
                Evidence(
                    source_ref=item.source_ref,
                    authority=item.authority,
                    blob=blob,
                    quote=item.quote,
                    note=item.note,
                )
            )
        return pinned

    def _check(
        self,
        item: EvidenceInput,
        place: tuple[str, int | None, int | None],
        where: str,
        op_index: int | None,
        pinned: Pinned,
    ) -> str | None:
        path, first, last = place
        cited = self._look(path)
        if cited is None:
            message = f"evidence {item.source_ref!r} cites a file that is not in the repository"
            hint = "Write the path from the repository's root, as `git ls-files` prints it."
            pinned.issues.append(Issue(_MISSING, message, hint, where, op_index))
            return None
        if not cited.committed:
            message = f"{path} has changes that are not committed, and the evidence is pinned to them"
            hint = f"Commit {path} as well, or readers will see this evidence as changed."
            pinned.warnings.append(Issue("evidence_uncommitted", message, hint, where, op_index))
        if cited.text is not None:
            pinned.issues += _text_faults(item, cited.text, path, first, last, where, op_index)
        return cited.blob

    def _look(self, path: str) -> Cited | None:
        if path not in self._cited:
            self._cited[path] = self._find(path)
        return self._cited[path]

    def _find(self, path: str) -> Cited | None:
        committed = (
            self._repository.objects.find(f"{self._head}:{path}", LARGEST_READ) if self._head else None
        )
        if committed is not None and committed.kind != "blob":
            return None
        file = self._files.read(path, LARGEST_READ)
        if file is None or file.mode not in {FILE_MODE, EXECUTABLE_MODE}:
            if committed is None:
                return None
            return Cited(committed.oid, _text(committed.data, committed.size), True)
        text = _text(file.data, file.size)
        if not file.is_whole:
            return Cited(committed.oid, None, True) if committed else None
        if committed is not None and committed.oid in _ids(file.data):
            return Cited(committed.oid, text, True)
        stored = self._repository.git.run(
            "hash-object", "-w", "--no-filters", "--stdin", input=file.data
        ).stdout.decode()
        return Cited(stored.strip(), text, False)


def _ids(raw: bytes) -> set[str]:
    """Blob ids of a file as it is, and as git stores it where line ends are converted on checkout."""
    return {hash_object("blob", raw), hash_object("blob", raw.replace(b"\r\n", b"\n"))}


def _text(raw: bytes, size: int) -> str | None:
    if len(raw) != size or b"\0" in raw[:8000]:
        return None
    return raw.decode("utf-8", "replace").replace("\r\n", "\n")


def _text_faults(
    item: EvidenceInput,
    text: str,
    path: str,
    first: int | None,
    last: int | None,
    where: str,
    op_index: int | None,
) -> list[Issue]:
    lines = text.split("\n")
    count = len(lines) - (lines[-1] == "")
    if first is not None and (last or first) > count:
        message = f"{path} has {count} lines, and the evidence cites L{first}-L{last or first}"
        return [Issue("evidence_out_of_range", message, "Cite lines that are there.", where, op_index)]
    part = text if first is None else "\n".join(lines[first - 1 : last or first])
    if item.quote is not None and nfc(item.quote) not in nfc(part):
        message = f"the quote does not stand in {item.source_ref.removeprefix('repo:')}"
        hint = "Quote verbatim, or drop the quote."
        return [Issue("quote_not_found", message, hint, where.replace("source_ref", "quote"), op_index)]
    return []
