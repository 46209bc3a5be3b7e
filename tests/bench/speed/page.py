"""The figures of the speed benchmark as a page."""

from __future__ import annotations

from typing import Any

GOALS = {"search": 1.5, "rebuild": 3.0, "sync": 1.5, "read": 2.0, "write": 1.5}
_HEAD = "| {} | ours | floor | ratio | the same in CPU time |\n| --- | --- | --- | --- | --- |"
_INTRODUCTION = """# Speed

`python -m tests.bench.speed.run --write`. Medians in milliseconds; ours and floor were measured in turns.
"""
_SEARCH = """## A cold `search` (goal at 10,000: {goal:g})

The floor is a process that opens the two tables with `lance`, embeds the question with the bundled model, asks the full
text and the vectors once each, fetches the rows and prints the best twenty. It looks at no git repository, checks
nothing, and knows no claim.
"""
_GIVEN = "\nThe same, where the floor is handed the question's vector and neither loads nor runs a model:\n"
_REBUILD = """## A rebuild of 10,000 claims without vectors (goal: {goal:g})

The floor knows the ids of the blobs and the finished rows: it reads the blobs in one `git cat-file --batch` and writes
the rows with `lance.write_dataset`. It lists no tree, parses and checks nothing, and makes no search index (which takes
{wall_ms:.0f} ms, {cpu_ms:.0f} of the processors). Both in one process with everything loaded.
"""
_SYNC = """## A sync after one changed claim, at 100,000 over 1,000 (goal: {goal:g})

Here the floor is the same in the pot of 1,000 claims. *In process* is the sync of a snapshot whose files are listed;
*command* is `git potpie index sync --no-vectors` in a process of its own, which has to find out first what differs on
disk. What that takes at 100,000 claims stands in the last line, where the floor is `git status` in the same repository.
"""
_READ = """## A warm hybrid read, at 100,000 over 10,000 (goal: {goal:g})

Here the floor is the same in the pot of 10,000 claims: a new question each time, twenty claims, everything loaded; the
question's vector is made of words, which takes no time worth naming.
"""
_WRITE = """## One `graph propose` and one `graph commit`, cold (goal: {goal:g})

The floor is two interpreters that import what the two commands have loaded when they are done, `git add` and
`git commit` of the same files in a clone.
"""
_LEAST = (
    "\nThe same, where the floor's interpreters import nothing but typer, pydantic, PyYAML and filelock:\n"
)
_MUTATE = """
`graph mutate`, which does both in one process, over one interpreter with its imports, `git add` and `git commit`:
"""


def page(found: dict[str, Any]) -> str:
    """The figures of the parts that were measured, each with what it was measured against."""
    parts = {"search": _search, "rebuild": _rebuild, "sync": _sync, "read": _read, "write": _write}
    told = ["\n".join(part(found[name])) for name, part in parts.items() if name in found]
    return "\n\n".join([_INTRODUCTION.strip(), *told]) + "\n"


def _row(label: str, got: dict[str, Any], ours: str = "ours", floor: str = "floor") -> str:
    wall = got[ours]["wall_ms"] / got[floor]["wall_ms"]
    cpu = got[ours]["cpu_ms"] / got[floor]["cpu_ms"]
    return f"| {label} | {got[ours]['wall_ms']:.1f} | {got[floor]['wall_ms']:.1f} | {wall:.2f} | {cpu:.2f} |"


def _sizes(found: dict[str, Any], ours: str = "ours", floor: str = "floor") -> list[str]:
    return [
        _HEAD.format("claims"),
        *(_row(f"{int(size):,}", got, ours, floor) for size, got in found.items()),
    ]


def _search(found: dict[str, Any]) -> list[str]:
    head = _SEARCH.format(goal=GOALS["search"])
    return [head, *_sizes(found), _GIVEN, *_sizes(found, floor="given_vector")]


def _rebuild(found: dict[str, Any]) -> list[str]:
    got = found["10000"]
    return [
        _REBUILD.format(goal=GOALS["rebuild"], **got["indices"]),
        _HEAD.format(""),
        _row("rebuild", got),
    ]


def _sync(found: dict[str, Any]) -> list[str]:
    return [
        _SYNC.format(goal=GOALS["sync"]),
        _HEAD.format(""),
        _row("in process", found["in_process"]),
        _row("command", found["command"]),
        _row("listing the working tree", found["listing"]),
    ]


def _read(found: dict[str, Any]) -> list[str]:
    return [_READ.format(goal=GOALS["read"]), _HEAD.format(""), _row("read", found["100000"])]


def _write(found: dict[str, Any]) -> list[str]:
    parts = [_WRITE.format(goal=GOALS["write"]), *_sizes(found), _LEAST, *_sizes(found, floor="least")]
    return [*parts, _MUTATE, *_sizes(found, "mutate", "mutate_floor")]
