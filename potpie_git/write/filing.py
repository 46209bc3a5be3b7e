"""Plans made of files rather than of operations: the inbox and the import write through the same door as claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from potpie_git.domain.claim import Claim
from potpie_git.domain.errors import InvalidInputError, IssuesError
from potpie_git.domain.files import InboxItem
from potpie_git.domain.findings import Severity
from potpie_git.domain.layout import CLAIM_NAME, FileKind, inbox_path, kind_of
from potpie_git.domain.plan import FileEdit, Plan, PlanState
from potpie_git.domain.risk import claim_change_risk, path_change_risk
from potpie_git.domain.times import format_time
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.codec import Decoded, encode, file_findings
from potpie_git.store.yaml import YamlError
from potpie_git.write.base import Base
from potpie_git.write.identifiers import new_mutation_id, new_plan_id
from potpie_git.write.plans import PlanStore

# Such a plan is committed by the command that makes it, unless approvals are asked for first.
_LIFETIME: Final = timedelta(days=7)


def file_plan(
    base: Base, files: Mapping[str, bytes], message: str, now: datetime, *, risk: Risk = Risk.LOW
) -> Plan:
    """A stored plan that writes `files` (pot path → bytes) as they are; what stands already is left out.

    Its risk is that of its files, and `risk` at least. Raises `IssuesError` with everything the rules of single files
    object to, and `ConflictError` for files that were changed by hand.
    """
    decoded = checked_files(files)
    edits = []
    for path, raw in sorted(files.items()):
        entry = base.working.entry(path)
        if entry is None or base.working.read(path) != raw:
            edits.append(FileEdit(path=path, before=entry.oid if entry else None, after=raw.decode()))
    base.require_settled(edits)
    risk = max((risk, *(_risk(edit, decoded.get(edit.path)) for edit in edits)))
    known = {edit.path for edit in edits}
    if edits:
        edits = [*(edit for edit in base.setup_edits() if edit.path not in known), *edits]
    plan = Plan(
        plan_id=new_plan_id(now),
        mutation_id=new_mutation_id(now),
        state=PlanState.REVIEW_REQUIRED if base.asks_approval(risk, edits) else PlanState.VALIDATED,
        created_at=format_time(now),
        expires_at=format_time(now + _LIFETIME),
        head=base.head,
        branch=base.branch,
        author=base.author,
        base_versions=base.versions(_subgraphs(edits)),
        risk=risk.label,
        edits=edits,
        message=message,
    )
    PlanStore(base.repository).save(plan)
    return plan


def checked_files(files: Mapping[str, bytes]) -> dict[str, Decoded[Any]]:
    """The records of `files` by path. Raises `IssuesError` with every error that the checks would find in one alone."""
    decoded: dict[str, Decoded[Any]] = {}
    issues = []
    for path, raw in files.items():
        record, findings = file_findings(path, raw)
        issues += [found.as_dict() for found in findings if found.severity is Severity.ERROR]
        if record is not None:
            decoded[path] = record
    if issues:
        more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
        raise IssuesError(f"{issues[0]['message']}{more}", issues, hint=issues[0]["hint"])
    return decoded


def inbox_file(item: InboxItem) -> dict[str, bytes]:
    """An inbox item as the file that holds it. Raises `InvalidInputError` for text that no file can hold."""
    try:
        return {inbox_path(item): encode(item)}
    except YamlError as error:
        raise InvalidInputError(error.message, hint=error.hint, code=error.code) from error


def _risk(edit: FileEdit, decoded: Decoded[Any] | None) -> Risk:
    """The risk of one new or changed file, as the gate at the merge will grade it."""
    if kind_of(edit.path) is FileKind.CLAIM and decoded is not None and edit.before is None:
        assert isinstance(decoded.record, Claim)
        return claim_change_risk(None, decoded.record)
    return path_change_risk(edit.path, edit.before is not None)


def _subgraphs(edits: Iterable[FileEdit]) -> set[str]:
    matches = (CLAIM_NAME.match(edit.path) for edit in edits)
    return {match["subgraph"] for match in matches if match}
