"""Records as a review shows them: flat, as text, without what only machines need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from potpie_git.checks.review.model import CitedEvidence, FieldChange, GivenApproval, ReviewedClaim, Who
from potpie_git.domain.approval import Approval
from potpie_git.domain.claim import Actor, Claim, Evidence, Provenance
from potpie_git.domain.vocabulary import phrase_of
from potpie_git.store.codec import repository_path
from potpie_git.store.history.approvals import approved_paths


def who(provenance: Provenance | None) -> Who:
    """Who and when, by a record's own stamp."""
    if provenance is None:
        return Who()
    actor = provenance.actor or Actor()
    return Who(user=actor.user, harness=actor.harness, surface=actor.surface, at=provenance.recorded_at)


def claim_view(claim: Claim, path: str) -> ReviewedClaim:
    return ReviewedClaim(
        id=claim.id,
        path=repository_path(path),
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        value=claim.value,
        environment=claim.environment,
        text=claim.fact or claim.value or claim.description,
        description=claim.description if claim.fact or claim.value else None,
        truth=claim.truth,
        strength=claim.evidence_strength,
        confidence=claim.provenance.confidence,
        evidence=cited(claim.evidence),
        fields=dict(flat({"scope": claim.code_scope or {}, **(claim.details or {})})),
        valid_from=claim.valid_from,
        valid_until=claim.valid_until,
        observed_at=claim.observed_at,
        reinstate_reason=claim.reinstate_reason,
        by=who(claim.provenance),
    )


def cited(evidence: Iterable[Evidence] | None) -> list[CitedEvidence]:
    return [
        CitedEvidence(ref=item.source_ref, authority=item.authority, quote=item.quote, note=item.note)
        for item in evidence or ()
    ]


def statement_words(claim: Claim) -> str:
    """What a claim joins, in one line."""
    where = f" [{claim.environment}]" if claim.environment else ""
    return f"{claim.subject} {phrase_of(claim.predicate)} {claim.object or claim.value or ''}{where}"


def said(claim: Claim) -> str | None:
    """What a claim says in words, if it says anything beyond what it joins."""
    return claim.fact or claim.value or claim.description


def flat(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested data as names (`thresholds.high`, `approvers.Ada.emails`) and texts; empty parts are left out."""
    for name, held in data.items():
        place = f"{prefix}{name}"
        if isinstance(held, Mapping):
            yield from flat(held, f"{place}.")
        elif isinstance(held, list) and held and all(isinstance(item, Mapping) for item in held):
            for number, item in enumerate(held, 1):
                own = next(
                    (str(item[key]) for key in ("name", "predicate", "subgraph") if item.get(key)), number
                )
                yield from flat({key: part for key, part in item.items() if key != "name"}, f"{place}.{own}.")
        elif isinstance(held, list):
            if held:
                yield place, "\n".join(str(item) for item in held)
        elif held is not None:
            yield place, str(held)


def field_changes(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[FieldChange]:
    """The fields in which two records differ, in the order of the records."""
    old, new = dict(flat(before or {})), dict(flat(after or {}))
    return [
        FieldChange(name=name, before=old.get(name), after=new.get(name))
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    ]


def approval_view(approval: Approval) -> GivenApproval:
    """What an approval states."""
    statement = approval.statement
    return GivenApproval(
        principal=statement.principal,
        ref=statement.ref,
        risk=statement.risk,
        expires=statement.expires,
        plan=statement.plan,
        range=statement.range,
        covers=[repository_path(path) for path in approved_paths(approval)],
        signed=approval.signature is not None,
        attested_by=statement.attested_by.forge if statement.attested_by else None,
        withdrawn=approval.withdrawn.reason if approval.withdrawn else None,
    )
