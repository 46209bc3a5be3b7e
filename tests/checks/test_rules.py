"""Every rule's examples hold in the engine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from potpie_git.checks.registry import RULES
from potpie_git.checks.report import CheckReport
from potpie_git.checks.rules.model import Case, Commands, Example, Message, Rule
from potpie_git.checks.runs import check_message, check_range
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.repository import Repository
from tests.checks.conftest import Judge, codes


def _judged(case: Case, judge: Judge, folder: Path) -> CheckReport:
    if isinstance(case, Message):
        return check_message(case.text, Risk.LOW)
    if isinstance(case, Commands):
        subprocess.run(["sh", "-ec", case.script], cwd=folder, check=True, capture_output=True)
        return check_range(Repository.discover(folder / case.directory), case.revisions)
    if case.before is None:
        return judge.tree(case.after)
    if case.as_range:
        return judge.landing(case.before, case.after, case.parted)
    return judge.change(case.before, case.after)


def _case(example: Example) -> Case:
    assert example.case is not None
    return example.case()


_RUNNABLE = [rule for rule in RULES.values() if rule.bad.case is not None]


@pytest.mark.parametrize("rule", _RUNNABLE, ids=lambda rule: rule.code)
def test_a_bad_example_gives_exactly_its_code(rule: Rule, judge: Judge, tmp_path: Path) -> None:
    report = _judged(_case(rule.bad), judge, tmp_path)
    assert set(codes(report)) == {rule.code}, report.findings
    assert {finding.severity for finding in report.findings} == {rule.severity}
    for finding in report.findings:
        assert finding.message
        assert finding.hint
        assert finding.line >= 1


@pytest.mark.parametrize("rule", _RUNNABLE, ids=lambda rule: rule.code)
def test_a_good_example_gives_none(rule: Rule, judge: Judge, tmp_path: Path) -> None:
    assert _judged(_case(rule.good), judge, tmp_path).findings == ()
