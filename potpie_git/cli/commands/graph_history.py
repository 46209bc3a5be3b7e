"""`graph history`."""

from __future__ import annotations

from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reading import SinceOption, UntilOption, moment
from potpie_git.cli.render.history import history_context, history_text
from potpie_git.cli.reply import Reply
from potpie_git.domain.times import utc_now
from potpie_git.store.history import HistoryQuery


def history(
    entity: Annotated[
        str | None, typer.Option(help="Everything that names this entity.", metavar="KEY")
    ] = None,
    claim: Annotated[str | None, typer.Option(help="One claim and what replaced it.", metavar="ID")] = None,
    plan: Annotated[str | None, typer.Option(help="What a plan wrote.", metavar="ID")] = None,
    mutation: Annotated[str | None, typer.Option(help="What a mutation wrote.", metavar="ID")] = None,
    subgraph: Annotated[str | None, typer.Option(help="Every claim of a subgraph.", metavar="NAME")] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most so many events, the newest.")] = 50,
) -> Reply:
    """Say what happened to an entity, a claim or a subgraph, or what a plan or mutation did, from git itself.

    Each event has its commit, author, sign-offs, approvals, plan, mutation, risk, and the fields before and after. What
    is not committed yet is shown as such. --since and --until go by the commit's time.
    """
    now = utc_now()
    found = current().pot.history(
        HistoryQuery(
            entity=entity,
            claim=claim,
            plan=plan,
            mutation=mutation,
            subgraph=subgraph,
            since=moment(since, "--since", now),
            until=moment(until, "--until", now),
            limit=limit,
        )
    )
    return Reply(
        result=found.model_dump(mode="json") | {"context": history_context(found)},
        text=shown(history_text(found)),
        next_action=None if found.complete else "raise --limit, or narrow with --since and --until",
    )
