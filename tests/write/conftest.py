"""A committed pot, a branch to work on, and a writer whose clock a test moves."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from potpie_git.domain.claim import Actor, Claim
from potpie_git.domain.errors import IssuesError
from potpie_git.domain.layout import expected_path
from potpie_git.domain.plan import CommitGate, Plan
from potpie_git.store.codec import decode
from potpie_git.store.pot_tree import PotTree
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import WorktreeSnapshot
from potpie_git.write.results import CommitResult
from potpie_git.write.setup import create_pot
from potpie_git.write.writer import Writer
from tests.support.git_repo import GitRepo

START = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)


@dataclass
class Desk:
    """A pot to write to. Every look is fresh, as another process would take it."""

    repo: GitRepo
    now: datetime = START
    gate: CommitGate | None = None
    user: str | None = "rae"
    _writers: list[Writer] = field(default_factory=list)

    @property
    def repository(self) -> Repository:
        return Repository.discover(self.repo.root)

    @property
    def writer(self) -> Writer:
        actor = Actor(surface="library", user=self.user)
        return Writer(self.repository, actor, gate=self.gate, clock=lambda: self.now)

    @property
    def pot(self) -> Path:
        return self.repo.root / ".potpie"

    def later(self, **span: float) -> None:
        self.now += timedelta(**(span or {"minutes": 1}))

    def propose(self, *operations: dict[str, Any], **options: Any) -> Plan:
        payload = operations[0] if len(operations) == 1 else {"operations": list(operations)}
        return self.writer.propose(payload, **options)

    def write(self, *operations: dict[str, Any], **options: Any) -> CommitResult:
        """Propose and commit."""
        return self.writer.commit(self.propose(*operations).plan_id, **options)

    def issues(self, *operations: dict[str, Any]) -> list[dict[str, Any]]:
        """What is wrong with operations that must be refused."""
        with pytest.raises(IssuesError) as refused:
            self.propose(*operations)
        return refused.value.issues

    def codes(self, *operations: dict[str, Any]) -> list[tuple[int | None, str]]:
        return [(issue["op_index"], issue["code"]) for issue in self.issues(*operations)]

    def tree(self) -> PotTree:
        return PotTree(WorktreeSnapshot(self.repository))

    def claims(self) -> dict[str, Claim]:
        """Every claim of the working tree by id."""
        return {stored.claim.id: stored.claim for stored in self.tree().claims()}

    def of(self, predicate: str) -> list[Claim]:
        return [claim for claim in self.claims().values() if claim.predicate == predicate]

    def only(self, predicate: str) -> Claim:
        (claim,) = self.of(predicate)
        return claim

    def path_of(self, claim: Claim) -> Path:
        return self.pot / expected_path(claim)

    def planned(self, plan: Plan) -> list[Any]:
        """The records that a plan would write."""
        return [
            decode(edit.path, edit.after.encode()).record
            for edit in plan.edits
            if edit.path.partition("/")[2]
        ]

    def head(self) -> str:
        return self.repo.git("rev-parse", "HEAD")

    def status(self) -> str:
        return self.repo.git("status", "--porcelain", "--untracked-files=all")

    def state(self) -> dict[str, Any]:
        """Everything that a write may change: HEAD, the index, and every file's bytes and folders."""
        files = {
            str(path.relative_to(self.repo.root)): path.read_bytes() if path.is_file() else None
            for path in sorted(self.repo.root.rglob("*"))
            if ".git" not in path.relative_to(self.repo.root).parts
        }
        head = self.repo.run("rev-parse", "HEAD").stdout
        return {"head": head, "index": self.repo.git("ls-files", "-s"), "files": files}


def depends(left: str = "a", right: str = "b", **fields: Any) -> dict[str, Any]:
    """The assertion that one service depends on another."""
    return {
        "op": "assert_claim",
        "subject": f"service:{left}",
        "predicate": "DEPENDS_ON",
        "object": f"service:{right}",
        **fields,
    }


def fixes(
    fact: str, fix: str = "fix:111111111111", bug: str = "bug_pattern:boom", **fields: Any
) -> dict[str, Any]:
    """The assertion that a fix resolved a bug."""
    return {
        "op": "assert_claim",
        "subject": fix,
        "predicate": "RESOLVED",
        "object": bug,
        "fact": fact,
        **fields,
    }


def retract(claim: Claim | str, reason: str = "It was wrong.", **fields: Any) -> dict[str, Any]:
    claim_id = claim if isinstance(claim, str) else claim.id
    return {"op": "retract_claim", "claim": claim_id, "reason": reason, **fields}


@pytest.fixture
def main_desk(git_repo: GitRepo) -> Desk:
    """A committed pot, on the protected branch `main`."""
    git_repo.write("src/pay.py", "def pay():\n    return retry(3)\n\n\ndef refund():\n    return None\n")
    create_pot(Repository.discover(git_repo.root), START)
    git_repo.commit("Start")
    return Desk(git_repo)


@pytest.fixture
def desk(main_desk: Desk) -> Desk:
    """A committed pot, on the branch `work`, where nothing needs approval."""
    main_desk.repo.branch("work")
    return main_desk
