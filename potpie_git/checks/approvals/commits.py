"""What commits say about a change: who wrote which file, and which commits add an approval.

Raw commits are read, so neither `.mailmap` nor replace refs nor grafts change who wrote what.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from potpie_git.checks.approvals.model import AddingCommit, Person
from potpie_git.domain.errors import GitError
from potpie_git.domain.layout import APPROVALS, POT_DIRECTORY
from potpie_git.domain.trailers import co_authors, sign_offs
from potpie_git.store.git import decode, is_object_id
from potpie_git.store.repository import Repository

_AUTHOR: Final = re.compile(r"^author (?P<name>.*?) ?<(?P<email>[^<>]*)> \d+ [-+]\d+$", re.MULTILINE)
_COMMITTED: Final = re.compile(r"^committer .* (?P<time>\d+) [-+]\d+$", re.MULTILINE)
_ABSENT_MODE: Final = "000000"
_OWN: Final = f"{POT_DIRECTORY}/"


@dataclass(frozen=True, slots=True)
class Touched:
    """One file that a commit holds otherwise than every parent; `oid` is its blob, None if the commit removes it."""

    path: str
    added: bool
    oid: str | None


@dataclass(frozen=True, slots=True)
class RawCommit:
    """Who a commit says wrote it, its whole message, and when it says it was committed (seconds since 1970)."""

    id: str
    author: Person
    message: str
    parents: tuple[str, ...]
    committed: int = 0


@dataclass(frozen=True, slots=True)
class Commits:
    """The commits of a range, the newest first, with the files of the pot that each changes."""

    touched: Mapping[str, tuple[Touched, ...]] = field(default_factory=dict)
    raw: Mapping[str, RawCommit] = field(default_factory=dict)

    def authors(self, approvers: Mapping[str, Person]) -> dict[str, frozenset[Person]]:
        """Authors and co-authors of each file of the pot, by path.

        `approvers` gives who signed off each approval file. A forge that squashes a branch names all of its authors as
        co-authors, whoever added an approval among them: that name alone says nothing of a commit that holds the
        approval itself.
        """
        found: dict[str, set[Person]] = defaultdict(set)
        for commit, files in self.touched.items():
            explained = [
                approvers[touched.path] for touched in files if touched.added and touched.path in approvers
            ]
            raw = self.raw[commit]
            people = {raw.author, *self._co_authors(raw, explained)}
            for touched in files:
                found[touched.path] |= people
        return {path: frozenset(people) for path, people in found.items()}

    @staticmethod
    def _co_authors(raw: RawCommit, explained: Iterable[Person]) -> Iterator[Person]:
        emails = {each.email.casefold() for each in explained}
        names = {each.name.casefold() for each in explained}
        for name, email in co_authors(raw.message):
            if email.casefold() not in emails and name.casefold() not in names:
                yield Person(name, email)

    def adding(self, repo: Repository, path: str) -> tuple[AddingCommit, ...]:
        """Commits that add the file at `path`."""
        return tuple(
            AddingCommit(
                commit,
                self.raw[commit].author,
                tuple(sign_offs(self.raw[commit].message)),
                _is_alone(repo, self.raw[commit], path),
            )
            for commit, files in self.touched.items()
            if any(touched.path == path and touched.added for touched in files)
        )

    def versions(self, path: str) -> list[str]:
        """Blobs that commits of the range gave the file at `path`."""
        return [
            touched.oid
            for files in self.touched.values()
            for touched in files
            if touched.path == path and touched.oid is not None
        ]


def commits_between(repo: Repository, excluded: Sequence[str], heads: Sequence[str]) -> Commits:
    """The commits that `heads` hold beyond `excluded`, as far as they change the pot.

    Raises `MissingObjectError` where the clone lacks one.
    """
    listed = repo.git.text("rev-list", *heads, "--not", *excluded, "--").split()
    if not listed:
        return Commits()
    touched = dict(_touched(repo, listed, [POT_DIRECTORY]))
    raw = {oid: _parsed(oid, decode(data)) for oid, data in repo.git.cat_file_batch(touched)}
    return Commits(touched, raw)


def read_commit(repo: Repository, commit: str) -> RawCommit:
    """One raw commit by its id."""
    return _parsed(commit, decode(repo.objects.read(commit).data))


def holds_only_approvals(repo: Repository, raw: RawCommit) -> bool:
    """True if a commit with one parent adds or changes approvals and nothing else."""
    if len(raw.parents) != 1:
        return False
    files = [touched for _, each in _touched(repo, [raw.id], []) for touched in each]
    return bool(files) and all(touched.path.startswith(f"{APPROVALS}/") for touched in files)


def _is_alone(repo: Repository, raw: RawCommit, path: str) -> bool:
    """True if the commit changes nothing but this file, in the whole tree."""
    return [touched.path for _, each in _touched(repo, [raw.id], []) for touched in each] == [path]


def _touched(
    repo: Repository, commits: Iterable[str], under: Sequence[str]
) -> Iterator[tuple[str, tuple[Touched, ...]]]:
    """Files that each commit holds otherwise than all of its parents: a merge's own edits, not what it brings together.

    Paths inside the pot are relative to it; others begin with a slash. Commits without such files are left out.
    """
    options = ("--stdin", "-r", "-c", "--root", "--no-renames", "--raw", "-z", "--no-abbrev")
    listed = "".join(f"{commit}\n" for commit in commits).encode()
    fields = iter(decode(repo.git.run("diff-tree", *options, "--", *under, input=listed).stdout).split("\0"))
    commit, files = "", list[Touched]()
    for item in fields:
        if item.startswith(":"):
            files.append(_file(item, next(fields)))
            continue
        if files:
            yield commit, tuple(files)
        if item and not is_object_id(item):
            raise GitError(f"git diff-tree said {item[:80]!r} where a commit was expected")
        commit, files = item, []


def _file(described: str, path: str) -> Touched:
    """One raw line: a colon for each parent, the modes, the ids and the states."""
    parents = len(described) - len(described.lstrip(":"))
    fields = described.lstrip(":").split(" ")
    added = all(mode == _ABSENT_MODE for mode in fields[:parents]) and fields[parents] != _ABSENT_MODE
    removed = fields[parents] == _ABSENT_MODE
    inside = path.removeprefix(_OWN) if path.startswith(_OWN) else f"/{path}"
    return Touched(inside, added, None if removed else fields[2 * parents + 1])


def _parsed(commit: str, text: str) -> RawCommit:
    head, _, message = text.partition("\n\n")
    match = _AUTHOR.search(head)
    author = Person(match["name"], match["email"]) if match else Person(head, "")
    parents = tuple(re.findall(r"^parent ([0-9a-f]+)$", head, re.MULTILINE))
    time = _COMMITTED.search(head)
    return RawCommit(commit, author, message, parents, int(time["time"]) if time else 0)
