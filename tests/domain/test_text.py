"""Normal forms: what a rewriter may vary is gone, what carries meaning stays, and quick paths change nothing."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potpie_git.domain.text import canonical_json, normalise_value, slug, suggest
from potpie_git.domain.vocabulary import ENTITY_TYPES, INCLUDES, PREDICATES, SUBGRAPHS, VIEWS

# A letter that is not ASCII and that no normal form touches: it takes a text onto the general path.
MARKER = "\u0431"
ASCII = st.text(st.characters(max_codepoint=127), max_size=40)
TRICKY = st.text("a1.,:/-'` \n\x1c\x07(%", max_size=14)


@given(ASCII | TRICKY)
def test_the_quick_path_for_ascii_gives_what_the_general_one_gives(text: str) -> None:
    general = normalise_value(f"{text}\n{MARKER}")
    quick = normalise_value(text)
    assert general == f"{quick} {MARKER}".strip()


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  Use   Queues! ", "use queues"),
        ("It's a-b, (c)", "its a b c"),
        ("1.5 and -3, v1.2/3", "1.5 and -3 v1.2/3"),
        ("a - 3; x-3", "a 3 x 3"),
        ("p < 0.05 + $4", "p < 0.05 + $4"),
        ("\uff35\uff53\uff45 queues", "use queues"),
        ("use\u200b queues", "use queues"),
    ],
)
def test_what_may_vary_is_gone_and_the_rest_stays(text: str, normal: str) -> None:
    assert normalise_value(text) == normal


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_canonical_json_is_json_of_the_composed_value(value: Any) -> None:
    text = canonical_json(value)
    assert canonical_json(json.loads(text)) == text
    assert unicodedata.is_normalized("NFC", text)


def test_equal_values_give_equal_bytes() -> None:
    composed, decomposed = "na\u00efve", "nai\u0308ve"
    assert canonical_json({"b": decomposed, "a": [1, (2,)]}) == canonical_json({"a": [1, [2]], "b": composed})
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("nan"))


@given(st.text(max_size=60))
def test_a_slug_is_safe_in_any_file_name(text: str) -> None:
    made = slug(text)
    assert made
    assert len(made) <= 40
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def _slips(name: str) -> set[str]:
    """What people write for a name: one character too few or too many, two swapped, other cases and separators."""
    middle = len(name) // 2
    return {
        name[:middle] + name[middle + 1 :],
        name[:middle] + name[middle] + name[middle:],
        name[: middle - 1] + name[middle] + name[middle - 1] + name[middle + 1 :],
        name + "s",
        name.replace("_", "-"),
        name.replace("_", ""),
        name.title().replace("_", ""),
    }


@pytest.mark.parametrize("names", [PREDICATES, ENTITY_TYPES, INCLUDES, SUBGRAPHS, VIEWS])
def test_a_slip_leads_back_to_the_name(names: Any) -> None:
    known = list(names)
    for name in known:
        for slip in _slips(name) - set(known):
            assert suggest(slip, known) == name, slip


@pytest.mark.parametrize("word", ["banana", "create", "update", "widget", "memory", "foo", "everything"])
def test_nothing_is_suggested_for_what_is_near_to_nothing(word: str) -> None:
    for names in (PREDICATES, ENTITY_TYPES, INCLUDES, SUBGRAPHS, VIEWS):
        assert suggest(word, names) is None
