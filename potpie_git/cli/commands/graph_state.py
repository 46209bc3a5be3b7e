"""`graph status`."""

from __future__ import annotations

from collections import Counter

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.layout import CLAIM_NAME, CLAIMS


def status() -> Reply:
    """Say how many claims each subgraph holds, and its version: the id of its git tree."""
    tree = current().pot.tree()
    counts: Counter[str] = Counter()
    for entry in tree.snapshot.entries(CLAIMS):
        match = CLAIM_NAME.match(entry.path)
        counts[match["subgraph"] if match else "(misplaced)"] += 1
    versions = tree.subgraph_versions()
    rows = [{"subgraph": name, "claims": counts[name], "version": held} for name, held in versions.items()]
    width = max(len(name) for name in versions)
    lines = [f"{name:{width}}  {counts[name]:6}  {(held or '-')[:12]}" for name, held in versions.items()]
    return Reply(
        result={"claims": sum(counts.values()), "subgraphs": rows, "snapshot": tree.snapshot.label},
        text=shown("\n".join(lines)),
    )
