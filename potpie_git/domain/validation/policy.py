"""Rules that a policy must keep on its own (P02): everybody is told apart, and every key and address can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from potpie_git.domain.policy import Approver, Policy
from potpie_git.domain.ssh_keys import SshFormatError, parse_public_key
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.validation.problem import FieldPath, Problem
from potpie_git.domain.vocabulary import PREDICATES, SUBGRAPHS, SYSTEM_PREDICATES

_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+")
_ACCOUNT = re.compile(r"[a-z0-9-]+:[^\s:]+")
_REF = re.compile(r"refs/heads/[^\s*]*\*?")


def policy_problems(policy: Policy) -> list[Problem]:
    """Every rule that a policy breaks on its own."""
    return [*_approvers(policy), *_protected(policy), *_overrides(policy), *_attestation(policy)]


def _approvers(policy: Policy) -> Iterator[Problem]:
    principals: dict[str, str] = {}
    emails: dict[str, str] = {}
    accounts: dict[str, str] = {}
    for index, approver in enumerate(policy.approvers):
        where: FieldPath = ("approvers", index)
        other = principals.setdefault(approver.principal, approver.name)
        if index != _first(policy, approver):
            message = f"{approver.name!r} and {other!r} cannot be told apart in an approval"
            yield _problem(
                message, "Give each approver a name of their own, and list nobody twice.", *where, "name"
            )
        if not approver.emails:
            yield _problem(f"{approver.name} has no address", "Add one, as in a sign-off.", *where, "emails")
        for position, email in enumerate(approver.emails):
            place = (*where, "emails", position)
            if not _EMAIL.fullmatch(email):
                yield _problem(f"{email!r} is not an address", "Write name@host, as in a sign-off.", *place)
            elif emails.setdefault(email.casefold(), approver.principal) != approver.principal:
                yield _problem(f"{email} is listed for two approvers", "List it for one.", *place)
        yield from _keys(approver.keys or (), *where, "keys")
        yield from _accounts(approver, index, accounts)


def _accounts(approver: Approver, index: int, known: dict[str, str]) -> Iterator[Problem]:
    """`known` are the principals of the accounts so far; those of this approver are added."""
    for position, account in enumerate(approver.accounts or ()):
        place = ("approvers", index, "accounts", position)
        if not _ACCOUNT.fullmatch(account):
            yield _problem(f"{account!r} is not an account", "Write forge:login, such as github:rae.", *place)
        elif known.setdefault(account.casefold(), approver.principal) != approver.principal:
            yield _problem(f"{account} is listed for two approvers", "List it for one.", *place)


def _first(policy: Policy, approver: Approver) -> int:
    """Where an approver's principal is listed first."""
    return next(at for at, each in enumerate(policy.approvers) if each.principal == approver.principal)


def _keys(keys: tuple[str, ...] | list[str], *where: str | int) -> Iterator[Problem]:
    for position, key in enumerate(keys):
        try:
            parse_public_key(key)
        except SshFormatError as error:
            yield _problem(
                f"a key cannot be used: {error}", "Paste one line of a .pub file.", *where, position
            )


def _protected(policy: Policy) -> Iterator[Problem]:
    for position, ref in enumerate(policy.protected):
        if not _REF.fullmatch(ref):
            hint = "Write the full name, such as refs/heads/main, or refs/heads/release/* for several."
            yield _problem(f"{ref!r} names no branch", hint, "protected", position)


def _overrides(policy: Policy) -> Iterator[Problem]:
    seen: set[tuple[str | None, str | None]] = set()
    for index, override in enumerate(policy.overrides or ()):
        if (override.subgraph is None) == (override.predicate is None):
            yield _problem(
                "an override is for a subgraph or for a predicate", "Name one.", "overrides", index
            )
        for field, name, known in (
            ("subgraph", override.subgraph, tuple(SUBGRAPHS)),
            ("predicate", override.predicate, (*PREDICATES, *SYSTEM_PREDICATES)),
        ):
            if name is not None and name not in known:
                message = f"there is no {field} {name!r}.{did_you_mean(name, known)}"
                yield _problem(message, "See `git potpie graph catalog`.", "overrides", index, field)
        if (override.subgraph, override.predicate) in seen:
            yield _problem("there are two overrides for the same claims", "Join them.", "overrides", index)
        seen.add((override.subgraph, override.predicate))


def _attestation(policy: Policy) -> Iterator[Problem]:
    if policy.attestation is not None:
        yield from _keys(policy.attestation.keys or [], "attestation", "keys")


def _problem(message: str, hint: str, *field: str | int) -> Problem:
    return Problem("PG-P02", message, hint, field)
