"""Whatever is proposed: it is refused with codes and hints, or it becomes files that every check accepts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from potpie_git.domain.errors import ConflictError, IssuesError
from potpie_git.domain.vocabulary import MUTATION_OPS, PREDICATES, RECORD_TYPES, TRUTH_STRENGTH
from potpie_git.store.codec import file_findings
from tests.write.conftest import Desk, fixes

TEXT = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["no", "1.10", "- a", "x: y", " trailing ", "é", "e\u0301", "a\u200bb", "\x07", "'\"", "#", "🚀"]
    ),
)
KEYS = st.sampled_from(
    "service:a service:b service:A team:x fix:111111111111 bug_pattern:boom person:rae decision:aaaaaaaaaaaa "
    "policy:p repo:h/o/n code:a:src/x.py service:naïve nonsense fix:".split()
)
ENDS = KEYS | st.fixed_dictionaries(
    {"type": st.sampled_from(["Service", "Fix", "Team", "Nope"])}, optional={"name": TEXT, "summary": TEXT}
)
TIMES = st.sampled_from(
    ["2026-01-01T00:00:00Z", "2026-05-01T10:00:00+05:30", "2026-05-01", "2026-05-01T10:00:00"]
)
EVIDENCE = st.lists(
    st.sampled_from(["linear:ENG-1", "repo:src/pay.py#L1", "repo:gone", "bad"])
    | st.fixed_dictionaries({"source_ref": st.just("ci:7"), "authority": st.sampled_from(["ci_run", "x"])}),
    max_size=2,
)
FIELDS: dict[str, Any] = {
    "claim": st.sampled_from(["c-" + "0" * 32, "STANDING", "x"]),
    "subject": ENDS,
    "predicate": st.sampled_from([*PREDICATES, "SUPERSEDES", "NOPE"]),
    "object": ENDS,
    "value": TEXT,
    "truth": st.sampled_from([*TRUTH_STRENGTH, "nope"]),
    "confidence": st.floats(allow_nan=True),
    "evidence": EVIDENCE,
    "fact": TEXT,
    "description": TEXT,
    "environment": st.sampled_from(["prod", "Prod"]),
    "code_scope": st.dictionaries(st.sampled_from(["path", "language", "x"]), TEXT, max_size=2),
    "details": st.dictionaries(TEXT, TEXT | st.lists(TEXT, max_size=2), max_size=2),
    "valid_from": TIMES,
    "valid_until": TIMES,
    "reason": TEXT,
    "reinstates": st.sampled_from(["STANDING", "c-" + "1" * 32]),
    "superseded_by": KEYS | st.fixed_dictionaries({}, optional={"fact": TEXT, "object": KEYS}),
    "patch": st.dictionaries(st.sampled_from(["name", "summary", "description", "x"]), TEXT, max_size=2),
    "to_state": st.sampled_from(["accepted", "active", "nope"]),
    "external_ids": st.lists(TEXT, max_size=2),
    "verb": TEXT,
    "occurred_at": TIMES,
    "targets": st.lists(ENDS, max_size=2),
    "actor": TEXT,
}
# The operations' own fields, most of them given, and now and then one that does not belong.
OPERATIONS = st.sampled_from(MUTATION_OPS).flatmap(
    lambda op: st.fixed_dictionaries({"op": st.just(op)}, optional=FIELDS)
)


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """One pot for all examples: proposing writes nothing to it."""
    from potpie_git.store.repository import Repository
    from potpie_git.write.setup import create_pot
    from tests.support.git_repo import GitRepo
    from tests.write.conftest import START

    repo = GitRepo.init(tmp_path_factory.mktemp("standing") / "repo")
    repo.git("config", "user.name", "Rae")
    repo.git("config", "user.email", "rae@example.com")
    repo.write("src/pay.py", "pay\n")
    create_pot(Repository.discover(repo.root), START)
    repo.commit("Start")
    desk = Desk(repo)
    desk.write(fixes("Retry it."))
    return desk


def named(operation: dict[str, Any], claim_id: str) -> dict[str, Any]:
    return {name: claim_id if held == "STANDING" else held for name, held in operation.items()}


def judge(desk: Desk, payload: dict[str, Any]) -> None:
    state = desk.status()
    try:
        plan = desk.writer.propose(payload)
    except (IssuesError, ConflictError) as error:
        for issue in error.detail.get("issues", ()):
            assert issue["code"]
            assert issue["message"]
            assert issue["hint"]
    else:
        for edit in plan.edits:
            assert file_findings(edit.path, edit.after.encode())[1] == [], edit.path
    assert desk.status() == state


QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUICK
@given(st.lists(OPERATIONS, min_size=1, max_size=3))
def test_proposed_operations(standing: Desk, operations: list[dict[str, Any]]) -> None:
    claim_id = standing.only("RESOLVED").id
    judge(standing, {"operations": [named(one, claim_id) for one in operations]})


@QUICK
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | TEXT,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["op", "operations", "subject", "object", "reason", "x"]), inner, max_size=3
            )
        ),
        max_leaves=8,
    )
)
def test_shapeless_payloads(standing: Desk, payload: Any) -> None:
    judge(standing, payload)


@QUICK
@given(
    st.sampled_from([*RECORD_TYPES, "other"]),
    st.dictionaries(
        st.sampled_from(
            ["symptom_signature", "fix_steps", "summary", "title", "rationale", "policy_kind", "outcome"]
        )
        | st.sampled_from(["prescription", "kind", "target_ref", "attempted_failed_fixes", "notes", "x"]),
        TEXT | st.lists(TEXT, max_size=2) | st.integers() | st.none(),
        max_size=5,
    ),
    st.dictionaries(st.sampled_from(["service", "path", "repo", "language", "x"]), TEXT, max_size=2),
)
def test_records(standing: Desk, record_type: str, fields: dict[str, Any], scope: dict[str, Any]) -> None:
    try:
        done = standing.writer.record(record_type, fields, scope=scope, dry_run=True)
    except (IssuesError, ConflictError):
        return
    for edit in done.plan.edits:
        assert file_findings(edit.path, edit.after.encode())[1] == [], edit.path
