"""Every rule's examples hold in the engine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from potpie_git.checks.registry import RULES
from potpie_git.checks.report import CheckReport
from potpie_git.checks.rules.cases import Case, Commands, Message, Scene
from potpie_git.checks.rules.model import Rule
from potpie_git.checks.runs import check_message, check_range
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.repository import Repository
from tests.checks.conftest import Judge, codes
from tests.checks.scenes import play


def _judged(case: Case, judge: Judge, folder: Path) -> CheckReport:
    if isinstance(case, Message):
        return check_message(case.text, Risk.LOW)
    if isinstance(case, Commands):
        subprocess.run(["sh", "-ec", case.script], cwd=folder, check=True, capture_output=True)
        return check_range(Repository.discover(folder / case.directory), case.revisions)
    if isinstance(case, Scene):
        return play(case, folder)
    if case.before is None:
        return judge.tree(case.after)
    if case.as_range:
        return judge.landing(case.before, case.after, case.parted)
    return judge.change(case.before, case.after)


def _may_say(case: Case, rule: Rule) -> set[str]:
    """An approval that does not count leaves the change without the one that it needs."""
    return {rule.code, "PG-A01"} if isinstance(case, Scene) else {rule.code}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_bad_example_gives_exactly_its_code(rule: Rule, judge: Judge, tmp_path: Path) -> None:
    case = rule.bad.case()
    report = _judged(case, judge, tmp_path)
    assert set(codes(report)) == _may_say(case, rule), report.findings
    assert {finding.severity for finding in report.findings} == {rule.severity}
    for finding in report.findings:
        assert finding.message
        assert finding.hint
        assert finding.line >= 1


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_good_example_gives_none(rule: Rule, judge: Judge, tmp_path: Path) -> None:
    assert _judged(rule.good.case(), judge, tmp_path).findings == ()
