"""Bytes ↔ records, in both directions: one place decides what a governed file may hold and how it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from potpie_git.domain.approval import Approval
from potpie_git.domain.claim import Claim
from potpie_git.domain.errors import InvalidFileError
from potpie_git.domain.files import Entity, InboxItem, Policy, Pot, Tombstone
from potpie_git.domain.findings import Finding, Severity
from potpie_git.domain.layout import POT_DIRECTORY, FileKind, expected_path, kind_of
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.validation.claims import claim_problems
from potpie_git.domain.validation.files import (
    entity_problems,
    inbox_problems,
    policy_problems,
    pot_problems,
    tombstone_problems,
)
from potpie_git.domain.validation.problem import FieldPath, Problem
from potpie_git.store.yaml import Document, YamlError, emit, faults, parse

Record = Claim | Entity | Tombstone | Pot | Policy | InboxItem | Approval
R = TypeVar("R", bound=Record)

MODELS: Mapping[FileKind, type[BaseModel]] = {
    FileKind.CLAIM: Claim,
    FileKind.ENTITY: Entity,
    FileKind.TOMBSTONE: Tombstone,
    FileKind.APPROVAL: Approval,
    FileKind.INBOX: InboxItem,
    FileKind.POT: Pot,
    FileKind.POLICY: Policy,
}


@dataclass(frozen=True, slots=True)
class Decoded(Generic[R]):
    """A record with the document that it came from, so that a finding can name a line."""

    record: R
    document: Document
    path: str

    def line(self, field: FieldPath) -> int:
        return line_of(self.document, field)


def line_of(document: Document, field: FieldPath) -> int:
    """The 1-based line of a field, or of its nearest parent that stands in the file."""
    for end in range(len(field), 0, -1):
        found = document.lines.get(field[:end])
        if found is not None:
            return found
    return 1


def repository_path(path: str) -> str:
    """A pot path as it stands in the repository."""
    return f"{POT_DIRECTORY}/{path}"


def encode(record: BaseModel, document: Document | None = None) -> bytes:
    """The canonical bytes of a record; with `document`, the comments of that document are kept."""
    return emit(record.model_dump(mode="json", exclude_none=True), document.comments if document else ())


def decode(path: str, raw: bytes) -> Decoded[Any]:
    """The record at `path` (relative to the pot). Raises `InvalidFileError` naming path and line of every fault.

    Only form is judged here (YAML and schema); `record_findings` judges what the record says.
    """
    kind = kind_of(path)
    model = MODELS.get(kind) if kind else None
    if model is None:
        raise _invalid(path, [_finding("PG-F13", path, 1, f"{path} is no place for a record", _PLACES)])
    try:
        document = parse(raw)
    except YamlError as error:
        found = [_from_yaml(path, fault) for fault in faults(raw)] or [_from_yaml(path, error)]
        raise _invalid(path, found) from error
    try:
        record = model.model_validate(document.data)
    except ValidationError as error:
        raise _invalid(path, list(_schema_findings(path, document, model, error))) from error
    return Decoded(record, document, path)


_PLACES = (
    "Governed files stand under claims/, entities/, tombstones/, approvals/ and inbox/, beside pot.yaml."
)


def file_findings(path: str, raw: bytes) -> tuple[Decoded[Any] | None, list[Finding]]:
    """Everything that is wrong with one file on its own: YAML, schema, content rules, canonical form and name."""
    if kind_of(path) is FileKind.ATTRIBUTES:
        return None, []
    try:
        decoded = decode(path, raw)
    except InvalidFileError as error:
        return None, [Finding.model_validate(issue) for issue in error.issues]
    return decoded, [*record_findings(decoded), *_form_findings(decoded, raw)]


def record_findings(decoded: Decoded[Any]) -> list[Finding]:
    """What the record breaks by what it says."""
    return [problem_finding(decoded, problem) for problem in record_problems(decoded.record)]


def record_problems(record: Record) -> list[Problem]:
    """The rules of one record, whatever its kind."""
    if isinstance(record, Claim):
        return claim_problems(record)
    if isinstance(record, Entity):
        return entity_problems(record)
    if isinstance(record, Tombstone):
        return tombstone_problems(record)
    if isinstance(record, InboxItem):
        return inbox_problems(record)
    if isinstance(record, Approval):
        return []
    return pot_problems(record) if isinstance(record, Pot) else policy_problems(record)


def problem_finding(decoded: Decoded[Any], problem: Problem) -> Finding:
    severity = Severity.ERROR if problem.blocking else Severity.WARNING
    line = decoded.line(problem.field)
    return _finding(problem.code, decoded.path, line, problem.message, problem.hint, severity)


def _form_findings(decoded: Decoded[Any], raw: bytes) -> list[Finding]:
    found = []
    record, path = decoded.record, decoded.path
    if not isinstance(record, Pot | Policy) and expected_path(record) != path:
        hint = f"Its content makes the name {repository_path(expected_path(record))}; write files with `git potpie`."
        found.append(_finding("PG-F13", path, 1, "the file's name does not match its content", hint))
    if encode(record, decoded.document) != raw:
        line = _first_difference(encode(record, decoded.document), raw)
        hint = f"Run `git potpie fmt {repository_path(path)}`."
        found.append(_finding("PG-F12", path, line, "the file is not in canonical form", hint))
    return found


def _first_difference(left: bytes, right: bytes) -> int:
    ours, theirs = left.split(b"\n"), right.split(b"\n")
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        if one != other:
            return number
    return max(1, min(len(ours), len(theirs)))


def canonical(path: str, raw: bytes) -> bytes:
    """The canonical bytes of a governed file, comments kept. Raises `InvalidFileError` if it does not decode."""
    if kind_of(path) is FileKind.ATTRIBUTES:
        return raw
    decoded = decode(path, raw)
    return encode(decoded.record, decoded.document)


def _schema_findings(
    path: str, document: Document, model: type[BaseModel], error: ValidationError
) -> Iterable[Finding]:
    seen: set[tuple[int, str]] = set()
    for fault in error.errors(include_url=False):
        field = tuple(part for part in fault["loc"] if not _is_branch_label(part))
        line = line_of(document, field)
        code, message, hint = _explain(model, field, fault["type"], fault["msg"])
        if (line, message) not in seen:
            seen.add((line, message))
            yield _finding(code, path, line, message, hint)


def _is_branch_label(part: str | int) -> bool:
    """Pydantic names the tried branch of a union in a location; it is no field."""
    return isinstance(part, str) and ("[" in part or part == "constrained-str")


def _explain(model: type[BaseModel], field: FieldPath, kind: str, text: str) -> tuple[str, str, str]:
    name = ".".join(str(part) for part in field) or "the file"
    if kind == "missing":
        return "PG-S01", f"{name} is missing", f"Add {name}; see schema/ for the fields of this kind of file."
    if kind == "extra_forbidden":
        near = did_you_mean(str(field[-1]), model.model_fields) if len(field) == 1 else ""
        return (
            "PG-S01",
            f"{name} is not a field of this kind of file.{near}",
            f"Remove {name}, or spell it right.",
        )
    message = text.removeprefix("Value error, ")
    if kind == "value_error" and any(str(part) in _TIME_FIELDS for part in field[-1:]):
        return "PG-S07", f"{name}: {message}", "Give the time with its offset."
    if name.endswith("confidence"):
        return "PG-S06", f"{name} is not a number between 0 and 1", "Write a number such as 0.8."
    return "PG-S01", f"{name}: {message[:1].lower()}{message[1:]}", "See schema/ for the type of this field."


_TIME_FIELDS = frozenset(
    {"valid_from", "valid_to", "valid_until", "observed_at", "recorded_at", "revoked", "created_at", "at"}
)


def _from_yaml(path: str, error: YamlError) -> Finding:
    return _finding(error.code, path, error.line, error.message, error.hint)


def _finding(
    code: str, path: str, line: int, message: str, hint: str, severity: Severity = Severity.ERROR
) -> Finding:
    return Finding(
        code=code, severity=severity, path=repository_path(path), line=line, message=message, hint=hint
    )


def _invalid(path: str, found: list[Finding]) -> InvalidFileError:
    first = found[0]
    message = f"{first.path}:{first.line}: {first.message} [{first.code}]"
    return InvalidFileError(message, [finding.as_dict() for finding in found], hint=first.hint or None)
