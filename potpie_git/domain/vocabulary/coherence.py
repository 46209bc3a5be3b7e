"""Checks that the declarations agree with each other, run at import, so that a mismatch cannot ship."""

from __future__ import annotations

from collections.abc import Iterable

from potpie_git.domain.vocabulary.entities import ENTITY_TYPE_BY_PREFIX, ENTITY_TYPES
from potpie_git.domain.vocabulary.predicates import PREDICATES, SYSTEM_PREDICATES
from potpie_git.domain.vocabulary.reads import INCLUDES, INTENTS, NUDGES, SUBGRAPHS, VIEWS
from potpie_git.domain.vocabulary.records import RECORD_SCHEMAS, RECORD_TYPES
from potpie_git.domain.vocabulary.truth import EVIDENCE_REQUIRED_FOR, STRENGTH_SCORE, TRUTH_STRENGTH


class VocabularyError(ImportError):
    """The declared vocabulary contradicts itself; the message names the declaration and the fix."""


def _unknown(names: Iterable[str], known: Iterable[str], where: str, home: str) -> list[str]:
    allowed = set(known)
    return [
        f"{where} names {name!r}: declare it in {home}, or correct the name"
        for name in names
        if name not in allowed
    ]


def _entity_faults() -> list[str]:
    faults = []
    if len(ENTITY_TYPE_BY_PREFIX) != len(ENTITY_TYPES):
        faults.append("two entity types share a key_prefix: give each its own in vocabulary/entities.py")
    for entity in ENTITY_TYPES.values():
        if entity.key_prefix not in entity.key_pattern.partition("<")[0].split(":"):
            faults.append(
                f"{entity.name}.key_pattern must name {entity.key_prefix!r} before its first placeholder"
            )
        for state, targets in entity.lifecycle.items():
            where = f"{entity.name}.lifecycle[{state!r}]"
            faults += _unknown(targets, entity.lifecycle, where, "the same lifecycle")
    return faults


def _predicate_faults() -> list[str]:
    faults = []
    type_names = {*ENTITY_TYPES, "@Scope", "@Activity", "*"}
    for predicate in PREDICATES.values():
        where = f"predicate {predicate.name}"
        faults += _unknown((predicate.subgraph,), SUBGRAPHS, where, "vocabulary/reads.py SUBGRAPHS")
        ends = [end for pair in predicate.pairs for end in pair]
        faults += _unknown(ends, type_names, where, "vocabulary/entities.py")
    for name in SYSTEM_PREDICATES:
        if name in PREDICATES:
            faults.append(
                f"{name} is both a system predicate and one that callers assert: keep one declaration"
            )
    return faults


def _read_faults() -> list[str]:
    faults = []
    predicates = {*PREDICATES, *SYSTEM_PREDICATES}
    for subgraph in SUBGRAPHS.values():
        where = f"subgraph {subgraph.name}"
        faults += _unknown(subgraph.entities, ENTITY_TYPES, where, "vocabulary/entities.py")
        faults += _unknown(subgraph.predicates, predicates, where, "vocabulary/predicates.py")
    for intent, includes in INTENTS.items():
        faults += _unknown(includes, INCLUDES, f"intent {intent}", "vocabulary/reads.py INCLUDES")
    for view in VIEWS.values():
        where = f"view {view.key}"
        faults += _unknown((view.subgraph,), SUBGRAPHS, where, "vocabulary/reads.py SUBGRAPHS")
        faults += _unknown((view.include,), INCLUDES, where, "vocabulary/reads.py INCLUDES")
        faults += _unknown(view.inline_relations, predicates, where, "vocabulary/predicates.py")
        faults += _unknown(view.required_any_scope, view.filters, where, "the view's own filters")
    served = [view.include for view in VIEWS.values()]
    if sorted(served) != sorted(INCLUDES):
        faults.append(
            "every include needs exactly one view: compare INCLUDES and VIEWS in vocabulary/reads.py"
        )
    for nudge in NUDGES.values():
        faults += _unknown(
            (*nudge.reads, *nudge.query), VIEWS, f"nudge {nudge.event}", "vocabulary/reads.py VIEWS"
        )
    return faults


def _record_faults() -> list[str]:
    faults = []
    for record in RECORD_TYPES.values():
        where = f"record type {record.name}"
        faults += _unknown((record.anchor,), ENTITY_TYPES, where, "vocabulary/entities.py")
        if record.emits:
            faults += _unknown((record.emits,), PREDICATES, where, "vocabulary/predicates.py")
        if record.schema:
            faults += _unknown(
                (record.schema,), RECORD_SCHEMAS, where, "vocabulary/records.py RECORD_SCHEMAS"
            )
        if record.include:
            faults += _unknown((record.include,), INCLUDES, where, "vocabulary/reads.py INCLUDES")
    for name, schema in RECORD_SCHEMAS.items():
        faults += _unknown(
            schema.defaults, schema.fields, f"record schema {name}", "the same schema's fields"
        )
    faults += _unknown(
        TRUTH_STRENGTH.values(), STRENGTH_SCORE, "TRUTH_STRENGTH", "vocabulary/truth.py STRENGTH_SCORE"
    )
    faults += _unknown(EVIDENCE_REQUIRED_FOR, TRUTH_STRENGTH, "EVIDENCE_REQUIRED_FOR", "vocabulary/truth.py")
    return faults


def incoherences() -> list[str]:
    """Every contradiction between the declarations, each with the fix; empty when they agree."""
    return [*_entity_faults(), *_predicate_faults(), *_read_faults(), *_record_faults()]


def require_coherence() -> None:
    """Raise `VocabularyError` naming every contradiction."""
    faults = incoherences()
    if faults:
        raise VocabularyError("the vocabulary contradicts itself:\n  " + "\n  ".join(faults))
