"""Options that stand before or after any command: `--json` and `-C PATH`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from potpie_git.domain.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """The global options of one invocation and the arguments that are left."""

    json: bool = False
    directory: Path = field(default_factory=Path)
    arguments: tuple[str, ...] = ()


def split_globals(argv: Sequence[str]) -> GlobalOptions:
    """Take `--json` from anywhere before a `--`, and `-C PATH` from before the command.

    Raises `InvalidInputError` if `-C` has no path.
    """
    left: list[str] = []
    json_output = False
    directory = Path()
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            left += [word, *rest]
            break
        if word == "--json":
            json_output = True
        elif word == "-C" and not left:
            if not rest:
                raise InvalidInputError(
                    "-C needs a path", hint="Write -C PATH before the command.", code="usage"
                )
            directory = directory / rest.pop(0)
        else:
            left.append(word)
    return GlobalOptions(json_output, directory, tuple(left))
