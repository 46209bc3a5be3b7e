"""`graph catalog` and `graph describe`: the contract, derived from the declarations alone."""

from __future__ import annotations

import json
from typing import Annotated, Any, cast, get_args

import typer

from potpie_git.cli.commands_table import COMMANDS, GRAPH
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.text import did_you_mean
from potpie_git.readers import catalog as contract


def catalog(
    task: Annotated[str | None, typer.Option(help="Rank the views by how well they answer this.")] = None,
    subgraph: Annotated[str | None, typer.Option(help="Only this subgraph.")] = None,
    profile: Annotated[str, typer.Option(help="full, or read for the reading half alone.")] = "full",
) -> Reply:
    """Print the contract: versions, views, types, predicates, truth classes, operations. No pot is needed."""
    commands = [*(name for name in COMMANDS if name != "graph"), *(f"graph {name}" for name in GRAPH)]
    found = contract.catalog(task=task, subgraph=subgraph, profile=_profile(profile), commands=commands)
    return Reply(result=found, text=_text(found))


def _profile(name: str) -> contract.Profile:
    if name not in get_args(contract.Profile):
        meant = did_you_mean(name, get_args(contract.Profile))
        raise InvalidInputError(f"--profile {name!r} is neither full nor read.{meant}", code="usage")
    return cast(contract.Profile, name)


def describe(
    subgraph: Annotated[str | None, typer.Argument(help="A subgraph; all of them by default.")] = None,
    view: Annotated[str | None, typer.Option(help="One view of it.")] = None,
    examples: Annotated[bool, typer.Option("--examples", help="Show a command for each view.")] = False,
) -> Reply:
    """Describe a subgraph or a view: what it holds, needs, takes and returns. No pot is needed."""
    found = contract.describe(subgraph, view=view, examples=examples)
    return Reply(result=found, text=_text(found))


def _text(found: Any, indent: str = "") -> str:
    """Nested declarations as an indented outline."""
    lines = []
    for name, held in found.items():
        if isinstance(held, dict):
            lines += [f"{indent}{name}", _text(held, indent + "  ")]
        elif isinstance(held, list) and held and isinstance(held[0], dict):
            lines.append(f"{indent}{name}")
            lines += [f"{indent}  {line}" for item in held for line in _rows(item)]
        elif held not in (None, [], ""):
            text = ", ".join(str(item) for item in held) if isinstance(held, list) else str(held)
            lines.append(f"{indent}{name}: {text}")
    return "\n".join(lines)


def _rows(item: dict[str, Any]) -> list[str]:
    """What a declaration is called and for, and under it the command that asks for it, if one is given."""
    head = item.get("key") or item.get("name") or item.get("op") or json.dumps(item)
    told = item.get("summary") or item.get("phrase") or item.get("risk") or ""
    return [f"{head}  {told}".rstrip(), *([f"  {item['example']}"] if item.get("example") else [])]
