"""`graph search-entities` and `graph neighborhood`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from potpie_git.cli.commands.graph_read import DepthOption, DirectionOption
from potpie_git.cli.context import current
from potpie_git.cli.options import takes
from potpie_git.cli.output import shown
from potpie_git.cli.reading import ReadOptions
from potpie_git.cli.render.entities import entities_text, neighborhood_text
from potpie_git.cli.reply import Reply
from potpie_git.readers.entities import EntityQuery
from potpie_git.readers.passages import entities_context, neighborhood_context


@dataclass(frozen=True, slots=True)
class EntityFilters:
    """What entities are found by, beside what every read takes."""

    entity_type: Annotated[
        list[str] | None, typer.Option("--type", help="An entity type, such as Service.")
    ] = None
    predicate: Annotated[list[str] | None, typer.Option(help="Only entities in this relation.")] = None
    subgraph: Annotated[str | None, typer.Option(help="Only claims of this subgraph.")] = None
    truth: Annotated[list[str] | None, typer.Option(help="Only claims of this truth class.")] = None
    source_system: Annotated[str | None, typer.Option(help="Only claims from this system.")] = None
    source_family: Annotated[
        str | None, typer.Option(help="Only references of this kind, such as github.")
    ] = None
    source_ref: Annotated[list[str] | None, typer.Option(help="Only what cites this reference.")] = None
    external_id: Annotated[str | None, typer.Option(help="The identifier in another system.")] = None
    supporting_claims: Annotated[
        bool, typer.Option("--supporting-claims", help="Show the claims behind each.")
    ] = False


@takes(ReadOptions, limit=20)
@takes(EntityFilters, into="filters")
def search_entities(
    options: ReadOptions,
    filters: EntityFilters,
    query: Annotated[str | None, typer.Option(help="Words to look for.")] = None,
) -> Reply:
    """Find entities: who is who, before you write about them.

    Example: git potpie graph search-entities --type Service --query payments
    """
    wanted = EntityQuery(
        request=options.request(query=query),
        types=tuple(filters.entity_type or ()),
        predicates=tuple(filters.predicate or ()),
        subgraph=filters.subgraph,
        truth=tuple(filters.truth or ()),
        source_system=filters.source_system,
        source_family=filters.source_family,
        source_refs=tuple(filters.source_ref or ()),
        external_id=filters.external_id,
        supporting_claims=filters.supporting_claims,
    )
    found = current().pot.search_entities(wanted, snapshot=options.snapshot)
    return Reply(
        result=found.model_dump(mode="json") | {"context": entities_context(found)},
        text=shown(entities_text(found)),
        warnings=[{"code": "read_note", "message": text} for text in found.notes],
    )


_PLACES = ("scope", "repo", "service", "path", "since", "until", "time_window")


@takes(ReadOptions, without=_PLACES, limit=50)
def neighborhood(
    options: ReadOptions,
    entity: Annotated[str, typer.Option("--entity", help="The entity's key, such as service:payments.")],
    predicate: Annotated[list[str] | None, typer.Option(help="Walk along these relations only.")] = None,
    depth: DepthOption = None,
    direction: DirectionOption = None,
    detail: Annotated[str, typer.Option(help="compact or full.")] = "compact",
) -> Reply:
    """Walk from an entity along its relations, a bounded number of hops.

    Example: git potpie graph neighborhood --entity service:payments --predicate DEPENDS_ON --depth 2
    """
    request = options.request(depth=depth, direction=direction, detail=detail)
    found = current().pot.neighborhood(
        entity, request, predicates=tuple(predicate or ()), snapshot=options.snapshot
    )
    return Reply(
        result=found.model_dump(mode="json") | {"context": neighborhood_context(found)},
        text=shown(neighborhood_text(found)),
        warnings=[{"code": "read_note", "message": text} for text in found.notes],
    )
