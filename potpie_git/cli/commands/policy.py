"""`policy show`, `policy add-approver`, `policy add-key`, `policy revoke` and `policy set`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.render.plans import commit_text
from potpie_git.cli.render.policy import policy_text, policy_warnings
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.plan import Plan
from potpie_git.domain.policy import Policy
from potpie_git.write.policy import key_line

KeyOption = Annotated[
    list[str] | None, typer.Option(help="An SSH key: a .pub file, or its one line. May be repeated.")
]


def show() -> Reply:
    """Show who may approve, in which mode, how many it takes, and on which branches that is asked for."""
    policy = current().pot.policy.current()
    return Reply(result=policy.to_data(), text=shown(policy_text(policy)), warnings=_warnings(policy))


def _warnings(policy: Policy) -> list[dict[str, str]]:
    return [{"code": "policy", "message": text} for text in policy_warnings(policy)]


def add_approver(
    name: Annotated[str, typer.Argument(help="Their name, as in a sign-off.")],
    email: Annotated[
        list[str] | None, typer.Option(help="An address of their sign-offs. May be repeated.")
    ] = None,
    key: KeyOption = None,
    account: Annotated[
        list[str] | None, typer.Option(help="An account on a forge, such as github:rae. May be repeated.")
    ] = None,
    valid_until: Annotated[
        str | None, typer.Option(help="From when on they no longer count.", metavar="TIME")
    ] = None,
) -> Reply:
    """List somebody as an approver, or give a listed one more addresses, keys or accounts."""
    keys = [key_line(each, current().directory) for each in key or ()]
    editor = current().pot.policy
    return _commit(
        editor.add_approver(name, emails=email, keys=keys, accounts=account, valid_until=valid_until)
    )


def add_key(
    name: Annotated[str, typer.Argument(help="Whose key it is: a listed name or address.")],
    key: Annotated[str, typer.Argument(help="A .pub file, or its one line.")],
) -> Reply:
    """List an SSH key of an approver, so that they can sign approvals with it."""
    return _commit(current().pot.policy.add_key(name, key_line(key, current().directory)))


def revoke(name: Annotated[str, typer.Argument(help="A listed name or address.")]) -> Reply:
    """Say that somebody is no longer an approver. What they approved and has not landed stops counting."""
    return _commit(current().pot.policy.revoke(name))


def set_policy(
    mode: Annotated[str | None, typer.Option(help="signoff or signature.")] = None,
    low: Annotated[int | None, typer.Option(help="How many approve a change of low risk.")] = None,
    medium: Annotated[int | None, typer.Option(help="How many approve a change of medium risk.")] = None,
    high: Annotated[int | None, typer.Option(help="How many approve a change of high risk.")] = None,
    self_approval: Annotated[
        str | None, typer.Option(help="Whether the only approver may approve their own: single or never.")
    ] = None,
    protect: Annotated[
        list[str] | None, typer.Option(help="Protect this branch (a full name; a * at the end fits any).")
    ] = None,
    unprotect: Annotated[list[str] | None, typer.Option(help="No longer protect this branch.")] = None,
    bot: Annotated[list[str] | None, typer.Option(help="A name or address that approves nothing.")] = None,
    override: Annotated[
        list[str] | None,
        typer.Option(
            help="Other numbers for some claims: predicate:OWNED_BY:medium=2, or subgraph:decisions:high=1."
        ),
    ] = None,
    forge: Annotated[
        list[str] | None, typer.Option(help="Count approving reviews on this forge, such as github.")
    ] = None,
    forge_key: KeyOption = None,
) -> Reply:
    """Change the policy. A change of it is of high risk itself, and is judged by the policy that it replaces."""
    editor = current().pot.policy
    policy = editor.current()
    fields: dict[str, Any] = {"mode": mode, "self_approval": self_approval}
    counts = {"low": low, "medium": medium, "high": high}
    if any(count is not None for count in counts.values()):
        given = {name: count for name, count in counts.items() if count is not None}
        fields["thresholds"] = {**policy.thresholds.to_data(), **given}
    if protect or unprotect:
        kept = [ref for ref in policy.protected if ref not in (unprotect or ())]
        fields["protected"] = list(dict.fromkeys([*kept, *(protect or ())]))
    if bot:
        fields["bots"] = list(dict.fromkeys([*policy.bots, *bot]))
    if override:
        fields["overrides"] = _overrides(policy, override)
    if forge or forge_key:
        fields["attestation"] = _attestation(policy, forge or [], forge_key or [])
    return _commit(editor.set(**{name: held for name, held in fields.items() if held is not None}))


def _overrides(policy: Policy, given: list[str]) -> list[dict[str, Any]]:
    """The overrides of the policy with those of the options; one for the same claims is joined with what is there."""
    held = [override.to_data() for override in policy.overrides or ()]
    for text in given:
        kind, _, rest = text.partition(":")
        name, _, setting = rest.rpartition(":")
        risk, equals, count = setting.partition("=")
        if kind not in {"predicate", "subgraph"} or not name or not equals or not count.isdecimal():
            raise InvalidInputError(
                f"{text!r} is no override", hint="Write predicate:OWNED_BY:medium=2.", code="usage"
            )
        same = next((each for each in held if each.get(kind) == name), None)
        if same is None:
            same = {kind: name}
            held.append(same)
        same[risk] = int(count)
    return held


def _attestation(policy: Policy, forges: list[str], keys: list[str]) -> dict[str, Any]:
    old = policy.attestation.to_data() if policy.attestation else {"forges": []}
    lines = [key_line(each, current().directory) for each in keys]
    joined = {"forges": [*old["forges"], *forges], "keys": [*(old.get("keys") or ()), *lines]}
    return {name: list(dict.fromkeys(held)) for name, held in joined.items() if held}


def _commit(plan: Plan) -> Reply:
    """Commit a change of the policy, or say which plan waits for approval; and what the policy makes impossible now."""
    pot = current().pot
    done = pot.commit(plan.plan_id)
    return Reply(
        result=done.model_dump(mode="json"),
        text=shown(commit_text(done)),
        warnings=[] if done.pending else _warnings(pot.policy.current()),
        next_action=None
        if not done.pending
        else "open a pull request, and let approvers run `git potpie approve`",
    )
