"""Comments stay with the key, item or collection that they stand at, whatever else changes in the file."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from potpie_git.store.yaml import Comment, YamlError, codes, emit, parse


def tidy(source: str) -> str:
    document = parse(source.encode())
    return emit(document.data, document.comments).decode()


CANONICAL = """\
# yaml-language-server: $schema=../schema/policy.json
#
#   indented
## a heading
version: "3" # rises only
# who may approve
approvers: # people
  # the first
  - name: rae # lead
    # of the key
    key: ssh-ed25519 AAAA
    # end of rae
  # the second
  - name: kim
  # end of approvers
empty: {} # none
none: [] # none
text: | # of a block
  # no comment
  text
folded: >- # of folded text
  word word word word word word word word word word word word word word word word word word word
  word word word
# before kept
kept: |+
  text

# after kept
last:
  deeper:
    - - a # one
      # end of the inner list
    # end of the outer list
  # end of last
# end of the file
"""


def test_every_place_of_a_comment_is_kept() -> None:
    document = parse(CANONICAL.encode())
    assert tidy(CANONICAL) == CANONICAL
    assert [(comment.path, comment.kind, comment.text) for comment in document.comments] == [
        (("version",), "before", "yaml-language-server: $schema=../schema/policy.json"),
        (("version",), "before", ""),
        (("version",), "before", "  indented"),
        (("version",), "before", "# a heading"),
        (("version",), "eol", "rises only"),
        (("approvers",), "before", "who may approve"),
        (("approvers",), "eol", "people"),
        (("approvers", 0), "before", "the first"),
        (("approvers", 0, "name"), "eol", "lead"),
        (("approvers", 0, "key"), "before", "of the key"),
        (("approvers", 0), "end", "end of rae"),
        (("approvers", 1), "before", "the second"),
        (("approvers",), "end", "end of approvers"),
        (("empty",), "eol", "none"),
        (("none",), "eol", "none"),
        (("text",), "eol", "of a block"),
        (("folded",), "eol", "of folded text"),
        (("kept",), "before", "before kept"),
        (("last",), "before", "after kept"),
        (("last", "deeper", 0, 0), "eol", "one"),
        (("last", "deeper", 0), "end", "end of the inner list"),
        (("last", "deeper"), "end", "end of the outer list"),
        (("last",), "end", "end of last"),
        ((), "end", "end of the file"),
    ]


@pytest.mark.parametrize(
    ("source", "canonical"),
    [
        ("#c\na: b\n", "# c\na: b\n"),
        ("a: b   #c  \n", "a: b # c\n"),
        ("\n\n# c\n\n\na: b\n\n\n# d\n\n", "# c\na: b\n# d\n"),
        ("    # c\na: b\n", "# c\na: b\n"),
        ("a:\n# c\n- x\n# d\n- v\n# e\nb: z\n", "a:\n  # c\n  - x\n  # d\n  - v\n# e\nb: z\n"),
        ("a:\n    # c\n  - x\n", "a:\n  # c\n  - x\n"),
        ("a:\n  # c\n  text\n", "# c\na: text\n"),
        ("a: # c\n  text # d\n", "# d\na: text # c\n"),
        ("a:\n  - # c\n    b: x\n", "a:\n  # c\n  - b: x\n"),
        ("a:\n  -\n    # c\n    b: x\n", "a:\n  # c\n  - b: x\n"),
        ("a:\n  - # c\n    - x\n", "a:\n  # c\n  - - x\n"),
        ("a: {b: x, # c\n  d: v # e\n  # f\n  } # g\n", "a: # g\n  b: x # c\n  d: v # e\n  # f\n"),
        ("a: [ # c\n  x, # d\n  # e\n  v ]\n", "a: # c\n  - x # d\n  # e\n  - v\n"),
        ("a: [\n  # c\n  ]\nb: x\n", "# c\na: []\nb: x\n"),
        ("a:\n  - {b: x} # c\n", "a:\n  # c\n  - b: x\n"),
        ("{a: x} # c\n", "# c\na: x\n"),
        ("# c\n{} # d\n# e\n", "# c\n# d\n# e\n{}\n"),
        ("a: |\n  text\n # c\nb: x\n", "a: |\n  text\n# c\nb: x\n"),
        ("a:\n  - |\n    text\n  - # c\n    b: x\n", "a:\n  - |\n    text\n  # c\n  - b: x\n"),
        ("a:\n  b: x\n   # c\n  d: v\n", "a:\n  b: x\n  # c\n  d: v\n"),
        ("a:\n    b: x\n  # c\nd: v\n", "a:\n  b: x\n  # c\nd: v\n"),
        ("a:\n    b:\n        c: x\n     # c\nd: v\n", "a:\n  b:\n    c: x\n  # c\nd: v\n"),
        ("  a: x\n# c\n", "a: x\n# c\n"),
        ("a: 'x # y' # c # d\n", "a: 'x # y' # c # d\n".replace("'", '"')),
        ("a: x#y # c\nb: '#' #d\n", 'a: x#y # c\nb: "#" # d\n'),
        ("a: \"x\n  # y\" # c\n", 'a: "x # y" # c\n'),
        ("a: b # naïve 漢字\n", "a: b # naïve 漢字\n"),
        ("a: b # a\ttab\n", "a: b # a\ttab\n"),
        ("a: b\n#\tc\n", "a: b\n# \tc\n"),
    ],
)  # fmt: skip
def test_a_comment_finds_its_place_in_canonical_form(source: str, canonical: str) -> None:
    assert tidy(source) == canonical
    assert tidy(canonical) == canonical


def test_comments_follow_their_keys_when_values_change() -> None:
    document = parse(b"# c\na: b # d\nlist: # e\n  - x # f\n  - v # g\n  # h\nlast: z # i\n")
    data = {"new": 1, "list": ["x"], "a": {"deep": True}, "last": "z"}
    assert emit(data, document.comments).decode() == (
        "new: 1\nlist: # e\n  - x # f\n  # g\n  # h\n# c\na: # d\n  deep: true\nlast: z # i\n"
    )


def test_a_comment_whose_key_is_gone_moves_to_the_end_of_what_held_it() -> None:
    document = parse(b"a:\n  b: x # c\n  # d\n  e: v\nf:\n  - g # h\n")
    assert emit({"a": {"e": "v"}, "f": "text"}, document.comments).decode() == (
        "a:\n  # d\n  e: v\n  # c\n# h\nf: text\n"
    )
    assert emit({}, document.comments).decode() == "# c\n# d\n# h\n{}\n"


def test_comments_may_be_made_by_hand() -> None:
    comments = [
        Comment((), "before", "top"),
        Comment(("a", 0, "b"), "before", "item"),
        Comment(("a", 0), "eol", "dash"),
        Comment((), "eol", "root"),
    ]
    assert emit({"a": [{"b": "x"}]}, comments) == b"# top\n# root\na:\n  # item\n  # dash\n  - b: x\n"


def test_a_comment_is_one_line_without_hidden_characters() -> None:
    with pytest.raises(ValueError, match="one line"):
        emit({"a": "b"}, [Comment(("a",), "eol", "x\ny: z")])
    with pytest.raises(YamlError) as raised:
        emit({"a": "b"}, [Comment(("a",), "eol", "x\u202ey")])
    assert raised.value.code == codes.HIDDEN_CHARACTER


def test_typed_data_keeps_the_comments_of_its_text() -> None:
    source = b"threshold: 2 # of three\nrequired: true # always\nratio: 0.5\n# end\n"
    assert emit({"threshold": 2, "required": True, "ratio": 0.5}, parse(source).comments) == source


def test_text_that_looks_like_a_comment_is_none() -> None:
    document = parse(b"a: 'x # y'\nb: repo:src/x.py#L1\nc: >-\n  see # 12\nd: |\n  # 1\n'# e': f\n")
    assert document.comments == ()
    assert document.data["d"] == "# 1\n"


@st.composite
def commented(draw: st.DrawFn, indent: int = 0, depth: int = 0) -> str:
    """A mapping in block style with comments wherever they may stand."""
    pad = " " * indent
    columns = sorted({0, indent, indent + 2, max(0, indent - 2), indent + 1})
    notes = st.lists(
        st.tuples(st.sampled_from(columns), st.sampled_from(["# c", "#", "##x # y", "#é", ""])), max_size=2
    ).map(lambda lines: "".join(f"{' ' * column}{text}\n" for column, text in lines))
    ends = st.sampled_from(["\n", "\n", " # e\n", "  #e2  \n"])
    values = st.sampled_from(
        [
            "x",
            '"q # n"',
            "'s'",
            "x#y",
            "[]",
            "{}",
            "[a, b]",
            "{a: b, # f\n@   c: d}",
            "\n@   text",
            '"x\n@   y"',
        ]
    )
    blocks = st.sampled_from(
        [
            "|\n@   l # n\n@   b\n",
            ">-\n@   f\n@   g\n",
            "| # h\n@   l\n\n",
            "|+ # h\n@   l\n\n\n",
            "|2\n@     l\n",
        ]
    )
    lines = ""
    for number in range(draw(st.integers(1, 3))):
        lines += draw(notes) + f"{pad}k{number}:"
        shape = draw(
            st.sampled_from(["scalar", "scalar", "block", "map", "list"] if depth < 3 else ["scalar"])
        )
        if shape == "scalar":
            lines += " " + draw(values).replace("@", pad) + draw(ends)
        elif shape == "block":
            lines += " " + draw(blocks).replace("@", pad)
        elif shape == "map":
            lines += draw(ends) + draw(commented(indent + 2, depth + 1))
        else:
            lines += draw(ends)
            dash = pad + draw(st.sampled_from(["", "  "]))
            for _ in range(draw(st.integers(1, 2))):
                lines += draw(notes) + f"{dash}-"
                if draw(st.booleans()):
                    lines += " # dash\n" + draw(commented(len(dash) + 2, depth + 1))
                else:
                    lines += " " + draw(values).replace("@", dash) + draw(ends)
    return lines + draw(notes)


def ruamel_comments(raw: bytes) -> list[str]:
    """The text of every comment as ruamel.yaml's scanner finds them."""
    found: list[Any] = []
    for token in YAML().scan(raw.decode()):
        for part in getattr(token, "comment", None) or ():
            found += part if isinstance(part, list) else [part]
    text = "\n".join(part if isinstance(part, str) else part.value for part in found if part is not None)
    return sorted(line.strip() for line in text.split("\n") if line.strip())


@given(commented())
def test_every_comment_is_found_and_kept(source: str) -> None:
    raw = source.encode()
    document = parse(raw)
    assert sorted(f"#{text}" for text in _texts(document.comments)) == sorted(
        re.sub(r"^# ?", "#", text) for text in ruamel_comments(raw)
    )
    canonical = emit(document.data, document.comments)
    again = parse(canonical)
    assert again.data == document.data
    assert sorted(_texts(again.comments)) == sorted(_texts(document.comments))
    assert emit(again.data, again.comments) == canonical


def _texts(comments: tuple[Comment, ...]) -> list[str]:
    return [comment.text for comment in comments]
