"""A review as one self-contained page: no script, no link that leads out of it, and nothing that it loads.

Everything that others wrote is escaped and stands in an element marked as quoted.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from typing import Final

from potpie_git.checks.review.cards import (
    Callout,
    Card,
    Fact,
    Part,
    Quote,
    Succession,
    Triple,
    Versus,
    card_of,
    hints,
    missing_words,
    other_findings,
)
from potpie_git.checks.review.model import Group, Review, Verdict
from potpie_git.checks.review.phrases import counted, counts_words, group_title
from potpie_git.checks.review.words import Mark, marked
from potpie_git.domain.findings import Finding
from potpie_git.domain.text_safety import escape_for_display

_ELEMENT: Final[dict[Mark, str]] = {"gone": "del", "come": "ins"}
_VERDICT_TITLE: Final = {
    "clean": "Nothing to object to",
    "approval": "Waiting for approval",
    "refused": "Refused",
    "unjudged": "Not judged",
}


def render_html(review: Review) -> str:
    """The review as an HTML document."""
    style = files("potpie_git.checks.review").joinpath("review.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = f"Review of {review.revisions or 'what is staged'}"
    body = "\n".join([*_header(review), *_main(review), _footer(review)])
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{_line(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#changes">Skip to the changes</a>\n'
        f"{body}\n</body>\n</html>\n"
    )


def _line(text: str) -> str:
    """A text of others on one line, for use between tags and in attributes."""
    return escape(escape_for_display(text, keep_whitespace=False))


def _lines(text: str) -> str:
    return escape(escape_for_display(text))


def _value(text: str, extra: str = "") -> str:
    return f'<bdi class="quoted{extra}">{_line(text)}</bdi>'


def _header(review: Review) -> Iterator[str]:
    verdict = review.verdict
    what = _value(review.revisions) if review.revisions else "what is staged"
    yield '<header class="top">'
    yield '<p class="brand">Project memory</p>'
    yield f"<h1>Review of {what}</h1>"
    yield f'<p class="counts">{escape(counts_words(review))}</p>'
    yield f'<section class="verdict {verdict.status}" aria-label="Verdict">'
    yield f'<p class="state">{_risk(review.risk)} <strong>{_VERDICT_TITLE[verdict.status]}</strong></p>'
    yield f"<p>{escape(verdict.headline)}</p>"
    if verdict.missing:
        yield _missing(verdict)
    for hint in hints(verdict):
        yield f"<p>{_value(hint)}</p>"
    if verdict.next_command:
        yield f'<p class="next">Next: <code tabindex="0">{_line(verdict.next_command)}</code></p>'
    yield "</section>"
    authors = ", ".join(_value(name) for name in review.authors)
    written = f"; {counted(review.commits, 'commit')} by {authors}" if authors else ""
    compared = f"{_value(review.before)} → {_value(review.after)}; {counted(review.files, 'file')} of the pot"
    yield f'<p class="compared">{compared}{written}</p>'
    yield "</header>"


def _missing(verdict: Verdict) -> str:
    items = [
        f'<li><span class="code">{code}</span> {_value(message)}{f" ({count} files)" if count > 1 else ""}</li>'
        for code, message, count in missing_words(verdict)
    ]
    return f'<ul class="missing">{"".join(items)}</ul>'


def _main(review: Review) -> Iterator[str]:
    yield '<main id="changes" tabindex="-1">'
    if len(review.groups) > 1:
        yield '<nav aria-label="Groups"><ul>'
        for group in review.groups:
            yield (
                f'<li><a href="#{_anchor(group)}">{escape(group_title(group.name))}</a> '
                f'<span class="count">{len(group.changes)}</span></li>'
            )
        yield "</ul></nav>"
    yield from _findings(other_findings(review))
    for group in review.groups:
        yield f'<section class="group" id="{_anchor(group)}" aria-label="{escape(group_title(group.name))}">'
        yield f"<h2>{escape(group_title(group.name))} <small>{len(group.changes)} · {group.risk} risk</small></h2>"
        for change in group.changes:
            yield from _card(card_of(change))
        yield "</section>"
    yield "</main>"


def _anchor(group: Group) -> str:
    return f"group-{escape(group.name)}"


def _findings(findings: list[Finding]) -> Iterator[str]:
    if not findings:
        return
    yield '<section class="findings" aria-label="Findings"><h2>Findings</h2><ul>'
    for finding in findings:
        hint = (
            f'<br><span class="hint quoted" dir="auto">{_line(finding.hint)}</span>' if finding.hint else ""
        )
        yield (
            f'<li class="{finding.severity.value}"><span class="code">{finding.code}</span> '
            f'<span class="severity">{finding.severity.value}</span> '
            f'<span class="quoted" dir="auto">{_line(finding.message)}</span>{hint}'
            f'<br><span class="path quoted">{_line(finding.path)}:{finding.line}</span></li>'
        )
    yield "</ul></section>"


def _card(card: Card) -> Iterator[str]:
    marks = f'<span class="needs">{card.needs}</span>' if card.needs else ""
    marks += "".join(f'<span class="code">{code}</span>' for code in card.codes)
    yield f'<article class="card {card.kind.value}">'
    yield f'<p class="marks">{_risk(card.risk)}{marks}</p>'
    yield f'<h3><span class="tag">{card.tag}</span> {_subject(card.subject)}</h3>'
    yield from _parts(card.parts)
    listed = "".join(f'<li class="path quoted">{_line(path)}</li>' for path in card.paths)
    yield f"<details><summary>{counted(len(card.paths), 'file')}</summary><ul>{listed}</ul></details>"
    yield "</article>"


def _risk(risk: str) -> str:
    return f'<span class="risk {risk}">{risk} risk</span>'


def _parts(parts: tuple[Part, ...]) -> Iterator[str]:
    """Facts that follow each other are one list."""
    facts: list[str] = []
    for part in parts:
        if isinstance(part, Fact):
            facts.append(f"<div><dt>{escape(part.label)}</dt><dd>{_value(part.value)}</dd></div>")
            continue
        if facts:
            yield f"<dl>{''.join(facts)}</dl>"
            facts = []
        yield _part(part)
    if facts:
        yield f"<dl>{''.join(facts)}</dl>"


def _part(part: Quote | Versus | Succession | Callout) -> str:
    if isinstance(part, Quote):
        return _quote(part)
    if isinstance(part, Versus):
        return _versus(part)
    if isinstance(part, Succession):
        return _succession(part)
    inner = "".join(_parts(part.parts))
    level = "warns" if part.warns else "informs"
    return (
        f'<aside class="note {level}" aria-label="{escape(part.tag)}"><p><strong>{escape(part.tag)}:</strong> '
        f"{escape(part.words)}</p>{inner}</aside>"
    )


def _subject(subject: str | Triple) -> str:
    if isinstance(subject, str):
        return _value(subject, " key")
    where = (
        f' <span class="in">in</span> {_value(subject.environment, " key")}' if subject.environment else ""
    )
    return (
        f'<span class="triple">{_value(subject.subject, " key")} <span class="phrase">'
        f"{escape(subject.phrase or '?')}</span> {_value(subject.object, ' key')}{where}</span>"
    )


def _succession(part: Succession) -> str:
    old, new = marked(part.old.text or "", part.new.text or "")
    shown = []
    for label, side, pieces in (("was", part.old, old), ("is", part.new, new)):
        joins = f"<p>{_subject(side.joins)}</p>" if side.joins else ""
        text = f'<blockquote class="quoted" dir="auto">{_pieces(pieces)}</blockquote>' if side.text else ""
        facts = "".join(_parts(side.facts))
        shown.append(f'<div class="{label}"><p class="side">{label}</p>{joins}{text}{facts}</div>')
    return f'<div class="versus succession">{"".join(shown)}</div>'


def _quote(part: Quote) -> str:
    return (
        f'<figure><figcaption>{escape(part.label)}</figcaption><blockquote class="quoted" dir="auto">'
        f"{_lines(part.text)}</blockquote></figure>"
    )


def _versus(part: Versus) -> str:
    name = f" {_value(part.name, ' key')}" if part.name else ""
    if part.short:
        was, now = (
            _value(text) if text is not None else "<em>nothing</em>" for text in (part.before, part.after)
        )
        label = escape(part.label)
        return (
            f'<p class="step"><span class="label">{label}</span>{name} <span class="was">{was}</span> '
            f'<span class="arrow">→</span> <span class="is">{now}</span></p>'
        )
    both = part.before is not None and part.after is not None
    old, new = marked(part.before or "", part.after or "") if both else ([], [])
    sides = []
    for label, text, pieces in (("was", part.before, old), ("is", part.after, new)):
        shown = _pieces(pieces) if both else _lines(text) if text is not None else ""
        empty = "" if text is not None else " empty"
        body = (
            f'<blockquote class="quoted" dir="auto">{shown}</blockquote>'
            if text is not None
            else "<p>nothing</p>"
        )
        sides.append(f'<div class="{label}{empty}"><p class="side">{label}</p>{body}</div>')
    return (
        f'<figure class="versus"><figcaption>{escape(part.label)}{name}</figcaption>{"".join(sides)}</figure>'
    )


def _pieces(pieces: list[tuple[Mark, str]]) -> str:
    shown = []
    for mark, text in pieces:
        element = _ELEMENT.get(mark)
        shown.append(f"<{element}>{_lines(text)}</{element}>" if element else _lines(text))
    return "".join(shown)


def _footer(review: Review) -> str:
    return f'<footer><p class="notice">{escape(review.notice)}</p></footer>'
