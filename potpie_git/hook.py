"""Entry point of the git hooks: quick, light, and never a traceback.

The stubs that `git potpie hooks install` puts into place call `main` with the name of the hook and git's arguments.
Only what a hook needs is imported, and next to nothing where a commit does not touch the pot. Standard error says what
is wrong; the status is 0 where git may go on.
"""

from __future__ import annotations

import hashlib
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from potpie_git.domain.directory import POT_DIRECTORY
from potpie_git.domain.errors import ExitCode, PotpieError
from potpie_git.domain.version import __version__
from potpie_git.store.git import Git, decode
from potpie_git.store.listing import list_staged
from potpie_git.store.names import is_look_alike

if TYPE_CHECKING:
    from potpie_git.checks.report import CheckReport

# Named by `potpie_git.store.hooks.stub`, which a hook that judges a commit does not load.
_PROBE = "POTPIE_HOOK_PROBE"
_GRADED = "staged-risk"
_RISKS = ("low", "medium", "high")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one hook; the first argument is its name, the others are what git gave it. Returns the exit status."""
    name, *rest = list(sys.argv[1:] if arguments is None else arguments) or [""]
    if os.environ.get(_PROBE):
        sys.stdout.write(f"potpie-git-hook {name} {__version__}\n")
        return ExitCode.OK
    action = _HOOKS.get(name)
    if action is None:
        _say(f"potpie-git has no hook {name!r}; it has {', '.join(_HOOKS)}")
        return ExitCode.UNAVAILABLE
    with _Boundary(name) as boundary:
        boundary.status = action(rest)
    return boundary.status


def _pre_commit(arguments: Sequence[str]) -> int:
    """Judge what is about to be committed, if any of it is the pot's."""
    staged = _staged()
    if not _touches_the_pot(staged):
        return ExitCode.OK
    from potpie_git.checks.staged import check_staged
    from potpie_git.store.repository import Repository

    repo = Repository.discover(Path.cwd())
    report = check_staged(repo, staged)
    if report.exit_code is ExitCode.OK:
        _remember_risk(repo.state_dir, staged, report.risk.label)
    return _answer([report], "This commit was refused")


def _commit_msg(arguments: Sequence[str]) -> int:
    """Judge the message of a commit that touches the pot; git gives the file that holds it."""
    staged = _staged() if arguments else b""
    if not _touches_the_pot(staged):
        return ExitCode.OK
    from potpie_git.checks.message import message_problems, states_risk
    from potpie_git.domain.vocabulary import Risk
    from potpie_git.store.errors import storage_errors

    path = Path(arguments[0])
    with storage_errors(path):
        text = path.read_bytes().decode("utf-8", "replace")
    risk = Risk.from_label(_risk_of(staged)) if states_risk(text) else Risk.LOW
    # so git tells its hooks that no editor was opened
    edited = os.environ.get("GIT_EDITOR") != ":"
    if not message_problems(text, risk, edited=edited):
        return ExitCode.OK
    from potpie_git.checks.staged import check_message

    report = check_message(text, risk, edited=edited)
    return _answer([report], f"This commit was refused (its message is kept in {path})")


def _remember_risk(state: Path, staged: bytes, risk: str) -> None:
    """Keep the grade of what is staged for the hook that judges the message, which runs next."""
    try:
        state.mkdir(parents=True, exist_ok=True)
        (state / _GRADED).write_text(f"{_digest(staged)} {risk}", encoding="ascii")
    except OSError:
        # It is only there to save a second look.
        return


def _risk_of(staged: bytes) -> str:
    """The grade of what is staged, which is looked at again if it is not what was graded last."""
    git = Git(Path.cwd())
    try:
        digest, _, risk = (_state_folder(git) / _GRADED).read_text(encoding="ascii").partition(" ")
    except (OSError, UnicodeDecodeError):
        digest = risk = ""
    if digest == _digest(staged) and risk in _RISKS:
        return risk
    from potpie_git.checks.staged import check_staged
    from potpie_git.store.repository import Repository

    return check_staged(Repository.discover(git.cwd), staged).risk.label


def _digest(staged: bytes) -> str:
    return hashlib.sha256(staged).hexdigest()


def _state_folder(git: Git) -> Path:
    named = git.run("rev-parse", "--git-path", "potpie").stdout.removesuffix(b"\n")
    return git.cwd / os.fsdecode(named)


def _pre_push(arguments: Sequence[str]) -> int:
    """Judge what each branch of a push would bring; git gives the remote, and the refs on standard input."""
    from potpie_git.checks.pushes import check_pushes, parse_pushes
    from potpie_git.store.repository import Repository

    refs = _framework_refs(os.environ) or decode(sys.stdin.buffer.read())
    remote = os.environ.get("PRE_COMMIT_REMOTE_NAME") or (arguments[0] if arguments else "origin")
    reports = check_pushes(Repository.discover(Path.cwd()), remote, parse_pushes(refs))
    return _answer(reports, "This push was refused")


def _framework_refs(environment: Mapping[str, str]) -> str:
    """One line as git writes it, from what the framework pre-commit says instead; empty outside of it."""
    there, here = (environment.get(f"PRE_COMMIT_{end}_REF", "") for end in ("FROM", "TO"))
    local, remote = (environment.get(f"PRE_COMMIT_{side}_BRANCH", "") for side in ("LOCAL", "REMOTE"))
    return f"{local or 'HEAD'} {here} {remote} {there}\n" if there and here and remote else ""


def _tree_moved(arguments: Sequence[str]) -> int:
    """The stub itself leaves the mark that the working tree has moved; through a hook manager there is none."""
    return ExitCode.OK


_HOOKS: Mapping[str, Callable[[Sequence[str]], int]] = {
    "pre-commit": _pre_commit,
    "pre-merge-commit": _pre_commit,
    "commit-msg": _commit_msg,
    "pre-push": _pre_push,
    "post-checkout": _tree_moved,
    "post-merge": _tree_moved,
}


def _staged() -> bytes:
    """What the running commit changes, in the index that it uses."""
    return list_staged(Git(Path.cwd(), keep_index_env=True))


def _touches_the_pot(staged: bytes) -> bool:
    """Whether a listing of headers and paths names the pot, or anything that passes for it."""
    tops = {path.partition("/")[0] for path in decode(staged).split("\0")[1::2]}
    return POT_DIRECTORY in tops or any(map(is_look_alike, tops))


def _answer(reports: Iterable[CheckReport], refusal: str) -> int:
    """Print what was found, and return the status: that of the first report that is not clean."""
    from potpie_git.checks.text_format import as_text

    status = ExitCode.OK
    for report in reports:
        if report.findings:
            _say(as_text(report).rstrip("\n"))
        status = status or report.exit_code
    if status:
        _say(f"{refusal} by potpie-git.")
    return status


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


class _Boundary:
    """Turns whatever a hook raises into words and a status; a fault of ours is written to a log.

    A check that could not be made refuses: git goes on only after a verdict.
    """

    def __init__(self, hook: str) -> None:
        self._hook = hook
        self.status: int = ExitCode.UNAVAILABLE

    def __enter__(self) -> _Boundary:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None:
            return False
        if isinstance(error, KeyboardInterrupt):
            self.status = ExitCode.INTERRUPTED
        elif isinstance(error, PotpieError):
            self.status = error.exit_code
            _say(f"potpie-git: {error.message}{f'. {error.hint}' if error.hint else ''}")
        elif isinstance(error, Exception):
            self._report(error)
        else:
            return False
        return True

    def _report(self, error: Exception) -> None:
        text = f"potpie-git {__version__}, Python {sys.version}, {self._hook}\n"
        text += "".join(traceback.format_exception(error))
        _say(f"potpie-git: {self._hook} failed by a fault of its own: {type(error).__name__}: {error}")
        log = _write_log(text)
        _say(f"    Please report it with {log}." if log else "    Its log could not be written.")


def _write_log(text: str) -> Path | None:
    """Where the log was written: beside git's own state, or nowhere."""
    try:
        git = Git(Path.cwd())
        folder = git.cwd / os.fsdecode(
            git.run("rev-parse", "--git-path", "potpie").stdout.removesuffix(b"\n")
        )
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "hook-fault.log"
        log.write_text(text, encoding="utf-8", errors="backslashreplace")
    except (OSError, PotpieError):
        return None
    return log


if __name__ == "__main__":
    raise SystemExit(main())
