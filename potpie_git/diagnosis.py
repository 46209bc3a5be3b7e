"""What is here, what is missing, and what to do about it: the facts behind `status` and `doctor`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from potpie_git.domain.layout import CLAIMS, POT_DIRECTORY
from potpie_git.domain.version import __version__
from potpie_git.store import hooks
from potpie_git.store.pot_tree import PotTree
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot, diff
from potpie_git.wiring import Wiring


@dataclass(frozen=True, slots=True)
class StatusLine:
    """One fact about the pot; an unhealthy one has a remedy."""

    name: str
    text: str
    healthy: bool = True
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """The facts in order, and the first thing to do about them."""

    pot_id: str
    lines: list[StatusLine] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        return all(line.healthy for line in self.lines)

    @property
    def next_action(self) -> str | None:
        return next((line.remedy for line in self.lines if line.remedy), None)


def status(wiring: Wiring) -> Status:
    """What a pot holds and how its hooks and index stand. Raises `NoPotError`, `InvalidFileError`."""
    repository, tree = wiring.repository, wiring.tree()
    pot = tree.pot()
    lines = [
        StatusLine("pot", f"{pot.pot_id} in {repository.root / POT_DIRECTORY}"),
        _branch(repository, tree),
        _claims(tree),
        _pending(repository, tree),
        _hooks(hooks.status(repository)),
        _index(wiring, tree),
    ]
    return Status(pot.pot_id, lines)


def doctor(wiring: Wiring) -> Status:
    """Everything that `status` says, and proofs: git runs the hooks, the index can be read, files are sound."""
    repository, tree = wiring.repository, wiring.tree()
    found = status(wiring)
    version = repository.git.text("version").removeprefix("git version ")
    lines = [
        StatusLine("program", f"potpie-git {__version__}, {Path(sys.executable)}, git {version}"),
        *(line for line in found.lines if line.name not in {"hooks"}),
        _hooks(hooks.prove(repository)),
        *_sound(tree),
    ]
    return Status(found.pot_id, lines)


def _branch(repository: Repository, tree: PotTree) -> StatusLine:
    branch, policy = repository.branch(), tree.policy()
    name = branch.removeprefix("refs/heads/") if branch else "(detached HEAD)"
    protected = policy is not None and policy.protects(branch)
    return StatusLine("branch", f"{name}{', protected: risky changes need approval' if protected else ''}")


def _claims(tree: PotTree) -> StatusLine:
    count = sum(1 for _ in tree.snapshot.entries(CLAIMS))
    remedy = None if count else "git potpie record decision --help"
    return StatusLine("claims", f"{count} claims" if count else "none yet", True, remedy)


def _pending(repository: Repository, tree: PotTree) -> StatusLine:
    changed = len(diff(TreeSnapshot.of_head(repository), tree.snapshot))
    if not changed:
        return StatusLine("changes", "everything is committed")
    remedy = f"git potpie check, then git add {POT_DIRECTORY} && git commit"
    return StatusLine("changes", f"{changed} files differ from HEAD", True, remedy)


def _hooks(report: hooks.HookReport) -> StatusLine:
    if report.healthy:
        return StatusLine("hooks", f"git runs them, from {report.directory}")
    missing = ", ".join(hook.name for hook in report.hooks if not hook.installed or hook.problem)
    problem = next((hook.problem for hook in report.hooks if hook.problem), None)
    text = f"git does not run {missing}{f': {problem}' if problem else ''}"
    return StatusLine("hooks", text, False, report.next_action or "git potpie hooks install")


def _index(wiring: Wiring, tree: PotTree) -> StatusLine:
    held = wiring.index.status(tree.snapshot)
    remedy = "git potpie index sync"
    if not held.exists:
        return StatusLine("index", "not built yet; search goes by words until it is", True, remedy)
    if held.problem or not held.covered or held.pending:
        why = held.problem or (
            "behind the working tree" if not held.covered else f"{held.pending} cards wait"
        )
        return StatusLine("index", why, not held.problem, remedy)
    return StatusLine("index", f"{held.rows} rows and {held.vectors} vectors, {held.disk_bytes / 1e6:.1f} MB")


def _sound(tree: PotTree) -> list[StatusLine]:
    """Whether every governed file decodes. Raises `InvalidFileError` naming the first that does not."""
    claims = sum(1 for _ in tree.claims())
    others = (
        sum(1 for _ in tree.entities()) + sum(1 for _ in tree.tombstones()) + sum(1 for _ in tree.inbox())
    )
    return [StatusLine("files", f"{claims} claims and {others} other records decode")]
