"""Edits of the policy: each raises its version, keeps its comments, and passes the same gate as every other change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from potpie_git.domain.errors import InvalidInputError, NotFoundError, RefusedError
from potpie_git.domain.layout import POLICY_FILE
from potpie_git.domain.plan import Plan
from potpie_git.domain.policy import Approver, Policy
from potpie_git.domain.ssh_keys import SshFormatError, parse_public_key
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.times import format_time, utc_now
from potpie_git.store.codec import Decoded, decode, encode
from potpie_git.store.errors import storage_errors
from potpie_git.write.base import Base
from potpie_git.write.filing import file_plan
from potpie_git.write.writer import Writer


class PolicyEditor:
    """Changes one pot's policy, as plans that are committed like any other."""

    def __init__(self, writer: Writer, clock: Callable[[], datetime] = utc_now) -> None:
        self._writer = writer
        self._clock = clock

    def current(self) -> Policy:
        """The policy of the working tree. Raises `NotFoundError` and `InvalidFileError`."""
        policy = self._decoded(Base(self._writer.repository)).record
        assert isinstance(policy, Policy)
        return policy

    def add_approver(self, name: str, **fields: Any) -> Plan:
        """A plan that lists somebody, or gives a listed approver more addresses, keys and accounts.

        `fields` are `emails`, `keys` and `accounts` (lists) and `valid_until`. Raises `InvalidInputError`.
        """
        given = {field: held for field, held in fields.items() if held}
        policy = self.current()
        old = _find(policy, name)
        if old is None:
            if not given.get("emails"):
                raise InvalidInputError(
                    f"{name} needs an address", hint="Give the one of their sign-offs: --email ADDRESS."
                )
            made = _approver({"name": name, **given})
            approvers = [*policy.approvers, made]
        else:
            lists = ("emails", "keys", "accounts")
            joined = {
                field: list(dict.fromkeys([*(getattr(old, field) or ()), *given[field]]))
                for field in lists
                if field in given
            }
            rest = {field: held for field, held in given.items() if field not in lists}
            made = _approver({**old.to_data(), **joined, **rest})
            approvers = [made if each is old else each for each in policy.approvers]
        return self._changed({"approvers": approvers}, f"Policy: {made.name} may approve")

    def add_key(self, name: str, key: str) -> Plan:
        """A plan that lists an SSH key of an approver: one line of a .pub file."""
        return self.add_approver(self._require(name).name, keys=[key])

    def revoke(self, name: str) -> Plan:
        """A plan that says that somebody is no longer an approver, from now on; they stay listed."""
        approver = self._require(name)
        if approver.revoked is not None:
            raise RefusedError(
                f"{approver.name} was revoked at {approver.revoked}", hint="There is nothing to do."
            )
        gone = approver.model_copy(update={"revoked": format_time(self._clock())})
        approvers = [gone if each == approver else each for each in self.current().approvers]
        return self._changed({"approvers": approvers}, f"Policy: {approver.name} may no longer approve")

    def set(self, **fields: Any) -> Plan:
        """A plan that gives the policy other values for some of its fields."""
        if not fields:
            raise InvalidInputError(
                "nothing to set", hint="See `git potpie policy set --help`.", code="usage"
            )
        return self._changed(fields, f"Policy: set {', '.join(fields).replace('_', ' ')}")

    def _changed(self, fields: Mapping[str, Any], message: str) -> Plan:
        base = Base(self._writer.repository)
        decoded = self._decoded(base)
        before = decoded.record
        data = {**before.to_data(), **_plain(fields)}
        if data == before.to_data():
            raise RefusedError("the policy says that already", hint="`git potpie policy show` shows it.")
        is_new = base.committed.entry(POLICY_FILE) is None
        data["version"] = before.version if is_new else before.version + 1
        try:
            after = Policy.model_validate({name: held for name, held in data.items() if held is not None})
        except ValidationError as error:
            raise InvalidInputError(_first(error), hint="See schema/policy.schema.json.") from error
        return file_plan(base, {POLICY_FILE: encode(after, decoded.document)}, message, self._clock())

    @staticmethod
    def _decoded(base: Base) -> Decoded[Any]:
        if base.working.entry(POLICY_FILE) is None:
            raise NotFoundError("there is no policy here", hint="`git potpie init` writes one.")
        return decode(POLICY_FILE, base.working.read(POLICY_FILE))

    def _require(self, name: str) -> Approver:
        policy = self.current()
        found = _find(policy, name)
        if found is None:
            names = [each.name for each in policy.approvers]
            raise NotFoundError(
                f"{name} is not listed as an approver.{did_you_mean(name, names)}",
                hint=f"Listed are: {', '.join(names) or 'nobody'}.",
            )
        return found


def key_line(given: str, directory: Path) -> str:
    """The key in a .pub file, or in the text itself, without its comment.

    Raises `InvalidInputError` for what is no public key.
    """
    place = directory / given
    text = given
    if not given.startswith(("ssh-", "ecdsa-", "sk-")):
        with storage_errors(place):
            text = place.read_text(encoding="utf-8", errors="replace")
    try:
        parse_public_key(text.strip())
    except SshFormatError as error:
        raise InvalidInputError(f"{given}: {error}", hint="Give a .pub file, or its one line.") from error
    return text.strip()


def _find(policy: Policy, name: str) -> Approver | None:
    """The approver of this name, principal or address."""
    wanted = name.casefold()
    return next(
        (
            each
            for each in policy.approvers
            if wanted in {each.name.casefold(), each.principal, *(email.casefold() for email in each.emails)}
        ),
        None,
    )


def _approver(data: Mapping[str, Any]) -> Approver:
    try:
        return Approver.model_validate(data)
    except ValidationError as error:
        raise InvalidInputError(_first(error), hint="Times carry an offset: 2026-12-31T00:00:00Z.") from error


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Models among the values, as data."""

    def plain(held: Any) -> Any:
        if isinstance(held, Approver):
            return held.to_data()
        return (
            [plain(item) for item in held]
            if isinstance(held, Sequence) and not isinstance(held, str)
            else held
        )

    return {name: plain(held) for name, held in fields.items()}


def _first(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in fault["loc"])
    return f"{where}: {fault['msg'].removeprefix('Value error, ')}"
