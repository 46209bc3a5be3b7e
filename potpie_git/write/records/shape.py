"""Checks a typed record's fields: every unknown, missing or malformed one is told at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import RECORD_ENUMS, RECORD_LIST_FIELDS
from potpie_git.write.issues import Issue
from potpie_git.write.records.record import Record

# Beside the vocabulary's fields: the bug that a fix is about, where its key is known.
ALSO_TAKEN: Mapping[str, tuple[str, ...]] = {"fix": ("bug",)}
_SCOPE_FIELD = "code_scope"
_REASONED_FIELD = "alternatives_rejected"

Fields = dict[str, Any]


def checked_fields(record: Record) -> tuple[Fields, list[Issue]]:
    """The record's fields with texts and lists of texts in their places and defaults filled in, and what is wrong.

    A `summary` given beside the fields is the field of that name, where the type has one.
    """
    schema = record.schema
    if schema is None:
        return _free_fields(record)
    given = dict(record.fields)
    if record.summary is not None and "summary" in schema.fields:
        given.setdefault("summary", record.summary)
    known = (*schema.fields, *ALSO_TAKEN.get(record.record_type, ()))
    found: Fields = dict(schema.defaults)
    issues = []
    for name, held in given.items():
        if name not in known:
            issues.append(_unknown(record.record_type, name, known))
        elif held not in (None, "", [], {}):
            fitted, issue = _fitted(name, held)
            if issue is not None:
                issues.append(issue)
            else:
                found[name] = fitted
    for name in schema.required:
        if given.get(name) in (None, "", [], {}) or found.get(name) == []:
            issues.append(_missing(record.record_type, name))
    issues += [
        issue
        for name, held in found.items()
        if name in RECORD_ENUMS and (issue := _enum_fault(name, held)) is not None
    ]
    return found, issues


def _free_fields(record: Record) -> tuple[Fields, list[Issue]]:
    """Free form takes any field that holds a text or a list of texts."""
    found: Fields = {}
    issues = []
    for name, held in record.fields.items():
        if held in (None, "", [], {}):
            continue
        fitted, issue = _texts(name, held) if isinstance(held, list | tuple) else _text(name, held)
        if issue is not None:
            issues.append(issue)
        else:
            found[name] = fitted
    return found, issues


def _fitted(name: str, held: Any) -> tuple[Any, Issue | None]:
    if name == _SCOPE_FIELD:
        return _scope(held)
    if name in RECORD_LIST_FIELDS:
        return _texts(name, held if isinstance(held, list | tuple) else [held])
    return _text(name, held)


def _text(name: str, held: Any) -> tuple[Any, Issue | None]:
    if isinstance(held, bool) or not isinstance(held, str | int | float):
        return None, _malformed(name, f"{name} is not a text", "Give one text.")
    text = str(held)
    if not text.strip():
        return None, _malformed(name, f"{name} is blank", "Say something, or leave it out.")
    return text, None


def _texts(name: str, held: list[Any] | tuple[Any, ...]) -> tuple[Any, Issue | None]:
    made: list[Any] = []
    for item in held:
        if name == _REASONED_FIELD and isinstance(item, Mapping):
            if not item or not all(isinstance(text, str) and text.strip() for text in item.values()):
                return None, _malformed(
                    name, f"{name} holds an entry that is not made of texts", "Give texts."
                )
            made.append({str(key): text for key, text in item.items()})
            continue
        text, issue = _text(name, item)
        if issue is not None:
            return None, issue
        made.append(text)
    # One list holds one kind of entry, so that every reader knows what to expect.
    if any(isinstance(item, dict) for item in made):
        made = [item if isinstance(item, dict) else {"option": item} for item in made]
    return made, None


def _scope(held: Any) -> tuple[Any, Issue | None]:
    if isinstance(held, str):
        return {"path": held}, None
    if isinstance(held, list | tuple) and all(isinstance(item, str) for item in held):
        return {"path": list(held)}, None
    if isinstance(held, Mapping) and all(_is_scope_value(value) for value in held.values()):
        return {
            str(name): list(value) if isinstance(value, tuple) else value for name, value in held.items()
        }, None
    hint = 'Give paths, or dimensions such as {"language": "python", "path": "src/*"}.'
    return None, _malformed(_SCOPE_FIELD, "code_scope holds something other than texts", hint)


def _is_scope_value(held: Any) -> bool:
    return isinstance(held, str) or (
        isinstance(held, list | tuple) and all(isinstance(item, str) for item in held)
    )


def _enum_fault(name: str, held: Any) -> Issue | None:
    allowed = RECORD_ENUMS[name]
    if held in allowed:
        return None
    near = did_you_mean(str(held), allowed)
    return Issue(
        "unknown_value", f"{name} {held!r} is not known.{near}", f"Use one of: {', '.join(allowed)}.", name
    )


def _unknown(record_type: str, name: str, known: tuple[str, ...]) -> Issue:
    message = f"a {record_type} has no field {name!r}.{did_you_mean(name, known)}"
    return Issue("unknown_field", message, f"Its fields: {', '.join(known)}.", name)


def _missing(record_type: str, name: str) -> Issue:
    return Issue("missing_field", f"a {record_type} needs {name}", f"Add --detail {name}='…'.", name)


def _malformed(name: str, message: str, hint: str) -> Issue:
    return Issue("malformed_field", message, hint, name)
