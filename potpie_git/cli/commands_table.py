"""Every command: its words, where it lives and what it is for. Help and the reference derive from this table."""

from __future__ import annotations

from collections.abc import Mapping

from potpie_git.cli.lazy import CommandSpec

_AT = "potpie_git.cli.commands."


def _command(target: str, summary: str) -> CommandSpec:
    return CommandSpec(_AT + target, summary)


GRAPH: Mapping[str, CommandSpec] = {
    "status": _command("graph_state:status", "What the pot holds, and the version of each subgraph."),
    "catalog": _command(
        "graph_contract:catalog", "The contract: commands, views, types, predicates, truth classes."
    ),
    "describe": _command(
        "graph_contract:describe", "One subgraph or view: what it holds, takes and returns."
    ),
    "read": _command("graph_read:read", "Read a view: ranked, sourced evidence."),
    "search-entities": _command(
        "graph_read:search_entities", "Find entities by type, predicate, scope or words."
    ),
    "neighborhood": _command("graph_read:neighborhood", "Walk from an entity along its relations."),
    "propose": _command("graph_write:propose", "Validate operations and store them as a plan."),
    "commit": _command("graph_write:commit", "Apply a plan as one git commit."),
}

COMMANDS: Mapping[str, CommandSpec] = {
    "init": _command("init:init", "Create a pot in this repository and install its hooks."),
    "status": _command("status:status", "What is here, what is missing, and what to do next."),
    "doctor": _command("doctor:doctor", "Prove that git, the hooks and the index work together."),
    "demo": _command("demo:demo", "Play through a day with an example pot, in a temporary repository."),
    "resolve": _command("search:resolve", "Gather what matters for a task, by intent."),
    "search": _command("search:search", "Find evidence in other words, everywhere."),
    "record": _command(
        "record:record", "Write down a fix, a bug, a preference, a decision, a verification or a note."
    ),
    "explain": _command("check:explain", "Explain a finding's code, with an example."),
    "fmt": _command("fmt:fmt", "Write files in their canonical form, comments kept."),
    "check": _command("check:check", "Judge a change, or a whole tree, by every rule."),
    "graph": CommandSpec(GRAPH, "Read and write the graph of claims."),
    "timeline": CommandSpec(
        {"recent": _command("graph_read:timeline_recent", "What happened lately.")},
        "What happened, in order.",
    ),
    "hooks": CommandSpec(
        {
            "install": _command("hooks:install", "Install the hooks where git looks, beside what is there."),
            "uninstall": _command("hooks:uninstall", "Remove the hooks and restore what was there."),
            "status": _command("hooks:status", "Which hooks git runs."),
        },
        "The gate at commit and at push.",
    ),
    "index": CommandSpec(
        {
            "sync": _command("index:sync", "Bring the index up to date with the working tree."),
            "rebuild": _command("index:rebuild", "Build the index anew, and swap it in."),
            "verify": _command("index:verify", "Prove that the index equals the tree."),
            "status": _command("index:status", "What the index holds."),
        },
        "The search index: a cache, always disposable.",
    ),
}
