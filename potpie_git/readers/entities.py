"""The filter axis: which entities there are, by hard filters and at most one text; who is who, before a write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from potpie_git.domain.claim import Claim
from potpie_git.domain.envelope import Coverage
from potpie_git.domain.files import Entity
from potpie_git.domain.keys import mint_key, type_name_of
from potpie_git.domain.query import ClaimQuery, ClaimRow, ClaimSearch, MatchMode, union_mode
from potpie_git.domain.ranking import strength_score
from potpie_git.domain.text import did_you_mean, fold
from potpie_git.domain.vocabulary import (
    ENTITY_TYPES,
    PREDICATES,
    SUBGRAPHS,
    SYSTEM_PREDICATES,
    TRUTH_STRENGTH,
)
from potpie_git.readers.anchors import anchored
from potpie_git.readers.assemble import relation_fields
from potpie_git.readers.errors import BadFilterError
from potpie_git.readers.items import relation
from potpie_git.readers.orchestrator import moment_text
from potpie_git.readers.question import Question, open_question
from potpie_git.readers.request import ReadContext, ReadRequest
from potpie_git.readers.statements import Statement, group
from potpie_git.readers.strangers import strangers
from potpie_git.readers.views import find_subgraph
from potpie_git.readers.walk import admits_environment

_TEXT_ROWS = 200
_MAX_SUPPORT = 5


@dataclass(frozen=True, slots=True)
class EntityQuery:
    """Filters over entities and the claims that name them; every one given must hold.

    `request` carries text, scope, environment, times and limit. `source_family` is the head of a reference (`github`
    in `github:pr:…`) or the kind of source; `external_id` is looked up in entity files and in keys.
    """

    request: ReadRequest = field(default_factory=ReadRequest)
    types: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    subgraph: str | None = None
    truth: tuple[str, ...] = ()
    source_system: str | None = None
    source_family: str | None = None
    source_refs: tuple[str, ...] = ()
    external_id: str | None = None
    supporting_claims: bool = False

    def checked(self) -> EntityQuery:
        """This query, or an error that names what is not in the vocabulary."""
        self.request.checked()
        for name, given, known in (
            ("type", self.types, list(ENTITY_TYPES)),
            ("predicate", self.predicates, [*PREDICATES, *SYSTEM_PREDICATES]),
            ("truth", self.truth, list(TRUTH_STRENGTH)),
        ):
            for value in given:
                if value not in known:
                    raise BadFilterError(
                        f"there is no {name} {value!r}.{did_you_mean(value, known)}",
                        hint=f"Known: {', '.join(known)}.",
                    )
        if self.subgraph is not None:
            find_subgraph(self.subgraph)
        return self


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class EntityCandidate(_Model):
    """An entity with how well it fits and how many claims name it."""

    entity_key: str
    entity_type: str
    name: str | None = None
    description: str | None = None
    state: str | None = None
    external_ids: list[str] = Field(default_factory=list)
    similarity: float | None = None
    weak: bool = False
    claims: int = 0
    last_seen: str | None = None
    source_refs: list[str] = Field(default_factory=list)
    supporting_claims: list[dict[str, Any]] = Field(default_factory=list)


class EntityResult(_Model):
    """Candidates, the best first. `coverage` is partial if more than fit were found."""

    entities: list[EntityCandidate]
    coverage: Coverage
    candidate_pool: int
    match_mode: MatchMode
    as_of: str
    notes: list[str] = Field(default_factory=list)


@dataclass
class _Held:
    key: str
    rows: list[ClaimRow] = field(default_factory=list)
    entity: Entity | None = None
    exact: bool = False

    @property
    def similarity(self) -> float | None:
        if self.exact:
            return 1.0
        found = [row.similarity for row in self.rows if row.similarity is not None]
        return max(found) if found else None

    @property
    def weak(self) -> bool:
        matched = [row for row in self.rows if row.similarity is not None]
        return not self.exact and bool(matched) and all(row.weak for row in matched)


def search_entities(
    search: ClaimSearch,
    clock: Callable[[], datetime],
    context: ReadContext,
    query: EntityQuery,
    *,
    authored: Callable[[], Iterable[Entity]] | None = None,
) -> EntityResult:
    """Entities that fit the query, aggregated over the claims that name them.

    `authored` lists the entity files of the pot; it is read only to look up an external id. Raises `BadFilterError`,
    `UnknownSubgraphError`.
    """
    query = query.checked()
    # The environment is a hard filter here, and not part of what the entities are about.
    question = open_question(replace(query.request, environment=None), search, context, clock())
    rows = [row for row in _rows(question, query) if _admits(question, query, row.claim)]
    held = _by_entity(question, query, rows)
    if query.external_id is not None:
        held = _with_external_id(question, query, held, authored)
    elif query.request.query is not None:
        _add_named(question, query, held)
    ordered = sorted(held.values(), key=_order)
    limit = query.request.limit
    if not ordered:
        question.notes += strangers(question, question.scope.keys)
    status: Coverage = "empty" if not ordered else "partial" if len(ordered) > limit else "complete"
    if ordered and all(one.weak for one in ordered):
        status = "sparse"
    return EntityResult(
        entities=[_candidate(question, query, one) for one in ordered[:limit]],
        coverage=status,
        candidate_pool=len(rows),
        match_mode=union_mode(question.modes),
        as_of=moment_text(question.moment),
        notes=question.notes,
    )


def _rows(question: Question, query: EntityQuery) -> list[ClaimRow]:
    request = query.request
    since, until = request.window(question.now)
    predicates: frozenset[str] | None = frozenset(query.predicates) or None
    if predicates is None and query.subgraph is not None and query.subgraph != "admin":
        predicates = frozenset(SUBGRAPHS[query.subgraph].predicates)
    hits = question.search.find_claims(
        ClaimQuery(
            predicates=predicates,
            truth=frozenset(query.truth) or None,
            source_system=query.source_system,
            source_ref=query.source_refs[0] if len(query.source_refs) == 1 else None,
            about=question.scope.keys or None,
            since=since,
            until=until,
            as_of=request.as_of,
            include_invalidated=request.include_invalidated,
            text=request.query,
            limit=_TEXT_ROWS if request.query is not None else None,
            derived=bool(query.predicates),
        )
    )
    if request.query is not None:
        question.modes.append(hits.match_mode)
    question.notes.extend(hits.notes)
    return list(hits.rows)


def _admits(question: Question, query: EntityQuery, claim: Claim) -> bool:
    request = query.request
    if query.source_refs and not set(query.source_refs) & set(claim.source_refs):
        return False
    if query.source_family is not None and query.source_family not in _families(claim):
        return False
    return admits_environment(claim, request.environment, request.include_unqualified_environment)


def _families(claim: Claim) -> set[str]:
    heads = {ref.partition(":")[0] for ref in claim.source_refs}
    return heads | {kind for kind in (claim.provenance.source_kind, claim.provenance.source_system) if kind}


def _by_entity(question: Question, query: EntityQuery, rows: list[ClaimRow]) -> dict[str, _Held]:
    held: dict[str, _Held] = {}
    for row in rows:
        for end in dict.fromkeys((row.claim.subject, row.claim.object)):
            if end is None or not _wanted(query, end):
                continue
            key = question.resolved(end)
            held.setdefault(key, _Held(key)).rows.append(row)
    if question.scope and not question.scope.keys:
        held = {key: one for key, one in held.items() if _in_scope(question, one)}
    return held


def _in_scope(question: Question, one: _Held) -> bool:
    plain = Question(
        replace(question.request, query=None), question.search, question.context, question.now, question.scope
    )
    return anchored(plain, _statements(question, one.rows)) is not None


def _statements(question: Question, rows: Iterable[ClaimRow]) -> list[Statement]:
    return group(rows, question.moment, at_moment=question.request.as_of is not None)


def _wanted(query: EntityQuery, key: str) -> bool:
    """True for entities of the types asked for; without any, for those of the subgraph, or all."""
    kind = type_name_of(key)
    if query.types:
        return kind in query.types
    return bool(kind) and (query.subgraph is None or kind in SUBGRAPHS[query.subgraph].entities)


def _with_external_id(
    question: Question,
    query: EntityQuery,
    held: dict[str, _Held],
    authored: Callable[[], Iterable[Entity]] | None,
) -> dict[str, _Held]:
    """Only the entities that carry the external id: in their file, or as the end of their key."""
    wanted = query.external_id or ""
    found = {}
    for entity in authored() if authored is not None else ():
        if wanted in (entity.external_ids or ()) and _wanted(query, entity.key):
            key = question.resolved(entity.key)
            found[key] = held.get(key, _Held(key))
    found |= {key: one for key, one in held.items() if fold(key).endswith(f":{fold(wanted)}")}
    for one in found.values():
        one.exact = True
    return found


def _add_named(question: Question, query: EntityQuery, held: dict[str, _Held]) -> None:
    """The entities whose key the text spells out: as a key, or as the name that a key would be minted from."""
    text = (query.request.query or "").strip()
    for key in _spelled(query, text):
        key = question.resolved(key)
        known = held.get(key)
        if known is None:
            rows = question.find(about=frozenset({key}), limit=_TEXT_ROWS, derived=False)
            if not rows and question.context.entity(key) is None:
                continue
            known = held.setdefault(key, _Held(key, rows))
        known.exact = True


def _spelled(query: EntityQuery, text: str) -> list[str]:
    if type_name_of(text):
        return [text] if _wanted(query, text) else []
    names = query.types or tuple(ENTITY_TYPES)
    short = [
        name
        for name in names
        if ENTITY_TYPES[name].identity == "slug_alias" and ENTITY_TYPES[name].key_pattern.count("<") == 1
    ]
    return [key for name in short if _wanted(query, key := mint_key(name, text))]


def _order(one: _Held) -> tuple[bool, float, float, int, str]:
    strongest = max((strength_score(row.claim.evidence_strength) for row in one.rows), default=0.0)
    return (one.weak, -(one.similarity or 0.0), -strongest, -len(one.rows), one.key)


def _candidate(question: Question, query: EntityQuery, one: _Held) -> EntityCandidate:
    authored = question.context.entity(one.key)
    statements = _statements(question, one.rows)
    newest = max((row.claim.begins for row in one.rows), default=None)
    described = (authored.description or authored.summary) if authored else None
    own = next((row.claim for row in one.rows if question.resolved(row.claim.subject) == one.key), None)
    support = statements[:_MAX_SUPPORT] if query.supporting_claims else []
    return EntityCandidate(
        entity_key=one.key,
        entity_type=type_name_of(one.key),
        name=(authored.name or authored.title) if authored else None,
        description=described or (own.description or own.fact if own else None),
        state=authored.state if authored else None,
        external_ids=list(authored.external_ids or ()) if authored else [],
        similarity=one.similarity,
        weak=one.weak,
        claims=len({row.claim.id for row in one.rows}),
        last_seen=moment_text(newest) if newest else None,
        source_refs=list(dict.fromkeys(ref for row in one.rows for ref in row.claim.source_refs)),
        supporting_claims=[relation_fields(relation(item), query.request.relations) for item in support],
    )
