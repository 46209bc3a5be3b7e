"""Commits as the timeline needs them: read from one `git log`, with the places that they touched on demand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.domain.times import format_time
from potpie_git.store.errors import MissingObjectError
from potpie_git.store.git import Git, decode, encode

# Fields of a record, each ended by NUL: id, parents, when it was committed (ISO 8601, seconds), author's name and
# address as .mailmap has them, subject, body. No field can hold a NUL, so that no message can shift the others.
_FORMAT: Final = "%H%x00%P%x00%cI%x00%ct%x00%aN%x00%aE%x00%s%x00%b"
_FIELDS: Final = 8
_GITHUB_MERGE: Final = re.compile(r"Merge pull request #(\d+) from (\S+)")
_SQUASHED: Final = re.compile(r"\(#(\d+)\)\s*$")
_BITBUCKET_MERGE: Final = re.compile(r"Merged in .* \(pull request #(\d+)\)")
_GITLAB_MERGE: Final = re.compile(r"^See merge request (?:\S*)!(\d+)\s*$", re.M)
_GITLAB_SQUASHED: Final = re.compile(r"\(!(\d+)\)\s*$")
_PLAN: Final = re.compile(r"^Potpie-Plan: ", re.M)
MAX_PLACES: Final = 5
_BODY: Final = 160


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit. `request` is the number of its pull or merge request, if its message tells one."""

    oid: str
    parents: tuple[str, ...]
    committed: str
    author: str
    address: str
    subject: str
    body: str

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1

    @property
    def request(self) -> tuple[str, bool] | None:
        """Number of the request, and whether it is one of GitLab's."""
        found = (
            _GITHUB_MERGE.match(self.subject)
            or _BITBUCKET_MERGE.match(self.subject)
            or _SQUASHED.search(self.subject)
        )
        if found:
            return found[1], False
        found = _GITLAB_MERGE.search(self.body) or _GITLAB_SQUASHED.search(self.subject)
        return (found[1], True) if found else None

    @property
    def title(self) -> str:
        """What happened, in a line: a merge's own title rather than the name of its branch."""
        merged = _GITHUB_MERGE.match(self.subject)
        first = next((line.strip() for line in self.body.splitlines() if line.strip()), "")
        if merged and first:
            return f"{first} (#{merged[1]})"
        if (
            self.is_merge
            and _GITLAB_MERGE.search(self.body)
            and first
            and not first.startswith("See merge request")
        ):
            return first
        return self.subject

    @property
    def is_memory(self) -> bool:
        """True for a commit that writes claims: what it says is found as a claim."""
        return _PLAN.search(self.body) is not None

    @property
    def text(self) -> str:
        """The text that a search looks through."""
        return f"{self.subject} {self.body[:_BODY]} {self.author}"


@dataclass(frozen=True, slots=True)
class LogQuery:
    """A part of a history. `since` is inclusive, `until` exclusive, by the time of the commit."""

    revision: str = "HEAD"
    since: datetime | None = None
    until: datetime | None = None
    paths: tuple[str, ...] = ()
    author: str | None = None
    grep: str | None = None
    limit: int | None = None
    only: tuple[str, ...] = field(default=())


def read_log(git: Git, query: LogQuery) -> list[Commit]:
    """The commits that the query admits, the newest first, from one process.

    `only` names commits by full id instead of walking; ids that this clone lacks are left out by the caller.
    Raises `GitError`, `MissingObjectError`.
    """
    args = ["log", "-z", f"--format={_FORMAT}", "--encoding=UTF-8", "--no-show-signature", "--no-follow"]
    args += ["--use-mailmap", "--no-notes", "--no-color", "--no-decorate", "--no-patch"]
    if query.limit is not None:
        args.append(f"--max-count={query.limit}")
    if query.since is not None:
        args.append(f"--max-age={_ceil(query.since)}")
    if query.until is not None:
        args.append(f"--min-age={_ceil(query.until) - 1}")
    if query.author is not None:
        args += ["--regexp-ignore-case", "--extended-regexp", f"--author={query.author}"]
    if query.grep is not None:
        args += ["--fixed-strings", f"--grep={query.grep}"]
    args += (
        ["--no-walk=unsorted", "--end-of-options", *query.only]
        if query.only
        else [
            "--end-of-options",
            query.revision,
        ]
    )
    args += ["--", *query.paths]
    return parse_log(git.run(*args).stdout)


def _ceil(moment: datetime) -> int:
    seconds = moment.timestamp()
    return int(seconds) + (seconds > int(seconds))


def parse_log(raw: bytes) -> list[Commit]:
    """Commits of the output of `git log` in our format."""
    parts = raw.split(b"\0")
    commits = []
    for start in range(0, len(parts) - _FIELDS + 1, _FIELDS):
        oid, parents, stamp, seconds, author, address, subject, body = map(
            _text, parts[start : start + _FIELDS]
        )
        committed = _committed(stamp, seconds)
        commits.append(Commit(oid, tuple(parents.split()), committed, author, address, subject, body.strip()))
    return commits


def _committed(stamp: str, seconds: str) -> str:
    """The time of a commit. Anybody can write a zone or a year that is none: then UTC, or the epoch."""
    try:
        datetime.fromisoformat(stamp).astimezone(UTC)
    except (ValueError, OverflowError):
        try:
            return format_time(datetime.fromtimestamp(int(seconds), UTC))
        except (ValueError, OverflowError, OSError):
            return format_time(datetime.fromtimestamp(0, UTC))
    return stamp


def _text(raw: bytes) -> str:
    """Text for people: bytes that are not UTF-8 become the replacement character."""
    return raw.decode("utf-8", "replace")


def touched_paths(git: Git, commits: Sequence[Commit]) -> dict[str, list[str]]:
    """Paths that each commit changed, a merge compared with its first parent, from one process.

    Empty where trees are missing (a partial clone): history is told all the same.
    """
    if not commits:
        return {}
    lines = b"".join(encode(" ".join((commit.oid, *commit.parents[:1]))) + b"\n" for commit in commits)
    args = ("diff-tree", "--stdin", "-r", "-z", "--root", "--name-only", "--no-renames", "--no-ext-diff")
    try:
        raw = git.run(*args, input=lines).stdout
    except MissingObjectError:
        return {}
    return _by_commit(raw, {encode(commit.oid) for commit in commits})


def _by_commit(raw: bytes, oids: set[bytes]) -> dict[str, list[str]]:
    """Paths by commit; a header is the commit's id, ended by a line feed or a NUL, as the version of git has it."""
    found: dict[str, list[str]] = {}
    held: list[str] = []
    for part in raw.split(b"\0"):
        head, newline, rest = part.partition(b"\n")
        if head in oids:
            held = found.setdefault(head.decode(), [])
            part = rest if newline else b""
        if part:
            held.append(decode(part))
    return found


def places(paths: Iterable[str], most: int = MAX_PLACES) -> list[str]:
    """At most `most` places that cover the paths: the files themselves if they are few, else ever wider directories.

    Whatever lies in the pot counts as the pot.
    """
    found = sorted({POT_DIRECTORY if path.startswith(f"{POT_DIRECTORY}/") else path for path in paths})
    depth = max((path.count("/") for path in found), default=0)
    while len(found) > most and depth > 0:
        found = sorted({"/".join(path.split("/")[:depth]) for path in found})
        depth -= 1
    return found if len(found) <= most else []
