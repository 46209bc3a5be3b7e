"""The server over real standard input and output: the same verbs, the same envelope, one write path, no approvals."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.types import ListToolsResult

from potpie_git.cli.commands_table import COMMANDS
from potpie_git.cli.lazy import load_command
from potpie_git.cli.performing import Outcome
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.templates import template, template_kinds
from potpie_git.domain.vocabulary import MUTATION_OPS
from potpie_git.mcp.answers import answer_text
from potpie_git.mcp.tools import TOOLS
from tests.support.git_repo import GitRepo
from tests.support.mcp import call, envelope_of, succeeded, text_of, with_client
from tests.support.program import PROGRAM, document, ok, result

LINK = {"op": "link_entities", "subject": "service:a", "predicate": "DEPENDS_ON", "object": "service:b"}
BRANCH = ("switch", "--quiet", "--create", "work")


def claim_id(repo: GitRepo) -> str:
    found = result(repo.root, "search", "refund after a partial capture")
    return str(next(item["claim_id"] for item in found["items"] if item["claim_id"]))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_tools_are_the_verbs(served: GitRepo, mode: str) -> None:
    listed: ListToolsResult = with_client(served.root, lambda client: client.list_tools(), mode=mode)
    assert [tool.name for tool in listed.tools] == list(TOOLS)
    assert not [
        name for name in TOOLS if any(word in name for word in ("approve", "policy", "install", "import"))
    ]
    for tool in listed.tools:
        assert tool.description
        Draft202012Validator.check_schema(tool.input_schema)


@pytest.mark.parametrize("name", list(TOOLS))
def test_a_tool_takes_what_its_command_takes(name: str) -> None:
    tool = TOOLS[name]
    table: Any = COMMANDS
    for part in tool.command.split():
        spec = table[part]
        table = spec.target
    declared = {
        option.lstrip("-").replace("-", "_")
        for parameter in load_command(name, spec).params
        for option in parameter.opts
    }
    assert {*tool.properties} - {"operations"} <= declared
    assert set(tool.schema["required"]) <= set(tool.properties)
    assert list(Draft202012Validator(tool.schema).iter_errors({"approved_by": "me"})), "and nothing else"


@pytest.mark.parametrize("kind", [kind for kind in template_kinds() if kind in MUTATION_OPS])
def test_every_operation_fits_the_schema_of_propose(kind: str) -> None:
    schema = TOOLS["graph_propose"].schema
    errors = [
        error.message for error in Draft202012Validator(schema).iter_errors({"operations": [template(kind)]})
    ]
    assert errors == []
    assert list(Draft202012Validator(schema).iter_errors({"operations": [{"op": "delete_claim"}]}))


def test_a_call_gives_the_envelope_of_the_command(served: GitRepo) -> None:
    told = envelope_of(call(served.root, "search", {"text": "refund after a partial capture", "limit": 2}))
    printed = document(served.root, "search", "refund after a partial capture", "--limit", "2")
    assert list(told) == list(printed)
    for held in (told, printed):
        held.pop("request_id")
        held["result"].pop("as_of")
        for item in held["result"]["items"]:
            item["breakdown"].pop("recency")
            item.pop("score")
        held["result"].pop("context")
    assert told == printed


def test_a_record_is_committed_and_says_how_it_was_written(served: GitRepo) -> None:
    served.git(*BRANCH)
    made = succeeded(
        call(
            served.root,
            "record",
            {
                "record_type": "decision",
                "detail": {
                    "title": "Queues",
                    "summary": "Use queues.",
                    "rationale": "Peaks.",
                    "alternatives_rejected": ["Cron", "Polling"],
                },
                "scope": ["service:pay"],
            },
        )
    )
    assert made["commit"] == served.git("rev-parse", "HEAD")
    written = served.git("show", "HEAD")
    assert "surface: mcp" in written
    assert "harness: test-host" in written
    assert "Polling" in written


def test_propose_then_commit(served: GitRepo) -> None:
    served.git(*BRANCH)
    before = served.git("rev-parse", "HEAD")
    plan = succeeded(call(served.root, "graph_propose", {"operations": [LINK]}))
    assert served.git("rev-parse", "HEAD") == before
    assert served.git("status", "--porcelain") == ""
    done = succeeded(call(served.root, "graph_commit", {"plan_id": plan["plan_id"], "verify": True}))
    assert done["commit"] == served.git("rev-parse", "HEAD") != before


def test_a_withdrawal_on_a_protected_branch_waits_for_a_person(served: GitRepo) -> None:
    before = served.git("rev-parse", "HEAD")
    withdrawal = {"op": "retract_claim", "claim": claim_id(served), "reason": "It was wrong."}
    plan = succeeded(call(served.root, "graph_propose", {"operations": [withdrawal]}))
    refused = call(served.root, "graph_commit", {"plan_id": plan["plan_id"]})

    assert refused.is_error
    assert envelope_of(refused)["error"]["code"] == "approval_required"
    assert "[approval_required]" in text_of(refused).split("\n")[0]
    assert served.git("rev-parse", "HEAD") == before
    assert served.git("status", "--porcelain") == ""
    for name in ("approve", "graph_approve", "policy_set", "graph mutate"):
        assert (
            envelope_of(call(served.root, name, {"plan": plan["plan_id"]}))["error"]["code"] == "unknown_tool"
        )


BAD_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("search", {}, "usage"),
    ("search", {"text": 5}, "usage"),
    ("search", {"text": "x", "limit": "many"}, "usage"),
    ("search", {"text": "x", "limit": True}, "usage"),
    ("search", {"text": "x", "limit": -1}, "bad_filter"),
    ("search", {"text": "x", "form": "raw"}, "usage"),
    ("search", {"text": "x", "output": "/etc/passwd"}, "usage"),
    ("graph_read", {"subgraph": "bugs", "view": "prior_occurrences", "query": "x"}, "unknown_view"),
    ("graph_read", {"subgraph": "decisions", "view": "active_decisions"}, "missing_required_scope"),
    ("record", {"record_type": "fix", "detail": "text"}, "usage"),
    ("record", {"record_type": "fix", "detail": {"fix_steps": {"a": "b"}}}, "usage"),
    ("record", {"record_type": "fix", "detail": {}}, "validation_failed"),
    ("graph_propose", {"operations": "text"}, "usage"),
    ("graph_propose", {"operations": []}, "validation_failed"),
    ("graph_propose", {"operations": [{"op": "retract_claim"}]}, "validation_failed"),
    ("graph_propose", {"operations": [[[[[[]]]]]]}, "validation_failed"),
    ("graph_commit", {"plan_id": "p-unknown"}, "plan_not_found"),
    ("graph_commit", {"plan_id": "--help"}, "plan_not_found"),
    ("check", {"range": "--output=x..HEAD"}, "reported"),
    ("review", {"revisions": "nowhere..HEAD"}, "unknown_revision"),
    ("graph_history", {}, "usage"),
    ("graph_nudge", {"event": "lunch"}, "unknown_nudge_event"),
    ("graph_inbox_add", {"title": "\u001b[2J"}, "PG-F04"),
]


def test_bad_calls_are_tool_errors_and_the_server_goes_on(served: GitRepo) -> None:
    async def all_of_them(client: Client) -> list[tuple[str, Any]]:
        told = []
        for name, arguments, _ in BAD_CALLS:
            told.append((name, await client.call_tool(name, arguments)))
        told.append(("status", await client.call_tool("status", {})))
        return told

    answers = with_client(served.root, all_of_them)
    seen = []
    for (name, arguments, _), (_, answer) in zip(BAD_CALLS, answers, strict=False):
        held = envelope_of(answer)
        assert answer.is_error or not held["ok"], (name, arguments, text_of(answer))
        assert "Traceback" not in text_of(answer)
        seen.append((name, arguments, (held["error"] or {"code": "reported"})["code"]))
    assert [one for one in zip(seen, BAD_CALLS, strict=True) if one[0] != one[1]] == []
    assert not answers[-1][1].is_error


def test_an_error_speaks_of_the_arguments_of_the_tool() -> None:
    error = InvalidInputError(
        "--since: 'x' is no time", hint="Lower --limit or --time-window; --yes is for people."
    )
    told = answer_text(Outcome("graph read", None, error, None), TOOLS["graph_read"].properties)
    assert "`since`: 'x' is no time" in told
    assert "Lower `limit` or `time_window`; --yes is for people." in told


def test_big_input_is_answered(served: GitRepo) -> None:
    served.git(*BRANCH)
    big = "x" * 3_000_000
    many = [LINK | {"fact": f"number {number}"} for number in range(20_000)]

    async def both(client: Client) -> list[Any]:
        return [
            await client.call_tool("graph_propose", {"operations": [LINK | {"fact": big}]}),
            await client.call_tool("graph_propose", {"operations": many}),
            await client.call_tool("search", {"text": "refund " * 20_000, "limit": 1}),
            await client.call_tool("status", {}),
        ]

    large, long, wordy, after = with_client(served.root, both)
    assert large.is_error
    assert long.is_error
    assert len(text_of(large)) < 20_000, "an error does not echo what was too large"
    assert not wordy.is_error, text_of(wordy)
    assert not after.is_error


def test_without_a_pot_or_a_repository_every_call_says_so(tmp_path: Path) -> None:
    assert envelope_of(call(tmp_path, "search", {"text": "x"}))["error"]["code"] == "not_a_repository"
    repo = GitRepo.init(tmp_path / "empty")
    refused = call(repo.root, "search", {"text": "x"})
    assert envelope_of(refused)["error"]["code"] == "no_pot"
    assert "git potpie init" in text_of(refused)


def message(method: str, number: int | None = None, **params: Any) -> str:
    numbered = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params} | numbered)


GREETING = [
    message(
        "initialize",
        1,
        protocolVersion="2025-06-18",
        capabilities={},
        clientInfo={"name": "raw", "version": "1"},
    ),
    message("notifications/initialized"),
]


def raw(cwd: Path, lines: list[str], answers: int) -> tuple[list[bytes], int, bytes]:
    """Speak to the server line by line, wait for so many answers, and close its standard input.

    Returns all that came out, the exit status, and standard error.
    """
    process = subprocess.Popen(
        [str(PROGRAM), "mcp"],
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(f"{line}\n" for line in lines).encode())
    process.stdin.flush()
    first = [process.stdout.readline() for _ in range(answers)]
    rest, said = process.communicate()
    return [*first, *rest.splitlines(keepends=True)], process.returncode, said


def test_nothing_but_the_protocol_comes_out(served: GitRepo) -> None:
    served.git("switch", "--quiet", "--create", "noisy")
    served.hook("pre-commit", "#!/bin/sh\necho noise from a hook\necho more >&2\n")
    record = {"record_type": "note", "summary": "Hooks may talk.", "detail": {}}
    calls = [message("tools/call", 2, name="record", arguments=record), message("tools/list", 3)]
    out, status, said = raw(
        served.root, [*GREETING, "not json", "{}", "[1,2", '{"jsonrpc": "2.0"}', "", "€", *calls], 3
    )

    answers = [json.loads(line) for line in out]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    by_id = {answer["id"]: answer for answer in answers if "result" in answer}
    assert set(by_id) == {1, 2, 3}, (out, said)
    assert by_id[2]["result"]["isError"] is False, by_id[2]
    assert "Hooks may talk." in served.git("show", "HEAD")
    assert (status, b"Traceback" in said) == (0, False), said


@pytest.mark.parametrize("lines", [[], GREETING])
def test_closed_standard_input_ends_it_quietly(served: GitRepo, lines: list[str]) -> None:
    out, status, said = raw(served.root, lines, len(lines[:1]))
    assert (len(out), status, said) == (len(lines[:1]), 0, b"")


def test_closed_standard_output_ends_it_quietly(served: GitRepo) -> None:
    process = subprocess.Popen(
        [str(PROGRAM), "mcp"],
        cwd=served.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    # Standard input stays open: it is the answer that cannot be written which ends it.
    process.stdin.write("".join(f"{line}\n" for line in [*GREETING, message("tools/list", 2)]).encode())
    process.stdin.flush()
    said = process.stderr.read()
    process.stdin.close()
    assert process.wait() == 0, said
    assert b"Traceback" not in said


def test_it_reads_a_file_as_well(served: GitRepo, tmp_path: Path) -> None:
    script = tmp_path / "session"
    script.write_bytes("".join(f"{line}\n" for line in GREETING).encode() + b"\xff without a line end")
    with script.open("rb") as lines:
        done = subprocess.run([str(PROGRAM), "mcp"], cwd=served.root, stdin=lines, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[0])["id"] == 1


def test_without_its_library_it_names_the_remedy(served: GitRepo) -> None:
    script = "import sys; sys.modules['mcp'] = None; from potpie_git.cli.main import main; main(['mcp'])"
    done = subprocess.run([sys.executable, "-c", script], cwd=served.root, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "[mcp_missing]" in done.stderr
    assert "pip install 'potpie-git[mcp]'" in done.stderr


def test_no_other_command_loads_the_library(served: GitRepo) -> None:
    script = (
        "import sys; from potpie_git.cli.main import run; run(['search', 'refund']); run(['mcp', '--help']);"
        "sys.exit(sorted({name.partition('.')[0] for name in sys.modules} & {'mcp', 'mcp_types', 'starlette'}) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=served.root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_nudge_tells_a_session_nothing_twice(served: GitRepo) -> None:
    asked = {"event": "test_failed", "query": "refund answers 409 after a partial capture", "session": "s1"}
    first = succeeded(call(served.root, "graph_nudge", asked))
    again = succeeded(call(served.root, "graph_nudge", asked))
    other = succeeded(call(served.root, "graph_nudge", asked | {"session": "s2"}))
    assert first["items"]
    assert not {one["key"] for one in first["items"]} & {one["key"] for one in again["items"]}
    assert other["items"] == first["items"] or [one["key"] for one in other["items"]] == [
        one["key"] for one in first["items"]
    ]
    assert served.git("status", "--porcelain") == ""
    assert "record" in ok(served.root, "graph", "nudge", "test_passed")


PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents.md"


def test_the_documented_configuration_starts_it(served: GitRepo) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (block,) = re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (server,) = json.loads(block)["mcpServers"].values()
    assert server["command"] == PROGRAM.name
    assert server["args"] == ["mcp"]
    elsewhere = StdioServerParameters(command=str(PROGRAM), args=["-C", str(served.root), "mcp"], cwd="/")

    async def status() -> bool:
        async with Client(elsewhere) as client:
            return not (await client.call_tool("status", {})).is_error

    assert anyio.run(status)
    named = text[text.index("Tools are named") : text.index("- **Writing**")]
    assert set(re.findall(r"`([a-z_]+)`", named)) == set(TOOLS)
