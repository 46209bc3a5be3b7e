"""Credentials are found, shown masked, and not seen where there are none; the detector is loaded only when needed."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from detect_secrets.plugins import base
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from potpie_git.checks import secrets
from potpie_git.checks.rules.samples import claim, edited, file, path, pot
from potpie_git.checks.secrets import DETECTORS, Secret, added_lines, find_secrets, mask
from tests.checks.conftest import Judge, codes

GITHUB = "ghp_" + "Ab3dEf6hIj9lMn2pQr5t" * 2
AWS = "AKIA" + "IOSFODNN7" + "EXAMPLE"
STRIPE = "sk_live_" + "a1B2c3D4" * 3
FOUND = [
    (GITHUB[:40], "GitHub Token", "ghp_****"),
    (AWS, "AWS Access Key", "AKIA****"),
    (STRIPE, "Stripe Access Key", "sk_l****"),
    ("postgres://app:hunter2@db.internal/x", "Basic Auth Credentials", "****"),
    ("-----BEGIN OPENSSH PRIVATE " + "KEY-----", "Private Key", "BEGI****"),
    ("xoxb-123456789-abcdefghijkl", "Slack Token", "xoxb****"),
]
HARMLESS = [
    "id: c-55f40610d1853738ea3f417ce9e4c85e",
    "blob: " + "0123456789abcdef" * 2 + "01234567",
    "sha256: " + "0123456789abcdef" * 4,
    "mutation: m-01jzqk3v5n8w2x4y6z8a0b2c4d",
    "source_ref: github:pr:acme/payments:812",
    "source_ref: git:commit:" + "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "source_ref: https://example.com/a/very/long/path/with-a-slug-1234567890#anchor",
    "fact: Rotate the password and the api key every 90 days; never pass a token in the URL.",
    "url: https://user:<password>@host.example and https://user:${TOKEN}@host.example",
    "fact: APACHEKAFKA and APPROXIMATELY are words.",
    "key: decision:9f3a1c77b2e0",
]


@pytest.mark.parametrize(("text", "kind", "masked"), FOUND)
def test_a_credential_is_found_and_masked(text: str, kind: str, masked: str) -> None:
    [secret] = find_secrets([(3, f"description: use {text} there")])
    assert (secret.kind, secret.line, secret.masked) == (kind, 3, masked)
    assert secret.text in text
    assert secret.text not in mask(f"before {text} after", [secret])


@pytest.mark.parametrize("line", HARMLESS)
def test_what_is_no_credential_is_left_alone(line: str) -> None:
    assert find_secrets([(1, line)]) == []


def test_only_added_lines_are_looked_at() -> None:
    before, after = b"a: 1\nb: 2\n", b"a: 1\nb: 3\nc: 4\n"
    assert added_lines(before, after) == [(2, "b: 3"), (3, "c: 4")]
    assert [number for number, _ in added_lines(None, b"a\nb")] == [1, 2]


def test_the_longest_secret_is_masked_first() -> None:
    short, long = Secret("a", 1, "abc"), Secret("b", 1, "abcdef")
    assert mask("abcdef abc", [short, long]) == "**** ****"


def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [
        (type(detector).__name__, pattern)
        for detector in secrets._detectors()
        for pattern in detector.denylist
    ]


def test_every_detector_is_one_of_patterns() -> None:
    found = {type(detector).__name__ for detector in secrets._detectors()}
    assert found == set(DETECTORS.values())
    assert all(isinstance(detector, base.RegexBasedDetector) for detector in secrets._detectors())


@pytest.mark.parametrize(
    "pattern", [pattern for _, pattern in _patterns()], ids=[name for name, _ in _patterns()]
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_line_that_a_detector_could_match_is_passed_over(
    pattern: re.Pattern[str], data: st.DataObject
) -> None:
    line = data.draw(st.from_regex(pattern))
    assume("\n" not in line)
    for piece in secrets._pieces(line):
        match = pattern.search(piece)
        assert match is None or secrets.could_match(piece), match.group()


@pytest.mark.parametrize(
    "part", ["key ", "key" + " " * 500, "://a:", "eyJ", "sk-", "//x", "key: ", "a" * 30 + "@"]
)
def test_a_hostile_line_is_cut_into_what_the_patterns_can_bear(part: str) -> None:
    pieces = list(secrets._pieces(part * (64 * 1024 // len(part))))
    assert max(map(len, pieces)) <= 2048
    assert sum(map(len, pieces)) <= 3 * 64 * 1024


@pytest.mark.parametrize("start", [0, 1000, 1020, 2020, 2030, 2040, 2047, 2048, 5000])
def test_a_secret_at_the_edge_of_a_window_is_found_once(start: int) -> None:
    line = "x" * start + f" {AWS} " + "y" * 5000
    assert [secret.text for secret in find_secrets([(1, line)])] == [AWS]


@pytest.mark.parametrize(
    ("line", "loaded"),
    [(HARMLESS[0], False), (HARMLESS[7], True), (f"use {AWS}", True)],
    ids=["id", "prose", "token"],
)
def test_the_detector_is_loaded_only_where_a_line_could_match(line: str, loaded: bool) -> None:
    code = "import sys; from potpie_git.checks.secrets import find_secrets; find_secrets([(1, sys.argv[1])])"
    code += "; print('detect_secrets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, line], capture_output=True, text=True, check=True)
    # prose about keys and tokens has to be looked at, unless nothing in it is long enough
    assert done.stdout.strip() == str(loaded and line != HARMLESS[7])


def test_a_secret_is_masked_in_every_finding_that_quotes_it(judge: Judge) -> None:
    leaking = claim(evidence=[{"source_ref": GITHUB[:40]}])
    report = judge.change(pot(), pot(leaking))
    assert set(codes(report)) == {"PG-C01", "PG-S09"}
    assert all(GITHUB[:40] not in finding.message + finding.hint for finding in report.findings)


def test_a_secret_in_a_comment_or_an_unreadable_file_is_found(judge: Judge) -> None:
    commented = {path(claim()): file(claim())[path(claim())] + f"# {AWS}\n".encode()}
    assert codes(judge.change(pot(), {**pot(), **commented})) == ["PG-C01"]
    broken = edited(claim(), "fact: Retry", f'fact: "{AWS}')
    assert "PG-C01" in codes(judge.change(pot(), {**pot(), **broken}))


def test_what_was_there_before_is_not_reported_again(judge: Judge) -> None:
    held = claim(description=f"Use {AWS}.")
    before = pot(held)
    after = {**before, path(held): before[path(held)] + b"# seen\n"}
    assert codes(judge.change(before, after)) == []
    assert codes(judge.tree(before)) == ["PG-C01"]
