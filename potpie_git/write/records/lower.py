"""A record becomes operations: one function for each typed shape, and one for free form. Nothing is read here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from potpie_git.domain.claim import Actor
from potpie_git.domain.errors import IssuesError
from potpie_git.domain.keys import HASH_LENGTH, key_problem, mint_key, type_name_of
from potpie_git.domain.text import canonical_json, sha256_hex
from potpie_git.domain.vocabulary import FREE_FORM_ANCHOR, RECORD_TYPES
from potpie_git.write.issues import Issue
from potpie_git.write.records.record import Record
from potpie_git.write.records.scopes import RecordScope, scope_of
from potpie_git.write.records.shape import Fields, checked_fields

Operations = list[dict[str, Any]]
# What a fix record says of a fix that is known to have failed.
_FAILED_STATUSES = frozenset({"refuted", "failed", "didnt_work"})
_OUTCOMES = {"worked": "It worked.", "didnt_work": "It did not work.", "partial": "It worked in part."}


@dataclass
class Lowering:
    """One record on its way to operations."""

    record: Record
    fields: Fields
    scope: RecordScope
    actor: Actor
    issues: list[Issue]

    def subject(self, type_name: str, minted: Callable[[], str]) -> str:
        """The key of the record's entity: as given, if it fits, else minted."""
        given = self.record.subject
        if given is None:
            return minted()
        fault = key_problem(given)
        if fault:
            self.issues.append(Issue("PG-S03", f"subject: {fault[0]}", fault[1], "subject"))
        elif type_name_of(given) != type_name:
            message = (
                f"the subject of a {self.record.record_type} is a {type_name}, not a {type_name_of(given)}"
            )
            self.issues.append(
                Issue("type_mismatch", message, "Give another key, or leave it out.", "subject")
            )
        return given

    def claim(
        self, subject: Any, predicate: str, object_key: Any, fact: str, details: Mapping[str, Any]
    ) -> dict[str, Any]:
        """One assertion with what the record says of all its claims."""
        record = self.record
        operation = {
            "op": "assert_claim",
            "subject": subject,
            "predicate": predicate,
            "object": object_key,
            "fact": fact,
            "description": record.description,
            "details": {name: held for name, held in details.items() if held},
            "code_scope": self.scope.code,
            "evidence": list(record.evidence),
            "truth": record.truth or _default_truth(record),
            "confidence": record.confidence,
            "environment": record.environment,
            "valid_from": record.valid_from,
            "observed_at": record.observed_at,
            "source_system": record.source_system,
        }
        return {name: held for name, held in operation.items() if held not in (None, "", [], {})}

    def told(self, *names: str) -> Fields:
        """Some of the record's fields, as details."""
        return {name: self.fields[name] for name in names if self.fields.get(name)}


def lower_record(
    record: Record, own_repository: str, actor: Actor, known_issues: Sequence[Issue] = ()
) -> Operations:
    """The operations of a record. `own_repository` is the key of what it is about if nothing else is said.

    Raises `IssuesError` with every failure of its fields and scope.
    """
    fields, issues = checked_fields(record)
    extra = fields.get("code_scope")
    scope = scope_of(record.scope, own_repository, extra if isinstance(extra, dict) else None)
    issues += [*scope.issues, *known_issues]
    if not issues:
        lowering = Lowering(record, fields, scope, actor, issues)
        operations = _reinstating(record, _LOWERINGS.get(_schema(record), _free_form)(lowering))
        if not issues:
            return operations
    first = issues[0]
    more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
    raise IssuesError(f"{first.message}{more}", [issue.as_dict() for issue in issues], hint=first.hint)


def _schema(record: Record) -> str:
    declared = record.declared
    return (declared.schema if declared else None) or ""


def _default_truth(record: Record) -> str | None:
    return "preference" if _schema(record) == "preference" else None


def _reinstating(record: Record, operations: Operations) -> Operations:
    """Only the record's own claim reinstates, not what is written beside it."""
    if record.reinstates is not None:
        operations[0] |= {"reinstates": record.reinstates, "reason": record.reason or ""}
    return operations


def bug_key(symptom: str) -> str:
    """The key of the bug pattern that a symptom names, so that a fix and its bug meet."""
    return mint_key("BugPattern", symptom)


def fix_key(bug: str, steps: list[str]) -> str:
    """The key of a fix: what is done about which bug. A failed attempt and the fix that repeats it share it."""
    return mint_key("Fix", content={"bug": bug, "steps": steps})


def _fix(lowering: Lowering) -> Operations:
    fields, record = lowering.fields, lowering.record
    bug = _bug_of(lowering)
    steps = list(fields["fix_steps"])
    subject = lowering.subject("Fix", lambda: fix_key(bug, steps))
    failed = fields["verification_status"] in _FAILED_STATUSES
    shared = lowering.told("symptom_signature", "kind", "scope_kind")
    details = {**shared, **lowering.told("root_cause", "verification_status")}
    if len(steps) > 1:
        details["fix_steps"] = steps
    fact = record.fact or record.summary or _joined(steps)
    predicate = "ATTEMPTED_FIX_FAILED" if failed else "RESOLVED"
    own = lowering.claim(subject, predicate, bug, fact, details)
    own.setdefault("description", _card(fields["symptom_signature"], fields.get("root_cause"), lowering))
    operations = [own]
    for attempt in fields.get("attempted_failed_fixes", ()):
        tried = lowering.claim(fix_key(bug, [attempt]), "ATTEMPTED_FIX_FAILED", bug, attempt, shared)
        tried["description"] = _card(fields["symptom_signature"], None, lowering)
        operations.append(tried)
    return operations


def _bug_of(lowering: Lowering) -> str:
    given = lowering.fields.get("bug")
    if given is None:
        return bug_key(lowering.fields["symptom_signature"])
    if ":" not in given:
        return bug_key(given)
    if type_name_of(given) != "BugPattern":
        hint = "Write bug_pattern: and a name, or leave it out."
        lowering.issues.append(Issue("type_mismatch", f"bug {given!r} is no bug pattern", hint, "bug"))
    return str(given)


def _bug_pattern(lowering: Lowering) -> Operations:
    fields, record = lowering.fields, lowering.record
    subject = lowering.subject("BugPattern", lambda: bug_key(fields["symptom_signature"]))
    details = lowering.told("kind", "symptom_signature", "scope_kind", "reproduction_steps")
    operations = []
    for place in dict.fromkeys([*lowering.scope.objects(with_assets=True), *lowering.scope.assets]):
        made = lowering.claim(subject, "REPRODUCES", place, record.fact or fields["summary"], details)
        made.setdefault("description", _card(fields["symptom_signature"], fields["kind"], lowering))
        operations.append(made)
    return operations


def _rule(lowering: Lowering) -> Operations:
    """A preference or a policy."""
    fields, record = lowering.fields, lowering.record
    declared = record.declared
    assert declared is not None
    anchor = declared.anchor
    subject = lowering.subject(anchor, lambda: mint_key(anchor, fields["prescription"]))
    details = lowering.told("policy_kind", "strength", "audience", "justification_ref")
    fact = record.fact or fields["prescription"]
    operations = []
    for place in lowering.scope.objects(with_assets=True):
        made = lowering.claim(subject, "POLICY_APPLIES_TO", place, fact, details)
        made.setdefault("description", _card(record.summary or fields["policy_kind"], fact, lowering))
        operations.append(made)
    return operations


def _decision(lowering: Lowering) -> Operations:
    fields, record = lowering.fields, lowering.record
    content = {"title": fields["title"], "summary": fields["summary"]}
    subject = lowering.subject("Decision", lambda: mint_key("Decision", content=content))
    details = lowering.told("title", "rationale", "alternatives_rejected")
    fact = record.fact or fields["summary"]
    operations = []
    for place in lowering.scope.objects(with_assets=False):
        made = lowering.claim({"key": subject}, "DECIDED", place, fact, details)
        made.setdefault("description", _card(fields["title"], None, lowering))
        operations.append(made)
    authored = {
        "op": "upsert_entity",
        "subject": {"key": subject, "name": fields["title"]},
        "to_state": "accepted",
    }
    operations.append(authored)
    affected = [*fields.get("affects_refs", ()), *lowering.scope.assets]
    for key in dict.fromkeys(affected):
        operations.append(lowering.claim(subject, "AFFECTS", key, fact, lowering.told("title")))
    return operations


def _verification(lowering: Lowering) -> Operations:
    fields, record = lowering.fields, lowering.record
    target, outcome = fields["target_ref"], fields["outcome"]
    if type_name_of(target) != "Fix":
        hint = "Give the fix's key (fix:…) or the id of its claim, as `git potpie search` prints them."
        lowering.issues.append(Issue("type_mismatch", f"target_ref {target!r} is no fix", hint, "target_ref"))
    subject = record.subject or _verifying_activity(lowering)
    fact = record.fact or record.summary or " ".join([_OUTCOMES[outcome], fields.get("notes", "")]).strip()
    return [lowering.claim(subject, "VERIFIED", target, fact, lowering.told("outcome", "notes"))]


def _verifying_activity(lowering: Lowering) -> str:
    """The same verification told twice is one activity; another outcome, verifier, note or source is another."""
    record, fields = lowering.record, lowering.fields
    content = {
        "target": fields["target_ref"],
        "outcome": fields["outcome"],
        "notes": fields.get("notes"),
        "actor": lowering.actor.user or lowering.actor.harness,
        "evidence": [item if isinstance(item, str) else dict(item) for item in record.evidence],
        "when": record.valid_from or record.observed_at,
        "environment": record.environment,
    }
    digest = sha256_hex(canonical_json(content))[:HASH_LENGTH]
    return mint_key("Activity", "verification", digest)


def _free_form(lowering: Lowering) -> Operations:
    """Any other type: a note about its scope, with whatever fields it has."""
    record, fields = lowering.record, dict(lowering.fields)
    fact = record.fact or record.summary or fields.pop("summary", None) or fields.get("title")
    if not isinstance(fact, str):
        message, hint = (
            f"a {record.record_type} needs a summary",
            "Add --summary 'what it says, in a sentence'.",
        )
        lowering.issues.append(Issue("missing_field", message, hint, "summary"))
        return []
    declared = RECORD_TYPES.get(record.record_type)
    anchor = declared.anchor if declared else FREE_FORM_ANCHOR
    content = {"record_type": record.record_type, "fact": fact, "fields": fields}
    subject = lowering.subject(anchor, lambda: mint_key(anchor, content=content))
    details = {"record_type": record.record_type, **fields}
    title = fields.get("title")
    end: Any = {"key": subject, "name": title} if isinstance(title, str) else subject
    places = dict.fromkeys([*lowering.scope.objects(with_assets=True), *lowering.scope.assets])
    return [lowering.claim(end, "RELATED_TO", place, fact, details) for place in places]


def _joined(steps: list[str]) -> str:
    if len(steps) == 1:
        return steps[0]
    return " ".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


def _card(lead: str, more: str | None, lowering: Lowering) -> str:
    """What a future searcher would type: symptoms and scope. The rest of a card is made of the claim's other fields."""
    scope = [
        value
        for held in lowering.scope.code.values()
        for value in ([held] if isinstance(held, str) else held)
    ]
    return "; ".join(dict.fromkeys(text.strip() for text in (lead, more, *scope) if text and text.strip()))


_LOWERINGS: Mapping[str, Callable[[Lowering], Operations]] = MappingProxyType(
    {
        "fix": _fix,
        "bug_pattern": _bug_pattern,
        "preference": _rule,
        "decision": _decision,
        "verification": _verification,
    }
)
