"""Many writers at once: nothing is lost, nothing is doubled, and the repository stays sound."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.write.conftest import Desk

REPOSITORY = Path(__file__).resolve().parents[2]
RECORDING = """
import sys
from pathlib import Path
from potpie_git.domain.claim import Actor
from potpie_git.store.repository import Repository
from potpie_git.write.writer import Writer

root, number = sys.argv[1:]
writer = Writer(Repository.discover(Path(root)), Actor(surface="cli", user=f"user{number}"))
fields = {"symptom_signature": f"Symptom {number}", "fix_steps": [f"Step {number}"]}
print(writer.record("fix", fields).commit)
"""
SAME = RECORDING.replace('f"Symptom {number}"', '"Symptom"').replace('f"Step {number}"', '"Step"')
WRITERS = 20


def run_together(desk: Desk, script: str) -> list[str]:
    """Run one process a writer, all at once; returns what each printed."""
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(desk.repo.root), str(number)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(WRITERS)
    ]
    ended = [(process.communicate(), process.returncode) for process in started]
    assert [said[1] for said, status in ended if status] == []
    return [said[0].strip() for said, _ in ended]


def test_twenty_writers_of_twenty_claims_lose_none(desk: Desk) -> None:
    commits = run_together(desk, RECORDING)
    assert len(set(commits)) == WRITERS
    assert {claim.fact for claim in desk.of("RESOLVED")} == {f"Step {number}" for number in range(WRITERS)}
    assert desk.repo.git("rev-list", "--count", f"main..{desk.head()}") == str(WRITERS)
    assert desk.status() == ""
    assert desk.repo.run("fsck", "--no-dangling").stderr == b""
    assert not (desk.repository.state_dir / "journal.json").exists()


def test_twenty_writers_of_one_claim_write_one_file(desk: Desk) -> None:
    commits = run_together(desk, SAME)
    assert sorted(commits)[1:] == ["None"] * (WRITERS - 1) or commits.count("None") == WRITERS - 1
    assert len(desk.claims()) == 1
    assert desk.status() == ""
