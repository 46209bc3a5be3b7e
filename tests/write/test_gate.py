"""The writer and the hook agree: whatever the writer commits, the installed hooks accept as it is."""

from __future__ import annotations

from typing import Any

import pytest

from potpie_git.store import hooks
from tests.write.conftest import Desk, depends, fixes, retract


@pytest.fixture
def gated(desk: Desk) -> Desk:
    """A desk whose repository has the real hooks."""
    hooks.install(desk.repository)
    return desk


def refused_by_hand(desk: Desk) -> str:
    """What the hook says to a commit of everything in the tree."""
    desk.repo.add(".potpie")
    done = desk.repo.run("commit", "--quiet", "--message", "by hand")
    assert done.returncode != 0
    return (done.stdout + done.stderr).decode()


def test_every_operation_passes_the_installed_hooks(gated: Desk) -> None:
    desk = gated
    desk.write(
        fixes("Retry it.", evidence=[{"source_ref": "repo:src/pay.py#L1-L2", "quote": "retry(3)"}]),
        depends(
            fact="Asks for limits.",
            truth="source_observation",
            evidence=[{"source_ref": "ci:1", "authority": "ci_run"}],
        ),
        depends("c", "d", environment="prod", confidence=0.5, code_scope={"path": ["src/pay.py"]}),
        {
            "op": "link_entities",
            "subject": "service:a",
            "predicate": "OWNED_BY",
            "object": {"key": "team:x", "name": "X"},
        },
        {
            "op": "append_event",
            "verb": "deployed",
            "occurred_at": "2026-05-31T10:00:00Z",
            "actor": "rae",
            "targets": ["service:a"],
            "mentions": ["decision:aaaaaaaaaaaa"],
        },
        {
            "op": "upsert_entity",
            "subject": {"key": "service:a", "name": "A"},
            "external_ids": ["backstage:a"],
        },
        {"op": "transition_state", "subject": "policy:p", "to_state": "proposed", "reason": "New."},
    )
    by_predicate = {claim.predicate: claim for claim in desk.claims().values()}
    end = next(claim for claim in desk.of("DEPENDS_ON") if claim.environment)
    desk.write(retract(by_predicate["RESOLVED"], "No.", evidence=["linear:ENG-1"]))
    desk.write({"op": "end_relation_validity", "claim": end.id, "reason": "Moved."})
    desk.write(
        {
            "op": "supersede_claim",
            "claim": by_predicate["OWNED_BY"].id,
            "superseded_by": "team:y",
            "reason": "Handed over.",
        }
    )
    desk.write({"op": "patch_entity", "subject": "service:a", "patch": {"summary": "Does A."}})
    desk.write({"op": "transition_state", "subject": "policy:p", "to_state": "active", "reason": "Agreed."})
    desk.write(
        {
            "op": "merge_duplicate_entities",
            "subject": "service:c",
            "object": "service:a",
            "reason": "One.",
            "external_ids": ["x:1"],
        }
    )
    desk.write(fixes("Retry it.", reinstates=by_predicate["RESOLVED"].id, reason="Yes after all."))
    assert desk.status() == ""
    assert desk.repo.git("rev-list", "--count", "main..work") == "8"


@pytest.mark.parametrize(
    ("record_type", "fields"),
    [
        ("fix", {"symptom_signature": "s", "fix_steps": ["a", "b"], "attempted_failed_fixes": ["c"]}),
        ("bug_pattern", {"kind": "race", "symptom_signature": "s", "summary": "They collide."}),
        ("preference", {"policy_kind": "style", "prescription": "Use async clients."}),
        ("policy", {"policy_kind": "rule", "prescription": "Two people review."}),
        ("decision", {"title": "T", "summary": "S.", "rationale": "R.", "alternatives_rejected": ["X", "Y"]}),
        ("runbook_note", {"title": "Rotate keys", "summary": "Do this.", "steps": ["a", "b"]}),
        ("postmortem", {"summary": "Disk was full."}),
    ],
)
def test_every_record_passes_the_installed_hooks(
    gated: Desk, record_type: str, fields: dict[str, Any]
) -> None:
    scope = {"service": "pay", "path": "src/pay.py"}
    done = gated.writer.record(record_type, fields, scope=scope, evidence=["repo:src/pay.py#L1"])
    assert done.commit == gated.head()
    if record_type == "fix":
        verified = {"target_ref": done.subject, "outcome": "didnt_work"}
        assert gated.writer.record("verification", verified).commit == gated.head()


def test_a_withdrawn_value_is_refused_by_every_door_with_the_old_reason(gated: Desk) -> None:
    """By `propose`, by `record` and, in a file written by hand, by the hook."""
    why = "The gateway rejects retries."
    gated.writer.record("fix", {"symptom_signature": "409 on refund", "fix_steps": ["Retry what is left."]})
    old = gated.only("RESOLVED")
    gated.write(retract(old, why))
    again = fixes("retry what is  LEFT", "fix:999999999999", "bug_pattern:other")
    assert any(why in issue["message"] for issue in gated.issues(again))
    from potpie_git.domain.claim import new_claim
    from potpie_git.domain.errors import IssuesError
    from potpie_git.store.codec import encode

    with pytest.raises(IssuesError, match=why):
        gated.writer.record("fix", {"symptom_signature": "Another", "fix_steps": ["Retry what is left!"]})
    claim = new_claim(
        subject="fix:999999999999",
        predicate="RESOLVED",
        object="bug_pattern:other",
        fact="Retry what is left",
        provenance={"recorded_at": "2026-06-01T09:00:00Z"},
    )
    path = gated.path_of(claim)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(claim))
    said = refused_by_hand(gated)
    assert "PG-T01" in said
    assert why in said


def test_undoing_a_supersession_by_hand_is_a_silent_edit(gated: Desk) -> None:
    gated.write(depends())
    gated.write(
        {
            "op": "supersede_claim",
            "claim": gated.only("DEPENDS_ON").id,
            "superseded_by": "service:c",
            "reason": "r",
        }
    )
    assert gated.repo.run("revert", "--no-commit", "HEAD").returncode == 0
    said = refused_by_hand(gated)
    assert "PG-H" in said
