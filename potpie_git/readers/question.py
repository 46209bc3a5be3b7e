"""What one read runs on: the request, the claims, the world around them, and the question's scope."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from potpie_git.domain.claim import Claim
from potpie_git.domain.keys import entity_type_of, type_name_of
from potpie_git.domain.query import ClaimHits, ClaimQuery, ClaimRow, ClaimSearch, MatchMode
from potpie_git.domain.text import slug
from potpie_git.readers.request import ReadContext, ReadRequest
from potpie_git.readers.scope import QuestionScope, code_place, languages_of, plain, same_repository
from potpie_git.readers.statements import Statement, group

# Claims that a text query looks at: enough that a scope can be applied afterwards, few enough to stay quick.
TEXT_POOL = 60
POOL_PER_ITEM = 5


@dataclass
class Question:
    """One read in progress. `moment` is what "now" means: the asked time, else the clock's.

    `whole` says that every include is asked, so that a reader may leave to others what they serve better.
    """

    request: ReadRequest
    search: ClaimSearch
    context: ReadContext
    now: datetime
    scope: QuestionScope = field(default_factory=QuestionScope)
    modes: list[MatchMode] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    whole: bool = False

    @property
    def moment(self) -> datetime:
        return self.request.as_of or self.now

    @property
    def text(self) -> str | None:
        return self.request.query

    @property
    def pool_size(self) -> int:
        return max(TEXT_POOL, self.request.limit * POOL_PER_ITEM)

    def find(self, **fields: Any) -> list[ClaimRow]:
        """Claims by hard filters (fields of `ClaimQuery`), at the request's own time."""
        fields.setdefault("include_invalidated", self.request.include_invalidated)
        query = ClaimQuery(as_of=self.request.as_of, **fields)
        return self._rows(self.search.find_claims(query), record=query.text is not None)

    def matching(self, predicates: frozenset[str] | None, **fields: Any) -> list[ClaimRow]:
        """The claims that a read starts from: the best for its text, or without one all that pass the filters."""
        if self.text is not None:
            fields.setdefault("limit", self.pool_size)
        request = self.request
        return self.find(
            predicates=predicates,
            text=self.text,
            source_ref=request.source_ref,
            truth=request.truth,
            **fields,
        )

    def around(self, keys: Iterable[str], predicates: frozenset[str], **fields: Any) -> list[ClaimRow]:
        """Claims of these predicates at either end of which one of the keys stands; none for no keys."""
        wanted = frozenset(keys)
        return self.find(predicates=predicates, about=wanted, **fields) if wanted else []

    def statements(self, rows: Iterable[ClaimRow]) -> list[Statement]:
        request = self.request
        return group(rows, self.moment, at_moment=request.as_of is not None, merge=request.dedupe)

    def resolved(self, key: str) -> str:
        return self.search.resolve_alias(key)

    def _rows(self, hits: ClaimHits, *, record: bool) -> list[ClaimRow]:
        if record:
            self.modes.append(hits.match_mode)
        self.notes.extend(note for note in hits.notes if note not in self.notes)
        return list(hits.rows)


def open_question(request: ReadRequest, search: ClaimSearch, context: ReadContext, now: datetime) -> Question:
    """A question with its scope worked out: aliases followed, and what the scope implies looked up once."""
    question = Question(request, search, context, now)
    dimensions = _dimensions(request)
    keys = _keys(question, dimensions)
    implied, certain = _implied(question, dimensions, keys)
    question.scope = QuestionScope(dimensions, implied, keys, certain)
    return question


def _dimensions(request: ReadRequest) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in ("repo", "service", "language", "framework", "audience"):
        found[name] = [plain(value, name) for value in request.values(name)]
    found["path"] = [
        value.strip().removeprefix("./").strip("/") for value in request.values("path", "file_path")
    ]
    for key in request.values("scope", "anchor_entity_key"):
        kind = type_name_of(key)
        if kind in {"Service", "Repository"}:
            found["service" if kind == "Service" else "repo"].append(plain(key, *key.split(":", 1)[:1]))
        elif kind == "CodeAsset":
            found["path"].append(code_place(key))
        elif kind in {"Feature", "Environment"}:
            found.setdefault(kind.lower(), []).append(plain(key, *key.split(":", 1)[:1]))
    if request.environment:
        found.setdefault("environment", []).append(request.environment.lower())
    return {name: tuple(dict.fromkeys(filter(None, held))) for name, held in found.items() if held}


def _keys(question: Question, dimensions: dict[str, tuple[str, ...]]) -> frozenset[str]:
    """Entity keys that the scope names, as reads use them."""
    keys = [key for key in question.request.values("scope", "anchor_entity_key") if entity_type_of(key)]
    for name in ("service", "repo"):
        keys += [as_key(name, value) for value in question.request.values(name)]
    here = question.context.repository
    if here and any(same_repository(value, here) for value in dimensions.get("repo", ())):
        keys.append(here)
    keys += [f"code:{head}:{path}" for path in dimensions.get("path", ()) for head in _code_heads(question)]
    return frozenset(question.resolved(key) for key in keys)


def as_key(prefix: str, value: str) -> str:
    """A scope value as an entity key: `payments` → `service:payments`; a key stays what it is."""
    value = value.strip()
    if value.startswith(f"{prefix}:"):
        return value
    return f"{prefix}:{slug(value) if prefix == 'service' else value}"


def _code_heads(question: Question) -> list[str]:
    """The first parts under which code assets of this question's repository may be filed."""
    request, heads = question.request, []
    for key in [*request.values("repo"), question.context.repository or ""]:
        name = plain(key, "repo")
        heads += [name, name.rpartition("/")[2]] if name else []
    heads += [plain(value, "service") for value in request.values("service")]
    return list(dict.fromkeys(heads))


def _implied(
    question: Question, dimensions: dict[str, tuple[str, ...]], keys: frozenset[str]
) -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    """What follows from the scope for the dimensions that it leaves open, and which of it leaves nothing else open."""
    implied: dict[str, tuple[str, ...]] = {}
    certain = set()
    anchors = frozenset(key for key in keys if key.startswith(("service:", "repo:")))
    rows = question.find(predicates=frozenset({"DEFINED_IN"}), about=anchors) if anchors else []
    claims: list[Claim] = [row.claim for row in rows if row.claim.object]
    if "service" in dimensions:
        implied["repo"] = tuple(plain(claim.object or "", "repo") for claim in claims)
        certain.add("repo")
    elif "repo" in dimensions:
        implied["service"] = tuple(plain(claim.subject, "service") for claim in claims)
    if "path" in dimensions:
        if question.context.repository and not implied.get("repo"):
            implied["repo"] = (plain(question.context.repository, "repo"),)
        implied["language"] = languages_of(dimensions["path"])
        certain |= {"repo", "language"}
    kept = {name: held for name, held in implied.items() if held and name not in dimensions}
    return kept, frozenset(certain & kept.keys())
