"""The verifier, rule by rule: what counts, what does not, and who is still missing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from potpie_git.checks.approvals.model import Person, Proof, Record, Target, Verdict
from potpie_git.domain.approval import ABSENT, Withdrawal
from potpie_git.domain.policy import Approver, Policy
from potpie_git.domain.ssh_keys import PublicKey, parse_public_key
from potpie_git.domain.times import format_time
from potpie_git.domain.vocabulary import Risk
from tests.approvals.keys import public_key, signature
from tests.approvals.world import (
    ADA,
    ANN,
    BEN,
    CLEO,
    EVE,
    MAIN,
    NOW,
    STORE,
    added,
    approval,
    approver,
    changed,
    codes,
    email,
    judged,
    policy,
    principal,
    record,
)

RETRACTION = changed()
OTHER = changed("claims/decisions/bb/y.yaml")
SUPERSESSION = changed("claims/decisions/cc/z.yaml", risk=Risk.HIGH)
WITHDRAWN = Withdrawal(at=format_time(NOW), by="Ada", reason="I looked at the wrong service.")
SIGNED = policy(ADA, BEN, CLEO, mode="signature")


def refused(verdict: Verdict, code: str) -> bool:
    """True if every record has exactly this fault, and the change stays unapproved."""
    return codes(verdict) == [[code]] * len(verdict.records) and not verdict.approved


def proofs(verdict: Verdict) -> list[Proof | None]:
    return [each.proof for each in verdict.records]


def test_without_a_record_what_takes_away_is_missing_approval_and_what_adds_is_not() -> None:
    verdict = judged([], [RETRACTION, changed("claims/x.yaml", None, b"a", Risk.LOW)])
    assert [(short.file.path, short.needed, short.missing) for short in verdict.short] == [
        (RETRACTION.path, 1, 1)
    ]
    assert verdict.eligible == (ADA, BEN, CLEO)


def test_a_sign_off_of_a_listed_approver_counts_as_attributed() -> None:
    verdict = judged([record(approval([RETRACTION]), added_by=(added(),))], [RETRACTION])
    assert verdict.approved
    assert [each.label for each in verdict.records] == ["attributed"]
    assert verdict.files[0].approved_by == (principal(ADA),)


def test_a_signature_by_a_listed_key_counts_in_full_in_both_modes() -> None:
    for by in (policy(ADA, BEN), SIGNED):
        assert proofs(judged([record(approval([RETRACTION], sign=True))], [RETRACTION], by)) == [
            Proof.SIGNATURE
        ]


def test_high_risk_needs_two_people() -> None:
    one = record(approval([SUPERSESSION], sign=True))
    two = record(approval([SUPERSESSION], BEN, sign=True))
    assert [short.missing for short in judged([one], [SUPERSESSION], SIGNED).short] == [1]
    both = judged([one, two], [SUPERSESSION], SIGNED)
    assert both.approved
    assert both.files[0].approved_by == (principal(ADA), principal(BEN))
    assert both.eligible == ()


def test_two_records_of_one_person_count_once() -> None:
    twice = [record(approval([SUPERSESSION], nonce=nonce * 32)) for nonce in "ab"]
    verdict = judged(twice, [SUPERSESSION])
    assert codes(verdict) == [[], []]
    assert [short.missing for short in verdict.short] == [1]


def test_two_keys_of_one_person_count_once() -> None:
    keys = [public_key(ADA), public_key("Ada's other laptop")]
    by = SIGNED.model_copy(update={"approvers": [_listed(ADA, keys=keys), *policy(BEN).approvers]})
    records = [
        record(approval([SUPERSESSION], sign=True, key=key, nonce=nonce * 32))
        for key, nonce in zip(keys, "ab", strict=True)
    ]
    verdict = judged(records, [SUPERSESSION], by)
    assert codes(verdict) == [[], []]
    assert [(short.needed, short.missing) for short in verdict.short] == [(2, 1)]


def test_one_key_listed_under_two_names_counts_once() -> None:
    shared = public_key("shared")
    by = SIGNED.model_copy(update={"approvers": [_listed(ADA, keys=[shared]), _listed(BEN, keys=[shared])]})
    records = [record(approval([SUPERSESSION], name, sign=True, key=shared)) for name in (ADA, BEN)]
    verdict = judged(records, [SUPERSESSION], by)
    assert codes(verdict) == [[], []]
    assert verdict.files[0].approved_by == (principal(ADA),)
    assert [(short.needed, short.missing) for short in verdict.short] == [(2, 1)]


def test_people_are_one_through_others_they_share_a_mark_with() -> None:
    bridge = _listed(CLEO, emails=[email(ADA).upper(), "cleo@example.com"], keys=[public_key(BEN)])
    by = policy(ADA, BEN).model_copy(update={"approvers": [*policy(ADA, BEN).approvers, bridge]})
    records = [record(approval([SUPERSESSION], name)) for name in (ADA, BEN, CLEO)]
    assert judged(records, [SUPERSESSION], by).files[0].approved_by == (principal(ADA),)


def _listed(name: str, **fields: object) -> Approver:
    return Approver.model_validate(approver(name, **fields))


# Who


def test_somebody_who_is_not_listed_does_not_count() -> None:
    assert refused(judged([record(approval([RETRACTION], EVE))], [RETRACTION]), "PG-A02")


def test_a_look_alike_address_does_not_count() -> None:
    for written in (
        f"{ADA} <ada@example.co>",
        f"{ADA} <Ada@example.com>",
        f"{ADA} <ada@example.com> <eve@example.com>",
        "ada@example.com",
        f"{ADA} <\u0430da@example.com>",
    ):
        made = record(approval([RETRACTION], signed_off_by=written))
        assert refused(judged([made], [RETRACTION]), "PG-A02"), written


def test_a_bot_counts_for_nothing_whatever_it_is_listed_by() -> None:
    for bot in (ADA, principal(ADA), email(ADA).upper()):
        by = policy(ADA, BEN, CLEO, bots=[bot])
        assert refused(judged([record(approval([RETRACTION]))], [RETRACTION], by), "PG-A02"), bot


def test_whoever_was_revoked_or_whose_time_ran_out_does_not_count() -> None:
    past, future = (format_time(NOW + timedelta(minutes=m)) for m in (-1, 1))
    for fields in (
        {"revoked": future},
        {"revoked": past},
        {"valid_until": past},
        {"valid_until": format_time(NOW)},
    ):
        by = policy(BEN, CLEO).model_copy(
            update={"approvers": [*policy(BEN, CLEO).approvers, _listed(ADA, **fields)]}
        )
        verdict = judged([record(approval([RETRACTION]))], [RETRACTION], by)
        assert refused(verdict, "PG-A08"), fields
        assert ADA not in verdict.eligible
    still = policy(BEN, CLEO).model_copy(
        update={"approvers": [*policy(BEN).approvers, _listed(ADA, valid_until=future)]}
    )
    assert judged([record(approval([RETRACTION]))], [RETRACTION], still).approved


def test_an_author_of_what_is_covered_does_not_count() -> None:
    by_commit = changed(authors=frozenset({ANN, Person("Ada", "ADA@example.com")}))
    by_name = changed(actors=frozenset({ADA}))
    by_handle = changed(actors=frozenset({"ada"}))
    by_line = changed(actors=frozenset({f"Somebody <{email(ADA)}>"}))
    for own in (by_commit, by_name, by_handle, by_line):
        verdict = judged([record(approval([own]))], [own])
        assert refused(verdict, "PG-A04"), own
        assert verdict.eligible == (BEN, CLEO)
    said = record(approval([RETRACTION], authors=["ada@example.com", ANN.email]))
    assert refused(judged([said], [RETRACTION]), "PG-A04")


@pytest.mark.parametrize(
    ("author", "is_hers"),
    [
        (Person("ada archer", "ada@home.example"), True),
        (Person("A. A.", "ADA@example.com"), True),
        (Person("A. A.", "12+ada-hub@users.noreply.github.com"), True),
        (Person("A. A.", "12-ada-hub@users.noreply.gitlab.com"), True),
        (Person("A. A.", "ada-hub@example.org"), False),
        (Person("A. A.", "12+not-ada-hub@users.noreply.github.com"), False),
        (Person("Ada Archer-Lee", "lee@example.com"), False),
    ],
)
def test_an_author_is_known_by_name_and_by_the_address_that_a_forge_gives(
    author: Person, is_hers: bool
) -> None:
    by = Policy.model_validate(
        {"version": 1, "approvers": [approver(ADA, accounts=["github:Ada-Hub"]), approver(BEN)]}
    )
    files = [changed(authors=frozenset({author}))]
    verdict = judged([record(approval(files), added_by=(added(),))], files, by)
    assert verdict.approved is not is_hers
    assert codes(verdict) == [["PG-A04"] if is_hers else []]


def test_one_account_listed_under_two_names_counts_once() -> None:
    forge = {"attestation": {"forges": ["github"]}}
    two = [approver(name, accounts=["github:hub"]) for name in (ADA, BEN)]
    apart = [approver(ADA, accounts=["github:hub"]), approver(BEN, accounts=["github:other"])]
    for approvers, counted in ((two, 1), (apart, 2)):
        by = Policy.model_validate({"version": 1, "approvers": [*approvers, approver(CLEO)], **forge})
        made = [record(approval([SUPERSESSION], name), added_by=(added(name),)) for name in (ADA, BEN)]
        [found] = judged(made, [SUPERSESSION], by).files
        assert len(found.approved_by) == counted


def test_an_author_of_something_else_in_the_change_counts() -> None:
    own = changed("claims/decisions/dd/own.yaml", risk=Risk.LOW, authors=frozenset({Person(ADA, email(ADA))}))
    assert judged([record(approval([RETRACTION]))], [RETRACTION, own]).approved


def test_names_without_a_letter_that_ascii_has_tell_nobody_apart() -> None:
    theirs = changed(actors=frozenset({"李雷"}))
    by = policy(BEN, CLEO).model_copy(
        update={"approvers": [*policy(BEN).approvers, _listed("韩梅梅", emails=["mei@example.com"])]}
    )
    made = approval([theirs], principal=by.approvers[1].principal, signed_off_by="韩梅梅 <mei@example.com>")
    assert judged([record(made)], [theirs], by).approved


def test_the_only_approver_may_approve_their_own_change_and_it_says_so() -> None:
    own = changed(authors=frozenset({Person(ADA, email(ADA))}), risk=Risk.HIGH)
    verdict = judged([record(approval([own]))], [own], policy(ADA))
    assert verdict.approved
    assert [each.label for each in verdict.records] == ["attributed, self-approved"]
    assert verdict.files[0].needed == 1
    squashed = changed(authors=frozenset({Person("Queue", "queue@example.com")}), risk=Risk.HIGH)
    told = judged([record(approval([squashed], authors=["ada@example.com"]))], [squashed], policy(ADA))
    assert [each.self_approved for each in told.records] == [True]
    others = judged([record(approval([SUPERSESSION]))], [SUPERSESSION], policy(ADA))
    assert [each.label for each in others.records] == ["attributed"]


def test_a_policy_may_forbid_self_approval() -> None:
    own = changed(authors=frozenset({Person(ADA, email(ADA))}), risk=Risk.HIGH)
    verdict = judged([record(approval([own]))], [own], policy(ADA, self_approval="never"))
    assert refused(verdict, "PG-A04")
    assert verdict.files[0].needed == 2


def test_a_second_approver_ends_self_approval_even_when_their_time_ran_out() -> None:
    own = changed(authors=frozenset({Person(ADA, email(ADA))}))
    for fields, alone in (
        ({"valid_until": format_time(NOW - timedelta(days=1))}, False),
        ({"revoked": format_time(NOW)}, True),
    ):
        by = policy(ADA).model_copy(update={"approvers": [*policy(ADA).approvers, _listed(BEN, **fields)]})
        assert judged([record(approval([own]))], [own], by).approved is alone
    with_bot = policy(ADA, BEN, bots=[email(BEN)])
    assert refused(judged([record(approval([own]))], [own], with_bot), "PG-A04")


# What


def test_content_that_changed_since_does_not_count() -> None:
    for edited in (changed(after=b"new \n"), changed(before=b"old2\n")):
        assert refused(judged([record(approval([RETRACTION]))], [edited]), "PG-A05")


def test_only_part_of_what_was_approved_does_not_count() -> None:
    made = record(approval([RETRACTION, OTHER]))
    assert refused(judged([made], [RETRACTION]), "PG-A05")
    assert refused(judged([made], [RETRACTION], standing={OTHER.path: OTHER.before}), "PG-A05")


def test_a_part_that_landed_before_with_the_approved_bytes_is_no_objection() -> None:
    made = record(approval([RETRACTION, OTHER]))
    assert judged([made], [RETRACTION], standing={OTHER.path: OTHER.after}).approved


def test_a_further_change_needs_its_own_approval() -> None:
    verdict = judged([record(approval([RETRACTION]))], [RETRACTION, OTHER])
    assert codes(verdict) == [[]]
    assert [short.file.path for short in verdict.short] == [OTHER.path]


def test_a_removal_is_covered_by_what_says_so() -> None:
    gone = changed(after=None, risk=Risk.HIGH)
    assert gone.row[2] == ABSENT
    assert judged([record(approval([gone])), record(approval([gone], BEN))], [gone]).approved


def test_a_change_of_higher_risk_than_was_approved_does_not_count() -> None:
    made = record(approval([SUPERSESSION], risk="medium"))
    assert refused(judged([made], [SUPERSESSION]), "PG-A05")


def test_policy_sets_other_numbers_by_subgraph_and_predicate() -> None:
    overrides = [
        {"subgraph": "decisions", "medium": 2},
        {"predicate": "DECIDED", "medium": 3},
        {"predicate": "AFFECTS", "high": 3},
    ]
    by = policy(ADA, BEN, overrides=overrides)
    files = [
        changed("claims/a.yaml", subgraph="decisions", predicate="DECIDED"),
        changed("claims/b.yaml", subgraph="decisions", predicate="AFFECTS"),
        changed("claims/c.yaml", subgraph="debugging", predicate="RESOLVED"),
        changed("entities/d.yaml"),
    ]
    assert [each.needed for each in judged([], files, by).files] == [3, 2, 1, 1]


# When and where


def test_an_expired_approval_does_not_count_by_our_clock() -> None:
    made = record(approval([RETRACTION]))
    after = NOW + timedelta(days=14)
    assert judged([made], [RETRACTION], now=after - timedelta(seconds=1)).approved
    assert refused(judged([made], [RETRACTION], now=after), "PG-A08")


def test_an_approval_from_the_future_does_not_count() -> None:
    made = record(approval([RETRACTION]))
    assert judged([made], [RETRACTION], now=NOW - timedelta(minutes=65)).approved
    assert refused(judged([made], [RETRACTION], now=NOW - timedelta(minutes=71)), "PG-A08")


def test_a_withdrawn_approval_does_not_count_even_if_the_withdrawal_was_taken_out_again() -> None:
    made = approval([RETRACTION])
    taken_back = record(made.model_copy(update={"withdrawn": WITHDRAWN}))
    assert refused(judged([taken_back], [RETRACTION]), "PG-A08")
    assert refused(judged([record(made, withdrawn_once=True)], [RETRACTION]), "PG-A08")


def test_an_approval_for_another_ref_or_pot_does_not_count() -> None:
    elsewhere = record(approval([RETRACTION], ref="refs/heads/release"))
    assert refused(judged([elsewhere], [RETRACTION]), "PG-A07")
    foreign = record(approval([RETRACTION], store="other-pot"))
    assert refused(judged([foreign], [RETRACTION]), "PG-A07")
    both = judged([record(approval([RETRACTION], ref="refs/heads/release", store="other-pot"))], [RETRACTION])
    assert codes(both) == [["PG-A07", "PG-A07"]]


@pytest.mark.parametrize("refs", [(), (MAIN, "refs/heads/release")])
def test_a_target_that_nobody_named_counts_for_no_approval(refs: tuple[str, ...]) -> None:
    target = Target(STORE, frozenset(refs))
    assert refused(judged([record(approval([RETRACTION]))], [RETRACTION], target=target), "PG-A07")


def test_a_nonce_serves_once() -> None:
    made = approval([RETRACTION])
    nonce = made.statement.nonce
    landed = judged([record(made)], [RETRACTION], used={nonce: "approvals/earlier.yaml"})
    assert refused(landed, "PG-A06")
    again = approval([RETRACTION], BEN, nonce=nonce)
    assert refused(judged([record(made), record(again)], [RETRACTION]), "PG-A06")


def test_a_copy_under_another_name_does_not_count_and_the_original_does() -> None:
    made = approval([SUPERSESSION])
    copied = record(made, f"approvals/{made.digest}.{principal(BEN)}.yaml")
    verdict = judged([record(made), copied], [SUPERSESSION])
    assert codes(verdict) == [[], ["PG-A06"]]
    assert [short.missing for short in verdict.short] == [1]
    assert verdict.records[1].principal == principal(ADA)


def test_a_record_that_is_not_where_its_content_belongs_does_not_count() -> None:
    made = approval([RETRACTION])
    assert refused(judged([record(made, "approvals/0000.ada.yaml")], [RETRACTION]), "PG-A09")


def test_a_record_that_cannot_be_read_does_not_count_and_names_itself_by_its_file() -> None:
    verdict = judged([Record("approvals/00ff.ada-archer.yaml", None, "line 3: no")], [RETRACTION])
    assert refused(verdict, "PG-A09")
    assert verdict.records[0].principal == principal(ADA)
    assert verdict.records[0].label == "does not count"


# By what proof


def test_a_sign_off_alone_does_not_count_where_policy_asks_for_signatures() -> None:
    assert refused(
        judged([record(approval([RETRACTION]), added_by=(added(),))], [RETRACTION], SIGNED), "PG-A10"
    )


def test_a_commit_of_its_own_has_to_be_signed_off_by_the_approver() -> None:
    for commit in (added(sign_offs=()), added(sign_offs=(email(EVE), "ADA@example.com"))):
        assert refused(judged([record(approval([RETRACTION]), added_by=(commit,))], [RETRACTION]), "PG-A10")
    twice = (added(sign_offs=()), added())
    assert judged([record(approval([RETRACTION]), added_by=twice)], [RETRACTION]).approved


def test_a_squashed_commit_leaves_the_file_to_say_who_approved() -> None:
    squashed = (added(author=ANN, sign_offs=(), alone=False),)
    assert proofs(judged([record(approval([RETRACTION]), added_by=squashed)], [RETRACTION])) == [
        Proof.ATTRIBUTED
    ]


def test_an_approval_that_the_author_committed_does_not_count() -> None:
    by_ann = changed(actors=frozenset({"ann"}))
    forged = (added(author=ANN),)
    assert refused(judged([record(approval([by_ann]), added_by=forged)], [by_ann]), "PG-A04")
    queue = (added(author=Person("Queue", "queue@example.com")),)
    assert judged([record(approval([by_ann]), added_by=queue)], [by_ann]).approved


def test_signatures_that_do_not_verify() -> None:
    good = approval([RETRACTION], sign=True)
    other_statement = approval([OTHER], sign=True).signature
    bad = {
        "another namespace": approval([RETRACTION], sign=True, namespace="git"),
        "a key that is not listed": approval([RETRACTION], sign=True, key=public_key("stolen")),
        "another approver's key": approval([RETRACTION], sign=True, key=public_key(BEN)),
        "another statement": good.model_copy(update={"signature": other_statement}),
        "no signature block": good.model_copy(update={"signature": "-----BEGIN PGP SIGNATURE-----\n"}),
    }
    for what, made in bad.items():
        for by in (SIGNED, policy(ADA, BEN)):
            assert refused(judged([record(made)], [RETRACTION], by), "PG-A03"), what


def test_a_security_key_has_to_have_been_touched() -> None:
    key = public_key("token", "sk-ssh-ed25519@openssh.com")
    by = SIGNED.model_copy(update={"approvers": [_listed(ADA, keys=[key]), *SIGNED.approvers[1:]]})
    touched = approval([RETRACTION], sign=True, key=key, flags=0x05)
    assert judged([record(touched)], [RETRACTION], by).approved
    for flags in (0x00, 0x04):
        untouched = record(approval([RETRACTION], sign=True, key=key, flags=flags))
        assert refused(judged([untouched], [RETRACTION], by), "PG-A03")


def test_a_listed_key_that_cannot_be_read_verifies_nothing() -> None:
    by = SIGNED.model_copy(
        update={"approvers": [_listed(ADA, keys=["ssh-ed25519 garbage"]), *SIGNED.approvers[1:]]}
    )
    assert refused(judged([record(approval([RETRACTION], sign=True))], [RETRACTION], by), "PG-A03")


# From a forge's review

REVIEW = {
    "forge": "github",
    "account": "ada-gh",
    "review": "https://forge.example/pull/7#review-1",
    "submitted_at": format_time(NOW),
    "head": "0" * 40,
    "event_sha256": "e" * 64,
}
JOB = public_key("the job's key")


def attested(**fields: object) -> Policy:
    return policy(BEN, CLEO, **fields).model_copy(
        update={"approvers": [*policy(BEN, CLEO).approvers, _listed(ADA, accounts=["github:Ada-GH"])]}
    )


def reviewed(**fields: object) -> Record:
    options = {name: fields.pop(name) for name in ("sign", "key") if name in fields}
    return record(
        approval(
            [RETRACTION],
            attested_by={**REVIEW, **fields},
            signed_off_by="Review Bot <bot@example.com>",
            **options,  # type: ignore[arg-type]
        )
    )


def test_a_review_counts_only_where_policy_lists_its_forge() -> None:
    assert refused(judged([reviewed()], [RETRACTION], attested()), "PG-A10")
    elsewhere = attested(attestation={"forges": ["gitlab"]})
    assert refused(judged([reviewed()], [RETRACTION], elsewhere), "PG-A10")
    listed = judged([reviewed()], [RETRACTION], attested(attestation={"forges": ["github"]}))
    assert listed.approved
    assert [each.label for each in listed.records] == ["attested"]


def test_a_review_counts_for_a_listed_account_alone() -> None:
    by = attested(attestation={"forges": ["github"]})
    assert refused(judged([reviewed(account="eve-gh")], [RETRACTION], by), "PG-A02")
    without = by.model_copy(update={"approvers": policy(ADA).approvers})
    assert refused(judged([reviewed()], [RETRACTION], without), "PG-A02")


def test_policy_may_ask_for_the_key_of_the_job() -> None:
    by = attested(attestation={"forges": ["github"], "keys": [JOB]}, mode="signature")
    assert proofs(judged([reviewed(sign=True, key=JOB)], [RETRACTION], by)) == [Proof.ATTESTED]
    assert refused(judged([reviewed()], [RETRACTION], by), "PG-A10")
    assert refused(judged([reviewed(sign=True)], [RETRACTION], by), "PG-A03")


def test_a_review_without_a_key_does_not_count_where_policy_asks_for_signatures() -> None:
    by = attested(attestation={"forges": ["github"]}, mode="signature")
    assert refused(judged([reviewed()], [RETRACTION], by), "PG-A10")
    unasked = attested(attestation={"forges": ["github"]})
    assert refused(judged([reviewed(sign=True, key=JOB)], [RETRACTION], unasked), "PG-A03")


def test_a_signature_is_looked_at_only_where_nothing_else_is_wrong() -> None:
    made = approval([RETRACTION], EVE, sign=True)
    assert signature(made.statement.canonical(), _key(EVE)) == made.signature
    assert codes(judged([record(made, "approvals/00.eve.yaml")], [OTHER], SIGNED)) == [
        ["PG-A09", "PG-A02", "PG-A05"]
    ]


def _key(name: str) -> PublicKey:
    return parse_public_key(public_key(name))
