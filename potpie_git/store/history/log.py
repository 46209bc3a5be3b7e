"""Commits and the governed files that each of them changed, streamed from `git log`, newest first."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Final

from potpie_git.domain.errors import GitError
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.domain.trailers import SIGN_OFF, parse_trailers, person
from potpie_git.store.batch import end, last_words
from potpie_git.store.git import decode
from potpie_git.store.objects import SUBMODULE_MODE
from potpie_git.store.repository import Repository

PLAN_TRAILER: Final = "potpie-plan"
MUTATION_TRAILER: Final = "potpie-mutation"
RISK_TRAILER: Final = "potpie-risk"
_FIELDS: Final = ("%H", "%an", "%ae", "%aI", "%cI", "%B")
_CHUNK: Final = 1 << 16
_ABSENT: Final = "000000"


@dataclass(frozen=True)
class CommitFacts:
    """What one commit says about itself. `boundary`: it ends a shallow clone, so that its parents are unknown."""

    oid: str
    author: str
    date: str
    committed: str
    message: str
    boundary: bool = False

    @cached_property
    def signed_off_by(self) -> list[str]:
        """Sign-offs (`Name <address>`) as git finds them; a folded or malformed one is none."""
        found = (one for one in parse_trailers(self.message) if one.is_a(SIGN_OFF) and not one.folded)
        return [one.value for one in found if person(one.value)]

    @cached_property
    def trailers(self) -> dict[str, list[str]]:
        """Values of each trailer by its lower-case token."""
        values: dict[str, list[str]] = {}
        for one in parse_trailers(self.message):
            values.setdefault(one.token.lower(), []).append(one.value)
        return values

    def trailer(self, token: str) -> str | None:
        """The last value of a trailer (lower-case token), or None."""
        return self.trailers.get(token, [None])[-1]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that a commit changed: its path in the pot and its blobs (None: absent, or no plain file)."""

    path: str
    before: str | None
    after: str | None


def pot_log(
    repo: Repository, start: str, globs: Sequence[str], options: Sequence[str] = ()
) -> Iterator[tuple[CommitFacts, list[FileChange]]]:
    """Every commit reachable from `start` that changes a file matching `globs` (relative to the pot), newest first.

    Side branches are not pruned. Of a merge, only the files that it has in common with none of its parents are
    listed: what the merge itself did. Stop early by closing the iterator; git ends with it.
    """
    shallow = shallow_boundary(repo)
    process = repo.git.start(
        "--no-literal-pathspecs",
        "-c",
        "log.showRoot=true",
        "log",
        "--full-history",
        "-c",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-renames",
        f"-O{os.devnull}",
        "--no-ext-diff",
        "--no-notes",
        "--no-mailmap",
        "--encoding=UTF-8",
        "--format=" + "%x00".join(_FIELDS),
        *options,
        "--end-of-options",
        start,
        "--",
        *(f":(glob,top){POT_DIRECTORY}/{glob}" for glob in globs),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        yield from _commits(_tokens(process.stdout), shallow)
        status = process.wait()
    finally:
        end(process)
        said = last_words(process)
    if status:
        raise GitError(f"git log failed: {decode(said).strip()}", detail={"status": status})


def shallow_boundary(repo: Repository) -> frozenset[str]:
    """Commits at which a shallow clone was cut off; empty for a full clone."""
    try:
        text = (repo.common_dir / "shallow").read_text(encoding="ascii")
    except FileNotFoundError:
        return frozenset()
    return frozenset(text.split())


def _tokens(stream: IO[bytes]) -> Iterator[str]:
    """The NUL-terminated texts of git's output, as they come."""
    rest = b""
    while chunk := stream.read1(_CHUNK) if hasattr(stream, "read1") else stream.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from map(decode, whole)
    if rest.strip():
        yield decode(rest)


def _commits(
    tokens: Iterator[str], shallow: frozenset[str]
) -> Iterator[tuple[CommitFacts, list[FileChange]]]:
    facts: CommitFacts | None = None
    changes: list[FileChange] = []
    for token in tokens:
        # Git puts line ends before the first file of a commit and before the next commit.
        word = token.lstrip("\n")
        if word.startswith(":"):
            change = _change(word, next(tokens))
            changes += [change] if change else []
        elif word:
            if facts is not None:
                yield facts, changes
            name, address, authored, committed, message = (next(tokens) for _ in _FIELDS[1:])
            author = f"{name} <{address}>"
            facts = CommitFacts(word, author, authored, committed, message, word in shallow)
            changes = []
    if facts is not None:
        yield facts, changes


def _change(header: str, repo_path: str) -> FileChange | None:
    """One line of raw output; of a merge's the side of the first parent counts as before."""
    words = header.lstrip(":").split(" ")
    parents = len(header) - len(header.lstrip(":"))
    modes, oids = words[: parents + 1], words[parents + 1 : 2 * parents + 2]
    if not repo_path.startswith(f"{POT_DIRECTORY}/"):
        return None
    before, after = (_blob(modes[at], oids[at]) for at in (0, parents))
    return FileChange(repo_path.removeprefix(f"{POT_DIRECTORY}/"), before, after)


def _blob(mode: str, oid: str) -> str | None:
    return None if mode in {_ABSENT, SUBMODULE_MODE} else oid
