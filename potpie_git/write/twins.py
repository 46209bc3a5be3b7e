"""Keys that only look different (case, width, composition) name one thing twice; a new one beside an old is refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from potpie_git.domain.keys import entity_type_of, folded_key, type_name_of
from potpie_git.domain.layout import CLAIM_NAME, ENTITIES, bucket, claim_directory
from potpie_git.domain.text import slug
from potpie_git.store.pot_tree import PotTree
from potpie_git.write.context import Batch, OpContext

# Parts of these keys are names of another system or of a file system, where case may matter.
CASE_MATTERS = frozenset({"Activity", "APIContract", "CodeAsset", "ConfigVariable", "Dependency"})
# Files of one folder whose names begin alike and that are read to see whose they are.
_LOOKS = 4


def report_twins(batch: Batch) -> None:
    """Refuse keys of the batch that look like another of the batch or of the pot; say so only where case may matter."""
    seen: dict[str, str] = {}
    for key, places in batch.keys.items():
        if type_name_of(key) == "":
            continue
        other = seen.setdefault(folded_key(key), key)
        twin = other if other != key else _stored_twin(batch.tree, key, places)
        if twin is not None:
            _report(next(iter(places.values())), key, twin)


def _report(ctx: OpContext, key: str, twin: str) -> None:
    message = f"{key} looks like {twin}, which is there already"
    if type_name_of(key) in CASE_MATTERS:
        ctx.warn("key_look_alike", message, f"If they are one, write {twin}.")
        return
    ctx.issue("key_clash", message, f"Write {twin}; if the two differ, give this one another name.")


def _stored_twin(tree: PotTree, key: str, places: Mapping[str, object]) -> str | None:
    """A key of the pot that looks like `key`: among authored entities, and subjects of the touched subgraphs."""
    folded = folded_key(key)
    found = {*_entity_keys(tree, key), *_subjects(tree, key, places)}
    if key in found:
        # it is no new name, and the pot's own check reports the pair
        return None
    return next((other for other in sorted(found) if folded_key(other) == folded), None)


def _entity_keys(tree: PotTree, key: str) -> list[str]:
    declared = entity_type_of(key)
    assert declared is not None
    folder = f"{ENTITIES}/{declared.key_prefix}/{bucket(key)}"
    head = f"{slug(key)}."
    entries = [
        entry
        for name in tree.snapshot.names(folder)
        if name.startswith(head) and (entry := tree.snapshot.entry(f"{folder}/{name}"))
    ]
    return [stored.record.key for stored in tree.load(entries[:_LOOKS])]


def _subjects(tree: PotTree, key: str, places: Mapping[str, object]) -> list[str]:
    wanted = slug(key)
    found: dict[str, list[str]] = defaultdict(list)
    for subgraph in places:
        folder = claim_directory(subgraph, key)
        for name in tree.snapshot.names(folder):
            match = CLAIM_NAME.match(f"{folder}/{name}")
            if match and match["subject"] == wanted:
                found[subgraph].append(match.group())
    paths = [path for named in found.values() for path in named[:_LOOKS]]
    entries = [entry for path in paths if (entry := tree.snapshot.entry(path))]
    return [stored.claim.subject for stored in tree.load(entries)]
