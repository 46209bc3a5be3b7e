"""A commit's message says what its change is, in characters that can be seen."""

from __future__ import annotations

import pytest

from potpie_git.checks.message import message_problems, states_risk
from potpie_git.checks.staged import check_message
from potpie_git.domain.errors import ExitCode
from potpie_git.domain.vocabulary import Risk

TOKEN = "ghp_" + "Ab3dEf6hIj9lMn2pQr5t" * 2


@pytest.mark.parametrize(
    "text",
    [
        "Retract the retry\n",
        "Rücknahme 🥧, \u0928\u092e\u0938\u094d\u0924\u0947\n",
        "Subject\r\n\r\nBody\r\n",
        "Subject\n\nPotpie-Plan: p-01jzqk3v5n8w2x4y6z8a0b2c4d\nPotpie-Mutation: m-1\nPotpie-Risk: medium\n",
        "Subject\n\nPotpie-Risk is explained in docs, like Potpie-Plan: x\n\nSigned-off-by: Rae <rae@example.com>\n",
        "Subject\n# ------------------------ >8 ------------------------\n" + f"diff {TOKEN[:40]}\n",
        "",
    ],
)
def test_an_honest_message_passes(text: str) -> None:
    assert message_problems(text, Risk.MEDIUM) == []


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("Retract\u202e it", "PG-C02", 1),
        ("Subject\n\nbo\u200bdy", "PG-C02", 3),
        ("Subject\n\n\x1b[2J", "PG-C02", 3),
        (f"Subject\n\nUse {TOKEN[:40]}", "PG-C01", 3),
        ("Subject\n\nPotpie-Plan: ../x", "PG-C03", 3),
        ("Subject\n\nPotpie-Mutation: none", "PG-C03", 3),
        ("Subject\n\nPotpie-Risk: harmless", "PG-C03", 3),
        ("Subject\n\nPOTPIE-RISK: low", "PG-C03", 3),
    ],
)
def test_a_message_that_deceives_is_refused(text: str, code: str, line: int) -> None:
    [problem] = message_problems(text, Risk.MEDIUM)
    assert (problem.code, problem.line) == (code, line)
    assert problem.hint
    assert TOKEN[:40] not in problem.message


@pytest.mark.parametrize("said", Risk)
@pytest.mark.parametrize("found", Risk)
def test_a_stated_risk_is_never_lower_than_the_graded_one(said: Risk, found: Risk) -> None:
    text = f"Subject\n\nPotpie-Risk: {said.label}"
    assert bool(message_problems(text, found)) == (said < found)
    assert states_risk(text)
    assert not states_risk("Subject")


def test_the_report_names_the_message() -> None:
    report = check_message("Retract\u202e it", label=".git/COMMIT_EDITMSG")
    assert [finding.path for finding in report.findings] == [".git/COMMIT_EDITMSG"]
    assert report.exit_code == ExitCode.FAILED
    assert check_message("Retract it").exit_code == ExitCode.OK


def test_only_an_edited_message_ends_at_scissors() -> None:
    """Git keeps what was given on the command line whole."""
    text = "Subject\n# ------------------------ >8 ------------------------\nbo\u200bdy\n"
    assert message_problems(text, Risk.LOW) == []
    [problem] = message_problems(text, Risk.LOW, edited=False)
    assert (problem.code, problem.line) == ("PG-C02", 3)
    assert check_message(text, edited=False).exit_code == ExitCode.FAILED
    assert message_problems(text.replace("-" * 24, "-"), Risk.LOW) != []
