"""One encoding inside, whatever the locale says: texts, file names and git's output are UTF-8."""

from __future__ import annotations

import codecs
import locale
import os
import sys
from collections.abc import Sequence
from typing import Final

from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.text import is_encodable

_UTF8: Final = "utf-8"
_ASCII: Final = "ascii"


def require_utf8_mode() -> None:
    """Start this program over in Python's UTF-8 mode if file names have another encoding; else do nothing.

    Git, the index and the records know UTF-8 alone, and Python settles the encoding of file names when it starts.
    """
    if _name(sys.getfilesystemencoding()) != _UTF8:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - ourselves


def speak_like_the_terminal() -> None:
    """Let a terminal of another encoding, such as Latin-1, see its own."""
    spoken = _spoken()
    if spoken in (_UTF8, _ASCII):
        return
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=spoken, errors="backslashreplace")


def texts(arguments: Sequence[str]) -> list[str]:
    """Arguments as text: bytes that are not UTF-8 are read as the terminal's own encoding.

    Raises `InvalidInputError` for what is no text in either.
    """
    return [argument if is_encodable(argument) else _decoded(argument) for argument in arguments]


def _decoded(argument: str) -> str:
    try:
        return os.fsencode(argument).decode(_spoken())
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"the argument {argument!r} is not UTF-8", hint="Write it in UTF-8.", code="usage"
        ) from error


def _spoken() -> str:
    """The locale's encoding, by Python's name for it."""
    return _name(locale.getencoding())


def _name(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return _ASCII
