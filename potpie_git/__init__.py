"""Project memory that lives in the repository and is reviewed like code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from potpie_git.pot import Pot

__version__ = "0.1.0"
__all__ = ["Pot", "__version__"]


def __getattr__(name: str) -> Any:
    # Loaded when it is asked for: the hook imports this package and must not pay for the readers.
    if name == "Pot":
        from potpie_git.pot import Pot

        return Pot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
