"""Hypothesis strategies for trees of text and for texts that are nearly YAML."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

from potpie_git.domain.text_safety import scan_text

# fmt: off

# Characters that YAML gives a meaning, and honest text that is easily broken.
TRICKY = [
    *" \n\t:#-?'\"\\{}[],&*!|>%@`=~<.+_0123456789eExXoObByYnNtTfF",
    "é", "漢", "\xa0", "\u3000", "👩\u200d💻", "❤\ufe0f",
]
TEXTS = [
    "no", "Yes", "null", "~", "010", "0o17", "12:30:45", "1e3", "1.10", "2026-09-01", "=", "<<", "---", "...",
    "- a", "a: b", "a #b", "# a", "key:", "'q'", "%YAML", "!!str", "&a", "*a", ".inf", "0x1F", "1_000",
    "trailing ", " leading", "word " * 40, "x" * 130, "<<<<<<< HEAD", "=======",
    "line\nline", "line\n\n", "\n", " a\nb", "\tcode\n\tmore\n", "end\n\n\n", "a\n  b\n c\n", "a \nb", "# x\ny",
]
WORDS = ["word", "of", "running-text", "a:", "#x", "'", "漢字"]
LINES = ["", "code", "  indented", "\ttabbed", "# hash", "- dash", "end "]

TOKENS = [
    "a", "b", "key", ": ", ":", "\n", "\n  ", "\n    ", "- ", "  ", " ", "\t", "'", '"', "\\", "# c", " # c", "#",
    "[", "]", "{", "}", ", ", ",", "? ", "|", ">", "|-", "|+", ">-", "2", "---", "...", "&x", "*x", "!t", "%",
    "~", "text more", "'it''s'", '"q\\u0041"', "\n\n", "é", "=", "<<", "0", "@", "`", "key: value\n", "- item\n",
    "x:y",
]
FLOW_TOKENS = [
    "a", "b", ":", ": ", ",", ", ", "[", "]", "{", "}", "?", "? ", "'x'", '"y"', "\n  ", " # c\n  ", "#", "-", "- ",
    "|", "a:b", "<<", "=", "%", "!", "&", "*", "http://x/y?z=1",
]
STARTS = ["key: ", "- ", "list:\n  - ", "a:\n  b: "]
HEADERS = ["|", ">", "|-", ">-", "|+", ">+", "|2", "|1-", ">3+", "|+2", "| # c", ">- #c", "|#"]
BLOCK_LINES = [
    "", " ", "  ", "   ", "    ", "x", " x", "  x", "   x", "    x", "  \tx", "  # c", "# c", " # c", "key: v",
    "  key: v", "  - i", "- i",
]
QUOTED_LINES = [
    "", " ", "  ", "x", " x", "  x y", "    x", "\t x", "x:", "x: y", "# c", " # c", "--- x", "\\", "?", "- x",
    "'", '"',
]
# fmt: on

safe_text = st.one_of(
    st.sampled_from(TEXTS),
    st.lists(st.sampled_from(TRICKY), max_size=30).map("".join),
    st.lists(st.sampled_from(WORDS), min_size=15, max_size=60).map(" ".join),
    st.lists(st.sampled_from(LINES), max_size=6).map("\n".join),
    st.text(max_size=40),
).filter(lambda text: not scan_text(text))
"""Any text that a record may hold, with a liking for what is hard to write as YAML."""

safe_key = st.one_of(st.sampled_from(["id", "fact", "reason", "a b"]), safe_text).map(
    lambda text: unicodedata.normalize("NFC", text[:200])
)

leaf = st.one_of(safe_text, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))


def _grow(children: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.lists(children, max_size=3), st.dictionaries(safe_key, children, max_size=3))


tree = st.dictionaries(safe_key, st.recursive(leaf, _grow, max_leaves=6), max_size=4)
"""What a writer may hand to `emit`."""

_flow = st.lists(st.sampled_from(FLOW_TOKENS), max_size=14).map("".join)
_blocks = st.tuples(
    st.sampled_from(STARTS), st.sampled_from(HEADERS), st.lists(st.sampled_from(BLOCK_LINES), max_size=6)
).map(lambda part: "\n".join([part[0] + part[1], *part[2]]))
_multiline = st.tuples(
    st.sampled_from(STARTS),
    st.sampled_from(['"', "'", ""]),
    st.lists(st.sampled_from(QUOTED_LINES), max_size=5),
).map(lambda part: part[0] + part[1] + "\n".join(part[2]) + part[1])

soup = st.one_of(
    st.lists(st.sampled_from(TOKENS), max_size=24).map("".join),
    _flow,
    _flow.map("key: {{{}}}".format),
    _flow.map("key: [{}]".format),
    _blocks,
    _multiline,
)
"""Text that is nearly YAML: loose tokens, flow collections, block scalars, text over several lines."""

edits = st.lists(
    st.tuples(
        st.integers(0, 400),
        st.integers(0, 3),
        st.sampled_from([*" \n#:-\t'\"[},|\\", "  ", " # x\n", "\n\n", "? "]).map(str.encode),
    ),
    max_size=4,
)
"""Edits of a file as (offset, bytes to remove, bytes to add)."""
