"""Which words of two texts differ, for a page that marks them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Final, Literal

_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]")
# Longer texts are shown side by side without marks: comparing them takes time, and marks would not help.
_MOST_WORDS: Final = 600
Mark = Literal["same", "gone", "come"]


def marked(before: str, after: str) -> tuple[list[tuple[Mark, str]], list[tuple[Mark, str]]]:
    """Both texts as pieces, each marked as the same on both sides, gone, or come."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(old), len(new)) > _MOST_WORDS:
        return [("same", before)], [("same", after)]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < 0.3:
        # Two different texts: marking nearly every word says nothing.
        return [("same", before)], [("same", after)]
    blocks = matcher.get_opcodes()
    was = [(tag, "".join(old[start:end])) for tag, start, end, _, _ in blocks]
    now = [(tag, "".join(new[start:end])) for tag, _, _, start, end in blocks]
    return list(_pieces(was, "gone")), list(_pieces(now, "come"))


def _pieces(parts: Iterable[tuple[str, str]], mark: Mark) -> Iterator[tuple[Mark, str]]:
    for tag, text in parts:
        if text:
            yield ("same" if tag == "equal" else mark), text
