"""Brings exported files into a pot: byte for byte, judged by the same rules as every write, and never over others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from potpie_git.domain.claim import Claim
from potpie_git.domain.errors import IssuesError, NoPotError
from potpie_git.domain.files import Entity, InboxItem, Tombstone
from potpie_git.domain.findings import Severity
from potpie_git.domain.layout import ATTRIBUTES_TEXT, POT_FILE, FileKind, kind_of
from potpie_git.domain.mutation import Endpoint, Operation, parse_json_payload
from potpie_git.domain.vocabulary import SYSTEM_PREDICATES, Risk
from potpie_git.store.codec import Decoded, decode, file_findings, repository_path
from potpie_git.store.errors import storage_errors
from potpie_git.store.export import SETTINGS
from potpie_git.store.pot_tree import PotTree
from potpie_git.store.repository import PotEntryKind, Repository
from potpie_git.write.base import Base
from potpie_git.write.context import Batch, OpContext, Stamp
from potpie_git.write.draft import Draft
from potpie_git.write.evidence import EvidencePins
from potpie_git.write.filing import file_plan
from potpie_git.write.identifiers import new_mutation_id
from potpie_git.write.judgement import judge
from potpie_git.write.results import CommitResult
from potpie_git.write.screening import CODE, HINT, Screen, told
from potpie_git.write.writer import Writer

_HINT: Final = "Import what `git potpie graph export` wrote, one file a line."


class ImportReport(BaseModel):
    """What became of the lines: files that were added, that stood already, and that were left out by request.

    `unchanged` files are the same byte for byte; `kept` ones are claims that assert the same, recorded at another time.
    """

    model_config = ConfigDict(extra="forbid")

    added: list[str] = Field(default_factory=list)
    unchanged: int = 0
    kept: int = 0
    skipped: int = 0
    written: CommitResult | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """One file of an import and the line that it came from (1-based)."""

    number: int
    path: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class _Incoming:
    """A file to be written, with its record (None for `.gitattributes`)."""

    line: _Line
    decoded: Decoded[Any] | None


@dataclass
class _Found:
    """What is wrong with an import, each with its line."""

    issues: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self, line: int, code: str, message: str, hint: str, path: str | None = None, at: int = 1
    ) -> None:
        self.issues.append(
            {
                "code": code,
                "import_line": line,
                "path": path,
                "line": at,
                "message": f"line {line}: {message}",
                "hint": hint,
            }
        )


def import_files(
    writer: Writer,
    lines: Iterable[bytes],
    clock: Callable[[], datetime],
    *,
    settings: bool = True,
    stage: bool = False,
    message: str | None = None,
) -> ImportReport:
    """Write exported files, all of them or none, as one commit; with `settings` off, records alone.

    Raises `IssuesError` with every failure and its line: a line that is none of an export, a file that breaks a rule, a
    claim that the pot's tombstones or singletons refuse, a file that stands with other content. Raises `NoPotError`
    where neither the repository nor the import has a pot's settings, and what a commit raises; a whole pot is of high
    risk, so a protected branch asks for approvals.
    """
    report, found = ImportReport(), _Found()
    base = Base(writer.repository)
    incoming = _incoming(base, _parsed(lines, found), settings, report, found)
    if writer.screen is not None:
        _screen(writer.screen, incoming.values(), found)
    risk = _judge(base, writer, clock(), incoming, found) if not found.issues else Risk.LOW
    if found.issues:
        first = found.issues[0]
        more = f" (and {len(found.issues) - 1} more)" if len(found.issues) > 1 else ""
        raise IssuesError(f"{first['message']}{more}", found.issues, hint=first["hint"])
    if POT_FILE not in incoming and base.working.entry(POT_FILE) is None:
        raise NoPotError(f"{base.repository.root} has no pot, and the import brings none along")
    if not incoming:
        return report
    files = {path: one.line.raw for path, one in incoming.items()}
    with _folder(base.repository):
        plan = file_plan(base, files, message or f"Memory: import {len(files)} files", clock(), risk=risk)
        report.written = writer.commit(plan.plan_id, stage=stage)
    report.added = [repository_path(path) for path in sorted(files)]
    return report


def _incoming(
    base: Base, lines: Iterable[_Line], settings: bool, report: ImportReport, found: _Found
) -> dict[str, _Incoming]:
    """The files that are to be written, by path."""
    files: dict[str, _Incoming] = {}
    for line in lines:
        if not settings and kind_of(line.path) in SETTINGS:
            report.skipped += 1
            continue
        record, sound = _checked(line, found)
        if not sound:
            continue
        same = files.get(line.path)
        if same is not None and same.line.raw != line.raw:
            message = f"{line.path} stood in line {same.line.number} as well"
            found.add(line.number, "doubled_path", message, _HINT)
        elif same is None and not _stands(base, line, record, report, found):
            files[line.path] = _Incoming(line, record)
    return files


@contextmanager
def _folder(repository: Repository) -> Iterator[None]:
    """See to it that the pot's directory is there; one that was made for nothing goes again."""
    made = repository.pot_entry_kind() is PotEntryKind.ABSENT
    if made:
        with storage_errors(repository.potpie_dir):
            repository.potpie_dir.mkdir()
    try:
        yield
    finally:
        if made and not any(repository.potpie_dir.iterdir()):
            repository.potpie_dir.rmdir()


def _parsed(lines: Iterable[bytes], found: _Found) -> Iterable[_Line]:
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            held = parse_json_payload(raw.decode())
        except ValueError as error:
            found.add(number, "malformed_payload", f"it is not JSON: {error}", _HINT)
            continue
        path, text = (held.get("path"), held.get("raw")) if isinstance(held, dict) else (None, None)
        if not isinstance(path, str) or not isinstance(text, str):
            found.add(number, "malformed_payload", "it has no `path` and `raw`", _HINT)
            continue
        try:
            yield _Line(number, path, text.encode())
        except UnicodeEncodeError:
            found.add(number, "malformed_payload", f"the text of {path} holds half a character", _HINT, path)


def _checked(line: _Line, found: _Found) -> tuple[Decoded[Any] | None, bool]:
    """The record of a line, and whether the rules of single files allow it at its path."""
    if kind_of(line.path) is FileKind.ATTRIBUTES:
        sound = line.raw == ATTRIBUTES_TEXT.encode()
        if not sound:
            hint = "Leave the settings out with --without-settings."
            found.add(line.number, "foreign_attributes", f"{line.path} is not as `init` writes it", hint)
        return None, sound
    record, findings = file_findings(line.path, line.raw)
    errors = [one for one in findings if one.severity is Severity.ERROR]
    for one in errors:
        found.add(line.number, one.code, one.message, one.hint, one.path, one.line)
    return record, not errors


def _screen(screen: Screen, incoming: Iterable[_Incoming], found: _Found) -> None:
    """Find the files that hold a credential, before anything of them is stored."""
    lines = [
        (one.line, at, text)
        for one in incoming
        for at, text in enumerate(one.line.raw.decode().split("\n"), 1)
    ]
    for leak in screen((place, text) for place, (_, _, text) in enumerate(lines)):
        line, at, _ = lines[leak.line]
        found.add(line.number, CODE, told(line.path, leak), HINT, repository_path(line.path), at)


def _stands(
    base: Base, line: _Line, record: Decoded[Any] | None, report: ImportReport, found: _Found
) -> bool:
    """Whether the file need not be written; says so where it stands with other content."""
    if base.working.entry(line.path) is None:
        return False
    standing = base.working.read(line.path)
    if standing == line.raw:
        report.unchanged += 1
        return True
    if record is not None and _same_assertion(line.path, standing, record.record):
        report.kept += 1
        return True
    is_setting = kind_of(line.path) in SETTINGS
    hint = (
        "Leave the settings out with --without-settings."
        if is_setting
        else "Take the line out of the import, or change what stands with `git potpie graph propose`."
    )
    where = repository_path(line.path)
    found.add(line.number, "stands_otherwise", f"{where} stands with other content", hint, where)
    return True


def _same_assertion(path: str, standing: bytes, record: Any) -> bool:
    """Whether both are one claim in one state, recorded by different people or at different times."""
    if not isinstance(record, Claim):
        return False
    held = decode(path, standing).record
    return (
        isinstance(held, Claim)
        and held.id == record.id
        and held.withdrawal_stamp() == record.withdrawal_stamp()
    )


def _judge(
    base: Base, writer: Writer, now: datetime, incoming: Mapping[str, _Incoming], found: _Found
) -> Risk:
    """Look at new claims beside the pot, as `propose` does; returns the risk that this adds to that of the files."""
    repository = base.repository
    batch = Batch(
        Draft(PotTree(base.working)),
        EvidencePins(repository, base.head),
        Stamp(new_mutation_id(now), now, writer.actor),
    )
    for one in incoming.values():
        record = one.decoded.record if one.decoded else None
        if isinstance(record, Claim | Entity | Tombstone | InboxItem):
            batch.draft.put(record, one.line.number)
        if isinstance(record, Claim) and record.live and record.predicate not in SYSTEM_PREDICATES:
            _consider(batch, record, one.line.number)
    judge(batch, repository)
    for issue in batch.issues:
        found.add(issue.op_index or 0, issue.code, issue.message, issue.hint)
    return max((ctx.risk for ctx, _ in batch.asserted), default=Risk.LOW)


def _consider(batch: Batch, claim: Claim, number: int) -> None:
    """Have a claim judged as if it were asserted; the operation stands for its line."""
    operation = Operation(
        op="assert_claim",
        subject=Endpoint(key=claim.subject),
        predicate=claim.predicate,
        truth=claim.truth,
        reinstates=claim.reinstates,
    )
    ctx = OpContext(batch, number, operation)
    batch.asserted.append((ctx, claim))
    for key in filter(None, (claim.subject, claim.object)):
        batch.keys.setdefault(key, {}).setdefault(claim.subgraph, ctx)
