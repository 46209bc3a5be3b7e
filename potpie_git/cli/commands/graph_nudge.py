"""`graph nudge`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.options import takes
from potpie_git.cli.output import shown
from potpie_git.cli.reading import ReadOptions
from potpie_git.cli.render.evidence import item_text
from potpie_git.cli.reply import Reply
from potpie_git.domain.vocabulary import NUDGES
from potpie_git.readers.assemble import plain_items
from potpie_git.readers.nudge import DEFAULT_ITEMS, NudgeResult
from potpie_git.readers.passages import nudge_context

_TIMES = ("since", "until", "time_window", "as_of", "rev", "staged", "include_invalidated")


@takes(ReadOptions, without=_TIMES, limit=DEFAULT_ITEMS)
def nudge(
    options: ReadOptions,
    event: Annotated[str, typer.Argument(metavar="EVENT", help=f"One of: {', '.join(NUDGES)}.")],
    query: Annotated[
        str | None, typer.Option(help="The error message or symptom, where the event is about one.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="The agent's session; what it has seen is not shown again.")
    ] = None,
) -> Reply:
    """Say what an event in an agent's session brings up: evidence that bears on it, or what to record.

    Nothing to say is an empty answer. Weak matches are never shown, and no model is called.

    Example: git potpie graph nudge test_failed --query "409 after a partial capture" --session s1
    """
    found = current().pot.nudge(event, options.request(query=query), session=session)
    return Reply(result=_document(found), text=shown(_text(found)))


def _document(found: NudgeResult) -> dict[str, object]:
    items = plain_items(one.item for one in found.items)
    return asdict(found) | {
        "items": [
            held | {"view": one.view, "key": one.key} for held, one in zip(items, found.items, strict=True)
        ],
        "silent": found.silent,
        "context": nudge_context(found),
    }


def _text(found: NudgeResult) -> str:
    if found.instruction is not None:
        return found.instruction
    return "\n\n".join(item_text(one.item) for one in found.items)
