"""Every command: its words, where it lives and what it is for. Help and the reference derive from this table."""

from __future__ import annotations

from collections.abc import Mapping

from potpie_git.cli.lazy import CommandSpec

_AT = "potpie_git.cli.commands."


def _command(target: str, summary: str) -> CommandSpec:
    return CommandSpec(_AT + target, summary)


QUALITY: Mapping[str, CommandSpec] = {
    "summary": _command("graph_quality:summary", "Every report's findings, counted."),
    "duplicate-candidates": _command(
        "graph_quality:duplicate_candidates", "Entities under two names, claims that say the same."
    ),
    "stale-facts": _command(
        "graph_quality:stale_facts", "Claims past their time, or whose evidence changed."
    ),
    "conflicting-claims": _command(
        "graph_quality:conflicting_claims", "Claims that stand and cannot all be true."
    ),
    "orphan-entities": _command(
        "graph_quality:orphan_entities", "Described entities of which nothing is said."
    ),
    "low-confidence": _command(
        "graph_quality:low_confidence", "Claims whose writer was not sure, or that rest on nothing."
    ),
    "projection-drift": _command(
        "graph_quality:projection_drift", "Where the index differs from the working tree."
    ),
}

INBOX: Mapping[str, CommandSpec] = {
    "add": _command("graph_inbox:add", "Put a suggestion in."),
    "list": _command("graph_inbox:list_items", "List what is there, the oldest first."),
    "show": _command("graph_inbox:show", "Show one item with all that happened to it."),
    "claim": _command("graph_inbox:claim", "Say that you look at it."),
    "mark-applied": _command("graph_inbox:mark_applied", "Say which plan or mutation applied it."),
    "mark-rejected": _command("graph_inbox:mark_rejected", "Say that nothing will come of it, and why."),
    "close": _command("graph_inbox:close", "Say that nobody need look at it again."),
}

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
        "graph_find:search_entities", "Find entities by type, predicate, scope or words."
    ),
    "neighborhood": _command("graph_find:neighborhood", "Walk from an entity along its relations."),
    "nudge": _command("graph_nudge:nudge", "What an event in an agent's session brings up."),
    "propose": _command("graph_write:propose", "Validate operations and store them as a plan."),
    "commit": _command("graph_write:commit", "Apply a plan as one git commit."),
    "mutate": _command("graph_mutate:mutate", "Propose and commit in one go, if all is of low risk."),
    "mutation-template": _command(
        "graph_mutate:mutation_template", "A filled-in example of an operation or a record."
    ),
    "bulk": CommandSpec(
        {"apply": _command("graph_bulk:apply", "Apply a long list of operations and records, in chunks.")},
        "Many writes at once.",
    ),
    "export": _command("graph_exchange:export", "Every governed file as a line of JSON."),
    "import": _command("graph_exchange:import_lines", "Bring exported files in, all or none."),
    "history": _command("graph_history:history", "What happened to an entity or a claim, from git itself."),
    "inbox": CommandSpec(INBOX, "Suggestions for the team to look at; never a fact."),
    "quality": CommandSpec(QUALITY, "What is doubled, stale, contradictory, orphaned or unsure."),
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
    "review": _command(
        "review:review", "Show what a change makes true, ends or replaces, and what is missing."
    ),
    "approve": _command(
        "approve:approve", "Approve a change: look, say yes, and commit a signed-off record."
    ),
    "approvals": CommandSpec(
        {
            "list": _command("approvals:list_approvals", "The approvals that are here."),
            "show": _command("approvals:show", "One approval: who, what, until when, and what is signed."),
            "verify": _command("approvals:verify", "Which approvals of a change count, and what is missing."),
        },
        "Who approved what.",
    ),
    "policy": CommandSpec(
        {
            "show": _command("policy:show", "Who may approve, in which mode, and how many it takes."),
            "add-approver": _command("policy:add_approver", "List somebody as an approver."),
            "add-key": _command("policy:add_key", "List an SSH key of an approver."),
            "revoke": _command("policy:revoke", "Say that somebody is no longer an approver."),
            "set": _command("policy:set_policy", "Change mode, thresholds, protected branches and the rest."),
        },
        "Who may approve what.",
    ),
    "audit": _command("audit:audit", "Report every risky change that landed without a valid approval."),
    "mcp": CommandSpec(
        "potpie_git.mcp.command:mcp",
        "Serve this repository's memory to agents, over standard input and output.",
    ),
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
    "skills": CommandSpec(
        {
            "list": _command("skills:list_skills", "What ships, and where it can be installed."),
            "install": _command("skills:install", "Write the instructions where agents look for them."),
            "status": _command("skills:status", "Which files are missing, current, outdated or edited."),
            "remove": _command("skills:remove", "Take them out again, byte for byte."),
        },
        "Instructions for agents, as files where agents look.",
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
