"""Family C: text that must not be published, or that pretends to be something else."""

from __future__ import annotations

from potpie_git.checks.rules.cases import Message
from potpie_git.checks.rules.model import Example, Rule
from potpie_git.checks.rules.samples import adds, claim, file

# Put together from parts, so that no scanner takes this file for a leak.
_TOKEN = "ghp_" + "Ab3dEf6hIj9lMn2pQr5t" * 2

RULES = (
    Rule(
        "PG-C01",
        "secret",
        "Something in the text looks like a credential. History keeps it for ever, so revoke it where it was "
        "issued, and write what it is for instead. Commit ids and the pot's own digests are not taken for "
        "secrets.",
        bad=Example(
            "description: The job pushes with ghp_****",
            lambda: adds(file(claim(description=f"The job pushes with {_TOKEN[:40]}"))),
        ),
        good=Example(
            "description: The job pushes with the token of the release environment",
            lambda: adds(file(claim(description="The job pushes with the token of the release environment"))),
        ),
    ),
    Rule(
        "PG-C02",
        "hidden character in a commit's message",
        "A message is read in terminals and on pages. Controls, bidirectional overrides and zero-width "
        "characters change what is seen there.",
        bad=Example("Retract the retry\\u202e", lambda: Message("Retract the retry\u202e\n")),
        good=Example("Retract the retry", lambda: Message("Retract the retry\n")),
    ),
    Rule(
        "PG-C03",
        "trailer that says something else than the change",
        "Potpie-Plan, Potpie-Mutation and Potpie-Risk are written by `git potpie graph commit`, and tell a "
        "reviewer what a change is. A message never names a lower risk than its content has, or a plan or "
        "mutation that is no id.",
        bad=Example(
            "Retract the retry\n\nPotpie-Risk: harmless",
            lambda: Message("Retract the retry\n\nPotpie-Risk: harmless\n"),
        ),
        good=Example(
            "Retract the retry\n\nPotpie-Risk: medium",
            lambda: Message("Retract the retry\n\nPotpie-Risk: medium\n"),
        ),
    ),
)
