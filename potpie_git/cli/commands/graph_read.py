"""`graph read`, `graph search-entities`, `graph neighborhood` and `timeline recent`."""

from __future__ import annotations

from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
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
from potpie_git.cli.render.entities import entities_text, neighborhood_text
from potpie_git.cli.render.evidence import read_reply
from potpie_git.cli.reply import Reply
from potpie_git.readers.entities import EntityQuery

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


def search_entities(
    query: Annotated[str | None, typer.Option(help="Words to look for.")] = None,
    entity_type: Annotated[
        list[str] | None, typer.Option("--type", help="An entity type, such as Service.")
    ] = None,
    predicate: Annotated[
        list[str] | None, typer.Option(help="Only entities that stand in this relation.")
    ] = None,
    subgraph: Annotated[str | None, typer.Option(help="Only claims of this subgraph.")] = None,
    truth: Annotated[list[str] | None, typer.Option(help="Only claims of this truth class.")] = None,
    source_system: Annotated[str | None, typer.Option(help="Only claims from this system.")] = None,
    source_family: Annotated[
        str | None, typer.Option(help="Only references of this kind, such as github.")
    ] = None,
    source_ref: Annotated[list[str] | None, typer.Option(help="Only what cites this reference.")] = None,
    external_id: Annotated[str | None, typer.Option(help="The identifier in another system.")] = None,
    supporting_claims: Annotated[
        bool, typer.Option("--supporting-claims", help="Show the claims behind each.")
    ] = False,
    scope: ScopeOption = None,
    repo: RepoOption = None,
    service: ServiceOption = None,
    path: PathOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    time_window: WindowOption = None,
    environment: EnvironmentOption = None,
    limit: LimitOption = 20,
    as_of: AsOfOption = None,
    rev: RevOption = None,
    staged: StagedOption = False,
    include_invalidated: InvalidatedOption = False,
) -> Reply:
    """Find entities: who is who, before you write about them.

    Example: git potpie graph search-entities --type Service --query payments
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
        environment=environment,
        limit=limit,
        include_invalidated=include_invalidated,
    )
    wanted = EntityQuery(
        request=request,
        types=tuple(entity_type or ()),
        predicates=tuple(predicate or ()),
        subgraph=subgraph,
        truth=tuple(truth or ()),
        source_system=source_system,
        source_family=source_family,
        source_refs=tuple(source_ref or ()),
        external_id=external_id,
        supporting_claims=supporting_claims,
    )
    found = current().pot.search_entities(wanted, snapshot=snapshot_choice(rev, staged))
    return Reply(
        result=found.model_dump(mode="json"),
        text=shown(entities_text(found)),
        warnings=[{"code": "read_note", "message": text} for text in found.notes],
    )


def neighborhood(
    entity: Annotated[str, typer.Option("--entity", help="The entity's key, such as service:payments.")],
    predicate: Annotated[list[str] | None, typer.Option(help="Walk along these relations only.")] = None,
    depth: Annotated[int | None, typer.Option(help="How far to walk, at most 4.")] = None,
    direction: Annotated[str | None, typer.Option(help="out, in or both.")] = None,
    environment: EnvironmentOption = None,
    limit: LimitOption = 50,
    detail: Annotated[str, typer.Option(help="compact or full.")] = "compact",
    as_of: AsOfOption = None,
    rev: RevOption = None,
    staged: StagedOption = False,
    include_invalidated: InvalidatedOption = False,
) -> Reply:
    """Walk from an entity along its relations, a bounded number of hops.

    Example: git potpie graph neighborhood --entity service:payments --predicate DEPENDS_ON --depth 2
    """
    request = read_request(
        depth=depth,
        direction=direction,
        environment=environment,
        limit=limit,
        detail=detail,
        as_of=as_of,
        include_invalidated=include_invalidated,
    )
    found = current().pot.neighborhood(
        entity, request, predicates=tuple(predicate or ()), snapshot=snapshot_choice(rev, staged)
    )
    return Reply(result=found.model_dump(mode="json"), text=shown(neighborhood_text(found)))
