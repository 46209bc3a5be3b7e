"""`record`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from potpie_git.cli.commands.graph_write import FileOption, read_payload
from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.render.plans import commit_text
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import RECORD_LIST_FIELDS, RECORD_SCHEMAS, RECORD_TYPES

_FILE_FIELDS = (
    "type",
    "scope",
    "evidence",
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


def record(
    record_type: Annotated[
        str | None,
        typer.Argument(
            metavar="TYPE", help="fix, bug_pattern, preference, policy, decision, verification, or any note."
        ),
    ] = None,
    detail: Annotated[
        list[str] | None,
        typer.Option(
            "--detail", "-d", metavar="KEY=VALUE", help="A field of the record; repeat it for a list."
        ),
    ] = None,
    summary: Annotated[str | None, typer.Option(help="What it says, in a sentence.")] = None,
    description: Annotated[
        str | None, typer.Option(help="How a future searcher would ask: symptoms, synonyms, scope.")
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(metavar="DIM:VALUE", help="What it is about, such as service:payments."),
    ] = None,
    evidence: Annotated[
        list[str] | None,
        typer.Option(metavar="REF", help="Where it comes from, such as github:pr:acme/pay:812."),
    ] = None,
    subject: Annotated[
        str | None, typer.Option(metavar="KEY", help="The entity's key; minted if left out.")
    ] = None,
    truth: Annotated[str | None, typer.Option(help="The truth class.")] = None,
    confidence: Annotated[float | None, typer.Option(help="Between 0 and 1.")] = None,
    environment: Annotated[str | None, typer.Option(help="Such as prod or staging.")] = None,
    valid_from: Annotated[str | None, typer.Option(help="Since when it holds, with an offset.")] = None,
    reinstates: Annotated[
        str | None,
        typer.Option(metavar="CLAIM", help="The withdrawn claim whose value stands again; needs --reason."),
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Why a withdrawn value stands again.")] = None,
    file: FileOption = None,
    stage: Annotated[
        bool, typer.Option("--stage", help="Write and stage the files, and leave committing to you.")
    ] = False,
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
    given = {
        "subject": subject,
        "summary": summary,
        "description": description,
        "truth": truth,
        "confidence": confidence,
        "environment": environment,
        "valid_from": valid_from,
        "reinstates": reinstates,
        "reason": reason,
    }
    fields: dict[str, Any] = parse_details(detail or [])
    options = {name: held for name, held in given.items() if held is not None}
    scopes: dict[str, Any] = dict(parse_pairs(scope or []))
    references: list[Any] = list(evidence or [])
    if file is not None:
        record_type = _merge_file(read_payload(file, None), record_type, fields, options, scopes, references)
    if not record_type:
        raise InvalidInputError(
            "say what to record",
            hint=f"Types: {', '.join(RECORD_TYPES)}; any other name is free form.",
            code="usage",
        )
    outcome = current().pot.record(
        record_type,
        fields,
        scope=scopes,
        evidence=references,
        stage=stage,
        dry_run=dry_run,
        message=message,
        **options,
    )
    unknown = record_type not in RECORD_TYPES
    near = did_you_mean(record_type, RECORD_TYPES) if unknown else ""
    warnings = list(outcome.plan.warnings)
    if unknown:
        warnings.append(
            {"code": "free_form", "message": f"{record_type!r} is no typed record, kept as free form.{near}"}
        )
    return Reply(
        result=outcome.model_dump(mode="json"),
        text=shown(commit_text(outcome)),
        warnings=warnings,
        next_action=f"git potpie graph commit {outcome.plan.plan_id}" if dry_run else None,
    )


def _merge_file(
    payload: Any,
    record_type: str | None,
    fields: dict[str, Any],
    options: dict[str, Any],
    scopes: dict[str, Any],
    references: list[Any],
) -> str | None:
    """Fold a record file into what the command line gave; what was given there wins."""
    if not isinstance(payload, dict):
        raise InvalidInputError(
            "a record file holds one object", hint='Send {"type": "fix", ...}.', code="malformed_payload"
        )
    for name, held in payload.items():
        if name == "type":
            record_type = record_type or str(held)
        elif name == "scope" and isinstance(held, dict):
            scopes.update({key: value for key, value in held.items() if key not in scopes})
        elif name == "evidence" and isinstance(held, list):
            references += held
        elif name in _FILE_FIELDS and not _is_field(record_type or payload.get("type"), name):
            options.setdefault(name, held)
        else:
            fields.setdefault(name, held)
    return record_type


def _is_field(record_type: str | None, name: str) -> bool:
    """True if a typed record has a field of its own by this name (`summary` of a decision)."""
    declared = RECORD_TYPES.get(record_type or "")
    schema = RECORD_SCHEMAS.get(declared.schema or "") if declared else None
    return schema is not None and name in schema.fields
