"""`graph inbox`: suggestions that somebody should look at; never a fact."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.render.plans import commit_text
from potpie_git.cli.reply import Reply
from potpie_git.domain.fence import LabelValue, Quote, barred, fenced_items, in_marks, word
from potpie_git.domain.files import InboxItem
from potpie_git.write.inbox import InboxResult

IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="The item's id, as `graph inbox list` prints it.")
]
NoteOption = Annotated[str | None, typer.Option("--note", help="A remark for whoever reads it later.")]
StageOption = Annotated[
    bool, typer.Option("--stage", help="Write and stage the file, and leave committing to you.")
]


def _line(item: InboxItem) -> str:
    last = item.events[-1]
    who = f"  {word(last.by)}" if last.by else ""
    return f"{item.id}  {item.status:8}  {last.at}{who}  {in_marks(item.title)}"


def _whole(item: InboxItem) -> str:
    lines = [f"{item.id}  {item.status}", *barred(item.title)]
    lines += barred(item.body) if item.body else []
    lines += [f"about: {word(item.subject)}"] if item.subject else []
    lines += [f"evidence: {word(reference)}" for reference in item.evidence or ()]
    for event in item.events:
        facts = [
            f"{name} {word(held)}"
            for name, held in (("plan", event.plan), ("mutation", event.mutation), ("note:", event.note))
            if held
        ]
        lines.append(
            f"  {event.at}  {event.action}{f' by {word(event.by)}' if event.by else ''}{'  ' if facts else ''}"
            + ", ".join(facts)
        )
    return "\n".join(lines)


def _context(items: Iterable[InboxItem]) -> str:
    """Items as text for an agent, each in a fence of its own."""
    return fenced_items(
        [
            [Quote("\n".join([item.title, *([item.body] if item.body else [])]), _label(item))]
            for item in items
        ],
        before="Suggestions to look at; none of them is a fact.",
    )


def _label(item: InboxItem) -> dict[str, LabelValue]:
    return {
        "inbox": item.id,
        "status": item.status,
        "about": item.subject,
        "by": item.events[0].by,
        "sources": list(item.evidence or ()),
    }


def _reply(outcome: InboxResult, next_action: str | None = None) -> Reply:
    return Reply(
        result=outcome.model_dump(mode="json"),
        text=shown(f"{_whole(outcome.item)}\n{commit_text(outcome.written)}"),
        next_action=next_action,
    )


def add(
    title: Annotated[str, typer.Argument(help="What to look at, in a line.")],
    body: Annotated[str | None, typer.Option(help="The rest of it.")] = None,
    subject: Annotated[str | None, typer.Option(help="The entity it is about.", metavar="KEY")] = None,
    evidence: Annotated[
        list[str] | None, typer.Option("--evidence", help="Where it comes from; repeat it for more.")
    ] = None,
    stage: StageOption = False,
) -> Reply:
    """Put a suggestion into the inbox, for the team to look at."""
    outcome = current().pot.inbox.add(title, body=body, subject=subject, evidence=evidence or (), stage=stage)
    return _reply(outcome, f"git potpie graph inbox claim {outcome.item.id}")


def list_items(
    status: Annotated[
        str | None, typer.Option(help="Only open, claimed, applied, rejected or closed items.")
    ] = None,
) -> Reply:
    """List the inbox, the oldest first."""
    items = current().pot.inbox.items(status)
    return Reply(
        result={
            "items": [{**item.model_dump(mode="json"), "status": item.status} for item in items],
            "context": _context(items),
        },
        text=shown("\n".join(map(_line, items)) or "The inbox is empty."),
    )


def show(item_id: IdArgument) -> Reply:
    """Show one item with everything that happened to it."""
    item = current().pot.inbox.show(item_id)
    return Reply(
        result={
            "item": {**item.model_dump(mode="json"), "status": item.status},
            "context": _context([item]),
        },
        text=shown(_whole(item)),
    )


def claim(item_id: IdArgument, note: NoteOption = None, stage: StageOption = False) -> Reply:
    """Say that you look at an item; whoever claims it last has it."""
    outcome = current().pot.inbox.claim(item_id, note=note, stage=stage)
    return _reply(outcome, f"git potpie graph inbox mark-applied {item_id} --plan PLAN")


def mark_applied(
    item_id: IdArgument,
    plan: Annotated[
        str | None, typer.Option(help="The committed plan that applied it.", metavar="ID")
    ] = None,
    mutation: Annotated[str | None, typer.Option(help="The mutation that applied it.", metavar="ID")] = None,
    note: NoteOption = None,
    stage: StageOption = False,
) -> Reply:
    """Say which committed plan or mutation wrote what an item suggests."""
    return _reply(
        current().pot.inbox.mark_applied(item_id, plan=plan, mutation=mutation, note=note, stage=stage)
    )


def mark_rejected(
    item_id: IdArgument,
    note: Annotated[str, typer.Option("--note", help="Why nothing will come of it.")],
    stage: StageOption = False,
) -> Reply:
    """Say that nothing will come of an item, and why."""
    return _reply(current().pot.inbox.mark_rejected(item_id, note=note, stage=stage))


def close(item_id: IdArgument, note: NoteOption = None, stage: StageOption = False) -> Reply:
    """Say that nobody need look at an item again."""
    return _reply(current().pot.inbox.close(item_id, note=note, stage=stage))
