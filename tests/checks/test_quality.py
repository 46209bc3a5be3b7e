"""The seven quality reports: what they find, what they leave alone, and that their next commands can be run."""

from __future__ import annotations

import json
import shlex
from datetime import datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from potpie_git.checks.quality import REPORTS, PotView, QualityFinding, QualityReport, summary
from potpie_git.domain.freshness import EvidenceState
from potpie_git.domain.layout import claim_path
from potpie_git.domain.mutation import parse_payload
from potpie_git.domain.times import parse_time
from potpie_git.store.codec import repository_path
from potpie_git.store.pot_tree import PotTree
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot
from tests.support.git_repo import GitRepo
from tests.support.records import claim, entity, files, pot_file, stamp, withdrawn

NOW = parse_time("2026-06-03T00:00:00Z")
OWNED = {"subject": "service:pay", "predicate": "OWNED_BY", "fact": None, "evidence": None}


def depends(subject: str, on: str, **fields: Any) -> Any:
    return claim(
        subject=f"service:{subject}", predicate="DEPENDS_ON", object=f"service:{on}", fact=None, **fields
    )


class Pots:
    """Makes views over committed pots."""

    def __init__(self, repo: GitRepo) -> None:
        self.repo = repo

    def view(self, *records: BaseModel, now: datetime = NOW, **options: Any) -> PotView:
        self.repo.commit("Pot", files=pot_file() | files(*records))
        snapshot = TreeSnapshot.of_head(Repository.discover(self.repo.root))
        return PotView(PotTree(snapshot), now, **options)

    def report(self, name: str, *records: BaseModel, **options: Any) -> QualityReport:
        return REPORTS[name](self.view(*records, **options))


@pytest.fixture
def pots(git_repo: GitRepo) -> Pots:
    return Pots(git_repo)


def operation(finding: QualityFinding) -> dict[str, Any]:
    """The operation that a finding proposes; it has to parse."""
    words = shlex.split(finding.next_command)
    assert words[:4] == ["git", "potpie", "graph", "propose"]
    payload = json.loads(words[4])
    assert parse_payload(payload)[1] == []
    return payload


def codes(report: QualityReport) -> list[str]:
    return [finding.code for finding in report.findings]


def test_like_names_are_candidates_and_different_ones_are_not(pots: Pots) -> None:
    found = pots.report(
        "duplicate-candidates",
        depends("payments-api", "ledger"),
        depends("web", "payments-api"),
        depends("api-payments", "ledger"),
        depends("payment-api", "ledger"),
        depends("payments-worker", "ledger-2"),
        depends("payments", "ledger-1"),
        claim(predicate="OWNED_BY", subject="service:web", object="team:payments-api", fact=None),
    )
    assert {tuple(sorted(finding.entities)) for finding in found.findings} == {
        ("service:api-payments", "service:payments-api"),
        ("service:payment-api", "service:payments-api"),
        ("service:api-payments", "service:payment-api"),
    }
    kept = next(
        f for f in found.findings if set(f.entities) == {"service:api-payments", "service:payments-api"}
    )
    # What more claims name comes first: it is the one to keep.
    assert kept.entities[0] == "service:payments-api"
    assert shlex.split(kept.next_command)[3] == "search-entities"


def test_a_shared_external_id_or_name_proposes_the_merge(pots: Pots) -> None:
    found = pots.report(
        "duplicate-candidates",
        entity("service:pay", "Service", name="Payments", external_ids=["github:acme/pay"]),
        entity("service:checkout", "Service", name="Checkout", external_ids=["github:acme/pay"]),
        entity("service:cart", "Service", name="checkout."),
        entity(
            "service:old",
            "Service",
            name="Payments",
            merged={"into": "service:pay", "reason": "x", "provenance": stamp()},
        ),
        depends("checkout", "mail"),
    )
    assert [(f.entities, f.code) for f in found.findings] == [
        (["service:checkout", "service:pay"], "duplicate_entity"),
        (["service:checkout", "service:cart"], "duplicate_entity"),
    ]
    merge = operation(found.findings[0])
    assert (merge["subject"], merge["object"]) == ("service:pay", "service:checkout")
    assert merge["external_ids"] == ["github:acme/pay"]


def test_two_subjects_that_say_the_same_are_candidates_unless_one_denies_it(pots: Pots) -> None:
    first = claim(fact="Retry the refund with the remaining captured amount.")
    again = claim(subject="fix:aaaaaaaaaaaa", fact="Retry the refund with the remaining amount captured")
    denied = claim(
        subject="fix:bbbbbbbbbbbb", fact="Do not retry the refund with the remaining captured amount."
    )
    other = claim(subject="fix:cccccccccccc", fact="Split the capture in two.")
    found = pots.report("duplicate-candidates", first, again, denied, other)
    assert [set(finding.claims) for finding in found.findings] == [{first.id, again.id}]
    assert set(found.findings[0].paths) == {repository_path(claim_path(one)) for one in (first, again)}


def test_one_crowded_object_is_searched_without_comparing_all_pairs(pots: Pots) -> None:
    many = [
        claim(subject=f"fix:{n:012x}", fact=f"Step{n} alpha{n % 97} beta{n % 89} gamma{n % 83} delta{n}")
        for n in range(300)
    ]
    twin = claim(subject="fix:ffffffffffff", fact="Step7 alpha7 beta7 gamma7 delta7!")
    found = pots.report("duplicate-candidates", *many, twin)
    assert [set(finding.claims) for finding in found.findings] == [{many[7].id, twin.id}]


def test_a_fact_past_its_time_to_live_is_stale_and_an_event_never_is(pots: Pots) -> None:
    dependency = depends("pay", "ledger")
    fix = claim()
    seen_again = depends("web", "pay", observed_at="2026-06-20T00:00:00Z")
    event = claim(subject="person:rae", predicate="PERFORMED", object="activity:deploy:1", fact=None)
    found = pots.report(
        "stale-facts",
        dependency,
        fix,
        seen_again,
        event,
        withdrawn(claim(fact="Gone.")),
        now=NOW + timedelta(days=20),
    )
    assert [(f.code, f.claims) for f in found.findings] == [("past_time_to_live", [dependency.id])]
    assert "21 days ago" in found.findings[0].message or "20 days ago" in found.findings[0].message
    assert found.checked == 3


def test_changed_and_missing_evidence_is_stale_at_once(pots: Pots) -> None:
    places = {
        "repo:a.py": EvidenceState.CHANGED,
        "repo:b.py": EvidenceState.GONE,
        "repo:c.py": EvidenceState.MOVED,
    }
    held = [
        claim(fact=f"{place} says so.", evidence=[{"source_ref": place, "blob": "0" * 40}])
        for place in places
    ]
    found = pots.report("stale-facts", *held, evidence_state=lambda item: places[item.source_ref])
    assert [(f.code, f.claims[0]) for f in found.findings] == [
        ("evidence_gone", held[1].id),
        ("evidence_changed", held[0].id),
    ]
    assert operation(found.findings[0])["claim"] == held[1].id
    assert "--source-ref=repo:a.py" in found.findings[1].next_command


def test_two_owners_conflict_and_two_environments_do_not(pots: Pots) -> None:
    core = claim(**OWNED, object="team:core", valid_from="2026-01-01T00:00:00Z")
    edge = claim(**OWNED, object="team:edge", valid_from="2026-02-01T00:00:00Z")
    staging = claim(**OWNED, object="team:core", environment="staging")
    confirmed = claim(**{**OWNED, "subject": "service:web"}, object="team:core")
    again = claim(
        **{**OWNED, "subject": "service:web"}, object="team:core", observed_at="2026-06-01T00:00:00Z"
    )
    found = pots.report("conflicting-claims", core, edge, staging, confirmed, again)
    assert [(f.code, f.claims) for f in found.findings] == [("two_where_one_is_allowed", [core.id, edge.id])]
    ended = operation(found.findings[0])
    assert (ended["op"], ended["claim"]) == ("end_relation_validity", core.id)


def test_a_fix_cannot_both_resolve_and_fail(pots: Pots) -> None:
    good = claim()
    bad = claim(predicate="ATTEMPTED_FIX_FAILED", fact="It came back.")
    worked = claim(
        subject="person:rae",
        predicate="VERIFIED",
        object=good.subject,
        fact="Yes.",
        details={"outcome": "worked"},
    )
    failed = claim(
        subject="person:bo",
        predicate="VERIFIED",
        object=good.subject,
        fact="No.",
        details={"outcome": "didnt_work"},
    )
    partly = claim(
        subject="person:al",
        predicate="VERIFIED",
        object="fix:cccccccccccc",
        fact="Half.",
        details={"outcome": "partial"},
    )
    found = pots.report("conflicting-claims", good, bad, worked, failed, partly)
    assert codes(found) == ["resolved_and_failed", "verifications_disagree"]
    assert operation(found.findings[0])["claim"] == good.id
    assert set(found.findings[1].claims) == {worked.id, failed.id}


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [
        (
            "Requests are retried three times.",
            "Requests are not retried three times.",
            "one_denies_the_other",
        ),
        ("The timeout is 30 seconds.", "The timeout is 60 seconds.", "numbers_differ"),
        ("The timeout is 30 seconds.", "Refunds are never split.", None),
        ("Deploys happen on Mondays.", "Deploys happen on Mondays!", None),
    ],
)
def test_statements_about_one_thing_may_deny_each_other(
    pots: Pots, one: str, other: str, code: str | None
) -> None:
    slot = {
        "subject": "preference:http",
        "predicate": "POLICY_APPLIES_TO",
        "object": None,
        "fact": None,
        "evidence": None,
    }
    first = claim(**slot, value=one, valid_from="2026-01-01T00:00:00Z")
    second = claim(**slot, value=other, valid_from="2026-02-01T00:00:00Z")
    found = pots.report("conflicting-claims", first, second)
    assert codes(found) == ([code] if code else [])
    if code:
        assert operation(found.findings[0])["claim"] == first.id


def test_a_contradiction_within_one_statement_is_not_answered_by_withdrawing_both(pots: Pots) -> None:
    first = claim(fact="It takes 3 attempts.")
    second = claim(fact="It takes 5 attempts.")
    found = pots.report("conflicting-claims", first, second)
    assert codes(found) == ["numbers_differ"]
    assert "search-entities" in found.findings[0].next_command


def test_an_entity_of_which_nothing_is_said_is_an_orphan(pots: Pots) -> None:
    gone = withdrawn(depends("old", "pay"))
    found = pots.report(
        "orphan-entities",
        entity("service:pay", "Service", name="Payments"),
        entity("service:old", "Service", name="Old"),
        entity("service:lonely", "Service", name="It's lonely"),
        entity(
            "service:dup", "Service", merged={"into": "service:nowhere", "reason": "x", "provenance": stamp()}
        ),
        depends("web", "pay"),
        gone,
    )
    assert [(f.code, f.entities) for f in found.findings] == [
        ("merged_into_nothing", ["service:dup"]),
        ("no_claims", ["service:lonely"]),
        ("only_withdrawn_claims", ["service:old"]),
    ]
    assert shlex.split(found.findings[1].next_command)[4:] == [
        "--type=Service",
        "--query=It's lonely",
        "--supporting-claims",
    ]


def test_unsure_and_uncited_claims_are_listed_and_supported_ones_are_not(pots: Pots) -> None:
    unsure = claim(confidence=0.2, fact="Perhaps.")
    less = claim(confidence=0.4, fact="Maybe.")
    sure = claim(confidence=0.5, fact="Surely.")
    uncited = claim(subject="fix:aaaaaaaaaaaa", fact="No source.", evidence=None)
    decided = claim(subject="fix:bbbbbbbbbbbb", fact="We said so.", evidence=None, truth="user_decision")
    found = pots.report("low-confidence", unsure, less, sure, uncited, decided)
    assert [(f.code, f.claims) for f in found.findings] == [
        ("unsure", [unsure.id]),
        ("unsure", [less.id]),
        ("uncited", [uncited.id]),
    ]


def test_drift_is_what_the_index_says(pots: Pots) -> None:
    problems = [
        "claims/debugging/aa/x.yaml: 0 rows instead of one",
        "this snapshot was not synced: run `git potpie index sync`",
    ]
    found = pots.report("projection-drift", claim(), drift=lambda: (7, problems))
    assert found.checked == 7
    assert codes(found) == ["index_differs", "not_synced"]
    assert found.findings[0].paths == [".potpie/claims/debugging/aa/x.yaml"]
    assert [f.next_command for f in found.findings] == ["git potpie index rebuild", "git potpie index sync"]
    assert pots.report("projection-drift", claim()).notes


def test_a_summary_counts_every_report_and_names_the_next_one(pots: Pots) -> None:
    view = pots.view(
        claim(**OWNED, object="team:core"),
        claim(**OWNED, object="team:edge"),
        claim(confidence=0.1),
        entity("service:lonely", "Service", name="Lonely"),
    )
    found = summary(view)
    assert found.counts["conflicting-claims"] == 1
    assert found.counts["claims"] == 3
    assert found.counts["orphan-entities"] == 1
    assert set(REPORTS) <= found.counts.keys()
    assert {finding.next_command.split()[-1] for finding in found.findings} == {
        "conflicting-claims",
        "orphan-entities",
        "low-confidence",
    }


def test_an_empty_pot_has_nothing_to_complain_about(pots: Pots) -> None:
    view = pots.view()
    assert [REPORTS[name](view).findings for name in REPORTS] == [[]] * len(REPORTS)
    assert summary(view).findings == []


def test_no_report_touches_the_repository(pots: Pots) -> None:
    view = pots.view(claim(), depends("pay", "ledger"), drift=lambda: (1, []))
    before = sorted((str(path), path.stat().st_mtime_ns) for path in pots.repo.root.rglob("*"))
    summary(view)
    assert sorted((str(path), path.stat().st_mtime_ns) for path in pots.repo.root.rglob("*")) == before
