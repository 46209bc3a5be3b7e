"""Who is who in a policy: approvers that share an address or a key are one person, and may be an author as well."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from potpie_git.checks.approvals.model import ChangedFile, Person
from potpie_git.domain.policy import Approver, Policy
from potpie_git.domain.ssh_keys import SshFormatError, parse_public_key
from potpie_git.domain.text import nfc, slug
from potpie_git.domain.trailers import person
from potpie_git.store.derived.names import person_key

_NOREPLY: Final = re.compile(r"(?:\d+[+-])?([^@]+)@users\.noreply\.[^@]+")
# What a text without a letter or digit of ASCII is cut down to: it tells nobody apart.
_NOBODY: Final = frozenset({slug(""), ""})


class People:
    """The people of one policy. A person is known by the principals of all their entries."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    @cached_property
    def _groups(self) -> list[list[Approver]]:
        """Approvers by person: two entries with a mark in common are one, and so on through others."""
        groups: list[tuple[set[str], list[Approver]]] = []
        for approver in self.policy.approvers:
            marks, entries = _marks(approver), [approver]
            apart = []
            for held, members in groups:
                if held & marks:
                    marks |= held
                    entries = [*members, *entries]
                else:
                    apart.append((held, members))
            groups = [*apart, (marks, entries)]
        return [entries for _, entries in groups]

    def person(self, principal: str) -> frozenset[str]:
        """All principals of the person who is `principal`; that one alone if the policy does not list it."""
        return frozenset(entry.principal for entry in self._entries(principal)) or frozenset({principal})

    def wrote(self, principal: str, changed: ChangedFile) -> bool:
        """True if this person is an author of the file's change, by a commit or by a record's stamp."""
        entries = self._entries(principal)
        if any(_is_author(entry, author) for entry in entries for author in changed.authors):
            return True
        handles = {handle for entry in entries for handle in _handles(entry)}
        return any(_is_one_of(actor, handles) for actor in changed.actors)

    def is_named(self, principal: str, names: Iterable[str]) -> bool:
        """True if one of these texts (addresses, handles, `Name <address>`) means this person."""
        handles = {handle for entry in self._entries(principal) for handle in _handles(entry)}
        return any(_is_one_of(name, handles) for name in names)

    def is_bot(self, approver: Approver) -> bool:
        return self.policy.is_bot(approver.name, approver.principal, *approver.emails)

    @cached_property
    def sole(self) -> str | None:
        """The principal of the only approver whom the policy lists; None if it lists several, or none.

        Whoever was revoked is no longer listed; a bot, and one whose time has run out, still are. Two names for one
        person are two.
        """
        live = [each for each in self.policy.approvers if each.revoked is None]
        return live[0].principal if len(live) == 1 else None

    def needed(self, changed: ChangedFile) -> int:
        """How many distinct people have to approve a file's change."""
        count = self.policy.needed(changed.risk, changed.subgraph, changed.predicate)
        return min(count, 1) if self._may_approve_alone else count

    def may_approve_own(self, principal: str) -> bool:
        """True for the only approver of a pot, unless its policy says never."""
        return self._may_approve_alone and principal == self.sole

    @cached_property
    def _may_approve_alone(self) -> bool:
        return self.sole is not None and self.policy.self_approval != "never"

    def _entries(self, principal: str) -> list[Approver]:
        return next(
            (entries for entries in self._groups if any(each.principal == principal for each in entries)), []
        )


def same_person(actor: str, author: Person) -> bool:
    """True if a record's actor is the author of a commit, as the writer derives the one from the other."""
    return _is_one_of(actor, _names_of(author.name, author.email))


def _is_author(approver: Approver, author: Person) -> bool:
    """True if a commit's author or co-author is this approver: by address, by name, or by a forge's own address.

    A forge writes `12+login@users.noreply.HOST` for whoever keeps their address to themselves.
    """
    email = author.email.casefold()
    if email in {each.casefold() for each in approver.emails} or _folded(author.name) == _folded(
        approver.name
    ):
        return True
    login = _NOREPLY.fullmatch(email)
    logins = {account.rpartition(":")[2].casefold() for account in approver.accounts or ()}
    return login is not None and login[1] in logins


def _folded(name: str) -> str:
    return nfc(name).strip().casefold()


def _marks(approver: Approver) -> set[str]:
    """What makes two entries one person."""
    marks = {email.casefold() for email in approver.emails} | {f"principal {approver.principal}"}
    marks |= {f"account {account.casefold()}" for account in approver.accounts or ()}
    for key in approver.keys or ():
        try:
            marks.add(parse_public_key(key).line)
        except SshFormatError:
            # the policy's own rules report it; it verifies nothing
            continue
    return marks


def _handles(approver: Approver) -> set[str]:
    accounts = {account.rpartition(":")[2].casefold() for account in approver.accounts or ()}
    named = {name for email in approver.emails for name in _names_of(approver.name, email)}
    return {*accounts, *named, approver.principal}


def _names_of(name: str, email: str) -> set[str]:
    handle = person_key(name, email).removeprefix("person:")
    return {name.casefold(), email.casefold(), slug(name), handle} - _NOBODY


def _is_one_of(actor: str, handles: set[str]) -> bool:
    parsed = person(actor)
    named = (parsed[0].casefold(), parsed[1].casefold()) if parsed else ()
    return bool(({actor.casefold(), slug(actor), *named} - _NOBODY) & handles)
