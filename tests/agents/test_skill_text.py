"""Taking our lines out of a file leaves every byte that was there, and an edit is always seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potpie_git.store.skills.text import (
    State,
    stamped,
    state_of_block,
    state_of_file,
    with_block,
    without_block,
)

OURS, NEWER = "## Memory\n\nRead it.\n", "## Memory\n\nRead it first.\n"
LINES = st.sampled_from(
    [b"# Agents", b"", b"\r", b"text", b"\xff\xfe", b"<!-- potpie -->", b"\xe2\x82\xac", b" "]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n", b"", b"\r"])
HELD = st.lists(st.tuples(LINES, ENDS), max_size=6).map(lambda parts: b"".join(a + b for a, b in parts))


@given(HELD)
def test_out_again_byte_for_byte(held: bytes) -> None:
    made = with_block(held, OURS)
    assert made is not None
    assert made.startswith(held)
    assert state_of_block(made, OURS) is State.CURRENT
    assert with_block(made, OURS) == made, "again changes nothing"
    assert without_block(made) == held

    newer = with_block(made, NEWER)
    assert newer is not None
    assert state_of_block(made, NEWER) is State.OUTDATED
    assert state_of_block(newer, NEWER) is State.CURRENT
    assert without_block(newer) == held, "an update remembers what it found"


@given(HELD, HELD)
def test_what_is_written_around_our_lines_stays(before: bytes, after: bytes) -> None:
    made = with_block(before, OURS)
    assert made is not None
    assert state_of_block(made + after, OURS) is State.CURRENT
    assert without_block(made + after) == before + after


def test_a_file_that_was_made_for_our_lines_goes_with_them() -> None:
    made = with_block(None, OURS)
    assert made is not None
    assert without_block(made) is None
    assert without_block(made + b"mine\n") == b"mine\n"
    assert without_block(with_block(b"", OURS) or b"") == b"", "an empty file was there"


@given(st.data())
def test_an_edit_of_our_lines_is_seen(data: st.DataObject) -> None:
    made = with_block(b"# Agents\n", OURS)
    assert made is not None
    start = made.index(b"## Memory")
    place = data.draw(st.integers(start, made.index(b"<!-- potpie-git:end") - 1))
    piece = data.draw(
        st.binary(min_size=1, max_size=3).filter(lambda raw: raw.replace(b"\r\n", b"\n") != b"")
    )
    edited = made[:place] + piece + made[place:]
    if edited.replace(b"\r\n", b"\n") != made:
        assert state_of_block(edited, OURS) is State.EDITED


@pytest.mark.parametrize(
    "broken",
    [
        lambda made: made.replace(b"<!-- potpie-git:end -->\n", b""),
        lambda made: made + made,
        lambda made: made[made.index(b"\n") + 1 :],
        lambda made: made.replace(b"begin ", b"begin x"),
    ],
)
def test_broken_markers_are_left_alone(broken) -> None:
    made = broken(with_block(None, OURS))
    assert state_of_block(made, OURS) is State.EDITED
    assert with_block(made, NEWER) is None
    assert without_block(made) == made


def test_a_file_of_our_own() -> None:
    assert state_of_file(None, OURS) is State.MISSING
    assert state_of_file(stamped(OURS), OURS) is State.CURRENT
    assert state_of_file(stamped(OURS).replace(b"\n", b"\r\n"), OURS) is State.CURRENT, "a checkout with CRLF"
    assert state_of_file(stamped(OURS), NEWER) is State.OUTDATED
    assert state_of_file(b"mine\n", OURS) is State.EDITED
    assert state_of_file(b"", OURS) is State.EDITED
    for place in range(len(stamped(OURS)) + 1):
        assert state_of_file(stamped(OURS)[:place] + b"x" + stamped(OURS)[place:], OURS) is State.EDITED
