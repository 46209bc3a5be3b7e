"""Family S: what one record says, judged by the vocabulary alone."""

from __future__ import annotations

from pydantic import BaseModel

from potpie_git.checks.rules import samples
from potpie_git.checks.rules.cases import Trees
from potpie_git.checks.rules.model import Example, Rule
from potpie_git.checks.rules.samples import (
    adds,
    claim,
    decision,
    edited,
    file,
    inbox_item,
    pot,
    tombstone,
    withdrawn,
)
from potpie_git.domain.claim import Claim
from potpie_git.domain.files import Pot

_ZERO = "c-" + "0" * 32


def _claim(shown: str, **fields: object) -> Example:
    """A claim with these fields, as the program would write it."""
    return Example(shown, lambda: adds(file(claim(**fields))))


def _typed(shown: str, old: str, new: str) -> Example:
    """The sample claim, with a piece of its text replaced by hand before it was ever committed."""
    return Example(shown, lambda: adds(edited(claim(), old, new)))


def _entity(shown: str, **fields: object) -> Example:
    return Example(shown, lambda: adds(file(decision(**fields))))


def _stamped(held: Claim, **fields: object) -> Trees:
    """A committed claim that gets a withdrawal stamp with these fields, with everything that belongs to it."""
    stamped = Claim.model_validate(withdrawn(held).to_data() | fields)
    return adds(file(stamped), file(tombstone(held)), to=pot(held))


def _half_stamped() -> Trees:
    data = withdrawn(claim()).to_data()
    del data["invalidation"]
    return adds(file(Claim.model_validate(data)), to=pot(claim()))


def _retraction() -> Trees:
    return _stamped(claim())


def _tombstone(**fields: object) -> Trees:
    held = withdrawn(claim())
    made: BaseModel = tombstone(claim()).model_copy(update=fields)
    return adds(file(made), to=pot(held))


def _pot_version(version: str) -> Trees:
    made = Pot(
        pot_id="acme-payments", name="payments", created_at="2026-06-01T00:00:00Z", contract_version=version
    )
    return adds(file(made))


def _reinstating(**fields: object) -> Trees:
    held = claim()
    back = claim(valid_from="2026-08-01T00:00:00Z", **fields)
    return adds(file(back), to={**pot(), **samples.retracted(held)})


RULES = (
    Rule(
        "PG-S01",
        "field that the schema does not have, lacks or cannot take",
        "The fields of each kind of file are fixed, so that a slip of the pen is not silently ignored. "
        "schema/ holds them in a form that an editor's YAML support understands.",
        bad=_typed("facts: Retry the refund with the remaining captured amount.", "fact: ", "facts: "),
        good=_claim("fact: Retry the refund with the remaining captured amount."),
    ),
    Rule(
        "PG-S02",
        "predicate that is not in the vocabulary",
        "A read looks for known predicates, so a claim with another one would never be found. `git potpie "
        "graph describe` lists them; RELATED_TO is the weakest that fits anything.",
        bad=_claim("predicate: FIXED", predicate="FIXED"),
        good=_claim("predicate: RESOLVED"),
    ),
    Rule(
        "PG-S03",
        "entity key that cannot be used",
        "A key is `prefix:name`, its prefix gives the entity's type, and it is one line of visible, composed "
        "text: two keys that look the same are the same.",
        bad=_claim("subject: refund fix", subject="refund fix"),
        good=_claim("subject: fix:9f3a1c77b2e0"),
    ),
    Rule(
        "PG-S04",
        "predicate that does not join these types",
        "Each predicate joins certain entity types; a claim across others says something that no read "
        "understands.",
        bad=_claim("subject: service:refunds-api\npredicate: RESOLVED", subject="service:refunds-api"),
        good=_claim("subject: fix:9f3a1c77b2e0\npredicate: RESOLVED"),
    ),
    Rule(
        "PG-S05",
        "truth class that is not in the vocabulary",
        "The truth class says how a claim is known, and decides how it ranks and what evidence it needs.",
        bad=_claim("truth: fact", truth="fact"),
        good=_claim("truth: agent_claim"),
    ),
    Rule(
        "PG-S06",
        "confidence outside 0 to 1",
        "Confidence is a number from 0 (a guess) to 1 (certain).",
        bad=_typed("confidence: 80", "confidence: 0.8", "confidence: 80"),
        good=_claim("confidence: 0.8"),
    ),
    Rule(
        "PG-S07",
        "time that is none, or has no offset",
        "A time without an offset is another instant on every machine. Write 2026-06-01T10:00:00+05:30, or "
        "end it in Z.",
        bad=_typed('valid_from: "2026-06-01T10:00:00"', "+05:30", ""),
        good=_claim('valid_from: "2026-06-01T10:00:00+05:30"'),
    ),
    Rule(
        "PG-S08",
        "truth class without the evidence that it demands",
        "authoritative_fact and source_observation say that something was looked up. They need a source with "
        "a strong authority; what an agent merely noticed is an agent_claim.",
        bad=_claim("truth: source_observation\n# no evidence", truth="source_observation", evidence=None),
        good=_claim(
            "truth: source_observation\nevidence:\n  - source_ref: github:pr:acme/payments:812",
            truth="source_observation",
        ),
    ),
    Rule(
        "PG-S09",
        "evidence that is not a reference",
        "Evidence says where to look: a system and an id, an address, or a place in this repository "
        "(repo:src/refunds.py#L40-L61). It is never the payload.",
        bad=_claim(
            "evidence:\n  - source_ref: the pull request", evidence=[{"source_ref": "the pull request"}]
        ),
        good=_claim("evidence:\n  - source_ref: github:pr:acme/payments:812"),
    ),
    Rule(
        "PG-S10",
        "id that does not match the content",
        "A claim's id is the digest of what it asserts. One that differs was edited after it was made: "
        "restore the file, and assert what you mean as another claim.",
        bad=_typed(
            "id: c-55f4…   # of another fact\nfact: Split the refund.",
            "Retry the refund with the remaining captured amount",
            "Split the refund",
        ),
        good=_claim("fact: Split the refund.", fact="Split the refund."),
    ),
    Rule(
        "PG-S11",
        "object and value at once, or neither",
        "A claim points at an entity (object) or says a text (value). With both, or without either, it is two "
        "claims or none.",
        bad=_claim(
            "object: bug_pattern:refunds-api:partial-capture\nvalue: partial capture", value="partial capture"
        ),
        good=_claim("object: bug_pattern:refunds-api:partial-capture"),
    ),
    Rule(
        "PG-S12",
        "withdrawal stamp that is not whole",
        "A withdrawal says when it stopped being true, by which operation, and why; superseded_by goes with "
        "supersede_claim alone. Let `git potpie graph propose` write it.",
        bad=Example('valid_to: "2026-07-01T00:00:00Z"\n# no invalidation', _half_stamped),
        good=Example(
            'valid_to: "2026-07-01T00:00:00Z"\ninvalidation:\n  op: retract_claim\n  reason: …', _retraction
        ),
    ),
    Rule(
        "PG-S13",
        "lifecycle state that does not fit",
        "An entity's type says which states it can be in and how it gets from one to the next.",
        bad=_entity("type: Decision\nstate: done", state="done"),
        good=_entity("type: Decision\nstate: accepted"),
    ),
    Rule(
        "PG-S14",
        "system predicate or merge between the wrong things",
        "SUPERSEDES joins two claims; ALIAS_OF and a merge join two distinct entities of one type. The "
        "operations that need them write them.",
        bad=_claim(
            "predicate: SUPERSEDES\nobject: bug_pattern:refunds-api:partial-capture", predicate="SUPERSEDES"
        ),
        good=_claim(
            "subject: service:refund-api\npredicate: ALIAS_OF\nobject: service:refunds-api",
            subject="service:refund-api",
            predicate="ALIAS_OF",
            object="service:refunds-api",
        ),
    ),
    Rule(
        "PG-S15",
        "environment that is not a slug",
        "An environment is part of what a claim states, so `prod` and `Production` would be two of them.",
        bad=_claim("environment: Production EU", environment="Production EU"),
        good=_claim("environment: prod-eu", environment="prod-eu"),
    ),
    Rule(
        "PG-S16",
        "end before the beginning",
        "A claim that ends before it begins is never valid.",
        bad=_claim('valid_until: "2026-05-01T00:00:00Z"', valid_until="2026-05-01T00:00:00Z"),
        good=_claim('valid_until: "2026-12-01T00:00:00Z"', valid_until="2026-12-01T00:00:00Z"),
    ),
    Rule(
        "PG-S17",
        "reinstatement that is not whole",
        "A claim that brings a withdrawn value back names the withdrawn claim and says why it stands again.",
        bad=_claim(f"reinstates: {_ZERO}\n# no reinstate_reason", reinstates=_ZERO),
        good=Example(
            "reinstates: c-55f4…\nreinstate_reason: The gateway accepts retries again.",
            lambda: _reinstating(
                reinstates=claim().id, reinstate_reason="The gateway accepts retries again."
            ),
        ),
    ),
    Rule(
        "PG-S18",
        "scope dimension that is not in the vocabulary",
        "code_scope says where a claim holds, in fixed dimensions, so that a read for a service or a path "
        "finds it.",
        bad=_claim("code_scope:\n  team: payments", code_scope={"team": "payments"}),
        good=_claim("code_scope:\n  service: refunds-api", code_scope={"service": "refunds-api"}),
    ),
    Rule(
        "PG-S19",
        "malformed tombstone",
        "A tombstone carries the digest of the withdrawn value, the withdrawn claim and the reason. The "
        "withdrawal writes it.",
        bad=Example("reason: ' '", lambda: _tombstone(reason=" ")),
        good=Example(
            "value_digest: f30d…\nclaim: c-55f4…\nreason: The gateway now rejects retries; …", _retraction
        ),
    ),
    Rule(
        "PG-S20",
        "malformed inbox item",
        "An inbox item begins with an add event, and what marks it applied names the plan or mutation that "
        "did it.",
        bad=Example(
            "- action: mark-applied\n  # neither plan nor mutation",
            lambda: adds(file(inbox_item({"action": "mark-applied", "at": "2026-06-03T08:15:00Z"}))),
        ),
        good=Example(
            "- action: mark-applied\n  mutation: m-01j0000001",
            lambda: adds(
                file(
                    inbox_item(
                        {"action": "mark-applied", "at": "2026-06-03T08:15:00Z", "mutation": "m-01j0000001"}
                    )
                )
            ),
        ),
    ),
    Rule(
        "PG-S21",
        "pot that this program does not know",
        "pot.yaml names the pot and the versions that its files are written to. Judging a newer form by older "
        "rules would be guessing: install the version that wrote it.",
        bad=Example("contract_version: v9.0", lambda: _pot_version("v9.0")),
        good=Example("contract_version: v1.5", lambda: _pot_version("v1.5")),
    ),
)
