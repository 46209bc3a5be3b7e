"""What a change means, claim by claim, for somebody who has to say yes or no to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from potpie_git.checks.review.build import review, review_range, review_staged
from potpie_git.checks.review.model import Change, ChangeKind, Note, NoteKind, Review
from potpie_git.checks.review.render_html import render_html
from potpie_git.checks.review.render_markdown import render_markdown
from potpie_git.checks.review.render_text import render_text
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.fence import Quote, fenced_items
from potpie_git.domain.text import did_you_mean

__all__ = [
    "FORMATS",
    "Change",
    "ChangeKind",
    "Note",
    "NoteKind",
    "Review",
    "render",
    "render_html",
    "render_json",
    "render_markdown",
    "render_text",
    "review",
    "review_document",
    "review_range",
    "review_staged",
]


def render_json(made: Review) -> str:
    """The review as one JSON document in ASCII: whatever a record holds leaves as an escape."""
    return json.dumps(review_document(made), indent=2, ensure_ascii=True) + "\n"


def review_document(made: Review) -> dict[str, Any]:
    """The review as plain data; `context` is its text in a fence, for an agent."""
    label = {"review": made.revisions or "what is staged", "risk": made.risk, "verdict": made.verdict.status}
    quote = Quote(render_text(made).rstrip("\n"), label)
    return made.model_dump(mode="json") | {"context": fenced_items([[quote]])}


FORMATS: Final[Mapping[str, Callable[[Review], str]]] = {
    "text": render_text,
    "markdown": render_markdown,
    "html": render_html,
    "json": render_json,
}


def render(made: Review, form: str) -> str:
    """The review in one of `FORMATS`. Raises `InvalidInputError`."""
    writer = FORMATS.get(form)
    if writer is None:
        raise InvalidInputError(
            f"{form!r} is not a format.{did_you_mean(form, FORMATS)}",
            hint=f"Use one of: {', '.join(FORMATS)}.",
            code="usage",
        )
    return writer(made)
