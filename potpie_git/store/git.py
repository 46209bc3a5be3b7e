"""Runs the git binary: in one place, without a shell, and with an environment that nobody else chose.

Plumbing runs with every redirection and injected setting removed from the environment, with the programs that a
configuration could start switched off, without network, and without replace refs and grafts. What the user asked
git to do (`git add`, `git commit`) keeps the user's environment and loses only what points at another repository.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from potpie_git.domain.errors import GitError, InvalidInputError, PotpieError, StorageError
from potpie_git.store.batch import end, last_words, read_answers
from potpie_git.store.environment import git_executable, plumbing_environment, user_environment
from potpie_git.store.errors import (
    MissingObjectError,
    UnknownRevisionError,
    UnsafeRepositoryError,
    storage_errors,
)

Argument: TypeAlias = str | os.PathLike[str]

_OBJECT_ID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PROMISED: Final = re.compile(r"could not fetch ([0-9a-f]{40,64}) from promisor remote")
_NOT_OURS: Final = re.compile(r"(?:dubious ownership in|unsafe) repository(?: at)? \(?'(.*)'")


@dataclass(frozen=True, slots=True)
class CompletedGit:
    """A finished git process: its arguments, exit status and raw output."""

    argv: tuple[str, ...]
    status: int
    stdout: bytes
    stderr: bytes


class Git:
    """Runs git in one directory.

    `keep_index_env` lets plumbing see the caller's GIT_INDEX_FILE: inside a hook it names the index that the running
    commit will use. Every method raises `GitMissingError` without a git program, `StorageError` if the directory is
    gone, `UnsafeRepositoryError` if it belongs to another user, and `MissingObjectError` if an object is needed that a
    partial clone left out.
    """

    def __init__(self, cwd: Path, *, keep_index_env: bool = False) -> None:
        self.cwd = cwd
        self._keep_index_env = keep_index_env

    def run(
        self,
        *args: Argument,
        input: bytes | None = None,  # noqa: A002 - the name that subprocess gives it
        check: bool = True,
        env: Mapping[str, str] | None = None,
    ) -> CompletedGit:
        """Run a plumbing command to its end; standard input is `input`, or empty.

        Raises `GitError` on any status but 0, unless `check` is off.
        """
        environment = plumbing_environment(keep_index=self._keep_index_env) | dict(env or {})
        return self._finish(args, input, check, environment)

    def run_together(
        self, *commands: tuple[Argument, ...], env: Mapping[str, str] | None = None
    ) -> list[CompletedGit]:
        """Run several plumbing commands side by side, and return their results in order; raises like `run`."""
        environment = plumbing_environment(keep_index=self._keep_index_env) | dict(env or {})
        started = [(args, self._spawn(args, environment)) for args in commands]
        return [self._result(args, process, None, True) for args, process in started]

    def user_run(
        self,
        *args: Argument,
        input: bytes | None = None,  # noqa: A002 - the name that subprocess gives it
        check: bool = True,
        env: Mapping[str, str] | None = None,
        keep_open: Sequence[int] = (),
    ) -> CompletedGit:
        """Run a command that acts for the user: their identity, hooks, signing and configuration apply.

        Output is captured, so that a hook's chatter cannot spoil a JSON document on standard output. `keep_open` are
        descriptors that git inherits: a lock on one of them is held for as long as git lives, whatever becomes of us.
        """
        process = self._spawn(args, user_environment() | dict(env or {}), keep_open)
        return self._result(args, process, input, check)

    def text(self, *args: Argument) -> str:
        """Return a plumbing command's standard output without its last newline."""
        return decode(self.run(*args).stdout.removesuffix(b"\n"))

    def verify_commit(self, rev: str) -> str:
        """Return the id of the commit that `rev` names; raises `UnknownRevisionError` if it names none."""
        result = self.run("rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}", check=False)
        named = decode(result.stdout).strip()
        # `^x` is answered with the id and its sign
        if result.status or not is_object_id(named):
            raise UnknownRevisionError(f"{rev!r} does not name a commit", detail={"revision": rev})
        return named

    def start(self, *args: Argument) -> subprocess.Popen[bytes]:
        """Start a plumbing command with pipes on all three streams; the caller ends it."""
        return self._spawn(args, plumbing_environment(keep_index=self._keep_index_env))

    def cat_file_batch(self, oids: Iterable[str], *, limit: int | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield (id, content) of each object, in the order asked for, through one process.

        With a `limit` in bytes, content is cut one byte past it. Raises `MissingObjectError` at the first object that
        this clone does not have, and `InvalidInputError` at once for what is not a full object id.
        """
        asked = [require_object_id(oid) for oid in oids]
        return self._batch(asked, limit) if asked else iter(())

    def _batch(self, asked: list[str], limit: int | None) -> Iterator[tuple[str, bytes]]:
        process = self.start("cat-file", "--batch", "--buffer")
        answers = read_answers(process, asked, limit)
        answered = 0
        try:
            for name, answer in answers:
                if answer is None:
                    raise self.missing_object(name)
                answered += 1
                yield name, answer.data
        except EOFError:
            raise self.ended_early(process, asked[answered]) from None
        finally:
            answers.close()
            last_words(process)

    def ended_early(self, process: subprocess.Popen[bytes], name: str) -> PotpieError:
        """The error for a `cat-file --batch` that ended while it was asked for `name`."""
        end(process)
        said = last_words(process)
        if b"promisor" in said:
            return self.missing_object(name)
        return self._failure(("cat-file", "--batch"), process.returncode, said)

    def missing_object(self, name: str) -> MissingObjectError:
        """The error for an object that this clone lacks, with the command that brings it."""
        if self.text("rev-parse", "--is-shallow-repository") == "true":
            hint = "This clone is shallow. Fetch its history: `git fetch --unshallow`."
        elif remotes := self.promisor_remotes():
            command = f"git fetch --refetch --no-filter {remotes[0]}"
            hint = f"This is a partial clone. Fetch what it left out: `{command}`."
        else:
            hint = "The repository is damaged: run `git fsck`, then fetch the missing objects from a remote."
        return MissingObjectError(f"object {name} is not in this clone", hint=hint, detail={"object": name})

    def promisor_remotes(self) -> list[str]:
        """Names of the remotes that a partial clone counts on for what it left out; empty for a full clone."""
        pattern = r"^(extensions\.partialclone|remote\..*\.promisor)$"
        found = self.run("config", "-z", "--get-regexp", pattern, check=False).stdout
        names = set()
        for record in decode(found).split("\0"):
            key, _, value = record.partition("\n")
            if key == "extensions.partialclone":
                names.add(value)
            elif key and value.lower() in {"", "true", "yes", "on", "1"}:
                names.add(key.removeprefix("remote.").removesuffix(".promisor"))
        return sorted(names)

    def _finish(
        self, args: tuple[Argument, ...], stdin: bytes | None, check: bool, env: Mapping[str, str]
    ) -> CompletedGit:
        return self._result(args, self._spawn(args, env), stdin, check)

    def _result(
        self, args: tuple[Argument, ...], process: subprocess.Popen[bytes], stdin: bytes | None, check: bool
    ) -> CompletedGit:
        with process:
            stdout, stderr = process.communicate(stdin)
        result = CompletedGit(tuple(os.fspath(arg) for arg in args), process.returncode, stdout, stderr)
        if result.status:
            failure = self._failure(result.argv, result.status, stderr)
            if check or not isinstance(failure, GitError):
                raise failure
        return result

    def _spawn(
        self, args: tuple[Argument, ...], env: Mapping[str, str], keep_open: Sequence[int] = ()
    ) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        argv = [git_executable(), *map(_argument, args)]
        if not self.cwd.is_dir():
            raise StorageError(f"{self.cwd}: no such directory", detail={"path": str(self.cwd)})
        with storage_errors(self.cwd):
            return subprocess.Popen(
                argv, cwd=self.cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, pass_fds=keep_open
            )

    def _failure(self, argv: tuple[str, ...], status: int, stderr: bytes) -> PotpieError:
        said = stderr.decode("utf-8", "replace").strip()
        if promised := _PROMISED.search(said):
            return self.missing_object(promised[1])
        detail = {"argv": ["git", *argv], "status": status, "stderr": said}
        if owned := _NOT_OURS.search(said):
            return UnsafeRepositoryError(
                f"git refuses to read a repository that belongs to another user: {owned[1]}",
                hint=f"If you trust it: `git config --global --add safe.directory '{owned[1]}'`.",
                detail=detail,
            )
        reason = next((line for line in said.splitlines() if line.startswith(("fatal:", "error:"))), said)
        return GitError(f"git {argv[0]} failed ({status}): {reason or 'no message'}", detail=detail)


def require_object_id(oid: str) -> str:
    """Return `oid` if it is a full lower-case object id; raises `InvalidInputError` otherwise."""
    if not is_object_id(oid):
        raise InvalidInputError(f"{oid!r} is not an object id", hint="Give the whole id in lower-case hex.")
    return oid


def is_object_id(text: str) -> bool:
    return _OBJECT_ID.fullmatch(text) is not None


def decode(raw: bytes) -> str:
    """Git's output as text; bytes that are not UTF-8 survive as surrogates and are written back unchanged."""
    return raw.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The inverse of `decode`."""
    return text.encode("utf-8", "surrogateescape")


def _argument(argument: Argument) -> str | bytes:
    """Encode an argument: a path as the operating system does, text as git stores it (UTF-8)."""
    text = os.fspath(argument)
    if "\0" in text:
        raise InvalidInputError(f"{text!r} holds a NUL character")
    if os.name == "nt":
        return text
    return encode(text) if isinstance(argument, str) else os.fsencode(text)
