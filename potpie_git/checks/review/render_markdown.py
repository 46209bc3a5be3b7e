"""A review as Markdown for a comment or a job summary.

Everything that others wrote stands in a code span or in a fenced block longer than any run of backticks in it: there a
forge makes no link, mention, image or HTML of it, and it cannot end its own fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from potpie_git.checks.review.model import Review
from potpie_git.checks.review.phrases import counted, counts_words, group_title
from potpie_git.domain.text_safety import escape_for_display

# A comment on GitHub holds 65,536 characters.
MAX_LENGTH: Final = 60_000
_LONGEST_QUOTE: Final = 4_000
_MOST_FINDINGS: Final = 100
_BACKTICKS: Final = re.compile(r"`+")


def render_markdown(review: Review, limit: int = MAX_LENGTH) -> str:
    """The review as Markdown of at most about `limit` characters; it says how many changes it leaves out."""
    blocks = [*_head(review), *_findings(review)]
    length = sum(map(len, blocks))
    left_out = 0
    for group in review.groups:
        title = f"### {group_title(group.name)}\n"
        shown: list[str] = []
        for change in group.changes:
            block = "\n".join(_card(card_of(change))) + "\n"
            if length + len(title) + len(block) > limit or left_out:
                left_out += 1
                continue
            length += len(block) + 1
            shown.append(block)
        if shown:
            length += len(title) + 1
            blocks += [title, *shown]
    if left_out:
        what = counted(left_out, "change")
        blocks.append(f"**{what} left out for length.** Run `git potpie review` to see everything.\n")
    return "\n".join(blocks)


def code(text: str) -> str:
    """A text of others as a code span."""
    shown = escape_for_display(text, keep_whitespace=False)
    if not shown.strip():
        return f"`{'␠' * len(shown) or '∅'}`"
    ticks = "`" * (_longest_run(shown) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def fenced(text: str, info: str = "text") -> str:
    """A text of others as a fenced block; what is longer than a comment should hold is cut, and says so."""
    shown = escape_for_display(text)
    more = len(shown) - _LONGEST_QUOTE
    shown = shown[:_LONGEST_QUOTE]
    ticks = "`" * max(3, _longest_run(shown) + 1)
    cut = f"\n*{more} more characters are not shown.*" if more > 0 else ""
    return f"{ticks}{info}\n{shown}\n{ticks}{cut}"


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _head(review: Review) -> Iterator[str]:
    verdict = review.verdict
    what = code(review.revisions) if review.revisions else "what is staged"
    yield f"## Project memory: review of {what}\n"
    yield f"**{review.risk.capitalize()} risk.** {counts_words(review)}\n"
    lines = [f"**{verdict.headline}**"]
    for number, message, count in missing_words(verdict)[:_MOST_FINDINGS]:
        files = f" ({count} files)" if count > 1 else ""
        lines.append(f"- missing: {number} {code(message)}{files}")
    lines += [f"- {code(hint)}" for hint in hints(verdict)]
    if verdict.next_command:
        lines.append(f"- next: {code(verdict.next_command)}")
    yield "\n".join(lines) + "\n"
    compared = f"{code(review.before)} → {code(review.after)}, {counted(review.files, 'file')} of the pot"
    if review.authors:
        compared += f"; {counted(review.commits, 'commit')} by {', '.join(map(code, review.authors))}"
    yield f"<sub>{compared}</sub>\n"
    yield f"> Text in code style is quoted. {review.notice}\n"


def _findings(review: Review) -> Iterator[str]:
    found = other_findings(review)
    if not found:
        return
    yield "### Findings\n"
    lines = [
        f"{finding.path}:{finding.line}: {finding.severity.value} {finding.code} {finding.message}"
        for finding in found[:_MOST_FINDINGS]
    ]
    yield fenced("\n".join(escape_for_display(line, keep_whitespace=False) for line in lines)) + "\n"
    if len(found) > _MOST_FINDINGS:
        yield f"*{len(found) - _MOST_FINDINGS} more findings are not shown.*\n"


def _card(card: Card) -> Iterator[str]:
    marks = " · ".join(filter(None, (f"{card.risk} risk", card.needs, *card.codes)))
    yield f"#### {card.tag}: {_subject(card.subject)}\n\n*{marks}*\n"
    yield from _parts(card.parts)
    listed = "\n".join(card.paths)
    yield f"<details><summary>{counted(len(card.paths), 'file')}</summary>\n\n{fenced(listed)}\n\n</details>\n"


def _parts(parts: tuple[Part, ...]) -> Iterator[str]:
    """Facts that follow each other are one list."""
    facts: list[str] = []
    for part in parts:
        if isinstance(part, Fact):
            facts.append(f"- {part.label}: {code(part.value)}")
            continue
        if facts:
            yield "\n".join(facts) + "\n"
            facts = []
        yield _part(part)
    if facts:
        yield "\n".join(facts) + "\n"


def _part(part: Quote | Versus | Succession | Callout) -> str:
    if isinstance(part, Quote):
        return f"{part.label}:\n\n{fenced(part.text)}\n"
    if isinstance(part, Versus):
        name = f" {code(part.name)}" if part.name else ""
        if part.short:
            was, now = (code(text) if text is not None else "nothing" for text in (part.before, part.after))
            return f"{part.label}{name}: {was} → {now}\n"
        return f"{part.label}{name}:\n\n{fenced(_as_diff(part), 'diff')}\n"
    if isinstance(part, Succession):
        return _succession(part)
    mark = "⚠️ " if part.warns else ""
    inner = "\n".join(_parts(part.parts))
    return f"{mark}**{part.tag}**: {part.words}\n\n{inner}".rstrip() + "\n"


def _subject(subject: str | Triple) -> str:
    if isinstance(subject, str):
        return code(subject)
    where = f" in {code(subject.environment)}" if subject.environment else ""
    return f"{code(subject.subject)} {subject.phrase or '?'} {code(subject.object)}{where}"


def _succession(part: Succession) -> str:
    blocks = [f"{fenced(_as_diff(Versus('', '', part.old.text, part.new.text)), 'diff')}\n"]
    for label, side in (("was", part.old), ("is", part.new)):
        joins = f" {_subject(side.joins)}" if side.joins else ""
        blocks += [f"{label}{joins}:\n", *_parts(side.facts)]
    return "\n".join(blocks)


def _as_diff(part: Versus) -> str:
    lines = [f"{sign} {line}" for sign, text in (("-", part.before), ("+", part.after)) if text is not None
             for line in text.split("\n")]  # fmt: skip
    return "\n".join(lines)
