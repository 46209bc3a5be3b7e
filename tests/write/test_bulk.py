"""Bulk writes: chunks that are all or nothing, failures told by line, and runs that go on where they stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from potpie_git.domain.claim import Actor
from potpie_git.domain.errors import ApprovalRequiredError, InvalidInputError
from potpie_git.domain.templates import template
from potpie_git.domain.vocabulary import MUTATION_OPS, RECORD_TYPES, Risk
from potpie_git.store.repository import Repository
from potpie_git.write.bulk import BulkOptions, BulkReport, Form, Item, Manifest, apply_bulk, read_items
from potpie_git.write.immediate import write_now
from potpie_git.write.setup import create_pot
from potpie_git.write.writer import Writer
from tests.support.git_repo import GitRepo

CHECKOUT = Path(__file__).resolve().parents[2]


def depends(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "op": "assert_claim",
        "subject": f"service:s{number}",
        "predicate": "DEPENDS_ON",
        "object": "service:ledger",
        **fields,
    }


def ndjson(*items: Any) -> list[bytes]:
    return [(item if isinstance(item, str) else json.dumps(item)).encode() + b"\n" for item in items]


class Bulk:
    """Runs over one pot."""

    def __init__(self, repo: GitRepo) -> None:
        self.repo = repo
        self.writer = Writer(Repository.discover(repo.root), Actor(surface="bulk", user="rae"))

    def apply(self, lines: Iterable[bytes], form: Form = "auto", **options: Any) -> BulkReport:
        return apply_bulk(self.writer, read_items(lines, form), BulkOptions(**options))

    def commits(self) -> list[str]:
        return self.repo.git("log", "--format=%s").split("\n")

    def claims(self) -> int:
        listed = self.repo.git("ls-tree", "-r", "--name-only", "HEAD", ".potpie/claims")
        return len(listed.split("\n")) if listed else 0


@pytest.fixture
def bulk(git_repo: GitRepo) -> Bulk:
    create_pot(Repository.discover(git_repo.root), datetime(2026, 6, 1, tzinfo=UTC))
    git_repo.commit("Pot")
    git_repo.branch("work")
    return Bulk(git_repo)


def states(report: BulkReport) -> list[str]:
    return [chunk.state for chunk in report.chunks]


def test_every_chunk_is_one_commit(bulk: Bulk) -> None:
    report = bulk.apply(ndjson(*(depends(n) for n in range(7))), chunk_size=3)
    assert states(report) == ["committed"] * 3
    assert [chunk.claims for chunk in report.chunks] == [3, 3, 1]
    assert [(chunk.first_line, chunk.last_line) for chunk in report.chunks] == [(1, 3), (4, 6), (7, 7)]
    assert bulk.commits()[:3] == [
        "Memory: bulk, chunk 3 (lines 7-7)",
        "Memory: bulk, chunk 2 (lines 4-6)",
        "Memory: bulk, chunk 1 (lines 1-3)",
    ]
    assert bulk.claims() == 7
    assert report.as_dict()["claims"] == 7
    assert bulk.repo.git("status", "--porcelain") == ""


def test_the_same_file_again_writes_nothing(bulk: Bulk) -> None:
    lines = ndjson(*(depends(n) for n in range(4)))
    bulk.apply(lines, chunk_size=2)
    head = bulk.repo.git("rev-parse", "HEAD")
    assert states(bulk.apply(lines, chunk_size=2)) == ["unchanged", "unchanged"]
    assert bulk.repo.git("rev-parse", "HEAD") == head


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"operations": [A, B]}', "auto"),
        ('{\n  "operations": [A,\n B]\n}', "auto"),
        ("[A, B]", "auto"),
        ("[\nA,\nB\n]\n", "json"),
        ("A\n\n  \nB\n", "auto"),
        ("A\nB", "ndjson"),
    ],
)
def test_ndjson_and_json_are_told_apart(bulk: Bulk, text: str, form: Form) -> None:
    raw = text.replace("A", json.dumps(depends(1))).replace("B", json.dumps(depends(2))).encode()
    assert bulk.apply(raw.splitlines(keepends=True), form).as_dict()["claims"] == 2


def test_a_single_operation_over_several_lines_is_a_document(bulk: Bulk) -> None:
    raw = json.dumps(depends(1), indent=2).encode()
    assert bulk.apply(raw.splitlines(keepends=True)).as_dict()["claims"] == 1


def test_an_empty_file_is_no_failure(bulk: Bulk) -> None:
    assert bulk.apply([]).chunks == []
    assert bulk.apply([b"\n", b"  \n"]).chunks == []


@pytest.mark.parametrize("raw", [b"[1, 2", b'"text"', b'{"operations": 3}', b"[\xff]"])
def test_a_document_that_holds_no_list_is_refused(bulk: Bulk, raw: bytes) -> None:
    with pytest.raises(InvalidInputError) as refused:
        bulk.apply([raw], "json")
    assert refused.value.code == "malformed_payload"


def test_everything_wrong_with_a_chunk_is_said_by_line_and_operation(bulk: Bulk) -> None:
    report = bulk.apply(
        ndjson(
            depends(1),
            "{not json",
            depends(2, predicate="DEPENDS_UPON"),
            "[]",
            {"type": "fix", "fix_steps": ["x"]},
            depends(3, confidence=2),
            {"op": "assert_claim", "op ": 1},
        )
    )
    chunk = report.chunks[0]
    assert chunk.state == "failed"
    found = [(issue["line"], issue["op_index"], issue["code"]) for issue in chunk.issues]
    assert {line for line, _, _ in found} == {2, 3, 4, 5, 6, 7}
    assert (3, 0, "PG-S02") in found
    assert (6, 0, "confidence_out_of_range") in found
    assert (2, None, "malformed_payload") in found
    assert all(issue["message"] and issue["hint"] for issue in chunk.issues)
    assert found == sorted(found, key=lambda one: one[0])
    assert bulk.claims() == 0
    # Nothing is left of the plan that judged the rest.
    assert {plan.state.value for plan in bulk.writer.plans()} <= {"abandoned", "invalid"}


def test_a_record_is_lowered_and_its_operations_are_told_apart(bulk: Bulk) -> None:
    record = {
        "type": "fix",
        "symptom_signature": "409",
        "fix_steps": ["Retry."],
        "attempted_failed_fixes": ["Wait."],
        "scope": {"service": "pay"},
        "summary": "Retry it.",
        "valid_from": "2026-06-01",
    }
    failed = bulk.apply(ndjson(depends(1), record)).chunks[0]
    assert {(issue["line"], issue["op_index"]) for issue in failed.issues} == {(2, 0), (2, 1)}

    record["valid_from"] = "2026-06-01T00:00:00Z"
    done = bulk.apply(ndjson(depends(1), record)).chunks[0]
    assert (done.state, done.items, done.operations, done.claims) == ("committed", 2, 3, 3)


def test_a_failure_stops_the_run_unless_it_is_to_go_on(bulk: Bulk) -> None:
    lines = ndjson(depends(1), depends(2, predicate="NONE"), depends(3))
    stopped = bulk.apply(lines, chunk_size=1)
    assert (states(stopped), stopped.stopped) == (["committed", "failed"], True)
    went_on = bulk.apply(lines, chunk_size=1, continue_on_error=True)
    assert (states(went_on), went_on.stopped) == (["unchanged", "failed", "committed"], False)
    assert bulk.claims() == 2


def test_chunks_before_the_first_wanted_are_left_out(bulk: Bulk) -> None:
    report = bulk.apply(ndjson(*(depends(n) for n in range(4))), chunk_size=1, start_chunk=3)
    assert states(report) == ["skipped", "skipped", "committed", "committed"]
    assert bulk.claims() == 2


def test_a_manifest_remembers_and_a_mended_file_goes_on(bulk: Bulk, tmp_path: Path) -> None:
    manifest = tmp_path / "run.json"
    lines = ndjson(depends(1), depends(2, predicate="NONE"), depends(3))
    bulk.apply(lines, chunk_size=1, manifest=manifest)
    noted = Manifest.open(manifest, 1)
    assert {number: chunk.state for number, chunk in noted.chunks.items()} == {1: "committed", 2: "failed"}
    assert noted.chunks[2].issues[0]["line"] == 2

    head = bulk.repo.git("rev-parse", "HEAD")
    lines[1] = ndjson(depends(2))[0]
    report = bulk.apply(lines, chunk_size=1, manifest=manifest)
    assert states(report) == ["committed"] * 3
    assert report.chunks[0].commit == head
    assert len(bulk.commits()) == 4


def test_what_a_manifest_says_was_applied_cannot_change(bulk: Bulk, tmp_path: Path) -> None:
    manifest = tmp_path / "run.json"
    bulk.apply(ndjson(depends(1)), chunk_size=1, manifest=manifest)
    with pytest.raises(InvalidInputError) as refused:
        bulk.apply(ndjson(depends(2)), chunk_size=1, manifest=manifest)
    assert refused.value.code == "manifest_mismatch"
    with pytest.raises(InvalidInputError, match="chunks of 1"):
        bulk.apply(ndjson(depends(1)), chunk_size=2, manifest=manifest)
    manifest.write_text("{}x")
    with pytest.raises(InvalidInputError) as refused:
        bulk.apply(ndjson(depends(1)), chunk_size=1, manifest=manifest)
    assert refused.value.code == "malformed_manifest"


def test_a_withdrawal_is_not_repeated_after_a_lost_note(bulk: Bulk, tmp_path: Path) -> None:
    """The commit was made and its manifest entry was not: the same run finds the commit again."""
    manifest = tmp_path / "run.json"
    bulk.apply(ndjson(depends(1)))
    retract = depends(1, op="retract_claim", reason="It moved.")
    lines = ndjson(depends(2), retract)
    first = bulk.apply(lines, chunk_size=1, manifest=manifest)
    document = json.loads(manifest.read_text())
    del document["chunks"]["2"]
    manifest.write_text(json.dumps(document))

    again = bulk.apply(lines, chunk_size=1, manifest=manifest)
    assert again.chunks[1].commit == first.chunks[1].commit
    assert again.chunks[1].state == "committed"


def test_an_idempotency_key_writes_once(bulk: Bulk) -> None:
    bulk.apply(ndjson(depends(1)))
    lines = ndjson({**depends(1), "op": "retract_claim", "reason": "It moved."})
    first = bulk.apply(lines, idempotency_key="june")
    again = bulk.apply(lines, idempotency_key="june")
    assert again.chunks[0].commit == first.chunks[0].commit
    other = bulk.apply(ndjson(depends(3)), idempotency_key="june")
    assert other.chunks[0].issues[0]["code"] == "idempotency_mismatch"


def test_staged_chunks_become_one_commit_of_the_user(bulk: Bulk) -> None:
    report = bulk.apply(ndjson(*(depends(n) for n in range(5))), chunk_size=2, stage=True)
    assert states(report) == ["staged"] * 3
    bulk.repo.git("commit", "--quiet", "--message", "All of it")
    assert bulk.claims() == 5


def test_a_chunk_above_low_risk_waits_for_approval_on_a_protected_branch(bulk: Bulk) -> None:
    bulk.apply(ndjson(depends(1)))
    bulk.repo.git("switch", "--quiet", "main")
    bulk.repo.git("merge", "--quiet", "work")
    retract = {**depends(1), "op": "retract_claim", "reason": "It moved."}
    report = bulk.apply(ndjson(depends(2), retract), chunk_size=1)
    assert states(report) == ["committed", "failed"]
    assert report.chunks[1].issues[0]["code"] == "approval_required"
    bulk.repo.switch("work")
    on_branch = bulk.apply(ndjson(retract), chunk_size=1)
    assert on_branch.chunks[0].pending


@pytest.mark.parametrize("options", [{"chunk_size": 0}, {"chunk_size": 10_001}, {"start_chunk": 0}])
def test_numbers_out_of_range_are_refused(bulk: Bulk, options: dict[str, int]) -> None:
    with pytest.raises(InvalidInputError):
        bulk.apply(ndjson(depends(1)), **options)


def test_what_every_chunk_would_meet_stops_the_run(bulk: Bulk) -> None:
    plans = bulk.repo.root / ".git/potpie/plans"
    plans.parent.mkdir(parents=True, exist_ok=True)
    plans.write_text("in the way")
    report = bulk.apply(ndjson(depends(1), depends(2)), chunk_size=1, continue_on_error=True)
    assert (states(report), report.stopped) == (["failed"], True)
    assert report.chunks[0].issues[0]["code"] == "storage_error"


def test_a_large_chunk_is_stored_as_one_pack(bulk: Bulk) -> None:
    bulk.apply(ndjson(*(depends(n) for n in range(250))))
    counts = dict(line.split(": ") for line in bulk.repo.git("count-objects", "-v").split("\n"))
    assert counts["packs"] == "1"
    assert int(counts["in-pack"]) >= 250
    assert bulk.repo.git("fsck", "--strict") == ""
    assert bulk.claims() == 250
    # Later commands have git's usual idea of what is large: the files still show as text.
    assert "Bin" not in bulk.repo.git("show", "--stat", "--format=", "HEAD")


KILLED = """
import itertools, json, os, signal, sys
from pathlib import Path
from potpie_git.domain.claim import Actor
from potpie_git.store.repository import Repository
from potpie_git.write.bulk import BulkOptions, apply_bulk, read_items
from potpie_git.write.writer import Writer

root, file, manifest, after = sys.argv[1:]
writer = Writer(Repository.discover(Path(root)), Actor(surface="bulk", user="rae"))
def die(done):
    if done >= int(after):
        os.kill(os.getpid(), signal.SIGKILL)
with open(file, "rb") as lines:
    apply_bulk(writer, read_items(lines), BulkOptions(chunk_size=2, manifest=Path(manifest)), die)
"""


def test_a_run_that_was_killed_goes_on_where_it_was(bulk: Bulk, tmp_path: Path) -> None:
    file, manifest = tmp_path / "ops.ndjson", tmp_path / "run.json"
    file.write_bytes(b"".join(ndjson(*(depends(n) for n in range(8)))))
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(bulk.repo.root), str(file), str(manifest), "4"],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert bulk.claims() == 4
    with file.open("rb") as lines:
        report = bulk.apply(lines, chunk_size=2, manifest=manifest)
    assert states(report) == ["committed"] * 4
    assert bulk.claims() == 8
    assert len(bulk.commits()) == 5


def test_a_plan_of_low_risk_is_written_at_once_and_no_other(bulk: Bulk) -> None:
    done = write_now(bulk.writer, depends(1), most=Risk.LOW, verify=True)
    assert done.commit == bulk.repo.git("rev-parse", "HEAD")
    assert done.verification is not None
    assert done.verification.ok
    retract = {**depends(1), "op": "retract_claim", "reason": "It moved."}
    with pytest.raises(ApprovalRequiredError) as held:
        write_now(bulk.writer, retract, most=Risk.LOW)
    plan = held.value.detail["plan_id"]
    assert plan in held.value.hint
    assert bulk.writer.commit(plan).commit


def test_somebody_elses_commit_in_between_does_not_fail_the_write(
    bulk: Bulk, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Bulk(bulk.repo)
    propose = bulk.writer.propose
    overtaken: list[str] = []

    def slow(*args: Any, **options: Any) -> Any:
        plan = propose(*args, **options)
        if not overtaken:
            overtaken.append(write_now(other.writer, depends(9)).commit or "")
        return plan

    monkeypatch.setattr(bulk.writer, "propose", slow)
    assert write_now(bulk.writer, depends(1)).commit
    assert overtaken != [""]
    assert bulk.claims() == 2


# What stands before each template is proposed: operations as other templates make them.
NEEDED: dict[str, list[str]] = {
    "patch_entity": ["upsert_entity"],
    "end_relation_validity": ["link_entities"],
    "retract_claim": ["assert_claim"],
    "supersede_claim": ["assert_claim"],
    "verification": ["assert_claim"],
}


@pytest.mark.parametrize("kind", [*MUTATION_OPS, *RECORD_TYPES])
def test_every_template_can_be_written_as_it_stands(bulk: Bulk, kind: str) -> None:
    before: list[Any] = [template(name) for name in NEEDED.get(kind, ())]
    if kind == "transition_state":
        moved = template(kind)
        before = [
            {
                "op": "upsert_entity",
                "subject": {"key": moved["subject"], "name": "Queues"},
                "to_state": moved["from_state"],
            }
        ]
    report = bulk.apply(ndjson(*before, template(kind)), chunk_size=1)
    assert [chunk.issues for chunk in report.chunks] == [[]] * len(report.chunks)
    assert states(report) == ["committed"] * (len(before) + 1)


def test_items_keep_their_lines() -> None:
    items = list(read_items([b"\n", b'{"op": "x"}\n', b"bad\n", b"\n", b'{"op": "y"}'], "ndjson"))
    assert [(item.place, item.line, item.fault is None) for item in items] == [
        (0, 2, True),
        (1, 3, False),
        (2, 5, True),
    ]
    assert isinstance(items[0], Item)


def test_a_doubled_key_is_a_fault_of_its_line() -> None:
    (item,) = read_items([b'{"op": "x", "op": "y"}\n'], "ndjson")
    assert item.fault is not None
    assert "twice" in item.fault
