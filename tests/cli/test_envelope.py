"""`--json` of every command is one valid document with the envelope, however narrow the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from potpie_git.cli.commands_table import COMMANDS
from potpie_git.cli.lazy import CommandSpec
from tests.support.git_repo import GitRepo
from tests.support.program import document

KEYS = {
    "ok",
    "command",
    "request_id",
    "pot_id",
    "graph_contract_version",
    "ontology_version",
    "subgraph_versions",
    "result",
    "warnings",
    "unsupported",
    "recommended_next_action",
    "error",
}
DECISION = (
    "-d",
    "title=Queues",
    "-d",
    "summary=Use queues.",
    "-d",
    "rationale=Peaks.",
    "--scope",
    "service:pay",
)
OPERATION = (
    '{"op": "link_entities", "subject": "service:a", "predicate": "DEPENDS_ON", "object": "service:b"}'
)
# What a command needs to do something; a command that is not here runs without arguments.
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "search": ("queues",),
    "record": ("decision", *DECISION),
    "explain": ("PG-H02",),
    "graph read": ("--subgraph", "decisions", "--view", "active_decisions", "--query", "queues"),
    "graph neighborhood": ("--entity", "service:pay"),
    "graph propose": (OPERATION,),
    "graph commit": ("p-unknown",),
    "graph mutate": (OPERATION,),
    "graph history": ("--entity", "service:pay"),
}
NARROW = {"COLUMNS": "20", "TERM": "dumb"}


def names(table: Mapping[str, CommandSpec] = COMMANDS, prefix: str = "") -> Iterator[str]:
    for name, spec in table.items():
        words = f"{prefix} {name}".strip()
        if isinstance(spec.target, str):
            yield words
        else:
            yield from names(spec.target, words)


@pytest.mark.parametrize("command", list(names()))
def test_every_command_prints_one_document(command: str, pot_repo: GitRepo, tmp_path: Path) -> None:
    extra = ("--dir", str(tmp_path / "demo")) if command == "demo" else ARGUMENTS.get(command, ())
    held = document(pot_repo.root, *command.split(), *extra, env=NARROW)
    assert set(held) == KEYS
    assert held["command"] == command
    assert held["request_id"]
    assert held["graph_contract_version"] == "v1.5"
    if held["ok"]:
        assert held["error"] is None
    if held["error"] is not None:
        assert set(held["error"]) == {"code", "message", "detail", "recommended_next_action"}
        assert held["error"]["code"] != "internal_error", held["error"]
