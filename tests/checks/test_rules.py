"""Every rule's examples hold in the engine."""

from __future__ import annotations

import pytest

from potpie_git.checks.registry import RULES
from potpie_git.checks.report import CheckReport
from potpie_git.checks.rules.model import Case, Example, Rule, Trees
from tests.checks.conftest import Judge, codes


def _judged(case: Case, judge: Judge) -> CheckReport:
    if isinstance(case, Trees):
        if case.before is None:
            return judge.tree(case.after)
        return judge.change(case.before, case.after)
    pytest.skip("later")


def _case(example: Example) -> Case:
    assert example.case is not None
    return example.case()


_RUNNABLE = [rule for rule in RULES.values() if rule.bad.case is not None]


@pytest.mark.parametrize("rule", _RUNNABLE, ids=lambda rule: rule.code)
def test_a_bad_example_gives_exactly_its_code(rule: Rule, judge: Judge) -> None:
    report = _judged(_case(rule.bad), judge)
    assert set(codes(report)) == {rule.code}, report.findings
    assert {finding.severity for finding in report.findings} == {rule.severity}
    for finding in report.findings:
        assert finding.message
        assert finding.hint
        assert finding.line >= 1


@pytest.mark.parametrize("rule", _RUNNABLE, ids=lambda rule: rule.code)
def test_a_good_example_gives_none(rule: Rule, judge: Judge) -> None:
    assert _judged(_case(rule.good), judge).findings == ()
