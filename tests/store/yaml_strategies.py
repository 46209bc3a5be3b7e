"""Hypothesis strategies for trees of text and for texts that are nearly YAML."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

from potpie_git.domain.text_safety import scan_text

# Characters that YAML gives a meaning, and honest text that is easily broken.
TRICKY = [*" \n\t:#-?'\"\\{}[],&*!|>%@`=~<.+_0123456789eExXoObByYnNtTfF", "é", "漢", "\xa0", "\u3000", "👩\u200d💻", "❤\ufe0f"]
WORDS = [
    "no", "Yes", "null", "~", "010", "0o17", "12:30:45", "1e3", "1.10", "2026-09-01", "=", "<<", "---", "...", "- a",
    "a: b", "a #b", "# a", "key:", "'q'", "%YAML", "!!str", "&a", "*a", ".inf", "0x1F", "1_000", "trailing ", " leading",
    "word " * 40, "x" * 130, "line\nline", "line\n\n", "\n", " a\nb", "\tcode\n\tmore\n", "<<<<<<< HEAD", "=======",
    "end\n\n\n", "a\n  b\n c\n", "a \nb", "# x\ny",
]  # fmt: skip

safe_text = st.one_of(
    st.sampled_from(WORDS),
    st.lists(st.sampled_from(TRICKY), max_size=30).map("".join),
    st.lists(st.sampled_from(["word", "of", "running-text", "a:", "#x", "'", "漢字"]), min_size=15, max_size=60).map(" ".join),
    st.text(max_size=40),
    st.lists(st.sampled_from(["", "code", "  indented", "\ttabbed", "# hash", "- dash", "end "]), max_size=6).map("\n".join),
).filter(lambda text: not scan_text(text))  # fmt: skip

safe_key = st.one_of(st.sampled_from(["id", "fact", "reason", "a b"]), safe_text).map(
    lambda text: unicodedata.normalize("NFC", text[:200])
)

leaf = st.one_of(safe_text, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))


def _grow(children: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.lists(children, max_size=3), st.dictionaries(safe_key, children, max_size=3))


tree = st.dictionaries(safe_key, st.recursive(leaf, _grow, max_leaves=6), max_size=4)

_soup = st.lists(
    st.sampled_from(
        [
            "a", "b", "key", ": ", ":", "\n", "\n  ", "\n    ", "- ", "  ", " ", "\t", "'", '"', "\\", "# c", " # c", "#",
            "[", "]", "{", "}", ", ", ",", "? ", "|", ">", "|-", "|+", ">-", "2", "---", "...", "&x", "*x", "!t", "%", "~",
            "text more", "'it''s'", '"q\\u0041"', "\n\n", "é", "=", "<<", "0", "@", "`", "key: value\n", "- item\n", "x:y",
        ]
    ),
    max_size=24,
).map("".join)  # fmt: skip

_flow = st.lists(
    st.sampled_from(["a", "b", ":", ": ", ",", ", ", "[", "]", "{", "}", "?", "? ", "'x'", '"y"', "\n  ", " # c\n  ", "#", "-", "- ", "|", "a:b", "<<", "=", "%", "!", "&", "*", "http://x/y?z=1"]),
    max_size=14,
).map("".join)  # fmt: skip

_blocks = st.tuples(
    st.sampled_from(["key: ", "- ", "list:\n  - ", "a:\n  b: "]),
    st.sampled_from(["|", ">", "|-", ">-", "|+", ">+", "|2", "|1-", ">3+", "|+2", "| # c", ">- #c", "|#"]),
    st.lists(st.sampled_from(["", " ", "  ", "   ", "    ", "x", " x", "  x", "   x", "    x", "  \tx", "  # c", "# c", " # c", "key: v", "  key: v", "  - i", "- i"]), max_size=6),
).map(lambda part: "\n".join([part[0] + part[1], *part[2]]))  # fmt: skip

_multiline = st.tuples(
    st.sampled_from(["key: ", "- ", "list:\n  - ", "a:\n  b: "]),
    st.sampled_from(['"', "'", ""]),
    st.lists(st.sampled_from(["", " ", "  ", "x", " x", "  x y", "    x", "\t x", "x:", "x: y", "# c", " # c", "--- x", "\\", "?", "- x", "'", '"']), max_size=5),
).map(lambda part: part[0] + part[1] + "\n".join(part[2]) + part[1])  # fmt: skip

soup = st.one_of(_soup, _flow.map("key: {{{}}}".format), _flow.map("key: [{}]".format), _flow, _blocks, _multiline)
"""Text that is nearly YAML: loose tokens, flow collections, block scalars, text over several lines."""
