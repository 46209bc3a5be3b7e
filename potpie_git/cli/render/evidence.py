"""Reads as text for people: items with sources, tables, events, lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.envelope import CoverageReport, EvidenceItem, ReadEnvelope
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.fence import barred, in_marks, word
from potpie_git.domain.query import MatchMode
from potpie_git.domain.vocabulary import VIEWS, phrase_of
from potpie_git.readers.assemble import read_result, view_result
from potpie_git.readers.passages import headline, read_context

BACKEND = "git"
FORMATS = ("text", "table", "events", "jsonl", "raw")
_WIDTH = 100


def read_reply(envelope: ReadEnvelope, form: str | None, view: str | None = None) -> Reply:
    """The reply of a read in one of `FORMATS`, or in the one that suits it. Raises `InvalidInputError` for another."""
    if form is None:
        form = "events" if view is not None and VIEWS[view].shape == "events" else "text"
    if form not in FORMATS:
        raise InvalidInputError(f"--format {form} is not one of: {', '.join(FORMATS)}", code="usage")
    opened = current().opened
    for_programs = current().options.json or form in ("raw", "jsonl")
    identity = opened.identity(seen=True) if opened and for_programs else None
    document = _document(envelope, view, identity[1] if identity else {}) if for_programs else {}
    return Reply(
        result=document,
        identity=identity,
        raw=_render(envelope, form, document),
        unsupported=[item.model_dump(mode="json") for item in envelope.unsupported],
        warnings=[{"code": "read_note", "message": text} for text in envelope.metadata.get("notes", ())],
    )


def _document(envelope: ReadEnvelope, view: str | None, versions: Mapping[str, str | None]) -> dict[str, Any]:
    if view is None:
        document = read_result(envelope, backend=BACKEND)
    else:
        document = view_result(envelope, VIEWS[view], subgraph_versions=versions, backend=BACKEND)
    return document | {"context": read_context(envelope)}


def _render(envelope: ReadEnvelope, form: str, document: dict[str, Any]) -> str:
    if form == "raw":
        return json.dumps(document, ensure_ascii=True, indent=2)
    if form == "jsonl":
        return "".join(json.dumps(item, ensure_ascii=True) + "\n" for item in document["items"])
    if not envelope.items:
        return shown(_nothing(envelope))
    if form == "table":
        return shown(_table(envelope.items))
    if form == "events":
        return shown("\n".join(_event(item) for item in envelope.items))
    return shown("\n\n".join(item_text(item) for item in envelope.items) + "\n\n" + _footer(envelope))


def _nothing(envelope: ReadEnvelope) -> str:
    return f"Nothing found.\n{_footer(envelope)}"


def _footer(envelope: ReadEnvelope) -> str:
    coverage = _coverage(envelope.coverage)
    count = f"{len(envelope.items)} item{'' if len(envelope.items) == 1 else 's'}"
    matched = "" if envelope.match_mode is MatchMode.NONE else f", matched by {envelope.match_mode.value}"
    lines = [f"{count}{matched}; coverage: {coverage or 'empty'}; confidence {envelope.overall_confidence}"]
    lines += [
        f"unsupported: {word(item.include)} ({item.reason}). {item.hint}" for item in envelope.unsupported
    ]
    return "\n".join(lines)


def _coverage(reports: Sequence[CoverageReport]) -> str:
    """What was found, view by view; of several views, those with nothing good are counted."""
    if len(reports) == 1:
        return f"{reports[0].view} {reports[0].status}"
    told = [
        f"{report.view} {report.status}" for report in reports if report.status in ("complete", "partial")
    ]
    sparse = sum(report.status == "sparse" for report in reports)
    weak = f"weak matches in {sparse} {'other ' if told else ''}view{'' if sparse == 1 else 's'}"
    return ", ".join([*told, *([weak] if sparse else [])])


def _labels(item: EvidenceItem) -> str:
    labels = [item.truth, item.standing]
    labels += ["weak match"] if item.weak else []
    labels += ["stale"] if item.stale else []
    labels += [word(str(item.payload[name])) for name in ("outcome", "status") if item.payload.get(name)]
    labels += ["withdrawn"] if item.payload.get("withdrawn") else []
    return ", ".join(dict.fromkeys(labels))


def item_text(item: EvidenceItem) -> str:
    """One item with its labels, relations and sources."""
    lines = [f"{item.score:.2f}  {word(item.candidate_key)}  ({_labels(item)})"]
    if headline(item) != item.candidate_key:
        lines += [f"      {line}" for line in barred(headline(item))]
    fact = item.payload.get("fact")
    if isinstance(fact, str) and fact != headline(item):
        lines += [f"      {line}" for line in barred(fact)]
    said = {headline(item), fact}
    relations = item.payload.get("relations") or []
    lines += [f"      - {relation_line(relation, said)}" for relation in relations]
    withdrawn = item.payload.get("withdrawn")
    if isinstance(withdrawn, dict):
        lines.append(f"      {_withdrawal(withdrawn)}")
    for name, label in (("alternatives_rejected", "rejected"), ("supersedes", "replaces")):
        lines += [f"      {label}: {_one_line(held)}" for held in _as_list(item.payload.get(name))]
    if item.source_refs:
        lines.append(f"      sources: {', '.join(word(_short(ref)) for ref in item.source_refs)}")
    if item.stale_reason:
        lines.append(f"      stale: {item.stale_reason}")
    return "\n".join(lines)


def _withdrawal(held: dict[str, Any]) -> str:
    who = (held.get("by") or {}).get("user")
    return f"withdrawn {held['valid_to']}{f' by {word(who)}' if who else ''}: {in_marks(held['reason'])}"


def _as_list(held: Any) -> list[Any]:
    return held if isinstance(held, list) else [held] if held else []


def _one_line(held: Any) -> str:
    """A rejected alternative, or what an item replaced and why."""
    if not isinstance(held, dict):
        return in_marks(str(held))
    if "reason" in held:
        what = (
            held.get("option")
            or held.get("fact")
            or held.get("value")
            or held.get("object")
            or held.get("subject")
        )
        why = in_marks(str(held["reason"]))
        return f"{in_marks(str(what))} (because {why})" if what else why
    return "; ".join(f"{word(name)}: {in_marks(str(value))}" for name, value in held.items() if value)


def relation_line(relation: Mapping[str, Any], said: Collection[Any] = ()) -> str:
    """A relation in one line, without a text that is said already."""
    text = statement_text(relation)
    if relation.get("outcome"):
        text += f" ({word(relation['outcome'])})"
    if relation.get("fact") and relation["fact"] not in said:
        text += f": {in_marks(relation['fact'])}"
    if relation.get("withdrawn"):
        text += f" [{_withdrawal(relation['withdrawn'])}]"
    return text


def statement_text(relation: Mapping[str, Any]) -> str:
    """What a relation joins, in one line."""
    where = f" [{word(relation['environment'])}]" if relation.get("environment") else ""
    other = relation.get("object") or relation.get("value") or ""
    joined = f"{word(relation['subject'])} {phrase_of(relation['type'])}"
    return f"{joined} {word(other)}{where}" if other else f"{joined}{where}"


def _event(item: EvidenceItem) -> str:
    payload = item.payload
    when = str(payload.get("occurred_at") or payload.get("valid_at") or "")[:16].replace("T", " ")
    who = ", ".join(word(str(actor).partition(":")[2]) for actor in payload.get("actors") or ())
    refs = f"  ({', '.join(word(_short(ref)) for ref in item.source_refs)})" if item.source_refs else ""
    return f"- {when}  {in_marks(headline(item))}{'  — ' + who if who else ''}{refs}"


def _short(ref: str) -> str:
    """A reference as people write it: a commit is told by its first digits."""
    head, _, oid = ref.rpartition(":")
    return f"{head}:{oid[:12]}" if head == "git:commit" else ref


def _table(items: Sequence[EvidenceItem]) -> str:
    head = ("score", "key", "what", "truth", "standing", "sources")
    rows = [
        (
            f"{item.score:.2f}",
            _cell(word(item.candidate_key)),
            _cell(in_marks(_cut(headline(item)))),
            item.truth + (" (weak)" if item.weak else ""),
            item.standing,
            _cell(", ".join(word(ref) for ref in item.source_refs)),
        )
        for item in items
    ]
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
