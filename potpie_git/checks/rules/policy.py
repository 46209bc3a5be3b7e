"""Family P: the policy that a change is judged by, always the one at the base of it."""

from __future__ import annotations

from potpie_git.checks.rules.cases import Trees
from potpie_git.checks.rules.model import Example, Rule
from potpie_git.checks.rules.samples import adds, claim, edited, file, policy, pot
from potpie_git.domain.layout import POLICY_FILE
from potpie_git.store.codec import repository_path

_PLACE = repository_path(POLICY_FILE)


def _without_policy() -> Trees:
    held = {where: raw for where, raw in pot().items() if where != _PLACE}
    changed = adds(file(claim()), to=held)
    return Trees(changed.before, changed.after, as_range=True)


def _with_policy() -> Trees:
    changed = adds(file(claim()))
    return Trees(changed.before, changed.after, as_range=True)


def _versions(before: int, after: int) -> Trees:
    held = {**pot(), **file(policy(version=before))}
    return adds(file(policy(version=after, bots=["ci-bot"])), to=held)


def _broken() -> Trees:
    return adds(edited(policy(version=2), "ada@example.com", "ada at example"))


RULES = (
    Rule(
        "PG-P01",
        "no policy at the base",
        "A change is judged by the policy that stands where it is to land, never by one that it brings "
        "itself. Without policy.yaml there, nobody could approve anything: let a maintainer commit one to the "
        "target branch first.",
        bad=Example("# .potpie/pot.yaml is at BASE, and no .potpie/policy.yaml", _without_policy),
        good=Example("# .potpie/policy.yaml is at BASE", _with_policy),
    ),
    Rule(
        "PG-P02",
        "policy that cannot be read",
        "A policy that does not parse, or names approvers by something that is not an address, can approve "
        "nothing. Mend it before anything else.",
        bad=Example("emails:\n  - ada at example", _broken),
        good=Example("emails:\n  - ada@example.com", lambda: _versions(1, 2)),
    ),
    Rule(
        "PG-P03",
        "policy version that does not rise",
        "Each change of the policy raises its version, so that an older and laxer policy cannot come back in "
        "a merge.",
        bad=Example("-version: 3\n+version: 2", lambda: _versions(3, 2)),
        good=Example("-version: 3\n+version: 4", lambda: _versions(3, 4)),
    ),
)
