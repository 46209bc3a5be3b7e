"""Files that a command reads: by path, or `-` for standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from potpie_git.domain.errors import InvalidInputError


@contextmanager
def opened_lines(file: str) -> Iterator[Iterable[bytes]]:
    """The lines of a file, as bytes. Raises `InvalidInputError` if it cannot be opened."""
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        handle = Path(file).open("rb")  # noqa: SIM115 - closed below, apart from what fails inside
    except OSError as error:
        raise InvalidInputError(f"cannot read {file}: {error.strerror}", hint="Check the path.") from error
    with handle:
        yield handle
