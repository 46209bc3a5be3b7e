"""A review for a terminal. What others wrote stands behind a bar on every line, so that no text can leave its quote."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from potpie_git.checks.review.cards import (
    Callout,
    Card,
    Fact,
    Part,
    Quote,
    Side,
    Succession,
    Triple,
    Versus,
    card_of,
    hints,
    missing_words,
    other_findings,
)
from potpie_git.checks.review.model import Review
from potpie_git.checks.review.phrases import counted, counts_words, group_title
from potpie_git.domain.fence import word
from potpie_git.domain.findings import Finding
from potpie_git.domain.text_safety import escape_for_display

_BAR: Final = "│ "
_WIDTH: Final = 100


def render_text(review: Review) -> str:
    """The review as text, ending in a line feed."""
    lines = [*_head(review)]
    found = other_findings(review)
    if found:
        lines += ["", "FINDINGS", *(line for finding in found for line in _finding(finding))]
    for group in review.groups:
        lines += ["", f"{group_title(group.name).upper()}  ({group.risk} risk)"]
        for change in group.changes:
            lines += ["", *_card(card_of(change))]
    return "\n".join(lines) + "\n"


def line_of(text: str) -> str:
    """A sentence of ours that may name things of others, on one line."""
    return escape_for_display(text, keep_whitespace=False)


def _head(review: Review) -> Iterator[str]:
    yield f"Review of {word(review.revisions) if review.revisions else 'what is staged'}"
    yield f"  {word(review.before)} -> {word(review.after)}, {counted(review.files, 'file')} of the pot"
    if review.authors:
        yield f"  {counted(review.commits, 'commit')} by {', '.join(word(name) for name in review.authors)}"
    yield f"  {counts_words(review)}"
    yield f"  risk: {review.risk}"
    yield f"  {review.verdict.headline}"
    for code, message, count in missing_words(review.verdict):
        files = f" ({counted(count, 'file')})" if count > 1 else ""
        yield f"  missing: {code} {line_of(message)}{files}"
    yield from (f"  {line_of(hint)}" for hint in hints(review.verdict))
    if review.verdict.next_command:
        yield f"  next: {line_of(review.verdict.next_command)}"
    yield f"  Lines behind {_BAR.strip()} and what stands in marks is quoted. {review.notice}"


def _finding(finding: Finding) -> Iterator[str]:
    yield f"  {finding.severity.value} {finding.code} {word(finding.path)}:{finding.line}"
    yield from _quoted(f"{finding.message}\n{finding.hint}".strip(), "    ")


def _card(card: Card) -> Iterator[str]:
    extra = "".join(f"  {word}" for word in (card.needs, *card.codes) if word)
    yield f"* {card.tag}: {_subject(card.subject)}  [{card.risk}]{extra}"
    for part in card.parts:
        yield from _part(part, "    ")
    yield from (f"    file: {word(path)}" for path in card.paths)


def _part(part: Part, indent: str) -> Iterator[str]:
    if isinstance(part, Fact):
        yield f"{indent}{part.label}: {word(part.value)}"
    elif isinstance(part, Quote):
        yield f"{indent}{part.label}:"
        yield from _quoted(part.text, indent)
    elif isinstance(part, Versus):
        yield from _versus(part, indent)
    elif isinstance(part, Succession):
        yield from _side("was", part.old, indent)
        yield from _side("is", part.new, indent)
    else:
        yield from _note(part, indent)


def _subject(subject: str | Triple) -> str:
    if isinstance(subject, str):
        return word(subject)
    where = f" [{word(subject.environment)}]" if subject.environment else ""
    return f"{word(subject.subject)} -- {subject.phrase or '?'} --> {word(subject.object)}{where}"


def _side(label: str, side: Side, indent: str) -> Iterator[str]:
    yield f"{indent}{label}:{f' {_subject(side.joins)}' if side.joins else ''}"
    if side.text:
        yield from _quoted(side.text, indent)
    for fact in side.facts:
        yield from _part(fact, f"{indent}  ")


def _versus(part: Versus, indent: str) -> Iterator[str]:
    name = f" {word(part.name)}" if part.name else ""
    if part.short:
        was, now = (word(text) if text is not None else "(nothing)" for text in (part.before, part.after))
        yield f"{indent}{part.label}{name}: {was} -> {now}"
        return
    yield f"{indent}{part.label}{name}:"
    for label, text in (("was", part.before), ("is ", part.after)):
        if text is not None:
            yield from _quoted(text, indent, label)


def _note(part: Callout, indent: str) -> Iterator[str]:
    yield f"{indent}{'!' if part.warns else '-'} {part.tag}: {part.words}"
    for inner in part.parts:
        yield from _part(inner, f"{indent}    ")


def _quoted(text: str, indent: str, label: str = "") -> Iterator[str]:
    for line in escape_for_display(text).split("\n"):
        for piece in textwrap.wrap(line, _WIDTH, replace_whitespace=False, drop_whitespace=False) or [""]:
            yield f"{indent}  {label}{' ' if label else ''}{_BAR}{piece}".rstrip()
