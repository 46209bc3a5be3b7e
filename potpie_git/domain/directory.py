"""The one name that everything about a pot begins with; a module of its own, because the hooks need nothing else."""

from __future__ import annotations

from typing import Final

POT_DIRECTORY: Final = ".potpie"
