"""Scope overlap: by containment, with contradictions told apart from silence."""

import pytest

from potpie_git.readers.request import ReadRequest
from potpie_git.readers.scope import (
    GLOBAL,
    UNKNOWN,
    QuestionScope,
    claim_dimensions,
    code_place,
    languages_of,
    overlap,
    path_match,
    same_repository,
)
from tests.readers.support import MemoryClaims, claim, scope, trunk


@pytest.mark.parametrize(
    ("asked", "held", "matches"),
    [
        ("src/refunds/api.py", "src/refunds/api.py", True),
        ("src/refunds/api.py", "src/refunds", True),
        ("src/refunds/api.py", "src/refunds/", True),
        ("src/refunds/api.py", "src/refunds/**", True),
        ("src/refunds/api.py", "src/*/api.py", True),
        ("src/refunds/api.py", "*.py", True),
        ("src/refunds", "src/refunds/api.py", True),
        ("src/refunds2/api.py", "src/refunds", False),
        ("src/refunds/api.go", "*.py", False),
        ("docs/readme.md", "src", False),
    ],
)
def test_paths_match_by_containment(asked: str, held: str, matches: bool) -> None:
    assert (path_match(asked, held) > 0) is matches


def test_a_closer_directory_matches_better() -> None:
    path = "src/payments/refunds/api.py"
    degrees = [path_match(path, held) for held in (path, "src/payments/refunds", "src/payments", "src", "")]
    assert degrees == sorted(degrees, reverse=True)
    assert len(set(degrees)) == 5


def test_a_question_without_scope_overlaps_everything() -> None:
    assert overlap(QuestionScope(), {"service": ("a",)}).degree == UNKNOWN


def test_a_claim_without_scope_is_beaten_by_one_that_names_the_place() -> None:
    question = QuestionScope({"service": ("a",)})
    assert overlap(question, {}).degree == GLOBAL
    assert overlap(question, {"service": ("a",)}).degree > GLOBAL


def test_one_contradiction_rules_a_claim_out() -> None:
    question = QuestionScope({"service": ("a",), "language": ("python",)})
    found = overlap(question, {"service": ("a",), "language": ("go",)})
    assert (found.contradicts, found.degree) == (True, 0.0)


def test_what_the_question_does_not_mention_contradicts_nothing() -> None:
    found = overlap(QuestionScope({"service": ("a",)}), {"language": ("go",)})
    assert (found.matched, found.contradicts) == (0, False)
    assert found.degree > 0


def test_more_matching_dimensions_are_more_specific() -> None:
    question = QuestionScope({"service": ("a",), "language": ("python",)})
    both = overlap(question, {"service": ("a",), "language": ("python",)})
    assert both.degree > overlap(question, {"service": ("a",)}).degree


def test_what_a_scope_implies_counts_for_less_than_what_it_says() -> None:
    asked = overlap(QuestionScope({"repo": ("acme/a",)}), {"repo": ("acme/a",)})
    implied = overlap(QuestionScope({"service": ("a",)}, {"repo": ("acme/a",)}), {"repo": ("acme/a",)})
    assert 0 < implied.degree < asked.degree


@pytest.mark.parametrize(
    ("key", "place"),
    [
        ("code:payments:src/a.py", "src/a.py"),
        ("code:acme/payments:src/a.py", "src/a.py"),
        ("code:repo:github.com/acme/payments:src/a.py", "src/a.py"),
        ("code:service:payments:RefundService", "RefundService"),
        ("code:payments:pkg::Symbol", "pkg::Symbol"),
    ],
)
def test_a_code_asset_knows_its_place(key: str, place: str) -> None:
    assert code_place(key) == place


def test_claims_tell_their_dimensions() -> None:
    held = claim(
        "preference:x",
        "POLICY_APPLIES_TO",
        "service:Payments",
        code_scope={"language": "Python", "path": ["src/a", "src/b"], "repo": "repo:acme/x"},
    )
    assert claim_dimensions([held]) == {
        "service": ("payments",),
        "language": ("python",),
        "path": ("src/a", "src/b"),
        "repo": ("acme/x",),
    }


def test_names_of_files_tell_languages() -> None:
    told = languages_of(["src/a.py", "b.tsx", "Makefile", "c.py"])
    assert told == ("python", "typescript", "javascript")
    assert languages_of(["src/a.h"]) == ("c", "c++")


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("repo:github.com/acme/payments", "acme/payments", True),
        ("payments", "github.com/acme/payments", True),
        ("acme/payments", "other/payments", False),
        ("pay", "acme/payments-pay", False),
    ],
)
def test_spellings_of_a_repository(left: str, right: str, same: bool) -> None:
    assert same_repository(left, right) is same


def test_a_service_that_is_named_is_not_widened_by_its_repository() -> None:
    claims = [
        claim("service:a", "DEFINED_IN", "repo:github.com/acme/payments"),
        claim("service:b", "DEFINED_IN", "repo:github.com/acme/payments"),
        claim("decision:aa", "DECIDED", "service:a"),
        claim("decision:bb", "DECIDED", "service:b"),
    ]
    request = ReadRequest(scope=scope("service:a", "repo:acme/payments"))
    found = trunk(MemoryClaims(claims)).read_view("decisions", "active_decisions", request)
    assert [item.candidate_key for item in found.items] == ["decision:aa"]
