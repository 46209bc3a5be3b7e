"""Where the files that ship with the program are: the example store, the JSON Schemas and the hook templates.

A checkout has them at its top level; a wheel carries them inside the package (see the wheel in pyproject.toml).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from potpie_git.domain.errors import UnavailableError

ResourceName = Literal["example", "schema", "hooks"]

_IN_CHECKOUT: dict[ResourceName, str] = {"example": ".potpie-example", "schema": "schema", "hooks": "hooks"}
_PACKAGE = Path(__file__).resolve().parents[1]


class MissingResourceError(UnavailableError):
    """The installation lacks a folder that it should have come with."""

    code = "missing_resource"
    default_hint = "Install the package again: `pip install --force-reinstall potpie-git`."


def resource_dir(name: ResourceName) -> Path:
    """Return the absolute path of a folder that ships with the program; treat it as read-only.

    Raises `MissingResourceError` if neither the wheel's copy nor the checkout's folder is there.
    """
    return _find(_PACKAGE, name)


def _find(package: Path, name: ResourceName) -> Path:
    bundled = package / "_data" / name
    if bundled.is_dir():
        return bundled
    # Beside an installed package lie other projects' folders, so the checkout is recognised by its project file.
    checkout = package.parent
    folder = checkout / _IN_CHECKOUT[name]
    if (checkout / "pyproject.toml").is_file() and folder.is_dir():
        return folder
    raise MissingResourceError(
        f"the folder {name!r} that ships with potpie-git is missing",
        detail={"looked_in": [str(bundled), str(folder)]},
    )
