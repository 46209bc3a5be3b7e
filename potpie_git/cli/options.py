"""Groups of options that several commands share, declared once as a dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from potpie_git.cli.reply import Reply

Command = Callable[..., Reply]


def takes(
    group: type[Any], *, into: str = "options", without: Sequence[str] = (), **defaults: Any
) -> Callable[[Command], Command]:
    """Give a command every option of `group`; they reach it as one object, in its parameter `into`.

    `without` leaves options out, and keyword arguments change their defaults. Groups stack.
    """
    declared = inspect.signature(group, eval_str=True).parameters
    shared = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name, parameter.default))
        for name, parameter in declared.items()
        if name not in without
    ]

    def decorate(function: Command) -> Command:
        own = [
            parameter
            for name, parameter in inspect.signature(function, eval_str=True).parameters.items()
            if name != into
        ]

        @wraps(function)
        def command(**given: Any) -> Reply:
            given[into] = group(**{parameter.name: given.pop(parameter.name) for parameter in shared})
            return function(**given)

        signature = inspect.Signature([*own, *shared])
        command.__signature__ = signature  # type: ignore[attr-defined]
        command.__annotations__ = {name: held.annotation for name, held in signature.parameters.items()}
        del command.__wrapped__
        return command

    return decorate
