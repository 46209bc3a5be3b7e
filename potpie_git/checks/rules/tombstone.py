"""Family T: values that were withdrawn, and what a withdrawal leaves behind."""

from __future__ import annotations

from potpie_git.checks.rules.cases import Trees
from potpie_git.checks.rules.model import Example, Rule
from potpie_git.checks.rules.samples import (
    adds,
    claim,
    file,
    pot,
    retracted,
    superseded,
    tombstone,
    withdrawn,
)
from potpie_git.domain.claim import Claim

_ANOTHER_KEY = "bug_pattern:refunds-api:double-capture"
_AGAIN = "The gateway accepts retries again."


def _again(held: Claim) -> Trees:
    return adds(file(held), to={**pot(), **retracted(claim())})


def _retraction_alone() -> Trees:
    return adds(file(withdrawn(claim())), to=pot(claim()))


def _stone_alone() -> Trees:
    return adds(file(tombstone(claim())), to=pot(claim()))


def _whole() -> Trees:
    return adds(retracted(claim()), to=pot(claim()))


def _supersession() -> Trees:
    return adds(superseded(claim(), claim(fact="Split the refund.")), to=pot(claim()))


RULES = (
    Rule(
        "PG-T01",
        "withdrawn value that returns",
        "The value was withdrawn before, for the reason that is quoted. Saying it again in other case, "
        "spacing or punctuation, or under another key, does not make it true. If it stands again, give "
        "`reinstates` and a reason.",
        bad=Example(
            f"object: {_ANOTHER_KEY}\nfact: retry the refund with the REMAINING captured amount",
            lambda: _again(
                claim(object=_ANOTHER_KEY, fact="retry the refund with the REMAINING captured amount")
            ),
        ),
        good=Example(
            f"reinstates: c-55f4…\nreinstate_reason: {_AGAIN}",
            lambda: _again(claim(object=_ANOTHER_KEY, reinstates=claim().id, reinstate_reason=_AGAIN)),
        ),
    ),
    Rule(
        "PG-T02",
        "withdrawal without what belongs to it",
        "A retraction leaves a tombstone, so that the value is not asserted again. A supersession leaves one "
        "too, and a SUPERSEDES claim from the replacement to the replaced. `git potpie graph propose` writes "
        "them together.",
        bad=Example("invalidation:\n  op: retract_claim\n# no file under tombstones/", _retraction_alone),
        good=Example(
            "invalidation:\n  op: supersede_claim\n# with its tombstone and its SUPERSEDES claim",
            _supersession,
        ),
    ),
    Rule(
        "PG-T03",
        "tombstone that does not fit its claim",
        "A tombstone stands for one claim that was retracted or superseded, and repeats what it said. One "
        "that stands alone, or says something else, would forbid a value that nobody withdrew.",
        bad=Example("claim: c-55f4…   # which still stands", _stone_alone),
        good=Example("claim: c-55f4…   # retracted by the same change", _whole),
    ),
)
