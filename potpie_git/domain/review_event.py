"""A forge's own words about an approving review: the event that it hands to a job, read strictly."""

from __future__ import annotations

import json
from typing import Any, Final

from potpie_git.domain.approval import ForgeReview
from potpie_git.domain.errors import InvalidInputError, RefusedError
from potpie_git.domain.text import sha256_hex
from potpie_git.domain.times import TimeFormatError, parse_time

GITHUB: Final = "github"


class NotAnApprovalError(RefusedError):
    """The event is about something else than an approving review of what is checked out."""

    code = "not_an_approval"


class ReviewEvent:
    """One approving review: who, of which commit (`head`), for which branch (`ref`).

    Raises `NotAnApprovalError`, and `InvalidInputError` for what is no event at all.
    """

    def __init__(self, raw: bytes) -> None:
        event = _parsed(raw)
        review, pull = _part(event, "review"), _part(event, "pull_request")
        if event.get("action") != "submitted" or str(review.get("state", "")).lower() != "approved":
            raise NotAnApprovalError(
                "the event is no approving review",
                hint="Start the job on `pull_request_review`, and only where the state is `approved`.",
            )
        self.head = _text(review, "commit_id")
        base = _part(pull, "base")
        self.ref = f"refs/heads/{_text(base, 'ref')}"
        self.account = _text(_part(review, "user"), "login")
        self.evidence = ForgeReview(
            forge=GITHUB,
            account=self.account,
            review=_text(review, "html_url"),
            submitted_at=_time(review),
            head=self.head,
            event_sha256=sha256_hex(raw),
        )


def _parsed(raw: bytes) -> dict[str, Any]:
    try:
        event = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"the event is not JSON: {error}", hint="Give the file that the forge wrote."
        ) from error
    if not isinstance(event, dict):
        raise InvalidInputError("the event is not an object", hint="Give the file that the forge wrote.")
    return event


def _part(event: dict[str, Any], name: str) -> dict[str, Any]:
    held = event.get(name)
    if not isinstance(held, dict):
        raise NotAnApprovalError(
            f"the event says nothing about its {name}", hint="Start the job on `pull_request_review`."
        )
    return held


def _text(part: dict[str, Any], name: str) -> str:
    held = part.get(name)
    if not isinstance(held, str) or not held:
        raise NotAnApprovalError(f"the event has no {name}", hint="Give the file that the forge wrote.")
    return held


def _time(review: dict[str, Any]) -> str:
    said = _text(review, "submitted_at")
    try:
        parse_time(said)
    except TimeFormatError as error:
        raise NotAnApprovalError(str(error), hint="Give the file that the forge wrote.") from error
    return said
