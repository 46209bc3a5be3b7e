"""The commit message of a plan: what it does in words, and the trailers by which it is found again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from potpie_git.domain.mutation import Endpoint, Operation
from potpie_git.domain.plan import Plan, PlanDiff
from potpie_git.domain.text_safety import escape_for_display
from potpie_git.domain.trailers import parse_trailers

PLAN_TRAILER = "Potpie-Plan"
MUTATION_TRAILER = "Potpie-Mutation"
RISK_TRAILER = "Potpie-Risk"
_SUBJECT_LENGTH = 72
_LISTED = 20
_TRAILER_LINE = re.compile(r"[A-Za-z0-9-]+: \S")
_ON_ENTITIES = frozenset({"patch_entity", "transition_state", "upsert_entity"})
_VERBS = {
    "upsert_entity": "describe",
    "link_entities": "assert",
    "assert_claim": "assert",
    "append_event": "record",
    "end_relation_validity": "end",
    "retract_claim": "retract",
    "supersede_claim": "supersede",
    "merge_duplicate_entities": "merge",
    "patch_entity": "patch",
    "transition_state": "move",
}


def full_message(given: str | None, operations: Sequence[Operation], diff: PlanDiff) -> str:
    """A plan's message without its trailers: as the caller gave it, else what the operations do and why."""
    if given and given.strip():
        return given.strip("\n")
    named = {item["claim"]: item["statement"] for item in diff.invalidations}
    lines = [_line(operation, named) for operation in operations]
    body = [
        _one_line(f"- {line}{f': {operation.reason}' if operation.reason else ''}{_sources(operation)}")
        for line, operation in zip(lines[:_LISTED], operations, strict=False)
    ]
    if len(operations) > _LISTED:
        body.append(f"- and {len(operations) - _LISTED} more")
    if len(operations) == 1 and not operations[0].reason:
        return _subject_line(operations, lines)
    return "\n\n".join([_subject_line(operations, lines), "\n".join(body)])


def _subject_line(operations: Sequence[Operation], lines: Sequence[str]) -> str:
    if len(lines) == 1:
        return shortened(f"{lines[0][:1].upper()}{lines[0][1:]}")
    counts = Counter(_VERBS[operation.op] for operation in operations)
    return shortened(f"Memory: {', '.join(f'{verb} {count}' for verb, count in counts.items())}")


def _sources(operation: Operation) -> str:
    """Evidence of an operation on an entity, whose file has no place for it."""
    refs = [item.source_ref for item in operation.evidence or ()]
    return f" ({', '.join(refs)})" if refs and operation.op in _ON_ENTITIES else ""


def commit_message(plan: Plan) -> str:
    """The whole message of a plan's commit, trailers last."""
    trailers = [
        f"{PLAN_TRAILER}: {plan.plan_id}",
        f"{MUTATION_TRAILER}: {plan.mutation_id}",
        f"{RISK_TRAILER}: {plan.risk}",
    ]
    return with_trailers(plan.message or "Memory", trailers)


def with_trailers(message: str, trailers: Iterable[str]) -> str:
    """`message` with trailers in its trailer block, or in a new one."""
    text = message.replace("\r\n", "\n").strip("\n")
    paragraphs = text.split("\n\n")
    last = paragraphs[-1].splitlines()
    joins = len(paragraphs) > 1 and all(_TRAILER_LINE.match(line) for line in last)
    return f"{text}{chr(10) if joins else chr(10) * 2}{chr(10).join(trailers)}\n"


def names_plan(message: str, plan_id: str) -> bool:
    """True if a commit's message says that it is this plan's."""
    return any(one.token == PLAN_TRAILER and one.value == plan_id for one in parse_trailers(message))


def shortened(text: str, length: int = _SUBJECT_LENGTH) -> str:
    """A text on one line, cut at a word if it is too long."""
    line = _one_line(text)
    if len(line) <= length:
        return line
    return f"{line[: length - 1].rsplit(' ', 1)[0]}…"


def _one_line(text: str) -> str:
    return escape_for_display(" ".join(text.split()), keep_whitespace=False)


def _line(operation: Operation, named: Mapping[str, str]) -> str:
    verb = _VERBS[operation.op]
    parts = [_end(operation.subject), operation.predicate, _end(operation.object) or operation.value]
    if operation.op == "append_event":
        parts = [operation.verb, operation.fact or operation.description]
    if operation.claim and operation.subject is None:
        parts = [named.get(operation.claim.removeprefix("claim:"), operation.claim)]
    if operation.op == "merge_duplicate_entities":
        parts = [_end(operation.subject), "into", _end(operation.object)]
    if operation.op == "transition_state":
        parts = [_end(operation.subject), "to", operation.to_state]
    if operation.op == "patch_entity":
        parts = [_end(operation.subject), ", ".join(operation.patch or {})]
    return " ".join([verb, *filter(None, parts)])


def _end(endpoint: Endpoint | None) -> str:
    if endpoint is None:
        return ""
    return endpoint.key or " ".join(filter(None, (endpoint.type, endpoint.name)))
