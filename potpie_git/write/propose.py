"""From a payload to a plan: parse, lower, judge, and collect every failure before saying any."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError

from potpie_git.domain.claim import Actor, Claim
from potpie_git.domain.errors import InvalidFileError, InvalidInputError
from potpie_git.domain.findings import Severity
from potpie_git.domain.layout import claim_path
from potpie_git.domain.mutation import (
    ALLOWED_FIELDS,
    REQUIRED_FIELDS,
    ActorInput,
    Operation,
    parse_payload,
)
from potpie_git.domain.plan import FileEdit, Plan, PlanState
from potpie_git.domain.risk import claim_change_risk, path_change_risk
from potpie_git.domain.text import is_encodable, nfc
from potpie_git.domain.text_safety import scan_text
from potpie_git.domain.times import format_time
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.codec import decode, file_findings
from potpie_git.store.yaml import YamlError, codes
from potpie_git.write.base import Base
from potpie_git.write.context import Batch, OpContext, Stamp
from potpie_git.write.draft import Draft
from potpie_git.write.evidence import EvidencePins
from potpie_git.write.identifiers import new_mutation_id, new_plan_id
from potpie_git.write.issues import Issue
from potpie_git.write.judgement import judge
from potpie_git.write.lowering import LOWERINGS
from potpie_git.write.message import full_message

# A version that moved since the caller looked is a conflict; everything else is the payload's fault.
CONFLICT_CODES = frozenset({"entity_moved", "state_moved"})
MAX_TTL = timedelta(days=30)


@dataclass(frozen=True)
class Request:
    """A payload with what the caller says about the plan."""

    payload: Any
    actor: Actor
    now: datetime
    ttl: timedelta
    idempotency_key: str | None = None
    message: str | None = None


def draw_up(base: Base, request: Request) -> Plan:
    """The plan of a payload, computed against the working tree and HEAD; `issues` say what is wrong with it.

    Raises `NoPotError`, `InvalidFileError` for a governed file that does not parse, and `ConflictError` for files
    that were changed by hand.
    """
    tree = base.tree
    payload = normalised(request.payload)
    message = normalised(request.message)
    operations, parse_issues = parse_payload(payload)
    salvaged = salvage(payload, operations, parse_issues)
    pins = EvidencePins(base.repository, base.head)
    batch = Batch(Draft(tree), pins, _stamp(request))
    for index, operation in enumerate(salvaged):
        if operation is not None:
            _lower(batch, index, operation)
    judge(batch, base.repository)
    plan = _blank_plan(base, request, batch)
    plan.operations = [one.model_dump(exclude_none=True, exclude_defaults=True) for one in operations if one]
    plan.issues = _distinct([*parse_issues, *(issue.as_dict() for issue in batch.issues)])
    if not plan.issues:
        _fill(plan, base, batch, message, [one for one in operations if one])
    plan.issues.sort(key=lambda issue: -1 if issue["op_index"] is None else issue["op_index"])
    plan.state = _state(plan, base)
    return plan


def normalised(data: Any) -> Any:
    """JSON data with every text in Unicode's composed form, so that equal texts make equal claims.

    Raises `InvalidInputError` for a text that no file could hold.
    """
    if isinstance(data, str):
        return data if data.isascii() else nfc(_encodable(data))
    if isinstance(data, Mapping):
        return {normalised(key): normalised(held) for key, held in data.items()}
    if isinstance(data, list | tuple):
        return [normalised(item) for item in data]
    return data


def _encodable(text: str) -> str:
    if is_encodable(text):
        return text
    raise InvalidInputError(
        "a text holds a lone surrogate, which stands for no character",
        hint="Send UTF-8; JSON escapes a character beyond U+FFFF as a pair, such as \\ud83d\\ude00.",
        code="malformed_payload",
    )


def salvage(
    payload: Any, operations: Sequence[Operation | None], issues: Sequence[Mapping[str, Any]]
) -> list[Operation | None]:
    """Operations that did not parse, without the fields that are wrong, so that the rest of them is judged as well.

    They never become a plan: their failures are told already.
    """
    if all(operations):
        return list(operations)
    raw = payload.get("operations", [payload])
    faulty: dict[int | None, set[str]] = defaultdict(set)
    for issue in issues:
        faulty[issue["op_index"]].add(str(issue["field"]).partition(".")[0])
    return [one or _salvaged(raw[index], faulty[index]) for index, one in enumerate(operations)]


def _salvaged(item: Any, faulty: set[str]) -> Operation | None:
    name = item.get("op") if isinstance(item, Mapping) else None
    if not isinstance(name, str) or name not in ALLOWED_FIELDS:
        return None
    kept = {field: held for field, held in item.items() if field in ALLOWED_FIELDS[name] - faulty}
    if "reason" in REQUIRED_FIELDS[name]:
        kept.setdefault("reason", "not given")
    if any(kept.get(field) in (None, "", [], {}) for field in REQUIRED_FIELDS[name]):
        return None
    try:
        return Operation.model_validate({"op": name, **kept})
    except ValidationError:
        return None


def _distinct(issues: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(
        {(one["code"], one["op_index"], one["field"], one["message"]): one for one in issues}.values()
    )


def _stamp(request: Request) -> Stamp:
    payload = request.payload if isinstance(request.payload, Mapping) else {}
    outer = payload if "operations" in payload else {}
    system, named = outer.get("source_system"), outer.get("actor")
    actor = request.actor
    if isinstance(named, Mapping):
        try:
            given = ActorInput.model_validate(named)
        except ValidationError:
            given = ActorInput()
        actor = Actor(
            surface=actor.surface, harness=given.harness or actor.harness, user=given.user or actor.user
        )
    return Stamp(
        new_mutation_id(request.now),
        request.now,
        actor,
        system if isinstance(system, str) and system else None,
    )


def _lower(batch: Batch, index: int, operation: Operation) -> None:
    ctx = OpContext(batch, index, operation)
    for where, described in hidden_characters(operation.model_dump(exclude_none=True)):
        ctx.issue(
            codes.HIDDEN_CHARACTER,
            f"{where} holds {described}, which a reviewer cannot see",
            "Remove the character.",
            where,
        )
    if operation.reason is not None and not operation.reason.strip():
        ctx.issue(
            "reason_required", "the reason is blank", "Say why, in a sentence for the reviewer.", "reason"
        )
    try:
        LOWERINGS[operation.op](ctx)
    except ValidationError as error:
        # a field that no operation looks at closely, such as a blank source_kind
        ctx.validation_faults(error)
    batch.contexts.append(ctx)


def hidden_characters(data: Any, where: str = "") -> list[tuple[str, str]]:
    """Every text of `data` that holds a character no record may hold: its place, and the first such character."""
    if isinstance(data, str):
        found = scan_text(data)
        return [(where, found[0][1])] if found else []
    pairs = data.items() if isinstance(data, Mapping) else enumerate(data) if isinstance(data, list) else ()
    return [
        hit
        for name, held in pairs
        for hit in hidden_characters(held, f"{where}.{name}" if where else str(name))
    ]


def _blank_plan(base: Base, request: Request, batch: Batch) -> Plan:
    return Plan(
        plan_id=new_plan_id(request.now),
        mutation_id=batch.stamp.mutation,
        state=PlanState.INVALID,
        created_at=format_time(request.now),
        expires_at=format_time(request.now + request.ttl),
        head=base.head,
        branch=base.branch,
        author=base.author,
        grades=[ctx.grade() for ctx in batch.contexts],
        warnings=list(batch.warnings.values()),
        idempotency_key=request.idempotency_key,
    )


def _fill(plan: Plan, base: Base, batch: Batch, message: str | None, operations: Sequence[Operation]) -> None:
    """The edits of a batch without failures, and what follows from them."""
    try:
        edits = batch.draft.edits()
    except YamlError as error:
        plan.issues.append(Issue(error.code, error.message, error.hint).as_dict())
        return
    judged = {claim_path(claim): claim for _, claim in batch.asserted}
    plan.issues = [issue for edit in edits if not _reads_as(edit, judged) for issue in _file_issues(edit)]
    if plan.issues:
        return
    plan.edits = [edit for edit in edits if edit.before is None or _changes(base, edit)]
    staged = base.require_settled(plan.edits)
    for path in staged:
        text = f"{path} is staged and not committed; this plan builds on it"
        plan.warnings.append(
            {"code": "staged_file", "op_index": None, "message": text, "hint": "Commit it first."}
        )
    if plan.edits:
        plan.edits = [*base.setup_edits(), *plan.edits]
    plan.base_versions = base.versions(batch.touched)
    plan.diff = batch.diff
    plan.risk = max(_op_risk(batch), _content_risk(batch)).label
    plan.message = full_message(message, operations, plan.diff)


def _changes(base: Base, edit: FileEdit) -> bool:
    return base.working.read(edit.path) != edit.after.encode()


def _reads_as(edit: FileEdit, judged: Mapping[str, Claim]) -> bool:
    """Whether a file is read back as a claim that was judged when it was put together."""
    claim = judged.get(edit.path)
    if claim is None:
        return False
    try:
        return bool(decode(edit.path, edit.after.encode()).record == claim)
    except InvalidFileError:
        return False


def _file_issues(edit: FileEdit) -> list[dict[str, Any]]:
    """What the checks would find in a file, before anything is written: nothing, unless a rule was missed above."""
    _, findings = file_findings(edit.path, edit.after.encode())
    return [
        Issue(found.code, f"{found.message} ({found.path})", found.hint, None, edit.op_index).as_dict()
        for found in findings
        if found.severity is Severity.ERROR
    ]


def _op_risk(batch: Batch) -> Risk:
    return max((ctx.risk for ctx in batch.contexts), default=Risk.LOW)


def _content_risk(batch: Batch) -> Risk:
    """The risk of the files, as the gate at the merge will grade them."""
    risk = Risk.LOW
    for path, record, _ in batch.draft.written():
        if isinstance(record, Claim):
            before = None if batch.draft.is_new(path) else batch.draft.stored_claim(path)
            risk = max(risk, claim_change_risk(before, record))
        else:
            risk = max(risk, path_change_risk(path, not batch.draft.is_new(path)))
    return risk


def _state(plan: Plan, base: Base) -> PlanState:
    if plan.issues:
        moved = all(issue["code"] in CONFLICT_CODES for issue in plan.issues)
        return PlanState.CONFLICT if moved else PlanState.INVALID
    if plan.edits and base.asks_approval(plan.risk_level, plan.edits):
        return PlanState.REVIEW_REQUIRED
    return PlanState.VALIDATED
