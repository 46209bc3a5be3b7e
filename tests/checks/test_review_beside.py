"""What a review says beside a claim: rivals, denials, values that were withdrawn, and others that say the same."""

from __future__ import annotations

import pytest

from potpie_git.checks.review import NoteKind
from potpie_git.checks.rules.samples import (
    REASON,
    adds,
    claim,
    file,
    owner,
    policy,
    pot,
    retracted,
    superseded,
    tombstone,
)
from potpie_git.domain.claim import Claim
from tests.checks.conftest import Judge
from tests.checks.review_support import notes, only, reviewed

GONE = claim(fact="Raise the timeout of the gateway to 60 seconds.")


def _note(judge: Judge, kind: NoteKind, new: Claim, *standing: Claim) -> str | None:
    """The claim that a note of this kind on `new` names."""
    change = only(reviewed(judge, adds(file(new), to=pot(*standing))))
    [note] = [note for note in change.notes if note.kind is kind]
    return note.claim


def test_a_second_owner_contradicts_the_first(judge: Judge) -> None:
    old = owner("payments")
    assert _note(judge, NoteKind.CONTRADICTS, owner("billing"), old) == old.id


def test_an_owner_that_follows_one_who_is_withdrawn_does_not(judge: Judge) -> None:
    old, new = owner("payments"), owner("billing")
    change = only(reviewed(judge, adds(superseded(old, new), to=pot(old))))
    assert notes(change) == []


def test_owners_in_two_environments_do_not(judge: Judge) -> None:
    change = only(
        reviewed(judge, adds(file(owner("billing", environment="prod")), to=pot(owner("payments"))))
    )
    assert notes(change) == []


def test_two_new_claims_of_one_change_contradict_each_other(judge: Judge) -> None:
    made = reviewed(judge, adds(file(owner("billing")), file(owner("payments"))))
    assert [notes(change) for change in made.changes] == [[NoteKind.CONTRADICTS]] * 2


def test_a_second_place_of_deployment_is_shown_beside_the_first(judge: Judge) -> None:
    def deployed(target: str) -> Claim:
        return claim(
            subject="service:refunds-api",
            predicate="DEPLOYED_WITH",
            object=f"deployment_target:{target}",
            fact=None,
        )

    old = deployed("helm")
    assert _note(judge, NoteKind.CONTRADICTS, deployed("nomad"), old) == old.id


def test_a_second_dependency_is_no_contradiction(judge: Judge) -> None:
    def needs(service: str) -> Claim:
        return claim(subject="service:a", predicate="DEPENDS_ON", object=f"service:{service}", fact=None)

    change = only(reviewed(judge, adds(file(needs("c")), to=pot(needs("b")))))
    assert notes(change) == []


def test_a_claim_that_denies_another_is_seen(judge: Judge) -> None:
    old = claim(fact="The refund can be retried with the remaining amount.")
    new = claim(fact="The refund can not be retried with the remaining amount.")
    assert _note(judge, NoteKind.DENIES, new, old) == old.id


def test_a_claim_that_gives_other_numbers_is_seen(judge: Judge) -> None:
    old, new = (claim(fact=f"The gateway times out after {count} seconds.") for count in (30, 60))
    assert _note(judge, NoteKind.DIFFERS, new, old) == old.id


def test_two_claims_about_different_matters_deny_nothing(judge: Judge) -> None:
    old, new = claim(fact="The gateway logs every call."), claim(fact="Do not page anybody at night.")
    change = only(reviewed(judge, adds(file(new), to=pot(old))))
    assert notes(change) == [NoteKind.CORROBORATES]


def test_a_fix_that_is_said_to_have_failed_contradicts_the_claim_that_it_worked(judge: Judge) -> None:
    old = claim()
    failed = claim(predicate="ATTEMPTED_FIX_FAILED")
    assert _note(judge, NoteKind.CONTRADICTS, failed, old) == old.id
    assert _note(judge, NoteKind.CONTRADICTS, old, failed) == failed.id


@pytest.mark.parametrize("outcome", ["didnt_work", "partial"])
def test_a_verification_that_failed_refutes_what_the_fix_claims(outcome: str, judge: Judge) -> None:
    old = claim()
    verification = claim(
        subject="activity:deploy:1",
        predicate="VERIFIED",
        object=old.subject,
        fact=None,
        details={"outcome": outcome},
    )
    assert _note(judge, NoteKind.REFUTES, verification, old) == old.id


def test_a_verification_that_worked_refutes_nothing(judge: Judge) -> None:
    verification = claim(
        subject="activity:deploy:1",
        predicate="VERIFIED",
        object="fix:9f3a1c77b2e0",
        details={"outcome": "worked"},
    )
    assert notes(only(reviewed(judge, adds(file(verification), to=pot(claim()))))) == []


def test_a_withdrawn_value_that_returns_comes_with_its_old_reason(judge: Judge) -> None:
    again = claim(subject="fix:aaaa1c77b2e0", fact="RAISE the timeout of the gateway, to 60 seconds!")
    made = reviewed(judge, adds(file(again), to={**pot(), **retracted(GONE)}))
    change = only(made)
    [note] = change.notes
    assert (note.kind, note.claim, note.reason) == (NoteKind.REPEATS_WITHDRAWN, GONE.id, REASON)
    assert made.verdict.status == "refused"


def test_a_reinstatement_shows_what_was_said_against_it(judge: Judge) -> None:
    back = claim(
        subject="fix:aaaa1c77b2e0", fact=GONE.fact, reinstates=GONE.id, reinstate_reason="It holds again."
    )
    change = only(reviewed(judge, adds(file(back), to={**pot(), **retracted(GONE)})))
    [note] = change.notes
    assert (note.kind, note.reason, change.risk) == (NoteKind.REINSTATES, REASON, "high")
    assert change.claims[0].reinstate_reason == "It holds again."


def test_a_value_close_to_a_withdrawn_one_is_named(judge: Judge) -> None:
    near = claim(subject="fix:aaaa1c77b2e0", fact="Raise the gateway timeout to 60 seconds everywhere.")
    change = only(reviewed(judge, adds(file(near), to={**pot(), **retracted(GONE)})))
    [note] = change.notes
    assert (note.kind, note.claim, note.reason) == (NoteKind.NEAR_WITHDRAWN, GONE.id, REASON)
    assert note.similarity is not None
    assert note.similarity > 0.5


def test_a_replacement_is_not_held_against_what_it_replaces(judge: Judge) -> None:
    new = claim(fact="Raise the gateway timeout to 60 seconds everywhere.")
    change = only(reviewed(judge, adds(superseded(GONE, new), to=pot(GONE))))
    assert notes(change) == []


def test_a_tombstone_that_does_not_parse_hides_no_other(judge: Judge) -> None:
    near = claim(subject="fix:aaaa1c77b2e0", fact="Raise the gateway timeout to 60 seconds everywhere.")
    broken = {".potpie/tombstones/00/" + "0" * 32 + ".c-" + "0" * 32 + ".yaml": b"{"}
    change = only(reviewed(judge, adds(file(near), to={**pot(), **broken, **retracted(GONE)})))
    assert notes(change) == [NoteKind.NEAR_WITHDRAWN]


@pytest.mark.parametrize(
    ("ref", "said"),
    [("linear:ENG-241", "another source"), ("github:pr:acme/payments:812", "the same source")],
)
def test_another_source_corroborates(ref: str, said: str, judge: Judge) -> None:
    new = claim(evidence=[{"source_ref": ref}], valid_from="2026-06-03T00:00:00Z")
    [note] = only(reviewed(judge, adds(file(new), to=pot(claim())))).notes
    assert note.kind is NoteKind.CORROBORATES
    assert said in note.message


def test_a_retraction_of_one_of_two_sources_says_that_the_statement_stands(judge: Judge) -> None:
    other = claim(evidence=[{"source_ref": "linear:ENG-241"}])
    change = only(reviewed(judge, adds(retracted(claim()), to=pot(claim(), other))))
    assert [(note.kind, note.claim) for note in change.notes] == [(NoteKind.STILL_STANDS, other.id)]


def test_a_claim_without_evidence_says_so(judge: Judge) -> None:
    change = only(reviewed(judge, adds(file(claim(evidence=None)))))
    assert notes(change) == [NoteKind.NO_EVIDENCE]


def test_a_tombstone_that_comes_alone_is_shown(judge: Judge) -> None:
    change = only(reviewed(judge, adds(file(tombstone(claim())), to=pot(claim()))))
    assert (change.kind.value, change.group) == ("tombstone_added", "tombstones")


def test_a_signature_mode_that_becomes_a_sign_off_is_a_weakening(judge: Judge) -> None:
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBz1Jl0bqHn1QZ4mJ8m3k5Y8mZk3xjVfS0Yz7oUq9R1c"
    approvers = [{"name": "Ada", "emails": ["ada@example.com"], "keys": [key]}]
    strict = policy(mode="signature", approvers=approvers)
    change = only(
        reviewed(judge, adds(file(policy(version=2, approvers=approvers)), to={**pot(), **file(strict)}))
    )
    assert "a sign-off will do where a signature was asked for" in [note.message for note in change.notes]
