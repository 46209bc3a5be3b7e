"""Claims in memory, searched as a real store would: hard filters first, then words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from potpie_git.domain.card import retrieval_card
from potpie_git.domain.claim import Actor, Claim, Evidence, Invalidation, Provenance, new_claim
from potpie_git.domain.files import Entity
from potpie_git.domain.lexical import bm25_scores, saturated, tokens
from potpie_git.domain.query import ClaimHits, ClaimQuery, ClaimRow, MatchMode, Standing
from potpie_git.readers.orchestrator import ReadTrunk
from potpie_git.readers.request import ReadContext, parse_scope

NOW = datetime(2026, 6, 29, 12, tzinfo=UTC)
RECORDED = "2026-06-02T08:15:00Z"
REPOSITORY = "repo:github.com/acme/payments"


def claim(subject: str, predicate: str, target: str, **fields: Any) -> Claim:
    """A claim between two entities. `refs` become evidence, `recorded` and `system` go to its provenance."""
    refs = fields.pop("refs", ())
    evidence = [
        ref if isinstance(ref, Evidence) else Evidence(source_ref=ref, authority="external_system")
        for ref in refs
    ]
    provenance = Provenance(
        recorded_at=fields.pop("recorded", RECORDED),
        source_system=fields.pop("system", None),
        actor=Actor(surface="cli", user=fields.pop("user", "rae")),
    )
    return new_claim(
        subject=subject,
        predicate=predicate,
        object=target,
        evidence=evidence or None,
        provenance=provenance,
        **fields,
    )


def withdrawn(
    held: Claim, op: str, reason: str, at: str, *, by: str = "kim", superseded_by: str | None = None
) -> Claim:
    stamp = Invalidation(
        op=op,
        reason=reason,
        superseded_by=superseded_by,
        provenance=Provenance(recorded_at=at, actor=Actor(surface="cli", user=by)),
    )
    return held.model_copy(update={"valid_to": at, "invalidation": stamp})


def replaces(new: Claim, old: Claim) -> Claim:
    return claim(f"claim:{new.id}", "SUPERSEDES", f"claim:{old.id}")


class MemoryClaims:
    """A claim search over a list. `similar` sets a claim's similarity by id; any other is told by words."""

    def __init__(
        self,
        claims: Iterable[Claim],
        *,
        similar: Mapping[str, float] | None = None,
        aliases: Mapping[str, str] | None = None,
        standing: Mapping[str, Standing] | None = None,
        now: datetime = NOW,
    ) -> None:
        self.claims = list(claims)
        self.similar = dict(similar or {})
        self.aliases = dict(aliases or {})
        self.standing = dict(standing or {})
        self.now = now
        self.queries: list[ClaimQuery] = []

    def resolve_alias(self, key: str) -> str:
        return self.aliases.get(key, key)

    def find_claims(self, query: ClaimQuery) -> ClaimHits:
        self.queries.append(query)
        held = [one for one in self.claims if query.admits(one, self.now)]
        if query.text is None:
            held.sort(key=lambda one: one.begins, reverse=True)
            return ClaimHits(tuple(self._row(one) for one in held[: query.limit]))
        rows = sorted(self._matching(query.text, held), key=lambda row: -(row.similarity or 0.0))
        return ClaimHits(tuple(rows[: query.limit]), MatchMode.VECTOR if self.similar else MatchMode.LEXICAL)

    def _matching(self, text: str, held: list[Claim]) -> Iterable[ClaimRow]:
        cards = [retrieval_card(one) for one in held]
        words = set(tokens(text))
        for one, card, score in zip(held, cards, bm25_scores(text, cards), strict=True):
            if one.id in self.similar:
                yield self._row(one, self.similar[one.id], self.similar[one.id] < 0.3)
            elif score > 0:
                share = len(words & set(tokens(card))) / len(words)
                yield self._row(one, saturated(score), share < 0.34)

    def _row(self, one: Claim, similarity: float | None = None, weak: bool = False) -> ClaimRow:
        standing = self.standing.get(one.id, Standing.BRANCH)
        return ClaimRow(
            one, path=f"claims/{one.id}.yaml", similarity=similarity, weak=weak, standing=standing
        )


def trunk(search: Any, *, now: datetime = NOW, entities: Iterable[Entity] = (), **context: Any) -> ReadTrunk:
    known = {entity.key: entity for entity in entities}
    context.setdefault("repository", REPOSITORY)
    return ReadTrunk(search, lambda: now, ReadContext(entity=known.get, **context))


def entity(key: str, kind: str, **fields: Any) -> Entity:
    return Entity(key=key, type=kind, provenance=Provenance(recorded_at=RECORDED), **fields)


def scope(*pairs: str) -> dict[str, tuple[str, ...]]:
    return parse_scope(pairs)
