"""`search` and `resolve`."""

from __future__ import annotations

from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.reading import (
    AsOfOption,
    EnvironmentOption,
    InvalidatedOption,
    LimitOption,
    PathOption,
    RepoOption,
    RevOption,
    ScopeOption,
    ServiceOption,
    SinceOption,
    StagedOption,
    UntilOption,
    WindowOption,
    read_request,
    snapshot_choice,
)
from potpie_git.cli.render.evidence import read_reply
from potpie_git.cli.reply import Reply
from potpie_git.domain.vocabulary import INCLUDES, INTENTS


def search(
    text: Annotated[list[str], typer.Argument(metavar="TEXT...", help="The question, in your own words.")],
    scope: ScopeOption = None,
    repo: RepoOption = None,
    service: ServiceOption = None,
    path: PathOption = None,
    environment: EnvironmentOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    time_window: WindowOption = None,
    as_of: AsOfOption = None,
    rev: RevOption = None,
    staged: StagedOption = False,
    include_invalidated: InvalidatedOption = False,
    query_threshold: Annotated[
        float | None, typer.Option(help="Drop weak items and those less similar than this, in [0, 1].")
    ] = None,
    limit: LimitOption = 12,
    form: Annotated[str, typer.Option("--format", help="text, table or jsonl.")] = "text",
) -> Reply:
    """Find evidence for a question, everywhere: bugs, fixes, decisions, preferences, owners, changes, notes.

    Items come ranked, each with its sources; a weak match is labelled weak. There is never a synthesised answer.
    """
    request = read_request(
        scope=scope,
        repo=repo,
        service=service,
        path=path,
        since=since,
        until=until,
        time_window=time_window,
        as_of=as_of,
        environment=environment,
        include_invalidated=include_invalidated,
        query_threshold=query_threshold,
        limit=limit,
    )
    envelope = current().pot.search(" ".join(text), request, snapshot=snapshot_choice(rev, staged))
    return read_reply(envelope, form)


def resolve(
    task: Annotated[
        list[str] | None, typer.Argument(metavar="[TASK...]", help="What you are about to do.")
    ] = None,
    intent: Annotated[str, typer.Option(help=f"One of: {', '.join(INTENTS)}.")] = "unknown",
    include: Annotated[
        list[str] | None, typer.Option(help=f"Exactly these instead of an intent's: {', '.join(INCLUDES)}.")
    ] = None,
    scope: ScopeOption = None,
    repo: RepoOption = None,
    service: ServiceOption = None,
    path: PathOption = None,
    environment: EnvironmentOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    time_window: WindowOption = None,
    as_of: AsOfOption = None,
    rev: RevOption = None,
    staged: StagedOption = False,
    include_invalidated: InvalidatedOption = False,
    limit: LimitOption = 12,
    form: Annotated[str, typer.Option("--format", help="text, table or jsonl.")] = "text",
) -> Reply:
    """Gather what matters before a task: the includes of its intent, ranked together.

    An include without a reader, or one that nobody knows, is reported as unsupported and never passed over in silence.
    """
    request = read_request(
        scope=scope,
        repo=repo,
        service=service,
        path=path,
        since=since,
        until=until,
        time_window=time_window,
        as_of=as_of,
        environment=environment,
        include_invalidated=include_invalidated,
        limit=limit,
        query=" ".join(task) if task else None,
    )
    envelope = current().pot.resolve(
        request, intent=intent, includes=include or (), snapshot=snapshot_choice(rev, staged)
    )
    return read_reply(envelope, form)
