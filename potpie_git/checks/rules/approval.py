"""Family A: approvals, each bound to the exact content that it covers."""

from __future__ import annotations

from potpie_git.checks.rules.model import Example, Rule, Trees
from potpie_git.checks.rules.samples import adds, approval, claim, file, path, pot, removes, retracted


def _lands(change: Trees) -> Trees:
    return Trees(change.before, change.after, as_range=True)


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
        bad=Example("Signed-off-by: Eve <eve@example.com>   # whom policy.yaml does not list"),
        good=Example("Signed-off-by: Ada <ada@example.com>   # whom policy.yaml at BASE lists"),
    ),
    Rule(
        "PG-A03",
        "signature does not verify",
        "The signature has to be over this record, by a key that the policy lists for that person, in the "
        "namespace of approvals. A signature made for something else counts for nothing. Approve again.",
        bad=Example("namespace: git   # made for a commit, pasted into an approval"),
        good=Example("# signed by `git potpie approve`"),
    ),
    Rule(
        "PG-A04",
        "approver authored part of this",
        "Who wrote a change, in whole or in part, does not approve it. Let another listed person approve; a "
        "pot with one approver is the exception, and says so.",
        bad=Example("Co-authored-by: Ada <ada@example.com>   # and Ada approved"),
        good=Example("Signed-off-by: Ben <ben@example.com>   # who wrote none of it"),
    ),
    Rule(
        "PG-A05",
        "content changed since the approval, or only part of it is landing",
        "An approval covers exact bytes. What was edited after it, or lands without the rest, was not "
        "approved. Show the result to an approver again.",
        bad=Example("changes: [[PATH, before, after], …]   # and PATH has other bytes now"),
        good=Example("changes: [[PATH, before, after], …]   # every entry is in the change"),
    ),
    Rule(
        "PG-A06",
        "approval already used",
        "One approval serves one change: a copy under another name, or a record that landed before, adds "
        "nothing.",
        bad=Example("approvals/<digest>.ada.yaml, copied to approvals/<digest>.ben.yaml"),
        good=Example("approvals/<digest>.ada.yaml\napprovals/<digest>.ben.yaml   # each made by its person"),
    ),
    Rule(
        "PG-A07",
        "approval for another ref or store",
        "An approval names the branch and the pot that it is for. Approve again for the branch that the "
        "change lands on.",
        bad=Example("ref: refs/heads/release   # and the change lands on main"),
        good=Example("ref: refs/heads/main"),
    ),
    Rule(
        "PG-A08",
        "approval expired, withdrawn or revoked",
        "An approval holds until it expires or is withdrawn, and while its approver is one. Approve again.",
        bad=Example('expires: "2026-06-01T00:00:00Z"   # which has passed'),
        good=Example("# approved within its time"),
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
        bad=Example("mode: signature   # in policy, and the record has a sign-off alone"),
        good=Example("mode: signature   # and the record carries one"),
    ),
)
