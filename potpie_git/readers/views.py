"""Views by name: finding one, guessing what was meant by a wrong name, and holding a request to a view's contract."""

from __future__ import annotations

from potpie_git.domain.text import did_you_mean, suggest
from potpie_git.domain.vocabulary import (
    INCLUDES,
    INTENTS,
    SUBGRAPHS,
    VIEW_BY_INCLUDE,
    VIEWS,
    View,
)
from potpie_git.readers.errors import (
    MissingScopeError,
    UnknownIntentError,
    UnknownSubgraphError,
    UnknownViewError,
    UnsupportedFilterError,
)
from potpie_git.readers.request import ReadRequest

# Names that people use for a subgraph or a view, and what serves them.
_MEANT = {
    "architecture": "decisions.active_decisions",
    "bug": "debugging.prior_occurrences",
    "bugs": "debugging.prior_occurrences",
    "changes": "recent_changes.timeline",
    "codeowners": "code_topology.ownership_by_path",
    "conventions": "decisions.preferences_for_scope",
    "docs": "knowledge.document_context",
    "documents": "knowledge.document_context",
    "events": "recent_changes.timeline",
    "feature": "features.feature_context",
    "fixes": "debugging.prior_occurrences",
    "history": "recent_changes.timeline",
    "implementation_map": "features.feature_context",
    "infra": "infra_topology.service_neighborhood",
    "infrastructure": "infra_topology.service_neighborhood",
    "notes": "knowledge.document_context",
    "owners": "code_topology.ownership_by_path",
    "ownership": "code_topology.ownership_by_path",
    "policies": "decisions.preferences_for_scope",
    "preferences": "decisions.preferences_for_scope",
    "raw": "admin.inspection_slice",
    "services": "infra_topology.service_neighborhood",
    "timeline": "recent_changes.timeline",
    "topology": "infra_topology.service_neighborhood",
}


# How the command line names what a view may need; the first ones that it takes are proposed.
_OPTION_OF = {
    "service": "--service NAME",
    "path": "--path PATH",
    "repo": "--repo NAME",
    "query": "--query TEXT",
}


def names_meant(key: str) -> list[str]:
    """Words that people use for a view, beside its name."""
    return [word.replace("_", " ") for word, meant in _MEANT.items() if meant == key]


def find_view(subgraph: str, name: str) -> View:
    """The view `<subgraph>.<name>`; raises `UnknownSubgraphError` or `UnknownViewError` with what was meant."""
    found = VIEWS.get(f"{subgraph}.{name}")
    if found is not None:
        return found
    near = _nearest(subgraph, name)
    hint = _command(near) if near else f"The views are: {', '.join(VIEWS)}."
    detail = {"subgraph": subgraph, "view": name, "did_you_mean": near, "views": list(VIEWS)}
    meant = f" Did you mean {near!r}?" if near else ""
    if subgraph not in SUBGRAPHS:
        raise UnknownViewError(
            f"unknown graph view {subgraph}.{name}: there is no subgraph {subgraph!r}.{meant}",
            hint=hint,
            detail=detail,
        )
    raise UnknownViewError(f"unknown graph view {subgraph}.{name}.{meant}", hint=hint, detail=detail)


def find_subgraph(name: str) -> str:
    """A subgraph's name; raises `UnknownSubgraphError` with what was meant."""
    if name in SUBGRAPHS:
        return name
    near = suggest(name, SUBGRAPHS) or (_MEANT[name].partition(".")[0] if name in _MEANT else None)
    meant = f" Did you mean {near!r}?" if near else ""
    raise UnknownSubgraphError(
        f"unknown subgraph {name!r}.{meant}",
        hint=f"The subgraphs are: {', '.join(SUBGRAPHS)}.",
        detail={"subgraph": name, "did_you_mean": near},
    )


def _nearest(subgraph: str, name: str) -> str | None:
    """The view that was probably meant: that name elsewhere, a near name here, or a word that people use."""
    by_name = {view.name: view.key for view in VIEWS.values()}
    if name in by_name:
        return by_name[name]
    for word in (name, subgraph):
        include = VIEW_BY_INCLUDE.get(word)
        if include is not None or word in _MEANT:
            return include.key if include is not None else _MEANT[word]
    here = [view.name for view in VIEWS.values() if view.subgraph == subgraph]
    near = suggest(name, here)
    if near is not None:
        return f"{subgraph}.{near}"
    near = suggest(name, by_name)
    if near is not None:
        return by_name[near]
    if len(here) == 1:
        return f"{subgraph}.{here[0]}"
    return suggest(f"{subgraph}.{name}", VIEWS)


def _command(key: str) -> str:
    subgraph, _, name = key.partition(".")
    return f"Run `git potpie graph read --subgraph {subgraph} --view {name}`."


def hold_to_contract(view: View, request: ReadRequest) -> None:
    """Raise `UnsupportedFilterError` or `MissingScopeError` if the request is not one that the view answers."""
    given = request.filters
    unsupported = sorted(given - set(view.filters))
    if unsupported:
        takes = ", ".join(view.filters) or "no filters"
        raise UnsupportedFilterError(
            f"{view.key} does not take {', '.join(unsupported)}",
            hint=f"It takes: {takes}.",
            detail={"view": view.key, "unsupported": unsupported, "supported_filters": list(view.filters)},
        )
    required = set(view.required_any_scope)
    # A file's path is a path: a view that asks for one takes the other.
    held = given | ({"path"} if "file_path" in given else set())
    if required and not required & held:
        raise MissingScopeError(
            f"{view.key} needs at least one of: {', '.join(view.required_any_scope)}",
            hint=f"Add {' or '.join(_OPTION_OF[name] for name in _OPTION_OF if name in required)}.",
            detail={"view": view.key, "required_any_scope": list(view.required_any_scope)},
        )


def includes_of(intent: str) -> tuple[str, ...]:
    """The includes of an intent; raises `UnknownIntentError`."""
    found = INTENTS.get(intent)
    if found is None:
        raise UnknownIntentError(
            f"unknown intent {intent!r}.{did_you_mean(intent, INTENTS)}",
            hint=f"The intents are: {', '.join(INTENTS)}.",
            detail={"intent": intent, "intents": list(INTENTS)},
        )
    return found


def include_hint(name: str) -> str:
    """What to write instead of an include that is not in the vocabulary."""
    near = suggest(name, INCLUDES)
    meant = _MEANT.get(name)
    if near is None and meant is not None:
        near = VIEWS[meant].include
    return f"Did you mean {near!r}?" if near else f"The includes are: {', '.join(INCLUDES)}."
