"""The repository around a pot: where things are, what HEAD is, and how to read its objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from potpie_git.domain.errors import (
    BareRepositoryError,
    GitError,
    NotARepositoryError,
    UnsupportedRepositoryError,
)
from potpie_git.domain.layout import POT_DIRECTORY
from potpie_git.store.errors import UnknownRevisionError, storage_errors
from potpie_git.store.git import Git, decode, encode, is_object_id
from potpie_git.store.objects import ObjectReader

if TYPE_CHECKING:
    from pygit2 import Repository as LibgitRepository

# Answered by `git rev-parse`, one line each, in this order; a git that does not know one repeats it.
_QUESTIONS: Final = (
    "--is-bare-repository",
    "--is-inside-git-dir",
    "--show-object-format",
    "--show-ref-format",
    "--absolute-git-dir",
    "--git-common-dir",
    "--git-path",
    "--show-toplevel",
)
# What a commit or tag names stands at its beginning; a blob that a caller names by mistake is not loaded.
_HEADER_LIMIT: Final = 1 << 16
_STATE_NAME: Final = "potpie"
_SETTINGS: Final = r"^(filter\..*\.(clean|process|required)|remote\..*\.url)$"


class PotEntryKind(StrEnum):
    """What stands at `.potpie` in the working tree; only a directory is a pot."""

    ABSENT = "absent"
    DIRECTORY = "directory"
    SYMLINK = "symlink"
    FILE = "file"
    REPOSITORY = "repository"


@dataclass(frozen=True, slots=True)
class Revision:
    """What a name in the history stands for: the id of its whole tree, and of the commit unless it is a bare tree."""

    commit: str | None
    tree: str


@dataclass(frozen=True)
class Repository:
    """A git repository with a working tree.

    `root` is the top of the working tree, `git_dir` this work tree's git directory, and `common_dir` the one that all
    work trees of a clone share. `state_dir` holds what belongs to this work tree alone, `shared_state_dir` what they
    share; in a main work tree the two are one directory. None of the state directories need exist.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    state_dir: Path
    git: Git = field(repr=False, compare=False)

    @classmethod
    def discover(cls, start: Path) -> Repository:
        """Find the repository whose working tree holds `start` (a directory, or a file in one).

        Raises `NotARepositoryError`, `BareRepositoryError`, `UnsafeRepositoryError` (owned by somebody else) or
        `UnsupportedRepositoryError` (a format that this program cannot read).
        """
        with storage_errors(start):
            here = start.absolute()
            here = here.parent if here.is_file() else here
            if not here.is_dir():
                raise NotARepositoryError(f"{start} does not exist")
        answers = _ask(Git(here))
        _require_supported(answers, here)
        git_dir = Path(answers["--absolute-git-dir"])
        common = (here / answers["--git-common-dir"]).resolve()
        root = Path(answers["--show-toplevel"])
        return cls(root, git_dir, common, (here / answers["--git-path"]).resolve(), Git(root))

    @property
    def potpie_dir(self) -> Path:
        """The pot's directory in the working tree; it need not exist."""
        return self.root / POT_DIRECTORY

    @property
    def shared_state_dir(self) -> Path:
        return self.common_dir / _STATE_NAME

    @cached_property
    def objects(self) -> ObjectReader:
        """Reads single objects of this repository quickly."""
        return ObjectReader(self.git)

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """Git's settings that reads go by, asked for once: where remotes are, and which content filters there are.

        Keys are as git prints them (`remote.origin.url`); of a key that is set twice the last value counts.
        """
        listed = self.git.run("config", "-z", "--get-regexp", _SETTINGS, check=False).stdout
        pairs = (record.partition("\n") for record in decode(listed).split("\0") if record)
        return {key: value for key, _, value in pairs}

    @property
    def index_git(self) -> Git:
        """Plumbing that sees the index of the commit in progress: GIT_INDEX_FILE, if it is about this work tree."""
        named = os.environ.get("GIT_DIR")
        ours = named is None or (self.root / named).resolve() == self.git_dir.resolve()
        return Git(self.root, keep_index_env=ours)

    def head(self) -> str | None:
        """Return the id of the commit at HEAD, or None on an unborn branch."""
        found = self.objects.find("HEAD")
        if found is not None:
            return found.oid
        named = self.git.run("rev-parse", "--verify", "--quiet", "HEAD", check=False)
        if named.status == 0:
            raise self.git.missing_object(decode(named.stdout).strip())
        return None

    def branch(self) -> str | None:
        """Return the full name of the checked-out branch, also of an unborn one; None if HEAD is detached."""
        named = self.git.run("symbolic-ref", "--quiet", "HEAD", check=False)
        if named.status not in {0, 1}:
            # on a protected branch, "detached" would be the wrong guess
            raise GitError(decode(named.stderr).strip(), detail={"argv": ["git", *named.argv]})
        return decode(named.stdout).strip() or None

    @property
    def is_shallow(self) -> bool:
        """Whether history was cut off by `git clone --depth` or the like."""
        return self.git.text("rev-parse", "--is-shallow-repository") == "true"

    @property
    def is_partial(self) -> bool:
        """Whether objects were left out by `git clone --filter`; they may have been fetched since."""
        return bool(self.git.promisor_remotes())

    def user_identity(self) -> tuple[str, str] | None:
        """Return the (name, address) that git would record as author, or None if it would refuse to commit."""
        try:
            ident = decode(self.git.user_run("var", "GIT_AUTHOR_IDENT").stdout)
        except GitError:
            return None
        name, _, rest = ident.partition(" <")
        return name, rest.rpartition("> ")[0]

    def resolve(self, rev: str) -> Revision:
        """Find what a revision names: a commit, a tag, or a tree of the whole repository.

        Raises `UnknownRevisionError`.
        """
        found = self.objects.find(rev, _HEADER_LIMIT)
        if found is None:
            oid = rev if is_object_id(rev) else self._verify(rev)
            raise self.git.missing_object(oid)
        found = self.objects.peel(found)
        if found.kind not in {"commit", "tree"}:
            raise UnknownRevisionError(f"{rev!r} names a {found.kind}, not a commit or a tree")
        return Revision(found.oid if found.kind == "commit" else None, self.objects.tree_of(found))

    def tree_oid(self, rev: str, path: str = POT_DIRECTORY) -> str | None:
        """Return the id of the directory at `path` (from the root of the tree) at a revision; None if there is none.

        Raises `UnknownRevisionError`.
        """
        oid = self.resolve(rev).tree
        for name in filter(None, path.split("/")):
            node = self.objects.directory(oid).by_name.get(name)
            if node is None or not node.is_tree:
                return None
            oid = node.oid
        return oid

    def pot_entry_kind(self) -> PotEntryKind:
        """What stands at `.potpie` in the working tree, judged without following it."""
        path = self.potpie_dir
        with storage_errors(path):
            if path.is_symlink():
                return PotEntryKind.SYMLINK
            if not path.exists():
                return PotEntryKind.ABSENT
            if not path.is_dir():
                return PotEntryKind.FILE
            owner = path / ".git"
            return PotEntryKind.REPOSITORY if owner.exists() or owner.is_symlink() else PotEntryKind.DIRECTORY

    def ignored(self, paths: Iterable[str]) -> list[str]:
        """Return those of `paths` (relative to the pot, existing or not) that git would ignore if they were new."""
        asked = b"".join(encode(f"{POT_DIRECTORY}/{path}") + b"\0" for path in paths)
        command = ("check-ignore", "--no-index", "-z", "--stdin")
        # It takes paths literally, and refuses to be told so. Status 1 says that none is ignored.
        result = self.git.run(*command, input=asked, check=False, env={"GIT_LITERAL_PATHSPECS": "0"})
        if result.status not in {0, 1}:
            raise GitError(decode(result.stderr).strip(), detail={"argv": ["git", *result.argv]})
        return [path.removeprefix(f"{POT_DIRECTORY}/") for path in decode(result.stdout).split("\0") if path]

    def pygit2(self) -> LibgitRepository:
        """Open the repository with libgit2; raises `UnsupportedRepositoryError` for formats that it does not know."""
        return self._pygit2

    @cached_property
    def _pygit2(self) -> LibgitRepository:
        import pygit2

        try:
            return pygit2.Repository(str(self.git_dir))
        except pygit2.GitError as error:
            raise UnsupportedRepositoryError(f"libgit2 cannot open {self.root}: {error}") from error

    def _verify(self, rev: str) -> str:
        result = self.git.run("rev-parse", "--verify", "--end-of-options", rev, check=False)
        named = decode(result.stdout).strip()
        if result.status or not is_object_id(named):
            raise UnknownRevisionError(f"{rev!r} does not name a revision", detail={"revision": rev})
        return named


def _ask(git: Git) -> dict[str, str]:
    """Ask git all questions at once; one by one if a path with a line break spoils the answer."""
    asked = [part for question in _QUESTIONS for part in _arguments(question)]
    result = git.run("rev-parse", *asked, check=False)
    lines = os.fsdecode(result.stdout).split("\n")[:-1]
    answers = dict(zip(_QUESTIONS, lines, strict=False))
    if result.status:
        _refuse(git.cwd, answers, decode(result.stderr).strip())
    if len(lines) != len(_QUESTIONS):
        for question in _QUESTIONS:
            answer = git.run("rev-parse", *_arguments(question)).stdout
            answers[question] = os.fsdecode(answer.removesuffix(b"\n"))
    return answers


def _arguments(question: str) -> tuple[str, ...]:
    return (question, _STATE_NAME) if question == "--git-path" else (question,)


def _refuse(here: Path, answers: dict[str, str], said: str) -> None:
    """Raise the error for a directory in which `git rev-parse` failed; it had answered some questions before."""
    if answers.get("--is-bare-repository") == "true":
        raise BareRepositoryError(f"{here} is in a bare repository")
    if answers.get("--is-inside-git-dir") == "true":
        raise NotARepositoryError(
            f"{here} is inside a git directory", hint="Run this in the repository's working tree."
        )
    if "repo version" in said or "repository extension" in said:
        raise UnsupportedRepositoryError(
            f"this git cannot read the repository at {here}: {said}", hint="Update git, then run this again."
        )
    if "not a git repository" in said:
        raise NotARepositoryError(f"{here} is not in a git repository")
    raise GitError(f"git rev-parse failed in {here}: {said}", detail={"stderr": said})


def _require_supported(answers: dict[str, str], here: Path) -> None:
    if answers["--is-bare-repository"] == "true":
        raise BareRepositoryError(f"{here} is in a bare repository")
    for what, question, known in (
        ("objects", "--show-object-format", "sha1"),
        ("refs", "--show-ref-format", "files"),
    ):
        if answers[question] not in {known, question}:
            raise UnsupportedRepositoryError(
                f"the repository at {here} keeps its {what} in the format {answers[question]!r}; "
                f"only {known!r} is supported",
                hint=f"Clone it into a repository made with `git init {_option(question)}={known}`.",
            )


def _option(question: str) -> str:
    return question.replace("--show-", "--")
