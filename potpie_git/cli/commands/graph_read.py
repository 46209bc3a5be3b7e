"""`graph read` and `timeline recent`."""

from __future__ import annotations

from typing import Annotated

import typer

from potpie_git.cli.commands.search import FormatOption
from potpie_git.cli.context import current
from potpie_git.cli.options import takes
from potpie_git.cli.reading import ReadOptions
from potpie_git.cli.render.evidence import read_reply
from potpie_git.cli.reply import Reply

DepthOption = Annotated[int | None, typer.Option(help="How far to walk, at most 4.")]
DirectionOption = Annotated[str | None, typer.Option(help="out, in or both.")]


@takes(ReadOptions)
def read(
    options: ReadOptions,
    subgraph: Annotated[str, typer.Option(help="Such as debugging or decisions.")],
    view: Annotated[str, typer.Option(help="Such as prior_occurrences; `graph catalog` lists them.")],
    query: Annotated[str | None, typer.Option(help="The question, in your own words.")] = None,
    query_threshold: Annotated[
        float | None, typer.Option(help="Drop weak and less similar items, in [0, 1].")
    ] = None,
    include_unqualified_environment: Annotated[
        bool, typer.Option(help="With --environment, keep relations that name none.")
    ] = False,
    source_ref: Annotated[str | None, typer.Option(help="Only what cites this reference.")] = None,
    depth: DepthOption = None,
    direction: DirectionOption = None,
    sort: Annotated[str | None, typer.Option(help="score, newest, oldest or key.")] = None,
    dedupe: Annotated[bool, typer.Option(help="Show a statement once, however many claims make it.")] = True,
    detail: Annotated[str, typer.Option(help="compact or full.")] = "compact",
    relations: Annotated[str, typer.Option(help="summary or full.")] = "full",
    form: FormatOption = None,
) -> Reply:
    """Read one view: ranked, sourced evidence, with coverage and never a synthesised answer.

    A view says which scope it needs and which filters it takes (`graph describe SUBGRAPH --view VIEW`); what it cannot
    use is an error, never an empty success.
    """
    request = options.request(
        query=query,
        query_threshold=query_threshold,
        include_unqualified_environment=include_unqualified_environment,
        source_ref=source_ref,
        depth=depth,
        direction=direction,
        sort=sort,
        dedupe=dedupe,
        detail=detail,
        relations=relations,
    )
    envelope = current().pot.read(subgraph, view, request, snapshot=options.snapshot)
    return read_reply(envelope, form, view=f"{subgraph}.{view}")


@takes(ReadOptions, limit=20)
def timeline_recent(
    options: ReadOptions,
    query: Annotated[str | None, typer.Option(help="Only what this is about.")] = None,
    form: FormatOption = None,
) -> Reply:
    """Say what happened lately: commits, merges and recorded events, newest first."""
    envelope = current().pot.timeline(options.request(query=query), snapshot=options.snapshot)
    return read_reply(envelope, form, view="recent_changes.timeline")
