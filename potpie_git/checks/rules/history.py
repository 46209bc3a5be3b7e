"""Family H: what a change does to what was there."""

from __future__ import annotations

from potpie_git.checks.rules.cases import Trees
from potpie_git.checks.rules.model import Example, Rule
from potpie_git.checks.rules.samples import (
    adds,
    claim,
    decision,
    edited,
    file,
    inbox_item,
    path,
    pot,
    removes,
    retracted,
    withdrawn,
)
from potpie_git.domain.layout import POT_DIRECTORY

_TRANSITION = {
    "from_state": "accepted",
    "to_state": "deprecated",
    "reason": "The gateway changed.",
    "provenance": {"recorded_at": "2026-07-01T00:00:00Z"},
}


def _withdraws() -> Trees:
    return adds(retracted(claim()), to=pot(claim()))


def _edits(old: str, new: str) -> Trees:
    return adds(edited(claim(), old, new), to=pot(claim()))


def _edits_withdrawn(old: str, new: str) -> Trees:
    before = {**pot(), **retracted(claim())}
    return adds(edited(withdrawn(claim()), old, new), to=before)


def _deprecates() -> Trees:
    after = decision(state="deprecated", transitions=[_TRANSITION])
    return adds(file(after), to=pot(decision()))


def _as_link() -> Trees:
    return Trees(pot(), {POT_DIRECTORY: ("120000", b"/etc")})


def _closes(**fields: str) -> Trees:
    step = {"action": "close", "at": "2026-07-01T00:00:00Z"}
    return adds(file(inbox_item(step, **fields)), to=pot(inbox_item()))


_WITHDRAWN = Example(
    'valid_to: "2026-07-01T00:00:00Z"\ninvalidation:\n  op: retract_claim\n  reason: …', _withdraws
)

RULES = (
    Rule(
        "PG-H01",
        "governed file deleted, renamed or moved",
        "Nothing is ever deleted: a claim that no longer holds is withdrawn, with a reason, in a commit that "
        "says who. Restore the file (`git checkout HEAD -- PATH`) and withdraw it with `git potpie graph "
        "propose`.",
        bad=Example("deleted file mode 100644", lambda: removes(pot(claim()), path(claim()))),
        good=_WITHDRAWN,
    ),
    Rule(
        "PG-H02",
        "asserted part edited",
        "What a claim asserts is immutable: others have read it, approved it and built on it. To say "
        "something else, withdraw it and assert another claim; supersede_claim does both.",
        bad=Example(
            "-truth: agent_claim\n+truth: user_decision",
            lambda: _edits("truth: agent_claim", "truth: user_decision"),
        ),
        good=_WITHDRAWN,
    ),
    Rule(
        "PG-H03",
        "recording stamp edited",
        "Who recorded a claim, when and by which mutation is history, and does not change.",
        bad=Example(
            '-  recorded_at: "2026-06-02T08:15:00Z"\n+  recorded_at: "2026-01-01T00:00:00Z"',
            lambda: _edits("2026-06-02T08:15:00Z", "2026-01-01T00:00:00Z"),
        ),
        good=_WITHDRAWN,
    ),
    Rule(
        "PG-H04",
        "withdrawal edited or removed",
        "A withdrawal is stamped once. What was withdrawn comes back only as a new claim that reinstates it, "
        "and says why.",
        bad=Example(
            "-  reason: The gateway now rejects retries; the refund is split instead.\n+  reason: Changed our mind.",
            lambda: _edits_withdrawn(
                "The gateway now rejects retries; the refund is split instead.", "Changed our mind."
            ),
        ),
        good=_WITHDRAWN,
    ),
    Rule(
        "PG-H05",
        ".potpie replaced, or something beside it that passes for it",
        "The pot is a plain directory. A link, a file, a submodule, or a second directory whose name only "
        "looks like .potpie would make different machines and people read different memories.",
        bad=Example(".potpie -> /etc", _as_link),
        good=Example(".potpie/   # a directory", _withdraws),
    ),
    Rule(
        "PG-H06",
        "an entity's identity or past edited",
        "An entity may be patched, moved along its lifecycle and merged, and each step is appended. Its key, "
        "its type and the steps before stay.",
        bad=Example(
            "-state: accepted\n+state: deprecated   # no transition says so",
            lambda: adds(file(decision(state="deprecated")), to=pot(decision())),
        ),
        good=Example(
            "state: deprecated\ntransitions:\n  - from_state: accepted\n    to_state: deprecated\n    …",
            _deprecates,
        ),
    ),
    Rule(
        "PG-H07",
        "fixed file edited",
        "A tombstone and a pot's id never change, and an inbox item only ever gains events.",
        bad=Example(
            "-title: Is the retry still used?\n+title: Never mind", lambda: _closes(title="Never mind")
        ),
        good=Example('events:\n  - …\n  - action: close\n    at: "2026-07-01T00:00:00Z"', _closes),
    ),
)
