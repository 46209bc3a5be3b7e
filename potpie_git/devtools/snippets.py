"""Console blocks of documents that are run: what a page shows is what the program prints.

A block that follows the line `<!-- printed -->` holds commands (`$ git potpie …`, continued by a backslash) and what
each printed. All blocks of a page are run in order, in one repository.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from potpie_git.devtools.stage import Stage

_BLOCK = re.compile(r"(?<=^<!-- printed -->\n```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_SCORE = re.compile(r"(?<![\w.])[01]\.\d+(?![\w.])")
# Vectors differ in their last digits from one processor to another, and with them scores.
_TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class Snippet:
    """One command and what a page shows for it, between `start` and `end`; `last` of its block or not."""

    command: str
    shown: str
    start: int
    end: int
    last: bool


def snippets(page: str) -> list[Snippet]:
    """The commands of a page's printed blocks, in order."""
    found = []
    for block in _BLOCK.finditer(page):
        starts = [match.start() for match in re.finditer(r"^\$ ", block[0], re.MULTILINE)]
        ends = [*starts[1:], len(block[0])]
        found += [
            _snippet(block[0][start:end], block.start() + start, last=end == len(block[0]))
            for start, end in zip(starts, ends, strict=True)
        ]
    return found


def _snippet(text: str, place: int, *, last: bool) -> Snippet:
    lines = text.splitlines(keepends=True)
    count = 1
    while count < len(lines) and lines[count - 1].endswith("\\\n"):
        count += 1
    command = "".join(lines[:count])
    shown = "".join(lines[count:])
    start = place + len(command)
    return Snippet(command.removeprefix("$ ").rstrip("\n"), shown, start, place + len(text), last)


def printed(page: str, stage: Stage) -> str:
    """The page with what its commands print now; what is the same but for the last digits of scores stays."""
    found = snippets(page)
    outputs = [stage.run(snippet.command) for snippet in found]
    for snippet, output in reversed(list(zip(found, outputs, strict=True))):
        # A blank line stands before the next command.
        text = f"{output.rstrip()}\n".lstrip("\n") + ("" if snippet.last else "\n")
        if not same(snippet.shown, text):
            page = page[: snippet.start] + text + page[snippet.end :]
    return page


def same(shown: str, output: str) -> bool:
    """True if two outputs differ in nothing but the last digits of scores."""
    if _SCORE.sub("0.0", shown) != _SCORE.sub("0.0", output):
        return False
    pairs = zip(_SCORE.findall(shown), _SCORE.findall(output), strict=True)
    return all(abs(float(left) - float(right)) <= _TOLERANCE for left, right in pairs)


def pages(root: Path) -> list[Path]:
    """The documents that have printed blocks."""
    documents = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    return [page for page in documents if snippets(page.read_text("utf-8"))]
