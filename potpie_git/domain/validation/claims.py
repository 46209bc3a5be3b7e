"""Rules that a single claim must keep (family PG-S)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from potpie_git.domain.claim import SCOPE_DIMENSIONS, Claim, Evidence
from potpie_git.domain.keys import claim_key, is_claim_id, key_problem, type_name_of
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.validation.problem import FieldPath, Problem
from potpie_git.domain.vocabulary import (
    EVIDENCE_REQUIRED_FOR,
    MUTATION_OPS,
    PREDICATES,
    SOURCE_AUTHORITIES,
    SYSTEM_PREDICATES,
    TRUTH_STRENGTH,
    WEAK_AUTHORITIES,
    WITHDRAWING_OPS,
)

_SOURCE_REF = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:\S.*$")
_REPO_PLACE = re.compile(r"repo:(?P<path>[^#]+?)(#L(?P<first>\d+)(-L(?P<last>\d+))?)?$")
_ENVIRONMENT = re.compile(r"[a-z0-9][a-z0-9._-]*$")
MAX_TEXT = 16_384


def claim_problems(claim: Claim, *, derived_id: bool = False) -> list[Problem]:
    """Every rule that the claim breaks on its own, without looking at any other file.

    `derived_id`: the id was made of the content just now, and need not be made again.
    """
    problems = [
        *_endpoint_problems(claim),
        *_truth_problems(claim),
        *_evidence_problems(claim),
        *_scope_problems(claim),
        *_withdrawal_problems(claim),
    ]
    if not problems and not derived_id and claim.id != claim.content_id():
        problems.append(
            Problem(
                "PG-S10",
                f"id {claim.id} does not match the content, which makes {claim.content_id()}",
                "A claim is never edited: restore it, and withdraw it with `graph propose` instead.",
                ("id",),
            )
        )
    return problems


def _endpoint_problems(claim: Claim) -> Iterator[Problem]:
    if claim.predicate in SYSTEM_PREDICATES:
        yield from _system_problems(claim)
        return
    predicate = PREDICATES.get(claim.predicate)
    if predicate is None:
        near = did_you_mean(claim.predicate, PREDICATES)
        yield Problem(
            "PG-S02",
            f"predicate {claim.predicate!r} is not in the vocabulary.{near}",
            "List the predicates with `git potpie graph describe admin`.",
            ("predicate",),
        )
    keys_hold = True
    for name, key in (("subject", claim.subject), ("object", claim.object)):
        problem = key_problem(key) if key is not None else None
        if problem:
            keys_hold = False
            yield Problem("PG-S03", f"{name}: {problem[0]}", problem[1], (name,))
    if (claim.object is None) == (claim.value is None):
        yield Problem(
            "PG-S11",
            "a claim has either an object (an entity key) or a value (a text), and exactly one of them",
            "Keep the one that is meant.",
            ("object",) if claim.object is not None else ("subject",),
        )
        return
    object_type = claim.object_type if claim.object is not None else None
    if predicate is not None and keys_hold and not predicate.accepts(claim.subject_type, object_type):
        pairs = ", ".join(f"{left} → {right}" for left, right in predicate.pairs)
        yield Problem(
            "PG-S04",
            f"{claim.predicate} does not join {claim.subject_type} to {object_type or 'a value'}",
            f"It joins: {pairs}.",
            ("predicate",),
        )


def _system_problems(claim: Claim) -> Iterator[Problem]:
    if claim.predicate == "SUPERSEDES":
        for name, key in (("subject", claim.subject), ("object", claim.object or "")):
            if not (key.startswith("claim:") and is_claim_id(key.removeprefix("claim:"))):
                yield Problem(
                    "PG-S14",
                    f"SUPERSEDES joins two claims, and its {name} is {key!r}",
                    f"Write a claim reference such as {claim_key('c-' + '0' * 32)}; `supersede_claim` does it for you.",
                    (name,),
                )
        return
    same_type = type_name_of(claim.subject) and type_name_of(claim.subject) == claim.object_type
    if not same_type or claim.subject == claim.object:
        yield Problem(
            "PG-S14",
            f"ALIAS_OF joins two distinct entities of one type, not {claim.subject!r} and {claim.object!r}",
            "Let `merge_duplicate_entities` write it.",
            ("object",),
        )


def _truth_problems(claim: Claim) -> Iterator[Problem]:
    if claim.truth not in TRUTH_STRENGTH:
        near = did_you_mean(claim.truth, TRUTH_STRENGTH)
        yield Problem(
            "PG-S05",
            f"truth class {claim.truth!r} is not in the vocabulary.{near}",
            f"Use one of: {', '.join(TRUTH_STRENGTH)}.",
            ("truth",),
        )
    for name in ("fact", "description", "value"):
        text = getattr(claim, name)
        if text is not None and (not text.strip() or len(text) > MAX_TEXT):
            what = "is blank" if not text.strip() else f"has {len(text)} characters, more than {MAX_TEXT}"
            yield Problem(
                "PG-S01", f"{name} {what}", "Say it in a few sentences, and cite the rest.", (name,)
            )
    if claim.environment is not None and not _ENVIRONMENT.match(claim.environment):
        yield Problem(
            "PG-S15",
            f"environment {claim.environment!r} is not a slug",
            "Write a name such as prod or staging-eu: lower case, digits, '.', '_' and '-'.",
            ("environment",),
        )
    if claim.valid_until and claim.valid_from and claim.ends is not None and claim.ends < claim.begins:
        yield Problem(
            "PG-S16", "the claim ends before it begins", "Put valid_from before its end.", ("valid_until",)
        )
    if (claim.reinstates is None) != (claim.reinstate_reason is None):
        yield Problem(
            "PG-S17",
            "reinstates and reinstate_reason come together",
            "Name the withdrawn claim's id, and say why its value stands again.",
            ("reinstates",) if claim.reinstates else ("reinstate_reason",),
        )
    if claim.reinstates is not None and not is_claim_id(claim.reinstates):
        yield Problem(
            "PG-S17",
            f"reinstates {claim.reinstates!r} is no claim id",
            "Write c- and 32 hex digits.",
            ("reinstates",),
        )


def _evidence_problems(claim: Claim) -> Iterator[Problem]:
    strong = False
    for index, item in enumerate(claim.evidence or ()):
        yield from _one_evidence(item, ("evidence", index))
        strong = strong or (item.authority is not None and item.authority not in WEAK_AUTHORITIES)
    if claim.truth in EVIDENCE_REQUIRED_FOR and not strong:
        strong_names = ", ".join(name for name in SOURCE_AUTHORITIES if name not in WEAK_AUTHORITIES)
        yield Problem(
            "PG-S08",
            f"a claim of truth {claim.truth} needs evidence with a strong authority",
            f"Add evidence whose authority is one of: {strong_names}; or claim it as agent_claim.",
            ("evidence",) if claim.evidence else ("truth",),
        )


def _one_evidence(item: Evidence, place_of_item: FieldPath) -> Iterator[Problem]:
    where = (*place_of_item, "source_ref")
    if not _SOURCE_REF.match(item.source_ref):
        yield Problem(
            "PG-S09",
            f"evidence {item.source_ref!r} is not a reference",
            "Write a system and an id, such as github:pr:acme/payments:812 or repo:src/refunds.py#L40-L61.",
            where,
        )
    place = repo_place(item.source_ref)
    if item.source_ref.startswith("repo:") and place is None:
        yield Problem(
            "PG-S09",
            f"evidence {item.source_ref!r} is not a place in this repository",
            "Write repo:PATH or repo:PATH#L1-L9, with a path below the repository's root.",
            where,
        )
    if item.authority is not None and item.authority not in SOURCE_AUTHORITIES:
        near = did_you_mean(item.authority, SOURCE_AUTHORITIES)
        yield Problem(
            "PG-S09",
            f"authority {item.authority!r} is not in the vocabulary.{near}",
            f"Use one of: {', '.join(SOURCE_AUTHORITIES)}.",
            (*place_of_item, "authority"),
        )
    if item.quote is not None and place is None:
        yield Problem(
            "PG-S09",
            "a quote needs a place in this repository to be compared with",
            "Cite the place as repo:PATH#L1-L9, or drop the quote.",
            (*place_of_item, "quote"),
        )


def repo_place(source_ref: str) -> tuple[str, int | None, int | None] | None:
    """Path and first and last line of a `repo:` reference, or None if it is not a safe one."""
    match = _REPO_PLACE.match(source_ref)
    if not match:
        return None
    path = match["path"]
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or "" in parts or ".git" in {part.lower() for part in parts}:
        return None
    first = int(match["first"]) if match["first"] else None
    last = int(match["last"]) if match["last"] else first
    if first is not None and (first < 1 or (last is not None and last < first)):
        return None
    return path, first, last


def _scope_problems(claim: Claim) -> Iterator[Problem]:
    for name in claim.code_scope or {}:
        if name not in SCOPE_DIMENSIONS:
            yield Problem(
                "PG-S18",
                f"code_scope has no dimension {name!r}.{did_you_mean(name, SCOPE_DIMENSIONS)}",
                f"Use: {', '.join(SCOPE_DIMENSIONS)}.",
                ("code_scope", name),
            )


def _withdrawal_problems(claim: Claim) -> Iterator[Problem]:
    if (claim.valid_to is None) != (claim.invalidation is None):
        yield Problem(
            "PG-S12",
            "a withdrawal stamps valid_to and invalidation together",
            "Let `graph propose` with retract_claim, supersede_claim or end_relation_validity write both.",
            ("valid_to",) if claim.valid_to else ("invalidation",),
        )
    if claim.invalidation is None:
        return
    for index, item in enumerate(claim.invalidation.evidence or ()):
        yield from _one_evidence(item, ("invalidation", "evidence", index))
    known = WITHDRAWING_OPS | {"merge_duplicate_entities"}
    if claim.invalidation.op not in known:
        near = did_you_mean(claim.invalidation.op, MUTATION_OPS)
        yield Problem(
            "PG-S12",
            f"invalidation.op {claim.invalidation.op!r} withdraws nothing.{near}",
            f"Use one of: {', '.join(sorted(known))}.",
            ("invalidation", "op"),
        )
    if not claim.invalidation.reason.strip():
        yield Problem(
            "PG-S12",
            "a withdrawal needs a reason",
            "Say why it no longer stands.",
            ("invalidation", "reason"),
        )
    if (claim.invalidation.op == "supersede_claim") != (claim.invalidation.superseded_by is not None):
        yield Problem(
            "PG-S12",
            "superseded_by belongs to supersede_claim, and to nothing else",
            "Name the replacing claim, or use retract_claim.",
            ("invalidation", "op"),
        )
