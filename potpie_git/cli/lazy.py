"""Groups of commands that import a command's module only when that command is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
import typer.core
import typer.main


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """Where a command lives (`module:function`), or the group that its name opens, and what it is for."""

    target: str | Mapping[str, CommandSpec]
    summary: str


class LazyGroup(typer.core.TyperGroup):
    """A group over a table of `CommandSpec`; listing it imports nothing."""

    def __init__(self, *, specs: Mapping[str, CommandSpec], **options: Any) -> None:
        super().__init__(rich_markup_mode=None, no_args_is_help=True, **options)
        self.specs = specs

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.specs)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        spec = self.specs.get(cmd_name)
        return load_command(cmd_name, spec) if spec else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, spec.summary) for name, spec in self.specs.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        # The base class looks for near names among loaded commands; here the table knows them all.
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.specs:
            from_table = ", ".join(self.specs)
            raise UnknownCommandError(name, tuple(self.specs), from_table)
        return super().resolve_command(ctx, args)


class UnknownCommandError(Exception):
    """A name that no command of the group has."""

    def __init__(self, name: str, known: tuple[str, ...], listing: str) -> None:
        super().__init__(name)
        self.name, self.known, self.listing = name, known, listing


def load_command(name: str, spec: CommandSpec) -> Any:
    """The command or group that a spec describes, ready to be invoked."""
    if not isinstance(spec.target, str):
        return LazyGroup(name=name, specs=spec.target, help=spec.summary)
    module_name, _, function_name = spec.target.partition(":")
    function = getattr(import_module(module_name), function_name)
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name=name, help=(function.__doc__ or spec.summary).strip())(function)
    return typer.main.get_command(app)
