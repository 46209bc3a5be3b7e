"""Project memory that lives in the repository and is reviewed like code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from potpie_git.domain.version import __version__

if TYPE_CHECKING:
    from potpie_git.pot import Pot

__all__ = ["Pot", "__version__"]


def __getattr__(name: str) -> Any:
    # Loaded when it is asked for: the hook imports this package and must not pay for the readers.
    if name == "Pot":
        from potpie_git.pot import Pot

        return Pot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
