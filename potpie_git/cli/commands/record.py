"""`record`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

import typer

from potpie_git.cli.commands.graph_write import FileOption, StageOption, read_payload
from potpie_git.cli.context import current
from potpie_git.cli.options import takes
from potpie_git.cli.output import shown
from potpie_git.cli.render.plans import commit_text, plan_text
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import RECORD_LIST_FIELDS, RECORD_SCHEMAS, RECORD_TYPES
from potpie_git.write.results import RecordResult

_FILE_FIELDS = (
    "subject",
    "summary",
    "fact",
    "description",
    "truth",
    "confidence",
    "environment",
    "valid_from",
    "observed_at",
    "source_system",
    "reinstates",
    "reason",
)


def parse_details(pairs: Iterable[str]) -> dict[str, Any]:
    """Fields from `key=value` texts; a list field collects what is given several times.

    Raises `InvalidInputError` for a text without `=` or a single-valued field given twice.
    """
    details: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key = key.strip()
        if not equals or not key:
            raise InvalidInputError(
                f"{pair!r} is not key=value", hint="Write --detail root_cause='a race'.", code="usage"
            )
        if key in RECORD_LIST_FIELDS:
            details.setdefault(key, []).append(value)
        elif key in details:
            raise InvalidInputError(
                f"{key} holds one text and was given twice", hint="Give it once.", code="usage"
            )
        else:
            details[key] = value
    return details


def parse_pairs(pairs: Iterable[str]) -> dict[str, list[str]]:
    """A scope from `dimension:value` texts; a dimension may be given several times."""
    scope: dict[str, list[str]] = {}
    for pair in pairs:
        dimension, colon, value = pair.partition(":")
        if not colon or not value.strip():
            raise InvalidInputError(
                f"{pair!r} is not a scope",
                hint="Write --scope service:payments or --scope path:src/x.py.",
                code="usage",
            )
        scope.setdefault(dimension.strip(), []).append(value.strip())
    return scope


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What any record may say beside its fields."""

    summary: Annotated[str | None, typer.Option(help="What it says, in a sentence.")] = None
    description: Annotated[
        str | None, typer.Option(help="How a future searcher would ask: symptoms, synonyms, scope.")
    ] = None
    subject: Annotated[
        str | None, typer.Option(metavar="KEY", help="The entity's key; minted if left out.")
    ] = None
    truth: Annotated[str | None, typer.Option(help="The truth class.")] = None
    confidence: Annotated[float | None, typer.Option(help="Between 0 and 1.")] = None
    environment: Annotated[str | None, typer.Option(help="Such as prod or staging.")] = None
    valid_from: Annotated[str | None, typer.Option(help="Since when it holds, with an offset.")] = None
    reinstates: Annotated[
        str | None,
        typer.Option(metavar="CLAIM", help="The withdrawn claim whose value stands again; needs --reason."),
    ] = None
    reason: Annotated[str | None, typer.Option(help="Why a withdrawn value stands again.")] = None


@takes(RecordOptions)
def record(
    options: RecordOptions,
    record_type: Annotated[
        str | None,
        typer.Argument(
            metavar="TYPE", help="fix, bug_pattern, preference, policy, decision, verification, or any note."
        ),
    ] = None,
    detail: Annotated[
        list[str] | None,
        typer.Option("--detail", "-d", metavar="KEY=VALUE", help="A field; repeat it for a list."),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(metavar="DIM:VALUE", help="What it is about, such as service:payments."),
    ] = None,
    evidence: Annotated[
        list[str] | None,
        typer.Option(metavar="REF", help="Where it comes from, such as github:pr:acme/pay:812."),
    ] = None,
    file: FileOption = None,
    stage: StageOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and write nothing to the tree.")
    ] = False,
    message: Annotated[str | None, typer.Option("--message", "-m", help="The commit's subject line.")] = None,
) -> Reply:
    """Write down what was learnt, and commit it.

    Typed records and the fields that they need: fix (symptom_signature, fix_steps), bug_pattern (kind,
    symptom_signature, summary), preference and policy (policy_kind, prescription), decision (title, summary,
    rationale), verification (target_ref, outcome). Any other type is kept as free form, with --summary and details.

    Example: git potpie record decision -d title="Use queues" -d summary="..." -d rationale="..." --scope service:pay
    """
    given = _Given(record_type, parse_details(detail or []), _named(options))
    given.scope.update(parse_pairs(scope or []))
    given.evidence += evidence or []
    if file is not None:
        given.merge(read_payload(file, None))
    if not given.record_type:
        raise InvalidInputError(
            "say what to record",
            hint=f"Types: {', '.join(RECORD_TYPES)}; any other name is free form.",
            code="usage",
        )
    outcome = current().pot.record(
        given.record_type,
        given.fields,
        scope=given.scope,
        evidence=given.evidence,
        stage=stage,
        dry_run=dry_run,
        message=message,
        **given.options,
    )
    return _reply(outcome, given.record_type, dry_run)


def _reply(outcome: RecordResult, record_type: str, dry_run: bool) -> Reply:
    return Reply(
        result=outcome.model_dump(mode="json"),
        text=shown(plan_text(outcome.plan) if dry_run else commit_text(outcome)),
        warnings=[*outcome.plan.warnings, *_free_form(record_type)],
        next_action=f"git potpie graph commit {outcome.plan.plan_id}" if dry_run else None,
    )


def _named(options: RecordOptions) -> dict[str, Any]:
    return {name: held for name, held in asdict(options).items() if held is not None}


def _free_form(record_type: str) -> list[dict[str, Any]]:
    if record_type in RECORD_TYPES:
        return []
    near = did_you_mean(record_type, RECORD_TYPES)
    return [{"code": "free_form", "message": f"{record_type!r} is no typed record, kept as free form.{near}"}]


@dataclass(slots=True)
class _Given:
    """A record as the command line and a file give it; what the command line says wins."""

    record_type: str | None
    fields: dict[str, Any]
    options: dict[str, Any]
    scope: dict[str, Any] = field(default_factory=dict)
    evidence: list[Any] = field(default_factory=list)

    def merge(self, payload: Any) -> None:
        """Fold a record file in. Raises `InvalidInputError` if it is not one object."""
        if not isinstance(payload, dict):
            raise InvalidInputError(
                "a record file holds one object", hint='Send {"type": "fix", ...}.', code="malformed_payload"
            )
        self.record_type = self.record_type or str(payload.get("type") or "") or None
        for name, held in payload.items():
            if name == "scope" and isinstance(held, dict):
                self.scope = {**held, **self.scope}
            elif name == "evidence" and isinstance(held, list):
                self.evidence += held
            elif name in _FILE_FIELDS and not _is_field(self.record_type, name):
                self.options.setdefault(name, held)
            elif name != "type":
                self.fields.setdefault(name, held)


def _is_field(record_type: str | None, name: str) -> bool:
    """True if a typed record has a field of its own by this name (`summary` of a decision)."""
    declared = RECORD_TYPES.get(record_type or "")
    schema = RECORD_SCHEMAS.get(declared.schema or "") if declared else None
    return schema is not None and name in schema.fields
