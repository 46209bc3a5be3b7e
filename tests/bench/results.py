"""Where the figures of a benchmark go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def keep(folder: Path, found: Any, page: str) -> None:
    """Write results.json and results.md of a benchmark into its folder."""
    (folder / "results.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    (folder / "results.md").write_text(page, encoding="utf-8")
