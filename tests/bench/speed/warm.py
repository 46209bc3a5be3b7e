"""What is measured inside of one process: rebuilding, syncing, reading with everything loaded."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from potpie_git.domain.query import ClaimQuery, MatchMode
from potpie_git.index import Index, IndexedClaims
from potpie_git.index.build import decode_rows
from potpie_git.index.schema import claims_batch
from tests.bench.processes import Cost, git
from tests.bench.speed.figures import compared, measured
from tests.bench.speed.pots import Pot, WordVectors, claim


def rebuild(pot: Pot, rounds: int, folder: Path) -> dict[str, Any]:
    """The claims table made anew, over reading the same blobs in one batch and writing the same rows with Lance.

    The floor knows the blobs' ids and the finished rows; it makes no search index (`indices` says what that costs).
    """
    import lance

    snapshot = pot.worktree
    entries = list(snapshot.entries("claims"))
    rows = list(decode_rows(snapshot, entries, None))
    asked = "".join(f"{entry.oid}\n" for entry in entries).encode()
    table = folder / "floor.lance"

    def floor() -> None:
        shutil.rmtree(table, ignore_errors=True)
        read = subprocess.run(
            ["git", "cat-file", "--batch", "--buffer"],
            cwd=pot.root,
            input=asked,
            capture_output=True,
            check=True,
        ).stdout
        at, blobs = 0, []
        for _ in entries:
            start = read.index(b"\n", at) + 1
            size = int(read[at:start].split()[2])
            blobs.append(read[start : start + size])
            at = start + size + 1
        assert len(blobs) == len(rows)
        lance.write_dataset(claims_batch(rows), str(table))

    def indices() -> None:
        from potpie_git.index.tables import CLAIMS_COLUMNS, tend

        tend(table, CLAIMS_COLUMNS)

    index = pot.index
    runs: dict[str, Callable[[], Cost]] = {
        "ours": lambda: measured(lambda: index.rebuild(pot.worktree)),
        "floor": lambda: measured(floor),
        "indices": lambda: measured(indices),
    }
    return compared(runs, rounds)


def sync(large: Pot, small: Pot, rounds: int) -> dict[str, Any]:
    """A sync after one claim was committed, of a working tree that was listed, in the large pot over the small one."""
    numbers = count(max(large.unused(), small.unused()))

    def once(pot: Pot) -> Cost:
        pot.add(next(numbers))
        index, snapshot = pot.index, pot.worktree
        snapshot.subtree("claims")
        return measured(lambda: index.sync(snapshot))

    return compared({"ours": lambda: once(large), "floor": lambda: once(small)}, rounds)


def listing(pot: Pot, rounds: int) -> dict[str, Any]:
    """Finding out what differs on disk, over `git status`."""
    status = ("status", "--porcelain", "--untracked-files=all")
    runs: dict[str, Callable[[], Cost]] = {
        "ours": lambda: measured(lambda: pot.worktree.subtree("claims")),
        "floor": lambda: measured(lambda: git(pot.root, pot.env, *status)),
    }
    return compared(runs, rounds)


def read(large: Pot, small: Pot, rounds: int) -> dict[str, Any]:
    """A hybrid read with everything loaded, in the large pot over the small one; every question is a new one."""
    numbers = count(7)

    def reader(pot: Pot) -> Callable[[], Cost]:
        index = Index(pot.index.directory, WordVectors())
        index.sync(pot.worktree)
        claims = IndexedClaims(index, pot.worktree)

        def once() -> Cost:
            text = claim(next(numbers) * 31 % small.size).description or ""
            query = ClaimQuery(text=text, limit=20)

            def ask() -> None:
                hits = claims.find_claims(query)
                assert hits.match_mode is MatchMode.HYBRID
                assert hits.rows

            return measured(ask)

        return once

    return compared({"ours": reader(large), "floor": reader(small)}, rounds)
