"""What an event in an agent's session should bring up: evidence that it has not seen yet, or what to record."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from potpie_git.domain.envelope import EvidenceItem
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.vocabulary import NUDGES, VIEWS, Nudge, View
from potpie_git.readers.errors import UnknownNudgeError
from potpie_git.readers.orchestrator import ReadTrunk
from potpie_git.readers.request import ReadRequest

DEFAULT_ITEMS = 3


@dataclass(frozen=True, slots=True)
class NudgeItem:
    """An item with the view that it comes from and the key by which a session remembers that it was shown."""

    view: str
    key: str
    item: EvidenceItem


@dataclass(frozen=True, slots=True)
class NudgeResult:
    """An instruction, or items. `silent`: there is nothing to say; `skipped` names views that lacked scope."""

    event: str
    instruction: str | None = None
    items: tuple[NudgeItem, ...] = ()
    views_read: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def silent(self) -> bool:
        return self.instruction is None and not self.items

    @property
    def keys(self) -> tuple[str, ...]:
        """What the session has now been shown."""
        return tuple(item.key for item in self.items)


def nudge(
    trunk: ReadTrunk,
    event: str,
    request: ReadRequest,
    *,
    seen: Collection[str] = frozenset(),
    limit: int = DEFAULT_ITEMS,
) -> NudgeResult:
    """What `event` brings up for the request's scope and query, without the items whose key is in `seen`.

    No model is called. Weak matches are never pushed at anybody. Raises `UnknownNudgeError`.
    """
    policy = NUDGES.get(event.strip().lower().replace("-", "_"))
    if policy is None:
        raise UnknownNudgeError(
            f"unknown nudge event {event!r}.{did_you_mean(event, NUDGES)}",
            hint=f"The events are: {', '.join(NUDGES)}.",
            detail={"event": event, "events": list(NUDGES)},
        )
    if policy.instructs is not None:
        return NudgeResult(policy.event, instruction=policy.instructs)
    return _read(trunk, policy, request, seen, limit)


def _read(
    trunk: ReadTrunk, policy: Nudge, request: ReadRequest, seen: Collection[str], limit: int
) -> NudgeResult:
    found: list[NudgeItem] = []
    read, skipped = [], []
    for key in policy.reads:
        view = VIEWS[key]
        asked = _fitting(view, request, trunk.repository, with_query=key in policy.query)
        if view.required_any_scope and not set(view.required_any_scope) & _given(asked):
            skipped.append(key)
            continue
        read.append(key)
        for item in trunk.read_view(view.subgraph, view.name, asked).items:
            if not item.weak:
                found.append(NudgeItem(key, item_key(item), item))
    found.sort(key=lambda one: (-one.item.score, one.key))
    fresh = {one.key: one for one in reversed(found) if one.key not in seen}
    chosen = sorted(fresh.values(), key=lambda one: (-one.item.score, one.key))[:limit]
    return NudgeResult(policy.event, None, tuple(chosen), tuple(read), tuple(skipped))


def _fitting(view: View, request: ReadRequest, repository: str | None, *, with_query: bool) -> ReadRequest:
    """The request with only those filters that the view takes; about this repository, if it names no place."""
    scope = {name: held for name, held in request.scope.items() if name in view.filters}
    if repository and "repo" in view.filters and not scope.keys() & {"repo", "service"}:
        scope["repo"] = (repository,)
    return ReadRequest(
        query=request.query if with_query and "query" in view.filters else None,
        scope=scope,
        environment=request.environment if "environment" in view.filters else None,
        limit=request.limit,
    )


def _given(request: ReadRequest) -> set[str]:
    given = set(request.filters)
    return given | ({"path"} if "file_path" in given else set())


def item_key(item: EvidenceItem) -> str:
    """The identity of an item in a session: the claim that speaks for it, else its entity."""
    relations = item.payload.get("relations") or [{}]
    claim = item.payload.get("claim_id") or relations[0].get("claim_id")
    return f"{item.include}:{claim or item.candidate_key}"
