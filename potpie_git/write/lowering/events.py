"""append_event: something happened, as claims about one activity."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from potpie_git.domain.keys import HASH_LENGTH, entity_type_of, mint_key
from potpie_git.domain.mutation import ActorInput, Endpoint
from potpie_git.domain.text import canonical_json, sha256_hex, slug
from potpie_git.domain.times import TimeFormatError, parse_time
from potpie_git.write.context import OpContext
from potpie_git.write.lowering.claims import compose, put_claim
from potpie_git.write.lowering.endpoints import resolve

_TRUTH = "timeline_event"


def lower_event(ctx: OpContext) -> None:
    """PERFORMED by its actor, TOUCHED its targets, MENTIONS what it mentions, IN_PERIOD of its day."""
    op = ctx.op
    assert op.verb is not None
    assert op.occurred_at is not None
    day = _day(ctx, op.occurred_at)
    if not op.verb.strip():
        ctx.issue("malformed_field", "the verb is blank", "Say what happened, such as deployed.", "verb")
    performer = _performer(ctx)
    targets = _resolved(ctx, op.targets, "targets")
    mentions = _resolved(ctx, op.mentions, "mentions")
    activity = _activity(ctx, performer, [*targets, *mentions])
    if day is None or activity is None:
        return
    period = f"timeline:period:daily:{ctx.batch.pot_id}:{day}"
    relations: list[tuple[str, str, str]] = []
    if performer is not None:
        relations.append((performer, "PERFORMED", activity))
    relations += [(activity, "TOUCHED", key) for key in targets]
    relations += [(activity, "MENTIONS", key) for key in mentions]
    relations.append((activity, "IN_PERIOD", period))
    for subject, predicate, object_key in relations:
        claim = compose(ctx, op, subject, predicate, object_key, **_said(ctx))
        if claim is not None:
            put_claim(ctx, claim)


def _said(ctx: OpContext) -> dict[str, Any]:
    """What every claim of the event says: the sentence, the verb, when it happened."""
    op = ctx.op
    return {
        "fact": op.fact or op.description or op.verb,
        "details": {"verb": op.verb, **(op.details or {})},
        "truth": op.truth or _TRUTH,
        "valid_from": op.valid_from or op.occurred_at,
    }


def _day(ctx: OpContext, occurred_at: str) -> str | None:
    try:
        return parse_time(occurred_at).astimezone(UTC).date().isoformat()
    except TimeFormatError as error:
        ctx.issue("PG-S07", f"occurred_at: {error}", "Give the time with its offset.", "occurred_at")
        return None


def _performer(ctx: OpContext) -> str | None:
    """The key of the person or team that did it; a plain name is a person's."""
    given = ctx.op.actor
    named = given.user if isinstance(given, ActorInput) else given
    if not named:
        return None
    declared = entity_type_of(named)
    if declared is None:
        return f"person:{slug(named, 80)}"
    if declared.name not in {"Person", "Team"}:
        hint = "Name a person or a team, or leave it out."
        ctx.issue("type_mismatch", f"the actor {named!r} is a {declared.name}", hint, "actor")
        return None
    return resolve(ctx, Endpoint(key=named), "actor")


def _resolved(ctx: OpContext, given: list[Endpoint] | None, field: str) -> list[str]:
    keys = [resolve(ctx, item, f"{field}.{index}") for index, item in enumerate(given or ())]
    return list(dict.fromkeys(key for key in keys if key is not None))


def _activity(ctx: OpContext, performer: str | None, about: list[str]) -> str | None:
    """The activity's key: as given, else from its id in another system, else from what happened."""
    op = ctx.op
    if op.subject is not None and (op.subject.key is not None or op.subject.type is not None):
        return resolve(ctx, op.subject, "subject")
    known = next(iter(op.external_ids or ()), None) or op.source_event
    if known is not None:
        return resolve(
            ctx, Endpoint(key=known if known.startswith("activity:") else f"activity:{known}"), "external_ids"
        )
    said = {
        "verb": op.verb,
        "occurred_at": op.occurred_at,
        "performer": performer,
        "about": sorted(about),
        "fact": op.fact or op.description,
    }
    digest = sha256_hex(canonical_json(said))[:HASH_LENGTH]
    return mint_key("Activity", op.source_system or "event", digest)
