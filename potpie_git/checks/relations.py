"""Rules that need more than one record (families X and T), over the claims and tombstones of a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from potpie_git.checks.facts import ClaimFacts
from potpie_git.checks.neighbours import Neighbours
from potpie_git.checks.places import finding, shown_path
from potpie_git.domain.claim import Claim, value_digest
from potpie_git.domain.files import Tombstone
from potpie_git.domain.findings import Finding
from potpie_git.domain.keys import CLAIM_PREFIX, claim_key, folded_key
from potpie_git.domain.layout import tombstone_directory
from potpie_git.domain.times import parse_time
from potpie_git.domain.validation.relations import (
    is_singleton,
    leaves_tombstone,
    tombstone_mismatch,
    tombstone_problem,
)
from potpie_git.store.codec import Decoded, problem_finding

_TOGETHER = "Let `git potpie graph propose` write the withdrawal: it adds what belongs to it."
_SUPERSEDES = "SUPERSEDES"


def returning_value(decoded: Decoded[Any], neighbours: Neighbours) -> list[Finding]:
    """The refusal of a new claim whose value was withdrawn (T01)."""
    claim = decoded.record
    assert isinstance(claim, Claim)
    binding = neighbours.tombstones(value_digest(claim)) if claim.live else []
    if binding and neighbours.complete:
        # A whole tree does not say what came first; only the records' own times do.
        recorded = parse_time(claim.provenance.recorded_at)
        binding = [stone for stone in binding if parse_time(stone.provenance.recorded_at) < recorded]
    problem = tombstone_problem(claim, binding)
    return [problem_finding(decoded, problem)] if problem else []


def tombstone_findings(decoded: Decoded[Any], neighbours: Neighbours) -> list[Finding]:
    """What is wrong between a new tombstone and its claim (T03)."""
    stone = decoded.record
    assert isinstance(stone, Tombstone)
    facts = neighbours.find(stone.claim, stone.subject, stone.predicate)
    claim = neighbours.claim_at(facts.path) if facts else None
    if claim is None:
        hint = "Bring the withdrawn claim along, or remove the tombstone."
        message = f"the tombstone is of claim {stone.claim}, which is not in the tree"
        return [finding("PG-T03", decoded.path, message, hint, decoded.line(("claim",)))]
    problem = tombstone_mismatch(stone, claim)
    return [problem_finding(decoded, problem)] if problem else []


def relation_findings(was_live: Mapping[str, bool], neighbours: Neighbours) -> Iterator[Finding]:
    """Rules over the claims of the change; `was_live` maps the path of each that was there before to its state."""
    for facts in list(neighbours.changed()):
        new = facts.path not in was_live
        if not facts.live and (new or was_live[facts.path]):
            yield from _withdrawal(facts, neighbours)
        if new:
            yield from _references(facts, neighbours)
    yield from _rivals(neighbours)


def _withdrawal(facts: ClaimFacts, neighbours: Neighbours) -> Iterator[Finding]:
    """A withdrawal brings its tombstone, and a supersession its SUPERSEDES claim and a claim that replaces."""
    if not leaves_tombstone(facts.op):
        return
    stone = f"{tombstone_directory(facts.digest)}/{facts.digest}.{facts.id}.yaml"
    if neighbours.after.entry(stone) is None:
        yield _at(facts, "invalidation", "PG-T02", f"there is no tombstone {shown_path(stone)}", _TOGETHER)
    if facts.superseded_by is None:
        return
    replacement = neighbours.find(facts.superseded_by, facts.subject, facts.predicate)
    if replacement is None or replacement.id == facts.id:
        what = "the claim itself" if replacement else f"{facts.superseded_by}, which is not in the tree"
        hint = "Name the claim that replaces it, and add that claim in the same change."
        yield _at(facts, "superseded_by", "PG-X01", f"superseded_by names {what}", hint)
    elif not neighbours.has_claim(claim_key(replacement.id), _SUPERSEDES, claim_key(facts.id)):
        message = f"there is no SUPERSEDES claim from {replacement.id} to this one"
        yield _at(facts, "superseded_by", "PG-T02", message, _TOGETHER)


def _references(facts: ClaimFacts, neighbours: Neighbours) -> Iterator[Finding]:
    """The claims that a new claim names are there, and in the state that it says."""
    if facts.predicate == _SUPERSEDES:
        yield from _both_ends(facts, neighbours)
    if facts.reinstates is None:
        return
    stones = {stone.claim: stone for stone in neighbours.tombstones(facts.digest)}
    stone = stones.get(facts.reinstates)
    named = neighbours.find(facts.reinstates, *((stone.subject, stone.predicate) if stone else ()))
    if named is None or named.live:
        what = "still stands" if named else "is not in the tree"
        hint = "Name the claim whose withdrawal is taken back; `git potpie search --include-invalidated` finds it."
        yield _at(
            facts, "reinstates", "PG-X01", f"claim {facts.reinstates}, which is reinstated, {what}", hint
        )


def _both_ends(facts: ClaimFacts, neighbours: Neighbours) -> Iterator[Finding]:
    prefix = f"{CLAIM_PREFIX}:"
    new_id, old_id = (key.removeprefix(prefix) for key in (facts.subject, facts.object or ""))
    found: dict[str, ClaimFacts | None] = {}
    for name, claim_id in (("subject", new_id), ("object", old_id)):
        found[name] = neighbours.find(claim_id)
        if found[name] is None:
            hint = "Add the claim in the same change, or remove this one."
            yield _at(facts, name, "PG-X01", f"claim {claim_id} is not in the tree", hint)
    old = found["object"]
    if found["subject"] is not None and old is not None and old.superseded_by != new_id:
        message = f"claim {old_id} was not superseded by {new_id}, as this says"
        yield _at(facts, "object", "PG-T02", message, _TOGETHER)


def _rivals(neighbours: Neighbours) -> Iterator[Finding]:
    """Live claims of a singleton predicate that give one subject two objects (X02), each pair named once."""
    seen: set[frozenset[str]] = set()
    for facts in list(neighbours.changed()):
        if not facts.live or not is_singleton(facts.predicate):
            continue
        for other in neighbours.claims(facts.subject, facts.predicate):
            pair = frozenset((facts.path, other.path))
            if pair in seen or not _contradict(facts, other):
                continue
            seen.add(pair)
            where = f" in {facts.environment}" if facts.environment else ""
            yield _at(
                facts,
                "object",
                "PG-X02",
                f"{facts.subject} {facts.predicate} {facts.object}{where}, and {shown_path(other.path)} "
                f"says {other.object}",
                "Only one can stand: withdraw the other with `git potpie graph propose`.",
            )


def _contradict(facts: ClaimFacts, other: ClaimFacts) -> bool:
    return other.live and other.environment == facts.environment and other.object != facts.object


def twin_findings(keys: Iterable[tuple[str, str, int]], neighbours: Neighbours) -> Iterator[Finding]:
    """Keys that only look alike (X03). `keys` are those of new records: key, path, line."""
    first: dict[str, str] = {}
    judged: set[str] = set()
    for key, path, line in keys:
        if key in judged:
            continue
        judged.add(key)
        folded = folded_key(key)
        known = first.setdefault(folded, key)
        others = [] if neighbours.complete else neighbours.keys_like(key)
        twin = next(
            (other for other in (known, *others) if other != key and folded_key(other) == folded), None
        )
        if twin is not None:
            hint = f"Use {twin} if it is meant; otherwise give it a name of its own."
            yield finding("PG-X03", path, f"key {key} cannot be told apart from {twin}", hint, line)


def _at(facts: ClaimFacts, field: str, code: str, message: str, hint: str) -> Finding:
    return finding(code, facts.path, message, hint, facts.lines[field])
