"""The retrieval card: the one text of a claim that is embedded and searched."""

from __future__ import annotations

from potpie_git.domain.claim import Claim
from potpie_git.domain.text import humanise, sha256_hex
from potpie_git.domain.vocabulary import phrase_of

SEPARATOR = " • "


def _scope_values(claim: Claim) -> list[str]:
    values: list[str] = []
    for _, held in sorted((claim.code_scope or {}).items()):
        values += [held] if isinstance(held, str) else list(held)
    if claim.environment:
        values.append(claim.environment)
    return values


def _extra_terms(claim: Claim) -> list[str]:
    """Texts of the structured fields, so that a root cause or a rejected alternative is found too."""
    terms: list[str] = []
    for _, held in sorted((claim.details or {}).items()):
        for item in [held] if isinstance(held, str) else held:
            terms += [item] if isinstance(item, str) else [item[name] for name in sorted(item)]
    return terms


def retrieval_card(claim: Claim) -> str:
    """Description, fact, humanised subject, predicate, object, value, scope values sorted by dimension, extra terms.

    Equal claims give equal cards, and no text is repeated.
    """
    parts = [
        claim.description or "",
        claim.fact or "",
        humanise(claim.subject),
        phrase_of(claim.predicate),
        humanise(claim.object) if claim.object else "",
        claim.value or "",
        *_scope_values(claim),
        *_extra_terms(claim),
    ]
    unique = dict.fromkeys(part.strip() for part in parts if part.strip())
    return SEPARATOR.join(unique)


def card_digest(card: str) -> str:
    """The identity of a card: one card is embedded once, wherever it stands. 32 hex digits."""
    return sha256_hex(card)[:32]
