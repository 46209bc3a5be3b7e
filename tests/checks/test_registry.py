"""The registry of rules: complete, explained, and the source of docs/rules.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from potpie_git.checks.registry import FAMILIES, RULES, UnknownRuleError, explain, render_rule, rules_document
from potpie_git.checks.rules.cases import Commands, Message, Scene, Trees
from potpie_git.store.yaml.codes import TITLES

PACKAGE = Path(__file__).resolve().parents[2] / "potpie_git"
CODE = re.compile(r"PG-[A-Z]\d\d")


def test_every_code_that_the_program_can_report_is_a_rule() -> None:
    emitted = {
        code
        for path in PACKAGE.rglob("*.py")
        if "rules" not in path.parts
        for code in CODE.findall(path.read_text(encoding="utf-8"))
    }
    assert len(emitted) > 40
    assert emitted - set(RULES) == set()


def test_codes_are_dense_and_stand_in_their_family() -> None:
    assert sum(len(rules) for _, rules in FAMILIES.values()) == len(RULES)
    for letter, (_, rules) in FAMILIES.items():
        assert [rule.code for rule in rules] == [
            f"PG-{letter}{number:02}" for number in range(1, len(rules) + 1)
        ]


def test_titles_of_yaml_faults_agree_with_those_of_the_parser() -> None:
    assert {code: RULES[code].title for code in TITLES} == dict(TITLES)


def test_every_rule_has_a_case_behind_both_examples() -> None:
    for rule in RULES.values():
        for example in (rule.bad, rule.good):
            assert isinstance(example.case(), Trees | Commands | Message | Scene), rule.code
            assert example.shown.strip(), rule.code


@pytest.mark.parametrize("written", ["PG-H02", "pg-h02", "H02", "h2", " PG-H2 ", "PGH02", "H-2"])
def test_a_code_is_found_however_it_is_written(written: str) -> None:
    assert explain(written).code == "PG-H02"


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("PG-H99", "PG-H01 to PG-H07"),
        ("PG-X", "PG-X01 to"),
        ("PG-Z01", "Did you mean PG-"),
        ("", "docs/rules.md"),
    ],
)
def test_an_unknown_code_says_what_is_near(written: str, near: str) -> None:
    with pytest.raises(UnknownRuleError) as raised:
        explain(written)
    assert near in raised.value.hint


def test_a_rendered_rule_says_all_that_is_declared() -> None:
    for rule in RULES.values():
        shown = " ".join(render_rule(rule).split())
        for part in (rule.code, rule.title, rule.explanation, rule.bad.shown, rule.good.shown):
            assert " ".join(part.split()) in shown


def test_the_document_has_a_section_for_every_rule_and_links_that_lead_there() -> None:
    text = rules_document()
    headings = {
        "".join(
            char for char in line.removeprefix("### ").lower() if char.isalnum() or char in " -_"
        ).replace(" ", "-")
        for line in text.splitlines()
        if line.startswith("### ")
    }
    links = set(re.findall(r"\]\(#([^)]+)\)", text))
    assert len(headings) == len(RULES)
    assert links == headings
