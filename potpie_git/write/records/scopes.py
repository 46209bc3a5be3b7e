"""What a record is about: the entities that its claims join to, and the scope that readers compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from potpie_git.domain.claim import SCOPE_DIMENSIONS
from potpie_git.domain.keys import KeyFormatError, mint_key
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import ENTITY_TYPES, SCOPE_TYPES
from potpie_git.store.derived.names import RepositoryName, parse_address
from potpie_git.write.issues import Issue

_GLOB = frozenset("*?[")
# Scope entities by the name that a caller gives them, the most telling first.
_ENTITY_SCOPES: Mapping[str, str] = {
    "service": "Service",
    "repo": "Repository",
    "environment": "Environment",
    "datastore": "DataStore",
    "cluster": "Cluster",
    "deployment_target": "DeploymentTarget",
}
SCOPE_NAMES = tuple(dict.fromkeys((*_ENTITY_SCOPES, *SCOPE_DIMENSIONS)))


@dataclass
class RecordScope:
    """`places` are scope entities (at least one), `assets` the named paths, `code` the claims' code_scope."""

    places: list[str] = field(default_factory=list)
    assets: list[str] = field(default_factory=list)
    code: dict[str, str | list[str]] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    named: bool = False

    def objects(self, *, with_assets: bool) -> list[str]:
        """What a claim of the record joins to: the named entities, or the named files where nothing else is named."""
        return self.assets if with_assets and self.assets and not self.named else self.places


def scope_of(
    given: Mapping[str, list[str]], own_repository: str, extra: Mapping[str, str | list[str]] | None = None
) -> RecordScope:
    """The scope of a record. Without any entity named, it is about the repository that it is recorded in.

    `extra` is a scope that a field of the record adds (a preference's code_scope).
    """
    scope = RecordScope()
    for name, values in given.items():
        if name not in SCOPE_NAMES:
            near = did_you_mean(name, SCOPE_NAMES)
            hint = f"Use: {', '.join(SCOPE_NAMES)}."
            scope.issues.append(Issue("unknown_scope", f"there is no scope {name!r}.{near}", hint, "scope"))
        elif any(not value.strip() for value in values):
            hint = "Write --scope service:payments."
            scope.issues.append(Issue("malformed_field", f"the scope {name!r} is blank", hint, "scope"))
        elif name in SCOPE_DIMENSIONS:
            scope.code[name] = _one_or_many(values)
    for name, held in (extra or {}).items():
        if name not in SCOPE_DIMENSIONS:
            near = did_you_mean(name, SCOPE_DIMENSIONS)
            hint = f"Use: {', '.join(SCOPE_DIMENSIONS)}."
            scope.issues.append(
                Issue("unknown_scope", f"code_scope has no dimension {name!r}.{near}", hint, "code_scope")
            )
        else:
            scope.code.setdefault(name, held)
    if not scope.issues:
        _find_places(scope, {**{n: _values(h) for n, h in scope.code.items()}, **given}, own_repository)
    return scope


def _find_places(scope: RecordScope, given: Mapping[str, list[str]], own_repository: str) -> None:
    for name, type_name in _ENTITY_SCOPES.items():
        if scope.places or type_name not in SCOPE_TYPES:
            break
        for value in given.get(name, ()):
            try:
                scope.places.append(_key(name, type_name, value, own_repository))
            except KeyFormatError as error:
                scope.issues.append(
                    Issue("malformed_field", f"scope {name}: {error}", "Give its key.", "scope")
                )
    scope.places = list(dict.fromkeys(scope.places))
    scope.named = bool(scope.places)
    if not scope.places:
        scope.places = [own_repository]
    head = own_repository.rpartition("/")[2]
    if len(scope.places) == 1 and scope.places[0].startswith("service:"):
        head = scope.places[0].removeprefix("service:")
    paths = [path.strip("/") for path in given.get("path", ()) if not _GLOB & set(path)]
    scope.assets = [f"code:{head}:{path}" for path in paths if path]


def _key(name: str, type_name: str, value: str, own_repository: str) -> str:
    value = value.strip()
    prefix = ENTITY_TYPES[type_name].key_prefix
    if value.startswith(f"{prefix}:"):
        return value
    if name == "repo":
        return _repository(value, own_repository)
    parts = value.split(":")
    if len(parts) < ENTITY_TYPES[type_name].key_pattern.count("<"):
        raise KeyFormatError(f"{value!r} gives too few parts of {ENTITY_TYPES[type_name].key_pattern}")
    return mint_key(type_name, *parts)


def _repository(value: str, own_repository: str) -> str:
    """A repository's key from an address, a path with or without its host, or a bare name."""
    found = parse_address(value)
    if found is not None:
        return found.key
    own = own_repository.removeprefix("repo:")
    host, _, path = own.partition("/")
    named = value.strip("/").removesuffix(".git").lower()
    if named in RepositoryName(host, path).heads:
        return own_repository
    depth = named.count("/")
    if depth >= 2:
        return f"repo:{named}"
    organisation = path.rpartition("/")[0]
    above = [host] if depth else [part for part in (host, organisation) if part]
    return f"repo:{'/'.join([*above, named])}"


def _values(held: str | list[str]) -> list[str]:
    return [held] if isinstance(held, str) else held


def _one_or_many(values: list[str]) -> str | list[str]:
    return values[0] if len(values) == 1 else values
