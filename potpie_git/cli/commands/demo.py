"""`demo`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from potpie_git.cli.context import current, staged_progress
from potpie_git.cli.demo.play import Play, play
from potpie_git.cli.output import print_text, shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import InvalidInputError

_NEXT = """
Try next:
  cd {folder}
  git potpie search "two copies of one envelope"
  git potpie graph read --subgraph decisions --view active_decisions --service swap-match
  git potpie timeline recent
  git potpie init            (in a repository of your own)
"""


def demo(
    directory: Annotated[
        Path | None,
        typer.Option("--dir", help="An empty or new folder to play in; a temporary one by default."),
    ] = None,
) -> Reply | None:
    """Play through a day with an example pot, in a temporary repository.

    Real git, real hooks, the real index: it commits an example memory, asks four questions, and shows a hook refusing a
    claim that was rewritten by hand. Nothing outside that folder is touched; delete it when you are done.
    """
    quiet = current().options.json
    folder = _folder(directory)
    with staged_progress() as advance:
        acts = play(
            Play(folder, (lambda _: None) if quiet else (lambda line: print_text(shown(line) + "\n"))),
            advance,
        )
    if quiet:
        return Reply({"folder": str(folder), "acts": acts}, next_action=f"cd {folder}")
    print_text(_NEXT.format(folder=folder))
    return None


def _folder(wanted: Path | None) -> Path:
    if wanted is None:
        return Path(tempfile.mkdtemp(prefix="potpie-demo-")).resolve()
    if wanted.exists() and (not wanted.is_dir() or any(wanted.iterdir())):
        raise InvalidInputError(f"{wanted} is not an empty folder", hint="Name a new one.", code="usage")
    wanted.mkdir(parents=True, exist_ok=True)
    return wanted.resolve()
