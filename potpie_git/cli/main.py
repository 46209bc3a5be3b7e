"""Entry point of `potpie-git` and `git-potpie`: global options, dispatch, and the one boundary for errors."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.exceptions import TyperException

from potpie_git.cli.commands_table import COMMANDS
from potpie_git.cli.context import CommandContext
from potpie_git.cli.encoding import require_utf8_mode, speak_like_the_terminal, texts
from potpie_git.cli.globals import GlobalOptions, split_globals
from potpie_git.cli.lazy import LazyGroup, UnknownCommandError
from potpie_git.cli.output import ReaderGoneError, note, print_error, print_json, print_reply
from potpie_git.cli.performing import Outcome, perform
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode, InvalidInputError, PotpieError
from potpie_git.domain.text import did_you_mean
from potpie_git.domain.version import __version__

PROGRAM = "git potpie"
HELP = """Project memory that lives in the repository and is reviewed like code.

Put --json before or after a command for one JSON document on standard output, and -C PATH before it to work in
another directory. Exit status: 0 success, 1 failed or refused, 2 unavailable, 3 partial, 4 approval needed.
"""


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command and exit with its status."""
    if argv is None:
        # One answer and the process ends: to look for cycles every few hundred objects costs a tenth of a long one.
        gc.set_threshold(100_000, 50, 100)
        require_utf8_mode()
        speak_like_the_terminal()
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        status = run(arguments)
    except (BrokenPipeError, ReaderGoneError):
        # The reader went away (`| head`); there is nobody left to tell.
        _forget_output()
        status = int(ExitCode.OK)
    except OSError as error:
        _forget_output()
        note(f"error: the answer could not be written: {error.strerror or error} [storage_error]")
        status = int(ExitCode.UNAVAILABLE)
    except KeyboardInterrupt:
        note("interrupted")
        status = int(ExitCode.INTERRUPTED)
    sys.exit(status)


def _forget_output() -> None:
    """Let nothing that is still in the buffer fail again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status; every expected failure is rendered here and nowhere else."""
    options = GlobalOptions(json="--json" in arguments)
    try:
        options = split_globals(texts(arguments))
    except PotpieError as error:
        return _tell(Outcome("", None, error, None), options)
    if list(options.arguments[:1]) in (["--version"], ["version"]):
        reply = Reply({"version": __version__}, f"potpie-git {__version__}")
        return _tell(Outcome("version", reply, None, None), options)
    command = command_name(options.arguments)
    return _tell(
        perform(command, lambda: _dispatch(options.arguments), CommandContext(options)),
        options,
    )


def command_name(arguments: Sequence[str]) -> str:
    """The command's words (`graph inbox add`), as far as the table knows them."""
    words: list[str] = []
    table: Any = COMMANDS
    for word in arguments:
        spec = table.get(word)
        if spec is None:
            break
        words.append(word)
        if isinstance(spec.target, str):
            break
        table = spec.target
    return " ".join(words)


def _dispatch(arguments: Sequence[str]) -> Reply | None:
    root = LazyGroup(name=PROGRAM, specs=COMMANDS, help=HELP)
    try:
        outcome = root.main(args=list(arguments) or ["--help"], prog_name=PROGRAM, standalone_mode=False)
    except UnknownCommandError as error:
        raise InvalidInputError(
            f"{error.name!r} is not a command.{did_you_mean(error.name, error.known)}",
            hint=f"Commands here: {error.listing}.",
            code="usage",
        ) from error
    except typer.Abort as error:
        raise InvalidInputError(
            "stopped at your request", hint="Nothing was changed.", code="aborted"
        ) from error
    except typer.Exit as error:
        return Reply(exit_code=ExitCode(error.exit_code), ok=error.exit_code == 0)
    except TyperException as error:
        raise _usage(error, arguments) from error
    return outcome if isinstance(outcome, Reply) else None


def _usage(error: TyperException, arguments: Sequence[str]) -> InvalidInputError:
    formatted = getattr(error, "format_message", None)
    message = formatted() if formatted else str(error)
    command = command_name(arguments)
    return InvalidInputError(
        message.rstrip("."), hint=f"See `{PROGRAM} {command} --help`.".replace("  ", " "), code="usage"
    )


def _tell(outcome: Outcome, options: GlobalOptions) -> int:
    if outcome.error is None and outcome.reply is None:
        return int(ExitCode.OK)
    if options.json:
        print_json(outcome.document())
    elif outcome.error is not None:
        print_error(outcome.error)
    elif outcome.reply is not None:
        print_reply(outcome.reply)
    return int(outcome.exit_code)


if __name__ == "__main__":
    main()
