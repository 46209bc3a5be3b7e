"""Family X: what one record says about others."""

from __future__ import annotations

from potpie_git.checks.rules.cases import Trees
from potpie_git.checks.rules.model import Example, Rule
from potpie_git.checks.rules.samples import (
    adds,
    claim,
    file,
    owner,
    pot,
    retracted,
    superseded,
    supersedes,
    tombstone,
    withdrawn,
)

_NEW_FACT = "Split the refund into captured and pending parts."


def _dangling() -> Trees:
    old, new = claim(), claim(fact=_NEW_FACT)
    parts = (withdrawn(old, "supersede_claim", new), tombstone(old, "supersede_claim"), supersedes(new, old))
    return adds(*map(file, parts), to=pot(old))


def _superseded() -> Trees:
    return adds(superseded(claim(), claim(fact=_NEW_FACT)), to=pot(claim()))


def _handed_over() -> Trees:
    old, new = owner("payments"), owner("billing")
    return adds(retracted(old), file(new), to=pot(old))


RULES = (
    Rule(
        "PG-X01",
        "reference to a claim that is not there, or not in that state",
        "superseded_by, reinstates and both ends of SUPERSEDES name claims. Each has to be in the tree, and a "
        "claim that is reinstated has to have been withdrawn; otherwise a reader follows the reason into "
        "nothing.",
        bad=Example("superseded_by: c-…   # which no file holds", _dangling),
        good=Example("superseded_by: c-…   # added by the same change", _superseded),
    ),
    Rule(
        "PG-X02",
        "two live objects where only one can be",
        "A singleton predicate has one live object for a subject and an environment. Two branches can each "
        "add one and merge cleanly, so both files are named and neither wins: withdraw one of them.",
        bad=Example(
            "subject: service:refunds-api\npredicate: OWNED_BY\nobject: team:billing   # team:payments owns it already",
            lambda: adds(file(owner("billing")), to=pot(owner("payments"))),
        ),
        good=Example("object: team:billing   # and the claim of team:payments is withdrawn", _handed_over),
    ),
    Rule(
        "PG-X03",
        "key that looks like another",
        "Two keys differ only in case, width or composition. They would be two entities with half the facts "
        "each. Use the key that is there, or merge the two with merge_duplicate_entities.",
        bad=Example(
            "subject: service:Refunds-API   # service:refunds-api is there already",
            lambda: adds(file(owner("billing", "service:Refunds-API")), to=pot(owner("payments"))),
        ),
        good=Example(
            "subject: service:refunds-worker",
            lambda: adds(file(owner("billing", "service:refunds-worker")), to=pot(owner("payments"))),
        ),
    ),
)
