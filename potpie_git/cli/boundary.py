"""The boundary between faults and users: every failure becomes a typed error, and a fault of ours leaves a report."""

from __future__ import annotations

import sys
import traceback
from types import TracebackType

from potpie_git.cli.context import CommandContext
from potpie_git.cli.output import ReaderGoneError, note
from potpie_git.domain.errors import PotpieError, StorageError
from potpie_git.domain.version import __version__


class InternalError(PotpieError):
    """A fault of this program; the log holds what a report needs."""

    code = "internal_error"


class Boundary:
    """Catches what a command raises and keeps it as `error`; interruptions and a closed pipe pass through."""

    def __init__(self, context: CommandContext) -> None:
        self._context = context
        self.error: PotpieError | None = None

    def __enter__(self) -> Boundary:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or not isinstance(error, Exception) or isinstance(error, ReaderGoneError):
            return False
        if isinstance(error, PotpieError):
            self.error = error
        elif isinstance(error, OSError):
            where = f" ({error.filename})" if error.filename else ""
            self.error = StorageError(f"{error.strerror or error}{where}")
        else:
            self.error = self._report(error)
        return True

    def _report(self, error: Exception) -> InternalError:
        text = f"potpie-git {__version__}, Python {sys.version}\n{''.join(traceback.format_exception(error))}"
        hint = "Please report it with the text above."
        log = self._write_log(text)
        if log is None:
            note(text)
        else:
            hint = f"Please report it with {log}."
        return InternalError(f"this is a fault of potpie-git: {type(error).__name__}: {error}", hint=hint)

    def _write_log(self, text: str) -> str | None:
        if self._context.opened is None:
            return None
        log = self._context.opened.repository.state_dir / "fault.log"
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(text, encoding="utf-8")
        except OSError:
            return None
        return str(log)
