"""Entities and statements that may be one and the same under two names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from potpie_git.checks.quality.model import (
    PotView,
    QualityFinding,
    QualityReport,
    pairs,
    propose,
    quoted,
    search_entities,
    worst_first,
)
from potpie_git.domain.claim import Claim, value_text
from potpie_git.domain.keys import entity_type_of, folded_key, type_name_of
from potpie_git.domain.lexical import tokens
from potpie_git.domain.text import humanise, normalise_value
from potpie_git.domain.validation.relations import NEAR_SIMILARITY, is_negated, near_similarity

NAME = "duplicate-candidates"
# Two names this alike are worth a look; short slugs differ a lot by one letter.
NEAR_NAMES = 0.86
# Only names and texts that share a word are compared, and no word that more than so many share: costs stay linear.
_LARGEST_BLOCK = 40
_RAREST_WORDS = 4


def duplicate_candidates(view: PotView) -> QualityReport:
    """Pairs of entities with like names or one external id, and pairs of claims that say the same about one thing."""
    keys = sorted(
        key
        for key in view.keys_in_use | view.entities.keys()
        if not ((entity := view.entities.get(key)) and entity.merged)
    )
    findings = [*_entities(view, keys), *_statements(view)]
    return QualityReport(report=NAME, checked=len(keys) + len(view.live), findings=worst_first(findings))


def _entities(view: PotView, keys: list[str]) -> Iterator[QualityFinding]:
    found: dict[tuple[str, str], tuple[float, str]] = {}
    for left, right, score, why in (*_same_form(view, keys), *_near_names(view, keys)):
        pair = (left, right) if left < right else (right, left)
        if score > found.get(pair, (0.0, ""))[0]:
            found[pair] = (score, why)
    mentions = Counter(key for claim in view.live for key in (claim.subject, claim.object) if key)
    for pair, (score, why) in found.items():
        # What is named more often is kept.
        kept, other = sorted(pair, key=lambda key: (-mentions[key], key))
        yield QualityFinding(
            code="duplicate_entity",
            message=f"{other} and {kept} {why}",
            entities=[kept, other],
            score=round(score, 3),
            next_command=_merge(view, kept, other, why),
        )


def _merge(view: PotView, kept: str, other: str, why: str) -> str:
    shared = sorted(_external_ids(view, kept) | _external_ids(view, other))
    if not shared:
        return search_entities(type=type_name_of(kept), query=humanise(kept))
    return propose(
        {
            "op": "merge_duplicate_entities",
            "subject": other,
            "object": kept,
            "reason": f"Both name one thing: they {why}.",
            "external_ids": shared,
        }
    )


def _external_ids(view: PotView, key: str) -> set[str]:
    entity = view.entities.get(key)
    return set(entity.external_ids or ()) if entity else set()


def _same_form(view: PotView, keys: Iterable[str]) -> Iterator[tuple[str, str, float, str]]:
    """Pairs whose keys, words, authored names or external ids are the same."""
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for key in keys:
        kind = type_name_of(key)
        groups[kind, "key", folded_key(key)].append(key)
        if not _named_by_digest(key):
            groups[kind, "words", " ".join(sorted(set(tokens(humanise(key)))))].append(key)
        entity = view.entities.get(key)
        for name in filter(None, (entity.name, entity.title) if entity else ()):
            groups[kind, "name", normalise_value(name)].append(key)
        for external in _external_ids(view, key):
            groups[kind, "external", external].append(key)
    reasons = {
        "key": (1.0, "differ only in case, width or composition"),
        "external": (1.0, "have one external id"),
        "name": (0.95, "have one name"),
        "words": (0.9, "are made of the same words"),
    }
    for (_, how, form), group in groups.items():
        if form and 1 < len(group) <= _LARGEST_BLOCK:
            for left, right in pairs(group):
                yield left, right, *reasons[how]


def _named_by_digest(key: str) -> bool:
    """True if a key says nothing in words: a digest, or another system's id."""
    declared = entity_type_of(key)
    return declared is None or declared.identity == "content_hash" or declared.activity


def _near_names(view: PotView, keys: Iterable[str]) -> Iterator[tuple[str, str, float, str]]:
    """Pairs whose keys read alike."""
    named = [key for key in keys if not _named_by_digest(key)]
    words = {key: set(tokens(humanise(key))) for key in named}
    blocks: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key in named:
        for word in words[key]:
            blocks[type_name_of(key), word].append(key)
        # One-word slugs share no word with their misspelling, but most often its beginning.
        blocks[type_name_of(key), f"^{humanise(key)[:4]}"].append(key)
    seen = set()
    for block in blocks.values():
        if len(block) > _LARGEST_BLOCK:
            continue
        for left, right in pairs(block):
            if (left, right) in seen or _numbers(left) != _numbers(right):
                continue
            seen.add((left, right))
            alike = near_similarity(humanise(left), humanise(right))
            if alike >= NEAR_NAMES and not _one_is_the_others_part(words[left], words[right]):
                yield left, right, min(alike, 0.89), "read alike"


def _numbers(text: str) -> str:
    """The digits of a text: where they differ, two things are meant."""
    return "".join(char for char in text if char.isdigit())


def _one_is_the_others_part(left: set[str], right: set[str]) -> bool:
    """`payments` and `payments worker` are two things, not two spellings."""
    return left < right or right < left


def _statements(view: PotView) -> Iterator[QualityFinding]:
    """Claims of different subjects about one object whose texts say the same."""
    groups: dict[tuple[str, str, str, str], list[Claim]] = defaultdict(list)
    for claim in view.live:
        if claim.object is not None and value_text(claim):
            groups[claim.predicate, claim.subject_type, claim.object, claim.environment or ""].append(claim)
    for group in groups.values():
        yield from _alike(view, group)


def _alike(view: PotView, group: list[Claim]) -> Iterator[QualityFinding]:
    texts = {claim.id: value_text(claim) for claim in group}
    seen: set[tuple[str, str]] = set()
    for block in _blocks(group, texts):
        for left, right in pairs(block):
            pair = (min(left.id, right.id), max(left.id, right.id))
            if left.subject == right.subject or pair in seen or is_negated(texts[left.id], texts[right.id]):
                continue
            seen.add(pair)
            one, other = texts[left.id], texts[right.id]
            alike = near_similarity(one, other) if _numbers(one) == _numbers(other) else 0.0
            if alike >= NEAR_SIMILARITY:
                yield _same_said(view, left, right, alike)


def _blocks(group: list[Claim], texts: dict[str, str]) -> Iterator[list[Claim]]:
    """Claims that share one of their rarest words, or all their text; small groups whole."""
    if len(group) <= _LARGEST_BLOCK:
        yield group
        return
    words = {claim.id: set(tokens(texts[claim.id])) for claim in group}
    counts = Counter(word for held in words.values() for word in held)
    blocks: dict[str, list[Claim]] = defaultdict(list)
    for claim in group:
        for word in sorted(words[claim.id], key=lambda word: (counts[word], word))[:_RAREST_WORDS]:
            blocks[word].append(claim)
        blocks[f"={texts[claim.id]}"].append(claim)
    yield from (block for block in blocks.values() if 1 < len(block) <= _LARGEST_BLOCK)


def _same_said(view: PotView, left: Claim, right: Claim, alike: float) -> QualityFinding:
    older, newer = sorted((left, right), key=lambda claim: (claim.begins, claim.id))
    return QualityFinding(
        code="duplicate_statement",
        message=f"{newer.subject} says of {newer.object} what {older.subject} says: {quoted(older)}",
        entities=[older.subject, newer.subject],
        claims=[older.id, newer.id],
        paths=view.paths((older, newer)),
        score=round(alike, 3),
        next_command=search_entities(predicate=older.predicate, query=value_text(older)[:200]),
    )
