"""What a review makes of a change: which changes there are, how they are graded, and what each of them says."""

from __future__ import annotations

import pytest

from potpie_git.checks.registry import RULES
from potpie_git.checks.review import FORMATS, ChangeKind, render
from potpie_git.checks.rules.cases import Content, Trees
from potpie_git.checks.rules.samples import (
    REASON,
    WITHDRAWN_AT,
    adds,
    claim,
    decision,
    edited,
    file,
    inbox_item,
    owner,
    path,
    policy,
    pot,
    removes,
    retracted,
    superseded,
    tombstone,
    withdrawn,
)
from potpie_git.domain.approval import Approval
from potpie_git.domain.files import Entity
from potpie_git.domain.layout import approval_path
from potpie_git.store.codec import encode
from tests.checks.conftest import Judge
from tests.checks.review_support import differing, kinds, listed, only, reviewed

_TREES = [
    pytest.param(case, id=f"{rule.code}-{name}")
    for rule in RULES.values()
    for name, example in (("bad", rule.bad), ("good", rule.good))
    if isinstance(case := example.case(), Trees) and case.before is not None
]
SERVICE = "service:refunds-api"


def _entity(**fields: object) -> Entity:
    stamp = {"recorded_at": "2026-06-02T08:15:00Z", "actor": {"user": "ada"}}
    return Entity.model_validate({"key": SERVICE, "type": "Service", "provenance": stamp, **fields})


def _merged() -> dict[str, Content]:
    record = {
        "into": "service:refunds",
        "reason": "One service.",
        "provenance": {"recorded_at": WITHDRAWN_AT},
    }
    alias = claim(
        subject=SERVICE, predicate="ALIAS_OF", object="service:refunds", fact="One service.", evidence=None
    )
    return {**file(_entity(merged=record)), **file(alias)}


@pytest.mark.parametrize("trees", _TREES)
def test_every_changed_file_is_in_a_change_and_every_format_shows_it(trees: Trees, judge: Judge) -> None:
    made = reviewed(judge, trees)
    assert listed(made) == differing(trees)
    for form in FORMATS:
        assert render(made, form).endswith("\n")


def test_a_new_claim_becomes_true(judge: Judge) -> None:
    made = reviewed(judge, adds(file(claim())))
    change = only(made)
    assert (change.kind, change.group, change.risk) == (ChangeKind.BECOMES, "debugging", "low")
    assert change.approval_state == "none"
    [shown] = change.claims
    assert shown.text == "Retry the refund with the remaining captured amount."
    assert shown.by.user == "rae"
    assert [item.ref for item in shown.evidence] == ["github:pr:acme/payments:812"]
    assert made.verdict.status == "clean"


def test_a_retraction_says_why_and_who_and_takes_its_tombstone_along(judge: Judge) -> None:
    made = reviewed(judge, adds(retracted(claim()), to=pot(claim())))
    change = only(made)
    assert change.kind is ChangeKind.STOPS
    assert change.paths == [path(claim()), path(tombstone(claim()))]
    assert change.withdrawal is not None
    assert (change.withdrawal.op, change.withdrawal.reason) == ("retract_claim", REASON)
    assert change.withdrawal.by.at == WITHDRAWN_AT
    assert (change.risk, change.approvals_needed, change.approval_state) == ("medium", 1, "missing")


def test_what_was_ended_and_what_was_wrong_read_differently(judge: Judge) -> None:
    ended = reviewed(judge, adds(file(withdrawn(claim(), "end_relation_validity")), to=pot(claim())))
    wrong = reviewed(judge, adds(retracted(claim()), to=pot(claim())))
    assert "it was true until then" in render(ended, "text")
    assert "it was wrong" in render(wrong, "text")


def test_all_claims_of_a_statement_that_stop_together_are_one_change(judge: Judge) -> None:
    one = claim()
    two = claim(evidence=[{"source_ref": "linear:ENG-241"}])
    made = reviewed(judge, adds(retracted(one), retracted(two), to=pot(one, two)))
    assert {held.id for held in only(made).claims} == {one.id, two.id}


def test_a_supersession_shows_old_and_new_side_by_side(judge: Judge) -> None:
    old, new = claim(), claim(fact="Split the refund.")
    change = only(reviewed(judge, adds(superseded(old, new), to=pot(old))))
    assert (change.kind, change.risk, change.approvals_needed) == (ChangeKind.SUPERSEDED, "high", 2)
    assert [held.text for held in change.claims] == [old.fact]
    assert change.replacement is not None
    assert change.replacement.text == "Split the refund."
    assert len(change.paths) == 4


def test_a_supersession_by_a_claim_that_stood_before_names_it(judge: Judge) -> None:
    old, new = claim(), claim(fact="Split the refund.")
    change = only(reviewed(judge, adds(superseded(old, new), to=pot(old, new))))
    assert change.replacement is not None
    assert change.replacement.id == new.id


def test_one_claim_can_replace_several(judge: Judge) -> None:
    old, other = claim(), claim(object="bug_pattern:refunds-api:double-capture")
    new = claim(fact="Split the refund.")
    made = reviewed(judge, adds(superseded(old, new), superseded(other, new), to=pot(old, other)))
    assert kinds(made) == [ChangeKind.SUPERSEDED] * 2
    assert {change.replacement.id for change in made.changes if change.replacement} == {new.id}


def test_a_supersession_without_its_replacement_is_still_shown(judge: Judge) -> None:
    old, new = claim(), claim(fact="Split the refund.")
    change = only(reviewed(judge, adds(file(withdrawn(old, "supersede_claim", new)), to=pot(old))))
    assert change.kind is ChangeKind.SUPERSEDED
    assert change.replacement is None


def test_an_edited_claim_shows_each_field_before_and_after(judge: Judge) -> None:
    made = reviewed(judge, adds(edited(claim(), "remaining", "whole"), to=pot(claim())))
    change = only(made)
    assert change.kind is ChangeKind.EDITED
    assert [(one.name, one.before, one.after) for one in change.fields] == [
        (
            "fact",
            "Retry the refund with the remaining captured amount.",
            "Retry the refund with the whole captured amount.",
        )
    ]
    assert "PG-H02" in [finding.code for finding in change.findings]
    assert made.verdict.status == "refused"
    assert made.verdict.next_command == "git potpie explain PG-H02"


def test_a_removed_claim_shows_what_it_said(judge: Judge) -> None:
    change = only(reviewed(judge, removes(pot(claim()), path(claim()))))
    assert change.kind is ChangeKind.REMOVED
    assert "Retry the refund" in next(one.before or "" for one in change.fields if one.name == "fact")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (("120000", b"/etc/passwd"), "a symbolic link"),
        (("100644", b"id: [broken"), ".yaml:1:"),
        (("100644", b"\xff\xfe"), ".yaml:1:"),
    ],
)
def test_what_cannot_be_read_is_shown_as_that(content: Content, said: str, judge: Judge) -> None:
    change = only(reviewed(judge, adds({path(claim()): content}, to=pot(claim()))))
    assert change.kind is ChangeKind.UNREADABLE
    assert change.risk == "high"
    assert change.fault is not None
    assert said in change.fault


def test_a_change_of_comments_alone_says_so(judge: Judge) -> None:
    change = only(reviewed(judge, adds(edited(claim(), "id: ", "# seen\nid: "), to=pot(claim()))))
    assert change.fault == "only comments or layout differ"


def test_a_claim_whose_name_holds_no_text_is_shown_by_its_bytes(judge: Judge) -> None:
    strange = ".potpie/inbox/\udcff.yaml"
    assert only(reviewed(judge, adds({strange: b"x"}))).paths == [".potpie/inbox/\\xff.yaml"]


def test_a_patched_entity_shows_its_fields(judge: Judge) -> None:
    before, after = (
        _entity(summary="Refunds."),
        _entity(summary="Refunds, all of them.", properties={"tier": "1"}),
    )
    change = only(reviewed(judge, adds(file(after), to=pot(before))))
    assert (change.kind, change.risk) == (ChangeKind.ENTITY_PATCHED, "medium")
    assert [(one.name, one.before, one.after) for one in change.fields] == [
        ("summary", "Refunds.", "Refunds, all of them."),
        ("properties.tier", None, "1"),
    ]


def test_a_described_entity_is_of_low_risk(judge: Judge) -> None:
    change = only(reviewed(judge, adds(file(_entity(name="Refunds API")))))
    assert (change.kind, change.risk, change.name) == (ChangeKind.ENTITY_CREATED, "low", SERVICE)
    assert [(one.name, one.after) for one in change.fields] == [("name", "Refunds API")]


def test_a_transition_says_from_where_to_where_and_why(judge: Judge) -> None:
    step = {
        "from_state": "accepted",
        "to_state": "deprecated",
        "reason": "The gateway changed.",
        "provenance": {"recorded_at": WITHDRAWN_AT, "actor": {"user": "ben"}},
    }
    after = decision(state="deprecated", transitions=[step])
    change = only(reviewed(judge, adds(file(after), to=pot(decision()))))
    assert change.kind is ChangeKind.ENTITY_TRANSITIONED
    [state] = change.states
    assert (state.from_state, state.to_state, state.reason) == (
        "accepted",
        "deprecated",
        "The gateway changed.",
    )
    assert state.by.user == "ben"
    assert change.fields == []


def test_a_state_that_moved_without_a_transition_is_not_hidden(judge: Judge) -> None:
    change = only(reviewed(judge, adds(file(decision(state="deprecated")), to=pot(decision()))))
    assert [(one.name, one.before, one.after) for one in change.fields] == [
        ("state", "accepted", "deprecated")
    ]


def test_a_merge_says_into_what_and_takes_its_alias_along(judge: Judge) -> None:
    change = only(reviewed(judge, adds(_merged(), to=pot(_entity()))))
    assert (change.kind, change.risk) == (ChangeKind.ENTITY_MERGED, "high")
    assert [state.into for state in change.states] == ["service:refunds"]
    assert len(change.paths) == 2


def test_a_policy_that_asks_for_less_is_called_weaker(judge: Judge) -> None:
    after = policy(version=2, thresholds={"medium": 1, "high": 1}, protected=["refs/heads/main"])
    change = only(reviewed(judge, adds(file(after))))
    assert (change.kind, change.group, change.risk) == (ChangeKind.POLICY, "policy", "high")
    assert ("thresholds.high", "2", "1") in [(one.name, one.before, one.after) for one in change.fields]
    assert [(note.message, note.quote) for note in change.notes] == [
        ("a change of high risk will need 1 instead of 2 approvals", None),
        ("a pattern of protected branches is dropped", "refs/heads/master"),
    ]


def test_a_new_approver_is_named(judge: Judge) -> None:
    approvers = [*policy().approvers, {"name": "Eve", "emails": ["eve@example.com"]}]
    change = only(reviewed(judge, adds(file(policy(version=2, approvers=approvers)))))
    assert ("somebody more may approve", "Eve") in [(note.message, note.quote) for note in change.notes]
    assert ("approvers.Eve.emails", None, "eve@example.com") in [
        (one.name, one.before, one.after) for one in change.fields
    ]


def test_a_policy_that_asks_for_more_is_not(judge: Judge) -> None:
    change = only(reviewed(judge, adds(file(policy(version=2, thresholds={"low": 1})))))
    assert change.notes == []


def test_an_inbox_item_shows_the_steps_that_are_new(judge: Judge) -> None:
    close = {"action": "close", "at": WITHDRAWN_AT, "by": "ben", "note": "Asked and answered."}
    before, after = inbox_item(body="It may be unused."), inbox_item(close, body="It may be unused.")
    change = only(reviewed(judge, adds(file(after), to=pot(before))))
    assert change.kind is ChangeKind.INBOX
    assert [(step.action, step.note) for step in change.inbox] == [("close", "Asked and answered.")]
    added = only(reviewed(judge, adds(file(before))))
    assert [step.action for step in added.inbox] == ["add"]
    assert "It may be unused." in [one.after for one in added.fields]


def _approval(**fields: object) -> Approval:
    statement = {
        "store": "acme-payments",
        "ref": "refs/heads/main",
        "range": "main..topic",
        "risk": "medium",
        "principal": "ada",
        "signed_off_by": "Ada <ada@example.com>",
        "nonce": "0" * 32,
        "issued": "2026-07-01T00:00:00Z",
        "expires": "2026-07-15T00:00:00Z",
        "changes": [["policy.yaml", "a" * 64, "b" * 64]],
    }
    return Approval.model_validate({"statement": statement, **fields})


def _approval_file(approval: Approval) -> dict[str, Content]:
    return {f".potpie/{approval_path(approval)}": encode(approval)}


def test_an_approval_says_by_whom_for_what_and_until_when(judge: Judge) -> None:
    change = only(reviewed(judge, adds(_approval_file(_approval()))))
    assert (change.kind, change.group, change.name, change.risk) == (
        ChangeKind.APPROVAL,
        "approvals",
        "ada",
        "low",
    )
    assert change.approval is not None
    assert (change.approval.ref, change.approval.risk) == ("refs/heads/main", "medium")
    assert change.approval.covers == [".potpie/policy.yaml"]
    assert not change.approval.signed


def test_an_approval_that_is_taken_back_says_why(judge: Judge) -> None:
    gone = {"at": "2026-07-02T00:00:00Z", "by": "ada", "reason": "It was the wrong branch."}
    before, after = _approval(), _approval(withdrawn=gone)
    change = only(reviewed(judge, adds(_approval_file(after), to={**pot(), **_approval_file(before)})))
    assert change.kind is ChangeKind.APPROVAL
    assert change.approval is not None
    assert change.approval.withdrawn == "It was the wrong branch."


def test_a_stray_file_is_shown(judge: Judge) -> None:
    change = only(reviewed(judge, adds({".potpie/notes.txt": b"remember the milk\n"})))
    assert change.group == "other_files"
    assert [one.after for one in change.fields] == ["remember the milk\n"]


def test_groups_and_changes_go_from_high_to_low_risk(judge: Judge) -> None:
    old = claim()
    made = reviewed(
        judge,
        adds(
            file(owner("billing")),
            superseded(old, claim(fact="Split the refund.")),
            file(claim(subject="fix:aaaa1c77b2e0", fact="Something else altogether.")),
            file(
                claim(
                    subject="preference:x",
                    predicate="POLICY_APPLIES_TO",
                    object=SERVICE,
                    truth="user_decision",
                )
            ),
            to=pot(old),
        ),
    )
    assert [(group.name, group.risk) for group in made.groups] == [
        ("debugging", "high"),
        ("decisions", "medium"),
        ("code_topology", "low"),
    ]
    assert [change.risk for change in made.groups[0].changes] == ["high", "low"]
    assert made.risk == "high"
    assert made.counts == {ChangeKind.SUPERSEDED: 1, ChangeKind.BECOMES: 3}


def test_what_is_missing_comes_with_who_can_give_it_and_the_command(judge: Judge) -> None:
    made = reviewed(judge, adds(retracted(claim()), to=pot(claim())))
    assert made.verdict.status == "approval"
    assert made.verdict.approvals_needed == 1
    assert {finding.code for finding in made.verdict.missing} == {"PG-A01"}
    assert made.verdict.next_command == f"git potpie approve {made.revisions}"
    assert "have 0 of 1" in render(made, "text")


def test_where_nothing_is_protected_approvals_are_only_announced(judge: Judge) -> None:
    made = reviewed(judge, adds(retracted(claim()), to=pot(claim())), ref="refs/heads/topic")
    assert made.verdict.status == "clean"
    assert only(made).approval_state == "needed"


def test_the_authors_of_a_range_are_named_once(judge: Judge) -> None:
    made = reviewed(judge, adds(file(claim())))
    assert (made.commits, made.authors) == (1, ["Rae Rivers"])


def test_a_claim_born_withdrawn_is_shown_as_withdrawn(judge: Judge) -> None:
    change = only(reviewed(judge, adds(retracted(claim()))))
    assert change.kind is ChangeKind.STOPS


def test_a_copy_of_a_claim_under_another_name_is_not_lost(judge: Judge) -> None:
    [(where, raw)] = file(claim()).items()
    copy = where.replace("fix-9f3a", "fix-0000")
    made = reviewed(judge, adds({where: raw, copy: raw}))
    assert sorted(listed(made)) == sorted([where, copy])


def test_an_empty_change_says_that_nothing_changes(judge: Judge) -> None:
    made = reviewed(judge, Trees(pot(), pot()))
    assert made.changes == []
    assert "Nothing in the pot changes." in render(made, "markdown")
