"""The read trunk: every read, whatever its surface, goes through here and comes out as one envelope."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from potpie_git.domain.envelope import (
    Coverage,
    CoverageReport,
    EvidenceItem,
    ReadEnvelope,
    UnsupportedInclude,
    overall_confidence,
)
from potpie_git.domain.query import ClaimSearch, union_mode
from potpie_git.domain.ranking import (
    QUERY_WEIGHTS,
    Factors,
    Ranked,
    corroboration_score,
    coverage_quality_score,
    rank,
    recency_score,
    strength_score,
)
from potpie_git.domain.vocabulary import INCLUDES, PREDICATES, RANKING_WEIGHTS
from potpie_git.readers.assemble import coverage_status, evidence_item
from potpie_git.readers.items import Candidate, Found
from potpie_git.readers.pool import TextPool
from potpie_git.readers.question import Question, open_question
from potpie_git.readers.registry import READERS, view_key
from potpie_git.readers.replacements import replaced_claims
from potpie_git.readers.request import ReadContext, ReadRequest, Sort
from potpie_git.readers.strangers import strangers
from potpie_git.readers.views import find_view, hold_to_contract, include_hint, includes_of

DEFAULT_INTENT = "unknown"
# A verified fix whose score is at least this share of a refuted one's comes before it.
_ABOUT_AS_WELL = 0.75


@dataclass
class _Answer:
    """One include's ranked candidates, best first."""

    include: str
    found: Found
    ranked: list[Ranked[Candidate]]
    status: Coverage


class ReadTrunk:
    """Intent or view → includes → readers → one claim query → one ranker → one envelope.

    `clock` tells what "now" means and must return an instant with an offset. `prepare` is called before a text is
    searched, once the question is known to be one that can be answered.
    """

    def __init__(
        self,
        search: ClaimSearch,
        clock: Callable[[], datetime],
        context: ReadContext,
        *,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        self._search = search
        self._clock = clock
        self._context = context
        self._prepare = prepare

    @property
    def repository(self) -> str | None:
        """The key of the repository whose memory is read, if it is known."""
        return self._context.repository

    def resolve(
        self, request: ReadRequest, *, intent: str | None = None, includes: Sequence[str] = ()
    ) -> ReadEnvelope:
        """Evidence for an intent, or for exactly these includes, which win over it.

        An include that nobody knows is reported in `unsupported`. Raises `UnknownIntentError`, `BadFilterError`.
        """
        wanted = tuple(dict.fromkeys(includes)) or includes_of(intent or DEFAULT_INTENT)
        question = self._open(request, [name for name in wanted if name in READERS])
        answers = [_answer(question, name) for name in wanted if name in READERS]
        kept = (
            _without_repeats(_cut(answers, request.limit)) if request.dedupe else _cut(answers, request.limit)
        )
        metadata = {"intent": None if includes else (intent or DEFAULT_INTENT), "includes": list(wanted)}
        return _envelope(
            question,
            answers,
            _sorted(kept, request.sort or "score"),
            unsupported=_unsupported(wanted),
            metadata=metadata,
        )

    def search(self, text: str, request: ReadRequest | None = None) -> ReadEnvelope:
        """Evidence for a text from every include; `limit` bounds all of the items together.

        The overall confidence is that of the whole, since no single include was asked for.
        """
        request = replace(request or ReadRequest(), query=text)
        question = self._open(request, list(INCLUDES))
        question.whole = True
        answers = [_answer(question, name) for name in INCLUDES]
        flat = [(answer, one) for answer in answers for one in answer.ranked]
        ordered = _sorted(flat, request.sort or "score")
        kept = _without_repeats(ordered) if request.dedupe else ordered
        shown = kept[: request.limit]
        everything = [one.item for _, one in kept]
        overall = coverage_status(everything, request.limit, open_ended=True)
        return _envelope(question, answers, shown, overall=overall, metadata={"search": True})

    def read_view(self, subgraph: str, view: str, request: ReadRequest) -> ReadEnvelope:
        """One named view.

        Raises `UnknownViewError`, `UnsupportedFilterError`, `MissingScopeError`, `BadFilterError`.
        """
        found = find_view(subgraph, view)
        hold_to_contract(found, request.checked())
        question = self._open(request, [found.include])
        answer = _answer(question, found.include)
        if not answer.ranked:
            question.notes += strangers(question, question.scope.keys)
        chronological = found.shape == "events" and request.query is None
        ordered = _sorted(
            _cut([answer], request.limit), request.sort or ("newest" if chronological else "score")
        )
        return _envelope(question, [answer], ordered, metadata={"view": found.key, "read_shape": found.shape})

    def _open(self, request: ReadRequest, includes: Sequence[str]) -> Question:
        request.checked()
        if request.query is not None:
            self._prepare()
        now = self._clock()
        question = open_question(request, self._search, self._context, now)
        if request.query is not None and len(includes) > 1:
            question.search = TextPool(self._search, _predicates(includes), now, limit=question.pool_size)
        return question


def _predicates(includes: Iterable[str]) -> frozenset[str]:
    """Every predicate that the includes read; a reader of everything reads what callers may assert."""
    sets = [READERS[name].predicates for name in includes]
    return frozenset().union(*(frozenset(PREDICATES) if held is None else held for held in sets))


def _unsupported(includes: Iterable[str]) -> list[UnsupportedInclude]:
    """Includes without an answer: never silently empty."""
    rows = []
    for name in includes:
        if name in READERS:
            continue
        if name in INCLUDES:
            rows.append(
                UnsupportedInclude(include=name, reason="not_implemented", hint="No reader serves it yet.")
            )
        else:
            rows.append(UnsupportedInclude(include=name, reason="unknown_include", hint=include_hint(name)))
    return rows


def _answer(question: Question, include: str) -> _Answer:
    found = READERS[include].read(question)
    question.notes.extend(note for note in found.notes if note not in question.notes)
    threshold = question.request.query_threshold
    if threshold is not None and question.text is not None:
        found.candidates = [
            one for one in found.candidates if not one.weak and (one.similarity or 0.0) >= threshold
        ]
    status = coverage_status(found.candidates, question.request.limit, open_ended=found.open_ended)
    weights = QUERY_WEIGHTS if question.text is not None else RANKING_WEIGHTS
    scored = ((one, _factors(question, one, include, status), one.tie_break) for one in found.candidates)
    ranked = rank(scored, weights)
    return _Answer(include, found, ranked, status)


def _factors(question: Question, one: Candidate, include: str, status: Coverage) -> Factors:
    request = question.request
    freshness = request.freshness
    if include == "timeline" and request.query is None and freshness == "balanced":
        freshness = "fresh"
    return Factors(
        semantic_similarity=one.similarity,
        strength=strength_score(one.lead.claim.evidence_strength),
        scope_overlap=one.scope_overlap,
        recency=recency_score(one.moment or one.lead.claim.begins, question.moment, freshness),
        corroboration=corroboration_score(one.sources),
        coverage_quality=coverage_quality_score(status),
    )


_Pair = tuple[_Answer, Ranked[Candidate]]


def _cut(answers: Iterable[_Answer], limit: int) -> list[_Pair]:
    """The best items of each include; of a timeline that nobody searched, the newest."""
    kept: list[_Pair] = []
    for answer in answers:
        pairs = [(answer, one) for one in answer.ranked]
        order: Sort = "newest" if answer.found.open_ended else "score"
        kept += _sorted(pairs, order)[:limit]
    return kept


def _sorted(pairs: Iterable[_Pair], order: Sort) -> list[_Pair]:
    """Pairs in the order asked for; by score, weak matches come after every good one."""
    keyed: dict[Sort, Callable[[_Pair], Any]] = {
        "score": lambda pair: (pair[1].item.weak, -pair[1].score, pair[1].item.tie_break),
        "newest": lambda pair: (-_when(pair), pair[1].item.tie_break),
        "key": lambda pair: pair[1].item.key,
    }
    ordered = sorted(pairs, key=keyed["newest" if order == "oldest" else order])
    if order == "oldest":
        ordered.reverse()
    return _refuted_behind_verified(ordered) if order == "score" else ordered


def _refuted_behind_verified(ordered: list[_Pair]) -> list[_Pair]:
    """What was refuted moves behind the verified that answer about as well; the rest keeps its order."""
    moved = list(ordered)
    for pair in ordered:
        if pair[1].item.verdict != "refuted":
            continue
        enough = pair[1].score * _ABOUT_AS_WELL
        rivals = [
            place
            for place, other in enumerate(moved)
            if other[1].item.verdict == "verified"
            and other[1].item.weak <= pair[1].item.weak
            and other[1].score >= enough
        ]
        here = moved.index(pair)
        if rivals and rivals[-1] > here:
            moved.insert(rivals[-1], moved.pop(here))
    return moved


def _when(pair: _Pair) -> float:
    candidate = pair[1].item
    return (candidate.moment or candidate.lead.claim.begins).timestamp()


def _without_repeats(pairs: Iterable[_Pair]) -> list[_Pair]:
    """Pairs without those all of whose claims an earlier item already holds."""
    seen: set[str] = set()
    kept = []
    for answer, one in pairs:
        claims = one.item.claim_ids
        if claims <= seen:
            continue
        seen |= claims
        kept.append((answer, one))
    return kept


def _envelope(
    question: Question,
    answers: Sequence[_Answer],
    shown: Sequence[_Pair],
    *,
    overall: Coverage | None = None,
    unsupported: Sequence[UnsupportedInclude] = (),
    metadata: dict[str, Any],
) -> ReadEnvelope:
    items = _items(question, shown)
    coverage = [
        CoverageReport(
            view=view_key(answer.include),
            include=answer.include,
            status=answer.status,
            candidate_pool=answer.found.pool,
        )
        for answer in answers
    ]
    statuses: list[Coverage] = [overall] if overall is not None else [answer.status for answer in answers]
    if unsupported:
        statuses.append("empty")
    if question.notes:
        metadata = metadata | {"notes": list(question.notes)}
    return ReadEnvelope(
        items=items,
        coverage=coverage,
        unsupported=list(unsupported),
        overall_confidence=overall_confidence(statuses),
        match_mode=union_mode(question.modes),
        as_of=moment_text(question.moment),
        metadata=metadata,
    )


def _items(question: Question, shown: Sequence[_Pair]) -> list[EvidenceItem]:
    stored = {claim_id for _, one in shown for claim_id in one.item.claim_ids if claim_id.startswith("c-")}
    replaced = replaced_claims(question, stored)
    items = []
    for answer, one in shown:
        told = [
            old for claim_id in sorted(one.item.claim_ids & replaced.keys()) for old in replaced[claim_id]
        ]
        items.append(evidence_item(question, answer.include, one, answer.status, told))
    return items


def moment_text(moment: datetime) -> str:
    """A moment in its own offset, to the second; UTC ends in `Z`."""
    return moment.replace(microsecond=0).isoformat().replace("+00:00", "Z")
