"""`graph read`, `graph search-entities`, `graph neighborhood` and `timeline recent`."""

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

FormatOption = Annotated[str, typer.Option("--format", help="text, table, events, jsonl or raw.")]


def read(
    subgraph: Annotated[str, typer.Option(help="Such as debugging or decisions.")],
    view: Annotated[str, typer.Option(help="Such as prior_occurrences; `graph catalog` lists them.")],
    query: Annotated[str | None, typer.Option(help="The question, in your own words.")] = None,
    query_threshold: Annotated[
        float | None, typer.Option(help="Drop weak and less similar items, in [0, 1].")
    ] = None,
    scope: ScopeOption = None,
    repo: RepoOption = None,
    service: ServiceOption = None,
    path: PathOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    time_window: WindowOption = None,
    environment: EnvironmentOption = None,
    include_unqualified_environment: Annotated[
        bool, typer.Option(help="With --environment, keep relations that name none.")
    ] = False,
    source_ref: Annotated[str | None, typer.Option(help="Only what cites this reference.")] = None,
    depth: Annotated[int | None, typer.Option(help="How far to walk, at most 4.")] = None,
    direction: Annotated[str | None, typer.Option(help="out, in or both.")] = None,
    limit: LimitOption = 12,
    sort: Annotated[str | None, typer.Option(help="score, newest, oldest or key.")] = None,
    dedupe: Annotated[bool, typer.Option(help="Show a statement once, however many claims make it.")] = True,
    detail: Annotated[str, typer.Option(help="compact or full.")] = "compact",
    relations: Annotated[str, typer.Option(help="summary or full.")] = "full",
    as_of: AsOfOption = None,
    rev: RevOption = None,
    staged: StagedOption = False,
    include_invalidated: InvalidatedOption = False,
    form: FormatOption = "text",
) -> Reply:
    """Read one view: ranked, sourced evidence, with coverage and never a synthesised answer.

    A view says which scope it needs and which filters it takes (`graph describe SUBGRAPH --view VIEW`); what it cannot
    use is an error, never an empty success.
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
        query=query,
        query_threshold=query_threshold,
        environment=environment,
        include_unqualified_environment=include_unqualified_environment,
        source_ref=source_ref,
        depth=depth,
        direction=direction,
        limit=limit,
        sort=sort,
        dedupe=dedupe,
        detail=detail,
        relations=relations,
        include_invalidated=include_invalidated,
    )
    envelope = current().pot.read(subgraph, view, request, snapshot=snapshot_choice(rev, staged))
    return read_reply(envelope, form, view=f"{subgraph}.{view}")


def timeline_recent(
    query: Annotated[str | None, typer.Option(help="Only what this is about.")] = None,
    scope: ScopeOption = None,
    repo: RepoOption = None,
    service: ServiceOption = None,
    path: PathOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    time_window: WindowOption = None,
    limit: LimitOption = 20,
    as_of: AsOfOption = None,
    rev: RevOption = None,
    staged: StagedOption = False,
    include_invalidated: InvalidatedOption = False,
    form: FormatOption = "events",
) -> Reply:
    """Say what happened lately: commits, merges and recorded events, newest first."""
    request = read_request(
        scope=scope,
        repo=repo,
        service=service,
        path=path,
        since=since,
        until=until,
        time_window=time_window,
        as_of=as_of,
        query=query,
        limit=limit,
        include_invalidated=include_invalidated,
    )
    envelope = current().pot.timeline(request, snapshot=snapshot_choice(rev, staged))
    return read_reply(envelope, form, view="recent_changes.timeline")
