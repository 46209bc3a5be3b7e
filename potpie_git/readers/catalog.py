"""What there is to ask and to write, derived from the vocabulary alone: nothing here needs a pot or a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from potpie_git.domain.lexical import bm25_scores
from potpie_git.domain.mutation import ALLOWED_FIELDS, REQUIRED_FIELDS
from potpie_git.domain.vocabulary import (
    CONTRACT_VERSION,
    ENTITY_TYPES,
    EVIDENCE_REQUIRED_FOR,
    INCLUDES,
    INTENTS,
    MUTATION_OPS,
    NUDGES,
    ONTOLOGY_VERSION,
    OP_RISK,
    PREDICATES,
    RANKING_WEIGHTS,
    RECORD_SCHEMAS,
    RECORD_TYPES,
    SOURCE_AUTHORITIES,
    SUBGRAPHS,
    SYSTEM_PREDICATES,
    TRUTH_STRENGTH,
    VIEWS,
    WEAK_AUTHORITIES,
    EntityType,
    Predicate,
    Subgraph,
    View,
)
from potpie_git.readers.views import find_subgraph, find_view, names_meant

Profile = Literal["full", "read"]
# What stands around a view counts less for a task than what the view itself is.
_AROUND = 0.4
_EXAMPLE_VALUE = {
    "anchor_entity_key": "service:payments-api",
    "audience": "team",
    "direction": "out",
    "framework": "fastapi",
    "language": "python",
    "path": "src/refunds/api.py",
    "query": "refund fails after a partial capture",
    "repo": "acme/payments",
    "scope": "feature:checkout",
    "service": "payments-api",
}


def catalog(
    *,
    task: str | None = None,
    subgraph: str | None = None,
    profile: Profile = "full",
    commands: Sequence[str] = (),
    match_mode: str | None = None,
) -> dict[str, Any]:
    """The contract: versions, views, intents, entity types and predicates; with profile `full` also how to write.

    `task` ranks the views by how well they answer it, and scores them. `subgraph` narrows everything to one.
    Raises `UnknownSubgraphError`.
    """
    chosen = find_subgraph(subgraph) if subgraph is not None else None
    views = [view for view in VIEWS.values() if chosen is None or view.subgraph == chosen]
    found: dict[str, Any] = {
        "graph_contract_version": CONTRACT_VERSION,
        "ontology_version": ONTOLOGY_VERSION,
        "commands": list(commands),
        "subgraphs": [_subgraph(one) for one in SUBGRAPHS.values() if chosen in (None, one.name)],
        "views": _ranked(views, task),
        "includes": list(INCLUDES),
        "intents": {name: list(includes) for name, includes in INTENTS.items()},
        "entity_types": [
            _entity(one) for one in ENTITY_TYPES.values() if one.public and _holds(chosen, one.name)
        ],
        "predicates": [
            _predicate(one) for one in PREDICATES.values() if one.public and _speaks(chosen, one.name)
        ],
        "truth_classes": dict(TRUTH_STRENGTH),
        "ranking_weights": dict(RANKING_WEIGHTS),
    }
    if match_mode is not None:
        found["match_mode"] = match_mode
    return found | (_writing() if profile == "full" else {})


def describe(
    subgraph: str | None = None, *, view: str | None = None, examples: bool = False
) -> dict[str, Any]:
    """One subgraph, and optionally one of its views, with example commands; without a subgraph, all of them.

    Raises `UnknownSubgraphError`, `UnknownViewError`.
    """
    if subgraph is None:
        return {"subgraphs": [_described(one, examples) for one in SUBGRAPHS.values()]}
    if view is not None:
        found = find_view(subgraph, view)
        shown = _view(found) | ({"example": _example(found)} if examples else {})
        return {"subgraph": _subgraph(SUBGRAPHS[subgraph]), "view": shown}
    return {"subgraph": _described(SUBGRAPHS[find_subgraph(subgraph)], examples)}


def _described(subgraph: Subgraph, examples: bool) -> dict[str, Any]:
    views = [view for view in VIEWS.values() if view.subgraph == subgraph.name]
    return _subgraph(subgraph) | {
        "views": [_view(view) | ({"example": _example(view)} if examples else {}) for view in views],
        "entity_types": [_entity(ENTITY_TYPES[name]) for name in subgraph.entities],
        "predicates": [_predicate(PREDICATES[name]) for name in subgraph.predicates if name in PREDICATES],
    }


def _holds(subgraph: str | None, entity: str) -> bool:
    return subgraph is None or entity in SUBGRAPHS[subgraph].entities


def _speaks(subgraph: str | None, predicate: str) -> bool:
    return subgraph is None or predicate in SUBGRAPHS[subgraph].predicates


def _subgraph(subgraph: Subgraph) -> dict[str, Any]:
    return {
        "name": subgraph.name,
        "summary": subgraph.summary,
        "entities": list(subgraph.entities),
        "predicates": list(subgraph.predicates),
        "views": [view.name for view in VIEWS.values() if view.subgraph == subgraph.name],
    }


def _view(view: View) -> dict[str, Any]:
    return {
        "key": view.key,
        "subgraph": view.subgraph,
        "view": view.name,
        "include": view.include,
        "read_shape": view.shape,
        "summary": view.summary,
        "required_any_scope": list(view.required_any_scope),
        "filters": list(view.filters),
        "inline_relations": list(view.inline_relations),
        "ranking_inputs": list(view.ranking_inputs),
        "traversal": view.traversal,
        "intents": [name for name, includes in INTENTS.items() if view.include in includes],
    }


def _ranked(views: Sequence[View], task: str | None) -> list[dict[str, Any]]:
    """Views in the order in which they answer a task; as declared without one."""
    shown = [_view(view) for view in views]
    if task is None or not task.strip():
        return shown
    own = bm25_scores(task, [_title(view) for view in views])
    around = bm25_scores(task, [_card(view) for view in views])
    scored = [
        view | {"task_score": round(title + _AROUND * card, 4)}
        for view, title, card in zip(shown, own, around, strict=True)
    ]
    return sorted(scored, key=lambda view: (-float(view["task_score"]), view["key"]))


def _title(view: View) -> str:
    """What a view is called, by the contract and by people, and what it answers."""
    named = f"{view.key} {view.include}".replace(".", " ").replace("_", " ")
    return " ".join((named, view.summary, *names_meant(view.key)))


def _card(view: View) -> str:
    """What the declarations say around a view: its subgraph, relations, records, types and intents."""
    includes = [name for name, served in INTENTS.items() if view.include in served and name != "unknown"]
    records = [record for record in RECORD_TYPES.values() if record.include == view.include]
    named = [PREDICATES[name] for name in view.inline_relations if name in PREDICATES]
    kinds = {end for predicate in named for pair in predicate.pairs for end in pair}
    parts = [
        SUBGRAPHS[view.subgraph].summary,
        *(predicate.phrase for predicate in named),
        *(f"{record.name} {record.summary}".replace("_", " ") for record in records),
        *(ENTITY_TYPES[kind].summary for kind in sorted(kinds & ENTITY_TYPES.keys())),
        *includes,
    ]
    return " ".join(parts)


def _entity(entity: EntityType) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": entity.name,
        "category": entity.category,
        "key_prefix": entity.key_prefix,
        "key_pattern": entity.key_pattern,
        "identity": entity.identity,
        "scope": entity.scope,
        "fact_family": entity.fact_family,
        "freshness_ttl_hours": entity.ttl_hours,
        "summary": entity.summary,
    }
    if entity.lifecycle:
        found["lifecycle"] = {state: list(targets) for state, targets in entity.lifecycle.items()}
    return found


def _predicate(predicate: Predicate) -> dict[str, Any]:
    return {
        "name": predicate.name,
        "category": predicate.category,
        "subgraph": predicate.subgraph,
        "pairs": [list(pair) for pair in predicate.pairs],
        "singleton": predicate.singleton,
        "phrase": predicate.phrase,
    }


def _writing() -> dict[str, Any]:
    return {
        "mutation_ops": [
            {
                "op": name,
                "risk": OP_RISK[name].label,
                "required": list(REQUIRED_FIELDS[name]),
                "fields": sorted(ALLOWED_FIELDS[name]),
            }
            for name in MUTATION_OPS
        ],
        "record_types": {
            record.name: {
                "anchor": record.anchor,
                "emits": record.emits,
                "include": record.include,
                "summary": record.summary,
                "required": list(RECORD_SCHEMAS[record.schema].required) if record.schema else [],
                "optional": list(RECORD_SCHEMAS[record.schema].optional) if record.schema else [],
            }
            for record in RECORD_TYPES.values()
        },
        "source_authorities": [
            {"name": name, "strong": name not in WEAK_AUTHORITIES} for name in SOURCE_AUTHORITIES
        ],
        "evidence_required_for": sorted(EVIDENCE_REQUIRED_FOR),
        "system_predicates": list(SYSTEM_PREDICATES),
        "nudges": {
            nudge.event: {"reads": list(nudge.reads), "instructs": nudge.instructs}
            for nudge in NUDGES.values()
        },
    }


def _example(view: View) -> str:
    """A command that reads the view, made of what the view requires."""
    command = f"git potpie graph read --subgraph {view.subgraph} --view {view.name}"
    needed: str | None = next(
        (name for name in ("service", "path", "query") if name in view.required_any_scope), None
    )
    needed = needed or (view.required_any_scope[0] if view.required_any_scope else None)
    if needed is None:
        return command
    value = _EXAMPLE_VALUE.get(needed, "VALUE")
    if needed == "query":
        return f'{command} --query "{value}"'
    return f"{command} --scope {needed}:{value}"
