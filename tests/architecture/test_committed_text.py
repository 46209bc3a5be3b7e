"""What no committed file may hold: marks of unfinished work, and addresses of the places packages are fetched from."""

import re
from collections.abc import Mapping

import pytest

# Put together from parts, so that this file passes its own check.
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK")) + r")\b")
REGISTRY = re.compile(
    r"\b(?:pypi|pythonhosted|npmjs|yarnpkg|crates|debian|anaconda|rubygems)\.(?:org|com|io)\b"
    r"|https?://\S+/(?:packages|simple)(?:/|\b)"
    r"|^\s*--(?:extra-)?index-url|^\s*--(?:find-links|trusted-host)",
    re.IGNORECASE | re.MULTILINE,
)


def _hits(pattern: re.Pattern[str], texts: Mapping[str, str]) -> list[str]:
    return [
        f"{path}:{text.count(chr(10), 0, match.start()) + 1} {match.group().strip()}"
        for path, text in texts.items()
        for match in pattern.finditer(text)
    ]


def test_no_committed_file_is_marked_unfinished(committed_texts: Mapping[str, str]) -> None:
    assert "pyproject.toml" in committed_texts
    assert _hits(UNFINISHED, committed_texts) == []


def test_no_committed_file_holds_a_registry_address(committed_texts: Mapping[str, str]) -> None:
    assert _hits(REGISTRY, committed_texts) == []


@pytest.mark.parametrize(
    "line",
    [
        "https://files." + "pythonhosted" + ".org/a.whl",
        "see " + "PyPI" + ".org",
        "https://mirror.example/" + "simple" + "/numpy",
        "--" + "index-url https://mirror.example",
    ],
)
def test_a_registry_address_would_be_seen(line: str) -> None:
    assert len(_hits(REGISTRY, {"file": "first\n" + line})) >= 1
    assert _hits(REGISTRY, {"file": "first\n" + line})[0].startswith("file:2 ")
