"""Family A: approvals, each bound to the exact content that it covers."""

from __future__ import annotations

from dataclasses import replace

from potpie_git.checks.rules.cases import SCENE_REF, Approve, Edit, Files, Scene, Step, Trees
from potpie_git.checks.rules.model import Example, Rule, played
from potpie_git.checks.rules.samples import (
    REASON,
    adds,
    approval,
    claim,
    file,
    path,
    pot,
    removes,
    retracted,
    superseded,
)


def _lands(change: Trees) -> Trees:
    return Trees(change.before, change.after, as_range=True)


def _held() -> Files:
    return pot(claim())


def _withdrawal(reason: str = REASON) -> Files:
    return retracted(claim(), reason)


def _supersession() -> Files:
    return superseded(claim(), claim(fact="Split the refund."))


_NONCE = {"nonce": "0123456789abcdef0123456789abcdef"}
_WITHDRAWS = Edit("Rae", "withdraws a claim   # medium risk, one approver", _withdrawal)
_REWORDS = Edit("Rae", "writes another reason", lambda: _withdrawal("It never worked."))
_SUPERSEDES = Edit("Rae", "supersedes a claim   # high risk, two approvers", _supersession)


def _scene(*steps: Step) -> Example:
    return played(Scene(_held, steps))


RULES = (
    Rule(
        "PG-A01",
        "needs approval",
        "A change that takes something away lands on a protected branch only with approvals by people whom "
        "the policy at the base lists: one for medium risk, two for high, unless policy says otherwise. Let "
        "them run `git potpie approve`.",
        bad=Example(
            "invalidation:\n  op: retract_claim   # medium risk, nobody approved it",
            lambda: _lands(adds(retracted(claim()), to=pot(claim()))),
        ),
        good=Example(
            "truth: agent_claim   # a new claim is of low risk", lambda: _lands(adds(file(claim())))
        ),
    ),
    Rule(
        "PG-A02",
        "not an approver at the base",
        "Only who is listed in policy.yaml at BASE may approve; a change cannot make its own approvers. Let a "
        "listed person approve, or land the change of the policy first.",
        bad=_scene(_WITHDRAWS, Approve("Eve")),
        good=_scene(_WITHDRAWS, Approve("Ada")),
    ),
    Rule(
        "PG-A03",
        "signature does not verify",
        "The signature has to be over this record, by a key that the policy lists for that person, in the "
        "namespace of approvals. A signature made for something else counts for nothing. Approve again.",
        bad=_scene(_WITHDRAWS, Approve("Ada", namespace="git")),
        good=_scene(_WITHDRAWS, Approve("Ada")),
    ),
    Rule(
        "PG-A04",
        "approver authored part of this",
        "Who wrote a change, in whole or in part, does not approve it. Let another listed person approve; a "
        "pot with one approver is the exception, and says so.",
        bad=_scene(replace(_WITHDRAWS, co_author="Ada"), Approve("Ada")),
        good=_scene(replace(_WITHDRAWS, co_author="Ada"), Approve("Ben")),
    ),
    Rule(
        "PG-A05",
        "content changed since the approval, or only part of it is landing",
        "An approval covers exact bytes. What was edited after it, or lands without the rest, was not "
        "approved. Show the result to an approver again.",
        bad=_scene(_WITHDRAWS, Approve("Ada"), _REWORDS),
        good=_scene(_WITHDRAWS, _REWORDS, Approve("Ada")),
    ),
    Rule(
        "PG-A06",
        "approval already used",
        "One approval serves one change, and its nonce is its mark: a copy under another name, a second record "
        "with the same nonce, or a record that landed before adds nothing. Approve again.",
        bad=_scene(_SUPERSEDES, Approve("Ada", _NONCE), Approve("Ben", _NONCE)),
        good=_scene(_SUPERSEDES, Approve("Ada"), Approve("Ben")),
    ),
    Rule(
        "PG-A07",
        "approval for another ref or store",
        "An approval names the branch and the pot that it is for. Approve again for the branch that the "
        "change lands on.",
        bad=_scene(_WITHDRAWS, Approve("Ada", {"ref": "refs/heads/release"})),
        good=_scene(_WITHDRAWS, Approve("Ada", {"ref": SCENE_REF})),
    ),
    Rule(
        "PG-A08",
        "approval expired, withdrawn or revoked",
        "An approval holds until it expires or is withdrawn, and while its approver is one. Approve again.",
        bad=_scene(
            _WITHDRAWS, Approve("Ada", {"issued": "2026-06-01T08:00:00Z", "expires": "2026-06-15T08:00:00Z"})
        ),
        good=_scene(_WITHDRAWS, Approve("Ada")),
    ),
    Rule(
        "PG-A09",
        "approval record changed or removed",
        "Approval records are appended and never edited: they are what an audit reads. Restore the file.",
        bad=Example(
            "deleted: approvals/<digest>.ada.yaml", lambda: removes(pot(approval()), path(approval()))
        ),
        good=Example("new file: approvals/<digest>.ada.yaml", lambda: adds(file(approval()))),
    ),
    Rule(
        "PG-A10",
        "approval attributed only",
        "A sign-off says that somebody with commit access wrote that name. Where policy asks for signatures, "
        "that is not enough: approve again with `git potpie approve`, which signs.",
        bad=_scene(_WITHDRAWS, Approve("Ada", signed=False)),
        good=_scene(_WITHDRAWS, Approve("Ada")),
    ),
)
