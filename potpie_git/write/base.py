"""What a plan is computed against: HEAD, the branch, the versions of subgraphs, and the files as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from potpie_git.domain.errors import ConflictError
from potpie_git.domain.files import Policy
from potpie_git.domain.layout import ATTRIBUTES_FILE, CLAIM_NAME, CLAIMS, POLICY_FILE, POT_DIRECTORY, POT_FILE
from potpie_git.domain.plan import FileEdit
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.git import decode
from potpie_git.store.pot_tree import PotTree
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import Snapshot, TreeSnapshot
from potpie_git.write.disk import working_pot

# What `init` makes; the first commit of claims takes it along.
# A command line holds at least this many paths.
_PATHS_AT_ONCE = 500
SETUP_FILES = (POT_FILE, POLICY_FILE, ATTRIBUTES_FILE)


class Base:
    """HEAD and the working tree at one moment; everything is read once, when it is asked for."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.head = repository.head()

    @cached_property
    def branch(self) -> str | None:
        return self.repository.branch()

    @cached_property
    def author(self) -> str | None:
        """Who git would record as author, as `Name <address>`; None if it would refuse to commit."""
        identity = self.repository.user_identity()
        return f"{identity[0]} <{identity[1]}>" if identity else None

    @cached_property
    def committed(self) -> TreeSnapshot:
        """The pot at HEAD."""
        return TreeSnapshot(self.repository, self.head, name="HEAD")

    @cached_property
    def working(self) -> Snapshot:
        """The pot as the user sees it."""
        return working_pot(self.repository)

    @cached_property
    def tree(self) -> PotTree:
        """Records of the working tree. Raises `NoPotError`."""
        return PotTree(self.working).require()

    @cached_property
    def policy(self) -> Policy:
        """The policy at HEAD. Where none is committed, the strictest reading of a fresh one."""
        return PotTree(self.committed).policy() or Policy(version=1)

    def asks_approval(self, risk: Risk, edits: Iterable[FileEdit]) -> bool:
        """Whether the branch is protected and the policy at HEAD wants somebody to approve these edits."""
        policy = self.policy
        if not policy.protects(self.branch):
            return False
        places = {CLAIM_NAME.match(edit.path) for edit in edits}
        kinds = {(match["subgraph"], match["predicate"]) if match else (None, None) for match in places}
        return any(policy.needed(risk, subgraph, predicate) for subgraph, predicate in kinds)

    def versions(self, subgraphs: Iterable[str]) -> dict[str, str | None]:
        """The git tree id of each subgraph at HEAD; None where it holds no claim."""
        return {name: self.committed.subtree(f"{CLAIMS}/{name}") for name in sorted(subgraphs)}

    def setup_edits(self) -> list[FileEdit]:
        """The pot's own files, as they are, where no commit holds them yet."""
        if self.committed.entry(POT_FILE) is not None:
            return []
        edits = []
        for path in SETUP_FILES:
            entry = self.working.entry(path)
            if entry is not None and self.committed.entry(path) is None:
                edits.append(FileEdit(path=path, before=entry.oid, after=self.working.read(path).decode()))
        return edits

    def require_settled(self, edits: Iterable[FileEdit]) -> list[str]:
        """Refuse edits of files that somebody has changed by hand and not committed; returns those merely staged.

        Raises `ConflictError` naming the files.
        """
        unsettled = {
            edit.path: edit.before
            for edit in edits
            if edit.path not in SETUP_FILES and edit.before != self._committed_blob(edit.path)
        }
        if not unsettled:
            return []
        staged = staged_blobs(self.repository, unsettled)
        loose = sorted(path for path, blob in unsettled.items() if blob is None or staged.get(path) != blob)
        if loose:
            raise _uncommitted(loose)
        return sorted(unsettled)

    def _committed_blob(self, path: str) -> str | None:
        entry = self.committed.entry(path)
        return entry.oid if entry else None


@dataclass(frozen=True, slots=True)
class Moved:
    """A subgraph whose version is not what a plan was computed against."""

    subgraph: str
    expected: str | None
    actual: str | None


def moved_subgraphs(expected: Mapping[str, str | None], actual: Mapping[str, str | None]) -> list[Moved]:
    return [
        Moved(name, version, actual.get(name))
        for name, version in expected.items()
        if actual.get(name) != version
    ]


def staged_blobs(repository: Repository, paths: Iterable[str]) -> dict[str, str]:
    """Blob ids that git's index holds at some paths of the pot, by path."""
    asked = [f"{POT_DIRECTORY}/{path}" for path in paths]
    blobs = {}
    for start in range(0, len(asked), _PATHS_AT_ONCE):
        chunk = asked[start : start + _PATHS_AT_ONCE]
        listed = decode(repository.git.run("ls-files", "-s", "-z", "--", *chunk).stdout)
        for record in filter(None, listed.split("\0")):
            head, _, path = record.partition("\t")
            blobs[path.removeprefix(f"{POT_DIRECTORY}/")] = head.split(" ")[1]
    return blobs


def _uncommitted(paths: list[str]) -> ConflictError:
    named = [f"{POT_DIRECTORY}/{path}" for path in paths]
    shown = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
    return ConflictError(
        f"somebody has changed {shown} by hand, and the change is not committed",
        hint=f"Commit it, or restore it with `git checkout HEAD -- {named[0]}`; then propose again.",
        code="uncommitted_changes",
        detail={"files": named},
    )
