"""`index sync`, `index rebuild`, `index verify` and `index status`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from potpie_git.cli.context import current, staged_progress
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode

if TYPE_CHECKING:
    from potpie_git.index import EmbedReport, SyncReport

_Vectors = Annotated[
    bool, typer.Option(help="Embed cards that have no vector yet; without, search goes by words.")
]


def _outcome(synced: SyncReport, embedded: EmbedReport | None) -> Reply:
    text = f"{synced.rows} claims indexed, {synced.added} added"
    if synced.rebuilt:
        text += f"; built anew ({synced.reason})"
    waiting = synced.pending or 0
    if embedded is not None:
        waiting = embedded.left
        text += f"; {embedded.made} cards embedded"
    if waiting:
        text += f"; {waiting} cards wait for a vector"
    result = asdict(synced) | {"embedded": asdict(embedded) if embedded else None}
    return Reply(result=result, text=shown(text), next_action="git potpie index sync" if waiting else None)


def sync(vectors: _Vectors = True) -> Reply:
    """Bring the index up to date with the working tree: only what changed is read.

    Rows come first and count at once; vectors follow in batches, are kept for good, and can be interrupted.
    """
    with staged_progress() as advance:
        return _outcome(*current().pot.sync_index(vectors=vectors, progress=advance))


def rebuild(vectors: _Vectors = True) -> Reply:
    """Build the index anew beside the old one, and swap it in.

    A file that does not parse is reported with its line, and the old index stays.
    """
    with staged_progress() as advance:
        return _outcome(*current().pot.rebuild_index(vectors=vectors, progress=advance))


def verify() -> Reply:
    """Prove that the index equals the tree, row by row. Exit status 1 if it does not."""
    report = current().pot.verify_index()
    lines = [f"{report.claims} claims and {report.vectors} vectors compared with the tree"]
    lines += list(report.problems) or ["the index equals the tree"]
    return Reply(
        result=asdict(report) | {"ok": report.ok},
        text=shown("\n".join(lines)),
        ok=report.ok,
        exit_code=ExitCode.OK if report.ok else ExitCode.FAILED,
        next_action=None if report.ok else "git potpie index rebuild",
    )


def status() -> Reply:
    """Say what the index holds, whether it covers the working tree, and how much space it takes."""
    report = current().pot.index_status()
    lines = [
        f"path      {report.path}",
        f"claims    {report.rows}, {'all' if report.covered else 'not all'} of the working tree among them",
        f"vectors   {report.vectors}, {report.pending} waiting",
        f"on disk   {report.disk_bytes / 1_000_000:.1f} MB",
    ]
    lines += [f"problem   {report.problem}"] if report.problem else []
    behind = bool(report.problem) or not report.covered or bool(report.pending)
    return Reply(
        result=asdict(report),
        text=shown("\n".join(lines)),
        next_action="git potpie index sync" if behind else None,
    )
