"""What a running command may ask for: the pot it works on, the global options, and progress on the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from potpie_git.cli.globals import GlobalOptions
from potpie_git.cli.output import note, shown

if TYPE_CHECKING:
    from potpie_git.pot import Pot


class CommandContext:
    """One invocation: opened lazily, so that a command that needs no pot pays for none."""

    def __init__(self, options: GlobalOptions, surface: str = "cli", harness: str | None = None) -> None:
        """`surface` is what records say about how they were written, `harness` the agent behind it, if known."""
        self.options = options
        self._actor = (surface, os.environ.get("POTPIE_HARNESS") or harness)
        self._opened: Pot | None = None

    @property
    def directory(self) -> Path:
        return self.options.directory

    @cached_property
    def pot(self) -> Pot:
        """The pot of the current directory. Raises the typed errors of `Pot.open`."""
        return self._open(required=True)

    @cached_property
    def repository_pot(self) -> Pot:
        """The same where a repository without a pot will do: a check has to see that a pot is gone."""
        return self._open(required=False)

    def _open(self, *, required: bool) -> Pot:
        from potpie_git.domain.claim import Actor
        from potpie_git.pot import Pot

        surface, harness = self._actor
        actor = Actor(surface=surface, harness=harness)
        self._opened = Pot.open(self.directory, actor, required=required)
        if self._opened.recovered:
            note(f"recovered: {shown(self._opened.recovered)}")
        return self._opened

    @property
    def opened(self) -> Pot | None:
        """The pot, if the command has opened one."""
        return self._opened


_current: list[CommandContext] = []


def current() -> CommandContext:
    """The context of the running command."""
    return _current[-1]


@contextmanager
def running(context: CommandContext) -> Iterator[CommandContext]:
    _current.append(context)
    try:
        yield context
    finally:
        _current.pop()


Progress = Callable[[int, int], None]
StagedProgress = Callable[[str, int, int], None]


@contextmanager
def progress(label: str) -> Iterator[Progress | None]:
    """A progress bar on standard error; None where standard error is no terminal. Calls take (done, total)."""
    with staged_progress() as advance:
        yield None if advance is None else (lambda done, total: advance(label, done, total))


@contextmanager
def staged_progress() -> Iterator[StagedProgress | None]:
    """The same for work of several stages, a bar for each. Calls take (stage, done, total)."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as finished:
        bars: dict[str, Any] = {}

        def advance(stage: str, done: int, total: int) -> None:
            if stage not in bars:
                finished.close()
                bar = typer.progressbar(length=max(total, 1), label=stage, file=sys.stderr)
                bars[stage] = finished.enter_context(bar)
            bars[stage].length = max(total, 1)
            bars[stage].update(max(0, done - bars[stage].pos))

        yield advance
