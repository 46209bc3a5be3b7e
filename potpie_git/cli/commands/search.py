"""`search` and `resolve`."""

from __future__ import annotations

from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.options import takes
from potpie_git.cli.reading import ReadOptions
from potpie_git.cli.render.evidence import read_reply
from potpie_git.cli.reply import Reply
from potpie_git.domain.vocabulary import INCLUDES, INTENTS

FormatOption = Annotated[
    str | None,
    typer.Option("--format", help="text, table, events, jsonl or raw; events by default for a timeline."),
]


@takes(ReadOptions)
def search(
    text: Annotated[list[str], typer.Argument(metavar="TEXT...", help="The question, in your own words.")],
    options: ReadOptions,
    query_threshold: Annotated[
        float | None, typer.Option(help="Drop weak items and those less similar than this, in [0, 1].")
    ] = None,
    form: FormatOption = None,
) -> Reply:
    """Find evidence for a question, everywhere: bugs, fixes, decisions, preferences, owners, changes, notes.

    Items come ranked, each with its sources; a weak match is labelled weak. There is never a synthesised answer.
    """
    request = options.request(query_threshold=query_threshold)
    return read_reply(current().pot.search(" ".join(text), request, snapshot=options.snapshot), form)


@takes(ReadOptions)
def resolve(
    options: ReadOptions,
    task: Annotated[
        list[str] | None, typer.Argument(metavar="[TASK...]", help="What you are about to do.")
    ] = None,
    intent: Annotated[str, typer.Option(help=f"One of: {', '.join(INTENTS)}.")] = "unknown",
    include: Annotated[
        list[str] | None, typer.Option(help=f"Exactly these instead of an intent's: {', '.join(INCLUDES)}.")
    ] = None,
    form: FormatOption = None,
) -> Reply:
    """Gather what matters before a task: the includes of its intent, ranked together.

    An include without a reader, or one that nobody knows, is reported as unsupported and never passed over in silence.
    """
    request = options.request(query=" ".join(task) if task else None)
    envelope = current().pot.resolve(
        request, intent=intent, includes=include or (), snapshot=options.snapshot
    )
    return read_reply(envelope, form)
