"""Write anew what the commands in README.md and docs/ print: `python -m potpie_git.devtools.generate_snippets`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from potpie_git.devtools.snippets import pages, printed
from potpie_git.devtools.stage import build_stage

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run every printed block, each page in a repository of its own, and rewrite the pages that differ."""
    with tempfile.TemporaryDirectory() as folder:
        stage = build_stage(Path(folder) / "stage" / "commons")
        for page in pages(ROOT):
            before = page.read_text("utf-8")
            after = printed(before, stage.copy(Path(folder) / page.stem / "commons"))
            if after != before:
                page.write_text(after, encoding="utf-8")
                sys.stdout.write(f"wrote {page.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
